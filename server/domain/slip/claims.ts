/** The sender's statements: what it takes from the ledger, asks once more, and writes back. Each is one short transaction's work. */
import { sql } from 'kysely'
import type { BatchStatus, Channel, MemberStatus, SalaryStatus } from '../../contract/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import type { Vault } from '../../runtime/secrets.ts'
import { giveBackSms } from '../company/index.ts'
import { openTitle } from '../sheet/index.ts'
import { memberFields, ownPhone, type PersonRow, personFields, presentOf, sayStop } from './identity.ts'
import type { Here } from './ledger.ts'
import { type FrozenPerson, stopOf } from './rules/identity.ts'
import { sayingOf, shortLinkOf, smsPieces } from './rules/message.ts'

export type Of = Here & { readonly batch_id: string; readonly vault: Vault }
export const lease_ms = 60_000

export type Gate = {
  readonly status: BatchStatus
  readonly owner_id: string
  readonly title: string
  readonly corp_name: string
  readonly scheduled_at: Date | null
  readonly sent_at: Date | null
}

const locks = { share: sql`for share of batch`, update: sql`for no key update of batch`, none: sql`` }

/**
 * The batch as it stands, held until this transaction ends: a pause or a withdrawal waits for it, and after their answer no sender
 * passes here. `share` lets several senders hold it at once; who will change the batch says `update` at once, because two that hold
 * it together and both want more would wait for each other for ever.
 */
export async function gate({ db, company_id, batch_id, vault }: Of, lock: 'share' | 'update' | 'none'): Promise<Gate | null> {
  const { rows } = await sql<Omit<Gate, 'title'> & { title_id: string | null; title: Buffer | null }>`
    select batch.status, batch.owner_id, batch.title_id, title.name as title, company.name as corp_name, batch.scheduled_at, batch.sent_at
    from batch
    join company on company.id = batch.company_id
    left join title on title.company_id = batch.company_id and title.id = batch.title_id
    where batch.company_id = ${company_id} and batch.id = ${batch_id}
    ${locks[lock]}`.execute(db)
  const [row] = rows
  return row ? { ...row, title: openTitle(vault, row.title_id, row.title) ?? '' } : null
}

/** What a message about any slip of a batch is charged as: links are equally long, so it is the same for everybody. */
export async function piecesFor(
  ctx: Here & Pick<Ctx, 'vault' | 'origin' | 'pieces'>,
  batch_id: string,
  purpose: string,
): Promise<number> {
  const { corp_name = '', title = '' } = (await gate({ ...ctx, batch_id }, 'none')) ?? {}
  return ctx.pieces(sayingOf({ corp_name, title, purpose, link: shortLinkOf(ctx.origin, { salary_id: newId() }) }))
}

export type Claimed = {
  readonly id: string
  readonly channel: Channel
  /** Tries begun so far; above 0 the outcome of the last one is unclear. */
  readonly attempts: number
  /** When the lease of that try ran out. */
  readonly was_until: Date | null
  /** Where the person lives now, as gateways want to know who are asked for an earlier try. */
  readonly to: string
}

/*
 * The statements below name the ids they work on as a list of their own (`= any(…)`), beside any join. A table that has just grown from
 * nothing has no statistics, and a join over guesses of one row reads it once for every message: 2,000 slips took minutes.
 */

/**
 * Takes up to `count` rows that are due, or whose keeper has been silent for a minute. Rows that another sender is taking are passed
 * over. `active` false: the batch was paused or withdrawn, only what was left lying by a dead sender is taken, to be settled.
 */
export async function claim(
  { db, company_id, batch_id, now }: Of,
  owner: string,
  active: boolean,
  count: number,
): Promise<Claimed[]> {
  const lost = sql`(status = 'leased' and lease_until < ${now})`
  const due = active ? sql`(status = 'queued' and due_at <= ${now}) or ${lost}` : lost
  const { rows } = await sql<Omit<Claimed, 'to'> & { salary_id: string }>`
    select id, salary_id, channel, attempts, lease_until as was_until from delivery
    where company_id = ${company_id} and batch_id = ${batch_id} and status in ('queued', 'leased') and channel <> 'link' and (${due})
    order by due_at, id limit ${count} for update skip locked`.execute(db)
  if (rows.length === 0) return []
  await sql`
    update delivery set status = 'leased', lease_by = ${owner}, lease_until = ${new Date(now.getTime() + lease_ms)}
    where company_id = ${company_id} and id = any(${rows.map((row) => row.id)}::uuid[])`.execute(db)
  const unclear = rows.filter((row) => row.attempts > 0).map((row) => row.salary_id)
  const live = unclear.length > 0 ? await addresses(db, company_id, unclear) : new Map<string, Record<Channel, string>>()
  return rows.map(({ salary_id, ...row }) => ({ ...row, to: live.get(salary_id)?.[row.channel] ?? '' }))
}

