/** Handlers of the payslip calls, and the jobs that send, export and remind. Only that of `send/deliver.ts` calls outside. */

import * as card from '../../contract/payslips/chat-read-status.ts'
import * as evidence from '../../contract/payslips/evidence-package.ts'
import * as feedback from '../../contract/payslips/feedback.ts'
import * as mail from '../../contract/payslips/mailbox.ts'
import * as memberData from '../../contract/payslips/member-data.ts'
import * as slip from '../../contract/payslips/send.ts'
import * as approve from '../../contract/payslips/send-approval.ts'
import * as testSend from '../../contract/payslips/test-send.ts'
import * as reach from '../../contract/payslips/unreachable-members.ts'
import * as verify from '../../contract/payslips/verify-receipt.ts'
import { bindHandlers } from '../../http/handler.ts'
import { exportMemberData } from './employee/personal-data/export.ts'
import { exportEvidencePackage } from './export/evidence-package.ts'
import { createExporter, type ExporterDeps, type ExportJobData, exportWageDetail, getExportStatus } from './export/export.ts'
import { answerFeedback, getFeedbackOwners, handleFeedback, setFeedbackOwner } from './feedback/admin-feedback.ts'
import { getFeedbackPicture } from './feedback/pictures.ts'
import { getFeedBackDetail, getFeedBackList } from './feedback/threads.ts'
import { getBatchList, getMemberSlips, getWageDetail, getWageList } from './lists.ts'
import { editSalaryDetail } from './payslip/correct.ts'
import { getSalary, getSalaryModifyLog } from './payslip/payslip.ts'
import { getSendApproval, getSendApprovalDetail, registerSendApprovals, requestSendApproval } from './plan/approve.ts'
import { getSendOptions, getSendPlan, sendNow, setSchedule, setSendOptions } from './plan/options.ts'
import { doSend, sendPaySheet } from './plan/plan.ts'
import { getTestSend, getTestSendList, registerTestSends, sendTest } from './plan/test-send.ts'
import { resolveUnknownDeliveries } from './plan/unknown-deliveries.ts'
import { createDailyReminders } from './reminders/daily-reminders.ts'
import type { CompanyJobData } from './reminders/job.ts'
import { getChatReadStatus } from './send/chat-read-status.ts'
import { registerChatStatusJob } from './send/chat-status.ts'
import { createPayslipSender, type PayslipSenderDeps, type SendJobData } from './send/deliver.ts'
import { getSendInfo, pauseSend, resumeSend } from './send/progress.ts'
import { getResendCost, sendBatch, sendSingle } from './send/remind.ts'
import { withdrawBatchPaySheet, withdrawSingleSalary } from './send/withdraw.ts'
import { registerBounceJob } from './setting/bounces.ts'
import { createMailboxHandlers } from './setting/mailbox.ts'
import * as setting from './setting/wage-settings.ts'
import { getUnreachableMemberList } from './unreachable-members.ts'
import { verifyReceipt } from './verify-receipt.ts'

const handlers = [
  ...bindHandlers(reach, { getUnreachableMemberList }),
  ...bindHandlers(verify, { verifyReceipt }),
  ...bindHandlers(slip, {
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
    getResendCost,
    resolveUnknownDeliveries,
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
  ...bindHandlers(memberData, { exportMemberData }),
  ...bindHandlers(evidence, { exportEvidencePackage }),
  ...bindHandlers(testSend, { sendTest, getTestSendList, getTestSend }),
  ...bindHandlers(approve, { requestSendApproval, getSendApproval, getSendApprovalDetail }),
  ...bindHandlers(feedback, {
    getFeedBackList,
    getFeedBackDetail,
    handleFeedback,
    answerFeedback,
    getFeedbackOwners,
    setFeedbackOwner,
    getFeedbackPicture,
  }),
]

/** Creates the handlers and registers the jobs. `resumeAll` is called at startup, after the jobs run. */
export function createPayslipModule(
  deps: PayslipSenderDeps & Parameters<typeof createMailboxHandlers>[0] & Partial<Pick<ExporterDeps, 'timeStampClient'>>,
) {
  const sender = createPayslipSender(deps)
  const exporter = createExporter({ ...deps, timeStampClient: deps.timeStampClient ?? null })
  deps.jobs.register<SendJobData>('send', (data, context) => sender.send(data, context))
  // A hundred thousand rows, or the pages of ten thousand employees, take longer than one run of the sender.
  deps.jobs.register<ExportJobData>('export', (data) => exporter(data), { timeoutSeconds: 3600 })
  const { everyCompany: queueAllCompanies, care: runDaily } = createDailyReminders(deps)
  deps.jobs.register<CompanyJobData>('care', runDaily, { timeoutSeconds: 900, retries: 5 })
  registerChatStatusJob(deps)
  registerTestSends(deps)
  registerSendApprovals()
  const pollInbox = registerBounceJob({ ...deps, applyUpdates: sender.notifiedOf, inCompany: sender.inCompany })
  deps.jobs.schedule('morning', '30 9 * * *', queueAllCompanies)
  return {
    handlers: [
      ...handlers,
      ...bindHandlers(mail, createMailboxHandlers(deps, pollInbox)),
      ...bindHandlers(card, { getChatReadStatus }),
    ],
    resumeAll: sender.resumeAll,
    takeReports: sender.takeReports,
  }
}
