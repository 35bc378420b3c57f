/**
 * Notifies, hourly during the day, the administrators who manage billing that an edition is about to end or that
 * prepaid messages run low. Idempotent: the notification id derives from company, reader and occasion. For an end the
 * occasion is its date and the reminder day; for a low balance, the refill that has been used up.
 */

import { sql } from 'kysely'
import type { InvoiceStatus } from '../../contract/billing/orders.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Tx } from '../../database/database.ts'
import { listAllCompanyIds } from '../../jobs/companies.ts'
import { toShanghaiDate, toShanghaiMonth } from '../../shared/clock.ts'
import { deriveId } from '../../shared/ids.ts'
import { listSystemAdminIds } from '../access/index.ts'
import { companyView } from '../company/read-model.ts'
import { notify } from '../notifications/index.ts'
import { type PaymentJobDeps, runInCompany } from './payment-jobs.ts'
import type { getStoredEdition } from './prepaid-usage.ts'
import { invoiceUpdateMessages } from './rules/refund.ts'
import { getExpiryReminder, getLowBalanceMessage, type PrepaidState } from './rules/reminders.ts'

type ServiceReminderDeps = Pick<PaymentJobDeps, 'database' | 'clock' | 'log'> & { readonly secrets: Secrets }
type ServiceStatus = Awaited<ReturnType<typeof getStoredEdition>> & PrepaidState & { readonly refill_id: string | null }

/** A failure in one company does not keep others from being notified. */
export async function remindAllCompanies(deps: ServiceReminderDeps, signal: AbortSignal): Promise<void> {
  for (const company_id of await listAllCompanyIds(deps.database)) {
    signal.throwIfAborted()
    await runInCompany(deps, company_id, (db) => remindCompany(deps, db, company_id)).catch((error: unknown) =>
      deps.log.error({ err: error, company_id }, 'a company could not be told of its edition and balance'),
    )
  }
}

async function remindCompany({ clock, secrets }: ServiceReminderDeps, db: Tx, company_id: string): Promise<void> {
  const now = clock.now()
  const status = await loadServiceStatus(db, company_id, now)
  if (!status) return
  const { edition, edition_until: until, trial_until } = status
  const ending =
    until &&
    getExpiryReminder(
      { edition, on_trial: trial_until !== null, last_day: toShanghaiDate(until), is_over: until <= now },
      toShanghaiDate(now),
    )
  const lowBalanceText = getLowBalanceMessage(status)
  const reminders = [
    ...(until && ending ? [{ of: ['edition-ends', until.toISOString(), String(ending.daysBefore)], text: ending.text }] : []),
    ...(lowBalanceText ? [{ of: ['sms-low', status.refill_id ?? 'none'], text: lowBalanceText }] : []),
  ]
  if (reminders.length === 0) return
  const companyTx = { db, company_id, now, vault: await secrets.vault(db, company_id) }
  for (const admin_id of await listSystemAdminIds(companyTx, '1'))
    for (const { of: occasion, text } of reminders)
      await notify(companyTx, admin_id, {
        id: deriveId(company_id, admin_id, ...occasion),
        kind: 'service',
        text,
        batch_id: null,
      })
}

/** Loads only companies that buy for themselves; agencies are handled differently. */
async function loadServiceStatus(db: Tx, company_id: string, now: Date): Promise<ServiceStatus | null> {
  const month = new Date(`${toShanghaiMonth(now)}-01T00:00:00+08:00`)
  const previousMonthStart = new Date(`${toShanghaiMonth(new Date(month.getTime() - 1))}-01T00:00:00+08:00`)
  const { rows } = await sql<ServiceStatus>`
    select company.edition, company.edition_until, company.trial_until, company.sms_left as left, refill.id as refill_id,
      exists (
        select from prepaid_movement where company_id = ${company_id} and resource = 'sms' and kind = 'used'
          and created_at >= coalesce(refill.created_at, '-infinity')) as is_spent,
      (select coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end), 0)::int
        from prepaid_movement where company_id = ${company_id} and resource = 'sms' and created_at >= ${previousMonthStart} and created_at < ${month}) as used_last_month
    from ${companyView}
    left join lateral (
      select id, created_at from prepaid_movement where company_id = ${company_id} and resource = 'sms' and kind in ('opening', 'given', 'bought')
      order by created_at desc, id desc limit 1) as refill on true
    where company.id = ${company_id} and company.corp_role = 10`.execute(db)
  return rows[0] ?? null
}

export type InvoiceUpdate = {
  readonly company_id: string
  readonly invoice_id: string
  readonly status: InvoiceStatus
}
/** Notifies the administrators who manage billing of the invoice's new status. */
export const notifyInvoiceUpdate = (
  deps: Pick<ServiceReminderDeps, 'database' | 'clock' | 'secrets'>,
  update: InvoiceUpdate,
): Promise<void> =>
  runInCompany(deps, update.company_id, async (db) => {
    const { company_id, invoice_id, status } = update
    const text = invoiceUpdateMessages[status]
    if (!text) return
    const companyTx = { db, company_id, now: deps.clock.now(), vault: await deps.secrets.vault(db, company_id) }
    for (const admin_id of await listSystemAdminIds(companyTx, '1'))
      await notify(companyTx, admin_id, {
        id: deriveId(company_id, admin_id, invoice_id, status),
        kind: 'service',
        text,
        batch_id: null,
      })
  })
