/**
 * Delivery reports that carriers send later for accepted messages: delivered or undeliverable. A report names a message
 * by the carrier's own reference, before the company is known, so references of accepted messages are stored in a
 * separate table for some days.
 */
import { sql } from 'kysely'
import type { CompanyTimeTx } from '../database/company-tx.ts'
import type { Database, Tx } from '../database/database.ts'

const refRetentionDays = 7

/** An entry of a carrier's report. `ref`: the reference returned when the message was accepted. */
export type DeliveryReport = { readonly ref: string; readonly delivered: boolean; readonly code: string }
/** The report with our own id of the message. */
export type MatchedReport = DeliveryReport & { readonly id: string }

/** Registers references, so that reports on accepted messages match from now on: in the transaction recording the acceptance. */
export async function registerReportRefs(
  { db, company_id, now }: CompanyTimeTx,
  accepted: readonly { readonly id: string; readonly ref: string }[],
): Promise<void> {
  if (accepted.length === 0) return
  await sql`
    insert into report_lookup (ref, company_id, message_id, at)
    select one.ref, ${company_id}, one.id, ${now} from unnest(${accepted.map(({ ref }) => ref)}::text[], ${accepted.map(({ id }) => id)}::uuid[]) as one (ref, id)
    on conflict (ref) do nothing`.execute(db)
}

/**
 * Passes reports to the companies of their messages, each company's in its own transaction. Unknown references belong
 * to other kinds of messages, to another installation, or are too old: they are ignored.
 */
export async function processReports(
  database: Database,
  now: Date,
  {
    reports,
    settle,
  }: {
    readonly reports: readonly DeliveryReport[]
    settle(company_id: string, tx: Tx, reports: readonly MatchedReport[]): Promise<void>
  },
): Promise<void> {
  const messages = new Map(reports.map((one) => [one.ref, one]))
  if (messages.size === 0) return
  const { rows } = await database.withoutCompany(async (tx) => {
    await sql`delete from report_lookup where at < ${new Date(now.getTime() - refRetentionDays * 86_400_000)}`.execute(tx)
    return sql<{ ref: string; company_id: string; id: string }>`
      select ref, company_id, message_id as id from report_lookup where ref = any(${[...messages.keys()]}::text[])`.execute(tx)
  })
  for (const [company_id, doors] of Map.groupBy(rows, (row) => row.company_id)) {
    const existing = doors.flatMap(({ ref, id }) => {
      const one = messages.get(ref)
      return one ? [{ ...one, id }] : []
    })
    await database.inCompany(company_id, (tx) => settle(company_id, tx, existing))
  }
}
