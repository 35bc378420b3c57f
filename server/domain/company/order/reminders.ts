/**
 * Every hour of the day: who keeps a company's money is told, on his desk, that an edition ends or that messages run low. Doing it twice is harmless: a notice's id
 * follows from company, reader and occasion. The occasion of an end is its day and the mark; of a low balance, the refill that it has used up.
 */
import { sql } from 'kysely'
import type { InvoiceStatus } from '../../../contract/corp/order.ts'
import { dayOf, monthOf } from '../../../runtime/clock.ts'
import type { Tx } from '../../../runtime/db.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { notify } from '../../desk/index.ts'
import { headsOf } from '../../role/index.ts'
import { allCompanies } from '../found.ts'
import { invoiceNews } from '../rules/refund.ts'
import { endingOf, lowOf, type PoolState } from '../rules/reminders.ts'
import type { editionHeld } from './pool-list.ts'
import { type WorkParts, within } from './work.ts'

type RemindParts = Pick<WorkParts, 'database' | 'clock' | 'log'> & { readonly secrets: Secrets }
type Standing = Awaited<ReturnType<typeof editionHeld>> & PoolState & { readonly refill_id: string | null }

/** A company in trouble keeps no other from being told. */
export async function remindAll(parts: RemindParts, signal: AbortSignal): Promise<void> {
  for (const company_id of await allCompanies(parts.database)) {
    signal.throwIfAborted()
    await within(parts, company_id, (db) => remindOne(parts, db, company_id)).catch((error: unknown) =>
      parts.log.error({ err: error, company_id }, 'a company could not be told of its edition and balance'),
    )
  }
}

async function remindOne({ clock, secrets }: RemindParts, db: Tx, company_id: string): Promise<void> {
  const now = clock.now()
  const standing = await standingOf(db, company_id, now)
  if (!standing) return
  const { edition, edition_until: until, trial_until } = standing
  const ending =
    until && endingOf({ edition, on_trial: trial_until !== null, last_day: dayOf(until), is_over: until <= now }, dayOf(now))
  const low = lowOf(standing)
  const told = [
    ...(until && ending ? [{ of: ['edition-ends', until.toISOString(), String(ending.mark)], text: ending.text }] : []),
    ...(low ? [{ of: ['sms-low', standing.refill_id ?? 'none'], text: low }] : []),
  ]
  if (told.length === 0) return
  const here = { db, company_id, now, vault: await secrets.vault(db, company_id) }
  for (const admin_id of await headsOf(here, '1'))
    for (const { of, text } of told)
      await notify(here, admin_id, { id: idOf(company_id, admin_id, ...of), kind: 'service', text, batch_id: null })
}

/** Of a company that buys for itself; agencies are served otherwise. */
async function standingOf(db: Tx, company_id: string, now: Date): Promise<Standing | null> {
  const month = new Date(`${monthOf(now)}-01T00:00:00+08:00`)
  const before = new Date(`${monthOf(new Date(month.getTime() - 1))}-01T00:00:00+08:00`)
  const { rows } = await sql<Standing>`
    select company.edition, company.edition_until, company.trial_until, company.sms_left as left, refill.id as refill_id,
      exists (
        select from pool_move where company_id = ${company_id} and resource = 'sms' and kind = 'used'
          and created_at >= coalesce(refill.created_at, '-infinity')) as is_spent,
      (select coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end), 0)::int
        from pool_move where company_id = ${company_id} and resource = 'sms' and created_at >= ${before} and created_at < ${month}) as used_last_month
    from company
    left join lateral (
      select id, created_at from pool_move where company_id = ${company_id} and resource = 'sms' and kind in ('opening', 'given', 'bought')
      order by created_at desc, id desc limit 1) as refill on true
    where company.id = ${company_id} and company.corp_role = 10`.execute(db)
  return rows[0] ?? null
}

export type InvoiceNews = {
  readonly company_id: string
  readonly invoice_id: string
  readonly status: InvoiceStatus
}
/** Those who buy hear on their desks what became of it. */
export const tellOfInvoice = (parts: Pick<RemindParts, 'database' | 'clock' | 'secrets'>, news: InvoiceNews): Promise<void> =>
  within(parts, news.company_id, async (db) => {
    const { company_id, invoice_id, status } = news
    const text = invoiceNews[status]
    if (!text) return
    const here = { db, company_id, now: parts.clock.now(), vault: await parts.secrets.vault(db, company_id) }
    for (const admin_id of await headsOf(here, '1'))
      await notify(here, admin_id, { id: idOf(company_id, admin_id, invoice_id, status), kind: 'service', text, batch_id: null })
  })
