/**
 * On reminder days, reports to the members chosen by the company how many employees have not viewed their payslips. The
 * reports contain counts, never amounts or employees' names.
 */

import { type RawBuilder, sql } from 'kysely'
import type { MessageContent } from '../../../contract/messages/sms-templates.ts'
import type { Secrets, Vault } from '../../../crypto/secrets.ts'
import type { Database, Tx } from '../../../database/database.ts'
import { AppError } from '../../../http/handler.ts'
import type { JobQueue } from '../../../jobs/queue.ts'
import type { CountSmsSegments } from '../../../outbox/index.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { deriveId } from '../../../shared/ids.ts'
import { adminView } from '../../access/read-model.ts'
import { chargeSms } from '../../billing/index.ts'
import { companyView } from '../../company/read-model.ts'
import { type WageSettings } from '../../company/settings/index.ts'
import { memberView } from '../../directory/read-model.ts'
import { notify, sendDirectMessage } from '../../notifications/index.ts'
import { getBatchName } from '../../sheets/index.ts'
import { batchView, titleView } from '../../sheets/read-model.ts'
import { type BatchProgress, formatProgressReport, getProgressReportParams } from '../rules/reminder-dates.ts'

type ProgressReportParams = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly countSegments: CountSmsSegments
  readonly company_id: string
  readonly now: Date
  readonly setting: WageSettings
  /** SQL condition for `payslip`: batches with such payslips are reported. */
  readonly due: RawBuilder<boolean>
}
type BatchProgressRow = BatchProgress & { readonly batch_id: string; readonly owner_id: string }

export async function sendProgressReports({
  database,
  jobs,
  secrets,
  countSegments,
  company_id,
  now,
  setting,
  due,
}: ProgressReportParams): Promise<void> {
  const { vault, lines: batches } = await database.inCompany(
    company_id,
    async (tx) => {
      const opened = await secrets.vault(tx, company_id)
      return { vault: opened, lines: await loadBatchProgress(tx, opened, company_id, due) }
    },
    { timeout_ms: 30_000 },
  )
  if (batches.length === 0) return
  const { remind_members, weChat, sms } = setting.send_rule
  for (const { member_id } of remind_members) {
    const id = deriveId('standing', company_id, member_id, toShanghaiDate(now))
    const sendToRecipient = async (tx: Tx) => {
      const ctx = { db: tx, company_id, now, vault, jobs: bindJobs(jobs, tx) }
      const recipient = await findReportRecipient(tx, company_id, member_id)
      if (!recipient) return
      const text = formatProgressReport(batches)
      if (recipient.admin_id) {
        const [onlyBatch] = batches.length === 1 ? batches : []
        const canOpenBatch = onlyBatch && (recipient.power?.includes('4') || onlyBatch.owner_id === recipient.admin_id)
        return notify(ctx, recipient.admin_id, { id, kind: 'unviewed', text, batch_id: canOpenBatch ? onlyBatch.batch_id : null })
      }
      const content: MessageContent = {
        kind: 'standing',
        params: { corp: recipient.corp_name, ...getProgressReportParams(batches) },
      }
      if (weChat && recipient.platform_user_id)
        return sendDirectMessage(ctx, { id, channel: 'platform', to: recipient.platform_user_id, ...content })
      if (!sms || !recipient.mobile) return
      await chargeSms(ctx, countSegments(content), 'standing', id)
      return sendDirectMessage(ctx, { id, channel: 'sms', to: recipient.mobile, ...content })
    }
    try {
      await database.inCompany(company_id, sendToRecipient)
    } catch (error) {
      // Without prepaid messages nothing is sent; the owner is notified together with the reminders.
      if (!(error instanceof AppError && error.error === 'sms_used_up')) throw error
    }
  }
}

const bindJobs = (jobs: JobQueue, tx: Tx) => ({
  send: (...[name, data, options]: Parameters<JobQueue['send']> extends [Tx, ...infer Rest] ? Rest : never) =>
    jobs.send(tx, name, data, options),
})

async function loadBatchProgress(
  tx: Tx,
  vault: Vault,
  company_id: string,
  due: RawBuilder<boolean>,
): Promise<BatchProgressRow[]> {
  const { rows } = await sql<Omit<BatchProgressRow, 'title'> & Parameters<typeof getBatchName>[1]>`
    select batch.id, batch.id as batch_id, batch.owner_id, batch.title_id, title.name as title, batch.file_name,
      (count(*) filter (where payslip.status = 'sent'))::int as unviewed,
      (count(*) filter (where coalesce((batch.rules ->> 'confirm')::boolean, false)))::int as unconfirmed
    from ${batchView}
    join payslip on payslip.company_id = batch.company_id and payslip.batch_id = batch.id and payslip.status in ('sent', 'viewed')
    left join ${titleView} on title.company_id = batch.company_id and title.id = batch.title_id
    where batch.company_id = ${company_id} and batch.status in ('sending', 'sent')
    group by batch.id, batch.owner_id, batch.title_id, batch.file_name, batch.created_at, title.name
    having bool_or(${due}) and (bool_or(payslip.status = 'sent') or bool_or(coalesce((batch.rules ->> 'confirm')::boolean, false)))
    order by batch.created_at desc, batch.id`.execute(tx)
  return rows.map((row) => ({ ...row, title: getBatchName(vault, row) }))
}

type ReportRecipient = {
  readonly mobile: string
  /** The value is also null where the company is not bound to a platform. */
  readonly platform_user_id: string | null
  readonly corp_name: string
  readonly admin_id: string | null
  readonly power: string[] | null
}
async function findReportRecipient(tx: Tx, company_id: string, member_id: string): Promise<ReportRecipient | null> {
  const { rows } = await sql<ReportRecipient>`
    select member.mobile, case when company.provider is not null then member.platform_user_id end as platform_user_id,
      company.name as corp_name, admin.id as admin_id, admin.power
    from ${memberView}
    join ${companyView} on company.id = member.company_id
    left join ${adminView} on admin.company_id = member.company_id and admin.member_id = member.id and cardinality(admin.power) > 0
    where member.company_id = ${company_id} and member.id = ${member_id} and member.status <> 'left'`.execute(tx)
  return rows[0] ?? null
}
