/**
 * The statements of the post office: what it takes from a book, asks once more, and writes back. Each is one short transaction's work.
 *
 * A book is a table with the columns of a ledger: `delivery` for slips, whose rows belong to slips, and `message` for whatever else leaves the
 * house. What is promised is promised by these statements: a row is taken under a lease that only one holds; a try is counted before the
 * message leaves; what became of it is written only where the row is still ours.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Channel } from '../contract/shared/schemas.ts'
import type { Tx } from '../database/database.ts'
import { formatPostgresArray } from '../database/postgres-array.ts'
import { registerReportRefs } from './delivery-reports.ts'
import type { ClaimScope } from './rules/next-step.ts'

export type CompanyTx = { readonly db: Tx; readonly company_id: string; readonly now: Date }
export const leaseMs = 60_000

/** Where a lot's messages stand. */
export type OutboxTable = {
  readonly table: 'delivery' | 'message'
  /** Which rows of the company are this lot's. */
  readonly inBatch: RawBuilder<boolean>
  /** The column that says what a message is about. */
  readonly subjectColumn: 'salary_id' | 'subject_id'
}

export type ClaimedRow = {
  readonly id: string
  readonly subject_id: string
  readonly channel: Channel
  /** Tries begun so far; above 0 the outcome of the last one is unclear. */
  readonly attempts: number
  /** When the lease of that try ran out. */
  readonly was_until: Date | null
}

/*
 * The statements below name the ids they work on as a list of their own (`= any(…)`), beside any join. A table that has just grown from
 * nothing has no statistics, and a join over guesses of one row reads it once for every message: 2,000 slips took minutes.
 */

/**
 * Takes up to `count` rows that are due, or whose keeper has been silent for a minute. Rows that another sender is taking are passed
 * over.
 */
export async function claimRows(
  { db, company_id, now }: CompanyTx,
  { table, inBatch, subjectColumn }: OutboxTable,
  { owner, which, count }: { readonly owner: string; readonly which: ClaimScope; readonly count: number },
): Promise<ClaimedRow[]> {
  const lost = sql`(status = 'leased' and lease_until < ${now})`
  const due = {
    due: sql`(status = 'queued' and due_at <= ${now}) or ${lost}`,
    left: lost,
    begun: sql`(status = 'queued' and attempts > 0) or ${lost}`,
  }[which]
  const { rows } = await sql<ClaimedRow>`
    select id, ${sql.ref(subjectColumn)} as subject_id, channel, attempts, lease_until as was_until from ${sql.table(table)}
    where company_id = ${company_id} and ${inBatch} and status in ('queued', 'leased') and channel <> 'link' and (${due})
    order by due_at, id limit ${count} for update skip locked`.execute(db)
  if (rows.length === 0) return []
  await sql`
    update ${sql.table(table)} set status = 'leased', lease_by = ${owner}, lease_until = ${new Date(now.getTime() + leaseMs)}
    where company_id = ${company_id} and id = any(${rows.map((row) => row.id)}::uuid[])`.execute(db)
  return rows
}

/** Rows of which this try is the first, of one channel: nothing has to be looked up before they leave. */
export type NewRows = { readonly channel: Channel; readonly count: number }
export type AttemptStart<Row> = { readonly owner: string; readonly read: RawBuilder<Row> }

/**
 * Begins the next try of these rows: counts it, renews the lease, and reads what decides whether and where to: `read` selects from `tried`.
 * Stolen rows are missing.
 */
export const startAttempts = <Row>(
  context: CompanyTx,
  book: OutboxTable,
  started: AttemptStart<Row>,
  ids: readonly string[],
): Promise<Row[]> =>
  startAttemptRows(
    context,
    book,
    started,
    sql`id = any(${[...ids]}::uuid[]) and status = 'leased' and lease_by = ${started.owner}`,
  )

/** Takes rows that are due and were never tried, and begins their try in the same statement: a version of each row less than `claimRows` and `startAttempts`. */
export function startFirstAttempts<Row>(
  context: CompanyTx,
  book: OutboxTable,
  started: AttemptStart<Row>,
  { channel, count }: NewRows,
): Promise<Row[]> {
  const { company_id, now } = context
  return startAttemptRows(
    context,
    book,
    started,
    sql`id = any(array(
      select id from ${sql.table(book.table)}
      where company_id = ${company_id} and ${book.inBatch} and status = 'queued' and attempts = 0 and channel = ${channel} and due_at <= ${now}
      order by due_at, id limit ${count} for update skip locked))`,
  )
}

