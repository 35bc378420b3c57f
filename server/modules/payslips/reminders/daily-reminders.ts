/**
 * Runs every morning for each company that enables it: confirms payslips automatically after a number of days, reminds
 * employees who have not viewed theirs, and sends progress reports to selected members.
 *
 * Idempotent on the same day, on two nodes and after a crash: automatic confirmation is a compare-and-set; the purpose
 * of an automatic reminder contains only the day, so the ledger accepts it once; ids of notifications and reports
 * derive from company, member and day.
 */

import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../database/database.ts'
import { writeSystemAuditEntry } from '../../../http/audit-log.ts'
import { AppError, type HandlerContext } from '../../../http/handler.ts'
import { listAllCompanyIds } from '../../../jobs/companies.ts'
import type { JobContext } from '../../../jobs/queue.ts'
import { createSegmentCounter } from '../../../outbox/index.ts'
import { isContactHour } from '../../../rules/contact-hours.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { deriveId } from '../../../shared/ids.ts'
import { getAutoConfirmation, loadWageSettings } from '../../company/settings/index.ts'
import { memberView } from '../../directory/read-model.ts'
import { isWorkday, notify } from '../../notifications/index.ts'
import { batchView } from '../../sheets/read-model.ts'
import { remindDueFeedback } from '../feedback/due-reminder.ts'
import { getAutoConfirmCutoff, getReminderDays, getReminderSpan, getWeekday, type TimeSpan } from '../rules/reminder-dates.ts'
import { type BatchTx, getSegmentCount, lockBatch, type SendBatch } from '../send/message-source.ts'
import { sendReminders } from '../send/remind.ts'
import { confirmOverdue, deliveredVersionAt } from '../view-and-confirm.ts'
import type { CompanyJobData, ReminderJobDeps } from './job.ts'
import { sendProgressReports } from './progress-report.ts'

type BatchReminderTx = BatchTx & Pick<HandlerContext, 'jobs' | 'origin' | 'countSegments'>

const longTimeout = { timeout_ms: 30_000 }
const companiesPerTransaction = 500

export function createDailyReminders({ database, jobs, clock, secrets, senders, origin }: ReminderJobDeps) {
  const countSegments = createSegmentCounter(senders.sms, origin)
  /** Each company has its own job, so that a large or failing company does not delay the others. */
  async function queueAllCompanies(): Promise<void> {
    const companies = await listAllCompanyIds(database)
    for (let from = 0; from < companies.length; from += companiesPerTransaction)
      await database.asSystem(async (tx) => {
        for (const company_id of companies.slice(from, from + companiesPerTransaction))
          await jobs.send(tx, 'care', { company_id })
      })
  }

  async function runDaily({ company_id }: CompanyJobData, { signal }: JobContext): Promise<void> {
    const now = clock.now()
    const [setting, rule] = await database.inCompany(company_id, async (tx) => [
      await loadWageSettings({ db: tx, company_id }),
      await getAutoConfirmation({ db: tx, company_id }),
      await remindDueFeedback({ db: tx, company_id, now, vault: await secrets.vault(tx, company_id) }),
    ])
    const { remind_days } = setting.confirm_rule
    const autoConfirmCutoff = getAutoConfirmCutoff(now, rule.days)
    const reminderDays = isContactHour(now) ? getReminderDays(toShanghaiDate(now), (day) => isWorkday(day, getWeekday(day))) : []
    const reminderSpans = reminderDays.flatMap((day) => remind_days.map((days) => getReminderSpan(day, days)))
    if (!autoConfirmCutoff && reminderSpans.length === 0) return
    const due = isDeliveredWithin([
      ...reminderSpans,
      ...(autoConfirmCutoff ? [{ from: rule.since, to: new Date(autoConfirmCutoff.getTime() + 1) }] : []),
    ])
    const batches = await database.inCompany(company_id, (tx) => findBatchesDue(tx, company_id, due), longTimeout)
    const inBatch = (batch_id: string, fn: (ctx: BatchReminderTx, batch: SendBatch) => Promise<void>) =>
      database.inCompany(
        company_id,
        async (tx) => {
          const batchTx: BatchReminderTx = {
            db: tx,
            company_id,
            batch_id,
            now,
            vault: await secrets.vault(tx, company_id),
            origin,
            countSegments,
            jobs: { send: (name, data, options) => jobs.send(tx, name, data, options) },
          }
          // Locks the batch first, as in every module, so that withdrawals and corrections happen before or after.
          const batch = await lockBatch(batchTx, 'update')
          if (batch) await fn(batchTx, batch)
        },
        longTimeout,
      )
    const { weChat, sms, email } = setting.send_rule
    const enabledChannels = { platform: weChat === 1, sms, email }
    for (const { id } of batches) {
      signal.throwIfAborted()
      if (autoConfirmCutoff)
        await inBatch(id, (batchTx, batch) => autoConfirmBatch(batchTx, batch, rule.since, autoConfirmCutoff))
      if (reminderSpans.length === 0) continue
      // Payslips just confirmed automatically are not reminded any more.
      const target = { where: isDeliveredWithin(reminderSpans), by: 'day' } as const
      try {
        await inBatch(id, (batchTx, batch) => remindBatch(batchTx, batch, { ...target, ...enabledChannels }))
      } catch (error) {
        if (!(error instanceof AppError && error.error === 'sms_used_up')) throw error
        await inBatch(id, async (batchTx, batch) => {
          await remindBatch(batchTx, batch, { ...target, ...enabledChannels, sms: false })
          await notifySmsExhausted(batchTx, batch, Number(error.details.needed) / (await getSegmentCount(batchTx, id, 'remind-')))
        })
      }
    }
    signal.throwIfAborted()
    if (reminderSpans.length > 0 && setting.send_rule.remind_members.length > 0)
      await sendProgressReports({
        database,
        jobs,
        secrets,
        countSegments,
        company_id,
        now,
        setting,
        due: isDeliveredWithin(reminderSpans),
      })
  }

  return { everyCompany: queueAllCompanies, care: runDaily }
}