/** Where the people of these slips are reached, by channel. */
async function addresses(db: Of['db'], company_id: string, salary_ids: string[]): Promise<Map<string, Record<Channel, string>>> {
  const { rows } = await sql<{ id: string; sms: string; platform: string }>`
    select slip.id, person.mobile as sms, coalesce(person.platform_user_id, '') as platform
    from unnest(${salary_ids}::uuid[]) as wanted (id)
    join lateral (select id, member_id from salary where company_id = ${company_id} and id = wanted.id limit 1) as slip on true
    join lateral (
      select mobile, platform_user_id from member where company_id = ${company_id} and id = slip.member_id limit 1) as person on true`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...row }) => [id, { ...row, link: '' }]))
}

export type Checked = {
  readonly id: string
  readonly salary_id: string
  readonly version: number
  readonly channel: Channel
  readonly purpose: string
  readonly attempts: number
  readonly salary_status: SalaryStatus
  readonly salary_version: number
  readonly member_status: MemberStatus
  readonly mobile: string
  readonly platform_user_id: string | null
  readonly name: string
  readonly stop: string | null
}
type Read = PersonRow & { readonly identity: FrozenPerson | null }
/** Whether this is still who the plan froze; said in words where not. */
const stopFor = (salary_id: string, { identity, ...person }: Read): string | null => {
  const stop = stopOf(identity, presentOf(salary_id, person))
  return stop && sayStop(stop)
}

/** Begins the next try of these rows: counts it, renews the lease, and reads what decides whether and where to. Stolen rows are missing. */
export async function beginTry({ db, company_id, now }: Of, owner: string, ids: readonly string[]): Promise<Checked[]> {
  // `limit 1` keeps the order of the reading: first these few rows, then the one slip and the one person of each.
  const { rows } = await sql<Omit<Checked, 'stop'> & Read>`
    with tried as (
      update delivery set attempts = attempts + 1, lease_until = ${new Date(now.getTime() + lease_ms)}
      where company_id = ${company_id} and id = any(${[...ids]}::uuid[]) and status = 'leased' and lease_by = ${owner}
      returning id, salary_id, version, channel, purpose, attempts)
    select tried.*, slip.status as salary_status, slip.version as salary_version, slip.identity,
      person.status as member_status, ${personFields}
    from tried
    join lateral (
      select status, version, member_id, identity from salary where company_id = ${company_id} and id = tried.salary_id limit 1) as slip on true
    join lateral (
      select ${memberFields} from member where company_id = ${company_id} and id = slip.member_id limit 1) as person on true
    ${ownPhone}`.execute(db)
  return rows.map((row) => ({ ...row, stop: stopFor(row.salary_id, row) }))
}

export type Outcome = {
  readonly id: string
  readonly status: 'accepted' | 'failed' | 'unknown' | 'cancelled' | 'queued'
  readonly ref?: string
  readonly code?: string
  readonly message?: string
  /** For `queued`: when to try again, and when the last unclear try was. */
  readonly due_at?: Date
  readonly tried_at?: Date | null
  /** For `queued`: the message surely did not leave, the try begun for it is not counted. */
  readonly uncounted?: boolean
}

/**
 * Writes what became of messages, only where the row is still ours: a sender that slept through its lease changes nothing. The slip
 * itself becomes readable with the message that announces it, in the same transaction; unsent SMS go back to the company.
 */
export async function mark(of: Of, owner: string, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return
  const { db, company_id, now } = of
  const pick = <T>(read: (one: Outcome) => T) => outcomes.map(read)
  const { rows } = await sql<{
    id: string
    salary_id: string
    purpose: string
    channel: Channel
    pieces: number
    status: Outcome['status']
  }>`
    update delivery set status = said.status, attempts = delivery.attempts - said.uncounted, lease_by = null, lease_until = said.tried_at,
      provider_ref = coalesce(said.ref, provider_ref), code = said.code, message = said.message,
      due_at = coalesce(said.due_at, delivery.due_at), done_at = case when said.status = 'queued' then null else ${now}::timestamptz end
    from unnest(${pick((one) => one.id)}::uuid[], ${pick((one) => one.status)}::text[], ${pick((one) => one.ref ?? null)}::text[],
      ${pick((one) => one.code ?? null)}::text[], ${pick((one) => one.message ?? null)}::text[],
      ${pick((one) => one.due_at ?? null)}::timestamptz[], ${pick((one) => one.tried_at ?? null)}::timestamptz[],
      ${pick((one) => (one.uncounted ? 1 : 0))}::int[]) as said (id, status, ref, code, message, due_at, tried_at, uncounted)
    where delivery.company_id = ${company_id} and delivery.id = any(${pick((one) => one.id)}::uuid[]) and delivery.id = said.id and delivery.status = 'leased' and delivery.lease_by = ${owner}
    returning delivery.id, delivery.salary_id, delivery.purpose, delivery.channel, delivery.pieces, delivery.status`.execute(db)
  const slips = rows.filter((row) => row.purpose === 'slip')
  await settle(
    of,
    slips.filter((row) => row.status === 'accepted' || row.status === 'unknown').map((row) => row.salary_id),
    'sent',
  )
  await settle(
    of,
    slips.filter((row) => row.status === 'failed').map((row) => row.salary_id),
    'failed',
  )
  const unsent = rows.filter((row) => row.status === 'failed' || row.status === 'cancelled')
  await giveBackSms(of, smsPieces(unsent), 'unsent', newId())
}