async function startAttemptRows<Row>(
  { db, company_id, now }: CompanyTx,
  { table }: OutboxTable,
  { owner, read }: AttemptStart<Row>,
  which: RawBuilder<unknown>,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with tried as (
      update ${sql.table(table)} set attempts = attempts + 1, status = 'leased', lease_by = ${owner},
        lease_until = ${new Date(now.getTime() + leaseMs)}
      where company_id = ${company_id} and ${which}
      returning *)
    ${read}`.execute(db)
  return rows
}

export type DeliveryOutcome = {
  readonly id: string
  readonly status: 'accepted' | 'failed' | 'unknown' | 'cancelled' | 'queued'
  readonly ref?: string
  readonly code?: string
  readonly message?: string
  /** For `queued`: when to try again, and when the last unclear try was. */
  readonly due_at?: Date
  readonly last_unclear_at?: Date | null
  /** For `queued`: the message surely did not leave, the try begun for it is not counted. */
  readonly uncounted?: boolean
}
/** A row as it stands after its outcome was written. */
export type SettledRow = {
  readonly id: string
  readonly subject_id: string
  readonly purpose: string
  readonly channel: Channel
  readonly segments: number
  readonly status: DeliveryOutcome['status']
  readonly code: string | null
}

/** Writes what became of messages, only where the row is still ours: a sender that slept through its lease changes nothing. */
export async function recordOutcomes(
  { db, company_id, now }: CompanyTx,
  { table, subjectColumn }: OutboxTable,
  owner: string,
  outcomes: readonly DeliveryOutcome[],
): Promise<SettledRow[]> {
  if (outcomes.length === 0) return []
  const pick = (read: (one: DeliveryOutcome) => string | Date | null | undefined) =>
    formatPostgresArray(outcomes.map((one) => read(one) ?? null))
  const ids = pick((one) => one.id)
  const { rows } = await sql<SettledRow & { ref: string | null }>`
    update ${sql.table(table)} as entry set status = said.status, attempts = entry.attempts - coalesce(said.uncounted, 0), lease_by = null,
      lease_until = said.tried_at, provider_ref = coalesce(said.ref, provider_ref), code = said.code, message = said.message,
      due_at = coalesce(said.due_at, entry.due_at), done_at = case when said.status = 'queued' then null else ${now}::timestamptz end
    from unnest(${ids}::uuid[], ${pick((one) => one.status)}::text[], ${pick((one) => one.ref)}::text[], ${pick((one) => one.code)}::text[],
      ${pick((one) => one.message)}::text[], ${pick((one) => one.due_at)}::timestamptz[], ${pick((one) => one.last_unclear_at)}::timestamptz[],
      ${pick((one) => (one.uncounted ? '1' : null))}::int[]) as said (id, status, ref, code, message, due_at, tried_at, uncounted)
    where entry.company_id = ${company_id} and entry.id = any(${ids}::uuid[]) and entry.id = said.id and entry.status = 'leased'
      and entry.lease_by = ${owner}
    returning entry.id, entry.${sql.ref(subjectColumn)} as subject_id, entry.purpose, entry.channel, entry.segments, entry.status, entry.code,
      entry.provider_ref as ref`.execute(db)
  // Only slips are reported on: what else leaves has nobody who would go another way.
  const accepted = table === 'delivery' ? rows.filter(({ channel, status }) => channel === 'sms' && status === 'accepted') : []
  await registerReportRefs(
    { db, company_id, now },
    accepted.flatMap(({ id, ref }) => (ref ? [{ id, ref }] : [])),
  )
  return rows
}

/** Gives back what this sender holds. A try that was begun stays counted, so whoever takes the row asks the carrier first. */
export async function releaseLeases(
  { db, company_id }: CompanyTx,
  { table, inBatch }: OutboxTable,
  owner: string,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set status = 'queued', lease_by = null
    where company_id = ${company_id} and ${inBatch} and status = 'leased' and lease_by = ${owner}`.execute(db)
}

/** What is still open: how many, and when the next of it can be taken up. */
export async function countPending(
  { db, company_id }: CompanyTx,
  { table, inBatch }: OutboxTable,
  active: boolean,
): Promise<{ count: number; next: Date | null }> {
  const { rows } = await sql<{ count: number; next: Date | null }>`
    select count(*)::int as count, min(case when status = 'leased' then lease_until else due_at end) as next
    from ${sql.table(table)} where company_id = ${company_id} and ${inBatch} and status in ('queued', 'leased')
      ${active ? sql`` : sql`and status = 'leased'`}`.execute(db)
  return rows[0] ?? { count: 0, next: null }
}

/**
 * Frees what the dead held. A try that was begun stays counted: whoever takes the row asks the carrier first. It was begun before now, not when its
 * lease would have ended.
 */
export async function releaseDeadLeases(
  { db, company_id, now }: CompanyTx,
  table: OutboxTable['table'],
  alive: ReadonlySet<string>,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set status = 'queued', lease_by = null, lease_until = least(lease_until, ${now}::timestamptz)
    where company_id = ${company_id} and status = 'leased' and lease_by <> all(${[...alive]}::uuid[])`.execute(db)
}