const isSent = ({ status, sent_at }: SendBatch): boolean =>
  status === 'sending' || status === 'paused' || status === 'sent' || (status === 'scheduled' && sent_at !== null)

/** SQL condition for `payslip`: sent within one of these time spans. */
const isDeliveredWithin = (spans: readonly (TimeSpan | { from: Date | null; to: Date })[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    spans.map(({ from, to }) => sql`(${deliveredVersionAt} < ${to} ${from ? sql`and ${deliveredVersionAt} >= ${from}` : sql``})`),
    sql` or `,
  )})`

/** Finds batches with payslips that await a response and are due. */
async function findBatchesDue(tx: Tx, company_id: string, due: RawBuilder<boolean>): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select batch.id from ${batchView}
    where batch.company_id = ${company_id} and batch.status in ('sending', 'paused', 'sent') and exists (
      select from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id and payslip.status in ('sent', 'viewed') and ${due})
    order by batch.created_at, batch.id`.execute(tx)
  return rows
}

async function autoConfirmBatch(batchTx: BatchReminderTx, batch: SendBatch, since: Date | null, cutoff: Date): Promise<void> {
  if (!isSent(batch)) return
  const confirmed = await confirmOverdue(batchTx, batchTx.batch_id, since, cutoff)
  if (confirmed === 0) return
  const details = { batch_id: batchTx.batch_id, confirmed }
  await writeSystemAuditEntry(batchTx.db, batchTx.company_id, {
    call: 'job care: automatic confirmation',
    details,
    at: batchTx.now,
  })
}

async function remindBatch(
  batchTx: BatchReminderTx,
  batch: SendBatch,
  options: { where: RawBuilder<boolean>; by: 'day' } & Record<'platform' | 'sms' | 'email', boolean>,
): Promise<void> {
  // While sending is paused no messages are sent either.
  if (!isSent(batch) || batch.status === 'paused') return
  const channels = (['platform', 'sms', 'email'] as const).filter((channel) => options[channel])
  if (channels.length === 0) return
  const where = sql<boolean>`${options.where} and payslip.channel = any(${channels}::text[]) and exists (
    select from ${memberView} where member.company_id = ${batchTx.company_id} and member.id = payslip.member_id and member.status <> 'left')`
  await sendReminders(batchTx, { id: batchTx.batch_id, status: batch.status }, { where, by: options.by })
}

async function notifySmsExhausted(batchTx: BatchReminderTx, batch: SendBatch, recipientCount: number): Promise<void> {
  await notify(batchTx, batch.owner_id, {
    id: deriveId('no-sms', batchTx.company_id, batchTx.batch_id, toShanghaiDate(batchTx.now)),
    kind: 'failed',
    text: `今天是「${batch.title}」的提醒日，短信余额不够，${recipientCount} 人没有收到短信提醒；请充值后在工资条详情里提醒`,
    batch_id: batchTx.batch_id,
  })
}