async function settle({ db, company_id, now }: Of, salary_ids: readonly string[], status: 'sent' | 'failed'): Promise<void> {
  if (salary_ids.length === 0) return
  await db
    .updateTable('salary')
    .set(status === 'sent' ? { status, sent_at: now } : { status })
    .where('company_id', '=', company_id)
    .where('id', 'in', salary_ids)
    .where('status', '=', 'queued')
    .execute()
}

/** Slips without a message: handed over at once, up to 500 in one statement. Answers how many. */
export async function acceptLinks({ db, company_id, batch_id, now }: Of): Promise<number> {
  type Picked = Read & { id: string; salary_id: string; purpose: string; gone: boolean; withdrawn: boolean }
  const { rows } = await sql<Picked>`
    with picked as (
      select id, salary_id, purpose from delivery
      where company_id = ${company_id} and batch_id = ${batch_id} and channel = 'link' and status = 'queued' and due_at <= ${now}
      limit 500 for update skip locked)
    select picked.*, slip.status = 'withdrawn' as withdrawn, slip.identity, person.status = 'left' as gone, ${personFields}
    from picked
    join lateral (
      select status, member_id, identity from salary where company_id = ${company_id} and id = picked.salary_id limit 1) as slip on true
    join lateral (
      select ${memberFields} from member where company_id = ${company_id} and id = slip.member_id limit 1) as person on true
    ${ownPhone}`.execute(db)
  if (rows.length === 0) return 0
  const due = rows.map((row) => ({ ...row, ...verdictOf(row) }))
  const pick = <T>(read: (one: (typeof due)[number]) => T) => due.map(read)
  await sql`
    with due as (
      select * from unnest(${pick((one) => one.id)}::uuid[], ${pick((one) => one.salary_id)}::uuid[], ${pick((one) => one.purpose)}::text[],
        ${pick((one) => one.verdict)}::text[], ${pick((one) => one.code)}::text[], ${pick((one) => one.message)}::text[])
        as one (id, salary_id, purpose, verdict, code, message)),
    told as (
      update delivery set status = due.verdict, attempts = attempts + 1, code = due.code, message = due.message, done_at = ${now}
      from due where delivery.company_id = ${company_id} and delivery.id = due.id)
    update salary set status = case when due.verdict = 'failed' then 'failed' else 'sent' end,
      sent_at = case when due.verdict = 'failed' then null else ${now}::timestamptz end
    from due where salary.company_id = ${company_id} and salary.id = due.salary_id and due.purpose = 'slip' and salary.status = 'queued'`.execute(
    db,
  )
  return rows.length
}

function verdictOf(row: Read & { salary_id: string; gone: boolean; withdrawn: boolean }) {
  if (row.withdrawn) return { verdict: 'cancelled', code: null, message: null }
  if (row.gone) return { verdict: 'failed', code: 'left', message: '员工已离职，没有发送' }
  const stop = stopFor(row.salary_id, row)
  return stop ? { verdict: 'failed', code: 'identity', message: stop } : { verdict: 'accepted', code: null, message: null }
}

/** Gives back what this sender holds. A try that was begun stays counted, so whoever takes the row asks the gateway first. */
export async function release({ db, company_id, batch_id }: Of, owner: string): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ status: 'queued', lease_by: null })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'leased')
    .where('lease_by', '=', owner)
    .execute()
}

/** What is still open: how many, and when the next of it can be taken up. */
export async function openRows({ db, company_id, batch_id }: Of, active: boolean): Promise<{ count: number; next: Date | null }> {
  const { rows } = await sql<{ count: number; next: Date | null }>`
    select count(*)::int as count, min(case when status = 'leased' then lease_until else due_at end) as next
    from delivery where company_id = ${company_id} and batch_id = ${batch_id} and status in ('queued', 'leased')
      ${active ? sql`` : sql`and status = 'leased'`}`.execute(db)
  return rows[0] ?? { count: 0, next: null }
}
