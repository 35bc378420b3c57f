/** What answers the calls of slips, and the jobs that send, export and remind. Nothing here touches the outside world but the job in `deliver.ts`. */
import * as feedback from '../../contract/slip/feedback.ts'
import * as slip from '../../contract/slip/slip.ts'
import * as card from '../../contract/wage/card.ts'
import * as evidence from '../../contract/wage/evidence.ts'
import * as mail from '../../contract/wage/mail.ts'
import * as approve from '../../contract/wage/send/approve.ts'
import * as rehearsal from '../../contract/wage/send/rehearsal.ts'
import { implement } from '../../runtime/handle.ts'
import { openCards } from './care/cards.ts'
import { type CareData, openCare } from './care/care.ts'
import { getCardRead } from './care/read.ts'
import { type ExportData, type ExporterParts, exportWageDetail, getExportStatus, openExporter } from './export/export.ts'
import { exportEvidence } from './export/period.ts'
import { getBatchList, getMemberSlips, getWageDetail, getWageList } from './lists.ts'
import { applySend, decideSending, getSendApproval, getSendToApprove } from './plan/approve.ts'
import { getSendOptions, getSendPlan, sendNow, setSchedule, setSendOptions } from './plan/options.ts'
import { doSend, sendPaySheet } from './plan/plan.ts'
import { getRehearsal, getRehearsalList, openRehearsals, rehearse } from './plan/rehearse.ts'
import { settleUnknown } from './plan/unknown.ts'
import { answerFeedback, getFeedbackOwners, handleFeedback, setFeedbackOwner } from './question/answer.ts'
import { getFeedbackPicture } from './question/pictures.ts'
import { getFeedBackDetail, getFeedBackList } from './question/threads.ts'
import { editSalaryDetail } from './salary/correct.ts'
import { getSalary, getSalaryModifyLog } from './salary/salary.ts'
import { openSender, type SendData, type SenderParts } from './send/deliver.ts'
import { getSendInfo, pauseSend, resumeSend } from './send/progress.ts'
import { sendBatch, sendSingle } from './send/remind.ts'
import { withdrawBatchPaySheet, withdrawSingleSalary } from './send/withdraw.ts'
import { openBounces } from './setting/bounces.ts'
import { mailCalls } from './setting/mail.ts'
import * as setting from './setting/setting.ts'

const handlers = [
  ...implement(slip, {
    getSendPlan,
    sendPaySheet,
    doSend,
    getSendOptions,
    setSendOptions,
    setSchedule,
    sendNow,
    getSendInfo,
    pauseSend,
    resumeSend,
    sendSingle,
    sendBatch,
    settleUnknown,
    withdrawSingleSalary,
    withdrawBatchPaySheet,
    getWageList,
    getBatchList,
    getWageDetail,
    getMemberSlips,
    getSalary,
    editSalaryDetail,
    getSalaryModifyLog,
    exportWageDetail,
    getExportStatus,
    ...setting,
  }),
  ...implement(evidence, { exportEvidence }),
  ...implement(rehearsal, { rehearse, getRehearsalList, getRehearsal }),
  ...implement(approve, { applySend, getSendApproval, getSendToApprove }),
  ...implement(feedback, {
    getFeedBackList,
    getFeedBackDetail,
    handleFeedback,
    answerFeedback,
    getFeedbackOwners,
    setFeedbackOwner,
    getFeedbackPicture,
  }),
]

/** Binds the calls and declares the jobs. `resumeAll` is for the start, after the jobs run. */
export function openSlips(parts: SenderParts & Parameters<typeof mailCalls>[0] & Partial<Pick<ExporterParts, 'stamps'>>) {
  const sender = openSender(parts)
  const exporter = openExporter({ ...parts, stamps: parts.stamps ?? null })
  parts.jobs.on<SendData>('send', (data, context) => sender.send(data, context))
  // A hundred thousand rows, or the pages of ten thousand people, take longer than a turn of the sender.
  parts.jobs.on<ExportData>('export', (data) => exporter(data), { expire_s: 3600 })
  const { everyCompany, care } = openCare(parts)
  parts.jobs.on<CareData>('care', care, { expire_s: 900, retries: 5 })
  openCards(parts)
  openRehearsals(parts)
  decideSending()
  const tryInbox = openBounces({ ...parts, toldOf: sender.toldOf, inCompany: sender.inCompany })
  parts.jobs.daily('morning', '30 9 * * *', everyCompany)
  return {
    handlers: [
      ...handlers,
      ...implement(mail, mailCalls(parts, tryInbox)),
      ...implement(card, { getCardRead: getCardRead(parts.lines) }),
    ],
    resumeAll: sender.resumeAll,
    takeReports: sender.takeReports,
  }
}
