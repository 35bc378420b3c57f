/**
 * The SQL statements of the outbox: claim rows of a table, start attempts, and record outcomes. Each is the work of one
 * short transaction.
 *
 * An outbox table has the columns of a delivery ledger: `delivery` for payslips, whose rows belong to payslips, and
 * `message` for all other messages. These statements provide the guarantees: a row is claimed under a lease with a
 * single holder; an attempt is counted before the message is sent; an outcome is recorded only while the lease is held.
 */
import { channel } from 'node:diagnostics_channel'
import { type RawBuilder, sql } from 'kysely'
import type { Channel } from '../contract/shared/schemas.ts'
import type { CompanyTimeTx } from '../database/company-tx.ts'
import { formatPostgresArray } from '../database/postgres-array.ts'
import { registerReportRefs } from './delivery-reports.ts'
import type { ClaimScope } from './rules/next-step.ts'
import { maxRetryWaitMs } from './rules/outcome.ts'

export const leaseMs = 60_000

/** Each outcome that was recorded, for the metrics. */
const outcomeEvents = channel('xinhan:message-outcome')

export type OutboxTable = {
  readonly table: 'delivery' | 'message'
  /** The company's rows that belong to this batch. */
  readonly inBatch: RawBuilder<boolean>
  readonly subjectColumn: 'salary_id' | 'subject_id'
}

export type ClaimedRow = {
  readonly id: string
  readonly subject_id: string
  readonly channel: Channel
  /** Attempts started so far; above 0 the outcome of the last one is unknown. */
  readonly attempts: number
  /** The time when the lease of that attempt expired. */
  readonly was_until: Date | null
}

/*
 * The statements below list the ids they work on separately (`= any(…)`), outside any join. A table that has just grown
 * from empty has no statistics, and a join planned for one row reads it once per message: 2,000 payslips took minutes.
 */

/** Claims up to `count` rows that are due, or whose lease holder is silent for a minute. Skips rows being claimed. */
export async function claimRows(
  { db, company_id, now }: CompanyTimeTx,
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

/** Rows of one channel that were never attempted, so nothing has to be looked up before they are sent. */
export type NewRows = { readonly channel: Channel; readonly count: number }
export type AttemptStart<Row> = { readonly owner: string; readonly read: RawBuilder<Row> }

/**
 * Starts the next attempt of these rows: counts it, renews the lease, and reads what decides whether and where to send:
 * `read` selects from `tried`. Rows whose lease was lost are missing.
 */
export const startAttempts = <Row>(
  context: CompanyTimeTx,
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

/** Claims due rows never attempted, and starts their attempt in one statement: a row version less than two statements. */
export function startFirstAttempts<Row>(
  context: CompanyTimeTx,
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
  { db, company_id, now }: CompanyTimeTx,
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
  /** For `queued`, when to retry, and when the last attempt with an unknown outcome took place. */
  readonly due_at?: Date
  readonly last_unclear_at?: Date | null
  /** For `queued`, the message was certainly not sent, so the started attempt is not counted. */
  readonly uncounted?: boolean
}
/** A row after its outcome was recorded. */
export type SettledRow = {
  readonly id: string
  readonly subject_id: string
  readonly purpose: string
  readonly channel: Channel
  readonly segments: number
  readonly status: DeliveryOutcome['status']
  readonly code: string | null
}

/** Records outcomes, only for rows whose lease is still held: a sender that overslept its lease changes nothing. */
export async function recordOutcomes(
  { db, company_id, now }: CompanyTimeTx,
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
  for (const { channel, status } of rows) outcomeEvents.publish({ channel, outcome: status })
  // Only payslips have delivery reports: other messages have no fallback channel.
  const accepted = table === 'delivery' ? rows.filter(({ channel, status }) => channel === 'sms' && status === 'accepted') : []
  await registerReportRefs(
    { db, company_id, now },
    accepted.flatMap(({ id, ref }) => (ref ? [{ id, ref }] : [])),
  )
  return rows
}

/** Releases the leases of this sender. A started attempt stays counted, so the next holder of the row asks the carrier first. */
export async function releaseLeases(
  { db, company_id }: CompanyTimeTx,
  { table, inBatch }: OutboxTable,
  owner: string,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set status = 'queued', lease_by = null
    where company_id = ${company_id} and ${inBatch} and status = 'leased' and lease_by = ${owner}`.execute(db)
}

/** Returns how many rows are pending, and when the next one can be claimed. */
export async function countPending(
  { db, company_id }: CompanyTimeTx,
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
 * Repairs instants that were written before the clock was set back: a queued row is due now, and a lease ends within
 * its usual time, because its holder may still be sending. Rows of an inactive batch may be due at any time (a scheduled
 * send). Returns the number of repaired rows.
 */
export async function repairFutureInstants(
  { db, company_id, now }: CompanyTimeTx,
  { table, inBatch }: OutboxTable,
  active: boolean,
): Promise<number> {
  const latestLease = new Date(now.getTime() + leaseMs)
  const latestDue = new Date(now.getTime() + maxRetryWaitMs)
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set due_at = least(due_at, ${now}::timestamptz),
      lease_until = least(lease_until, case when status = 'leased' then ${latestLease}::timestamptz else ${now}::timestamptz end)
    where company_id = ${company_id} and ${inBatch} and status in ('queued', 'leased')
      and ((status = 'leased' and lease_until > ${latestLease})
        ${active ? sql`or (status = 'queued' and due_at > ${latestDue})` : sql``})`.execute(db)
  return Number(numAffectedRows)
}

/** Counts the company's open rows whose instants only a clock that was later set back can have written. */
export async function countFutureInstants({ db, company_id, now }: CompanyTimeTx, table: OutboxTable['table']): Promise<number> {
  const latestLease = new Date(now.getTime() + leaseMs)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)}
    where company_id = ${company_id} and status in ('queued', 'leased')
      and (created_at > ${latestLease} or (status = 'leased' and lease_until > ${latestLease}))`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Releases the leases of dead senders. A started attempt stays counted, so the next holder asks the carrier first. The
 * attempt was started before now, not when its lease would have expired.
 */
export async function releaseDeadLeases(
  { db, company_id, now }: CompanyTimeTx,
  table: OutboxTable['table'],
  alive: ReadonlySet<string>,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set status = 'queued', lease_by = null, lease_until = least(lease_until, ${now}::timestamptz)
    where company_id = ${company_id} and status = 'leased' and lease_by <> all(${[...alive]}::uuid[])`.execute(db)
}
