/** What the post office has to know of slips: how their batch stands, who gets a message and what it says, and what its outcome means. */
import { type RawBuilder, sql } from 'kysely'
import type { BatchStatus, Channel, MemberStatus, SalaryStatus } from '../../../contract/words/words.ts'
import { monthOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { idOf, newId } from '../../../runtime/ids.ts'
import { type Claimed, type Departure, type LotState, type Marked } from '../../../runtime/post/index.ts'
import type { Vault } from '../../../runtime/secrets.ts'
import { giveBackSms, isHeard, tellWebhooks } from '../../company/index.ts'
import { openTitle } from '../../sheet/index.ts'
import { type FrozenPerson, stopOf } from '../rules/identity.ts'
import { linkOf, maskName, sayingOf, shortLinkOf, smsPieces } from '../rules/message.ts'
import { left_after_plan, stillWanted } from '../rules/outcome.ts'
import { isPlannedForLeaver, memberFields, ownPhone, type PersonRow, personFields, presentOf, sayStop } from './identity.ts'
import type { LedgerHere } from './ledger.ts'

export type Of = LedgerHere & { readonly batch_id: string; readonly vault: Vault }

/** A batch as the sender meets it. */
export type Gate = {
  readonly state: LotState
  readonly status: BatchStatus
  readonly owner_id: string
  readonly title: string
  readonly corp_name: string
  readonly scheduled_at: Date | null
  readonly sent_at: Date | null
}

const stateOf = (status: BatchStatus): LotState =>
  status === 'sending' || status === 'sent' ? 'active' : status === 'withdrawn' ? 'withdrawn' : 'held'

const locks = { share: sql`for share of batch`, update: sql`for no key update of batch`, none: sql`` }

/**
 * The batch as it stands, held until this transaction ends: a pause or a withdrawal waits for it, and after their answer no sender
 * passes here. `share` lets several senders hold it at once; who will change the batch says `update` at once, because two that hold
 * it together and both want more would wait for each other for ever.
 */
export async function gate({ db, company_id, batch_id, vault }: Of, lock: 'share' | 'update' | 'none'): Promise<Gate | null> {
  const { rows } = await sql<Omit<Gate, 'title' | 'state'> & { title_id: string | null; title: Buffer | null }>`
    select batch.status, batch.owner_id, batch.title_id, title.name as title, company.name as corp_name, batch.scheduled_at, batch.sent_at
    from batch
    join company on company.id = batch.company_id
    left join title on title.company_id = batch.company_id and title.id = batch.title_id
    where batch.company_id = ${company_id} and batch.id = ${batch_id}
    ${locks[lock]}`.execute(db)
  const [row] = rows
  return row ? { ...row, state: stateOf(row.status), title: openTitle(vault, row.title_id, row.title) ?? '' } : null
}

/** What is said to whom by this way. */
function sayingFor(
  row: { readonly channel: Channel; readonly salary_id: string; readonly version: number; readonly purpose: string },
  { corp_name, title }: Pick<Gate, 'corp_name' | 'title'>,
  origin: string,
) {
  const link = row.channel === 'platform' ? linkOf(origin, row) : shortLinkOf(origin, row)
  return sayingOf({ corp_name, title, purpose: row.purpose, link })
}

const nobodys_slip = idOf('the slip of nobody')
type Said<Way extends Channel> = { readonly purpose: string; readonly ways: readonly Way[] }
/** What is said of any slip of a batch called so by these ways, as it would be said of one that is not there. */
function sayingsAs<Way extends Channel>(
  { origin }: Pick<Ctx, 'origin'>,
  called: Pick<Gate, 'corp_name' | 'title'>,
  { purpose, ways }: Said<Way>,
) {
  const nobodys = { salary_id: nobodys_slip, version: 1, purpose }
  return ways.map((channel) => ({ channel, saying: sayingFor({ ...nobodys, channel }, called, origin) }))
}
async function sayingsOf<Way extends Channel>(
  ctx: LedgerHere & Pick<Ctx, 'vault' | 'origin'>,
  batch_id: string,
  said: Said<Way>,
) {
  const { corp_name = '', title = '' } = (await gate({ ...ctx, batch_id }, 'none')) ?? {}
  return sayingsAs(ctx, { corp_name, title }, said)
}

/** What a message about any slip of a batch is charged as: links are equally long, so it is the same for everybody. */
export async function piecesFor(
  ctx: LedgerHere & Pick<Ctx, 'vault' | 'origin' | 'pieces'>,
  batch_id: string,
  purpose: string,
): Promise<number> {
  const [sms] = await sayingsOf(ctx, batch_id, { purpose, ways: ['sms'] })
  return sms ? ctx.pieces(sms.saying) : 1
}

/** What a locked phone shows of the message about a slip, a way each. */
export async function shownOf(
  ctx: LedgerHere & Pick<Ctx, 'vault' | 'origin' | 'shown'>,
  batch_id: string,
  ways: readonly Exclude<Channel, 'link'>[],
) {
  const said = await sayingsOf(ctx, batch_id, { purpose: 'slip', ways })
  return said.map(({ channel, saying }) => ({ channel, ...ctx.shown(channel, saying) }))
}

const lit = ['platform', 'sms', 'email'] as const
/** The same of a batch that is not there yet, called as one of this month would be, by every way. */
export const shownByExample = (ctx: Pick<Ctx, 'origin' | 'shown' | 'now'>, corp_name: string) => {
  const title = `${monthOf(ctx.now).replace('-', '年')}月工资`
  const said = sayingsAs(ctx, { corp_name, title }, { purpose: 'slip', ways: lit })
  return said.map(({ channel, saying }) => ({ channel, ...ctx.shown(channel, saying) }))
}

/** By delivery, where the people of these slips are reached now. */
export async function addresses({ db, company_id }: Of, claimed: readonly Claimed[]): Promise<Map<string, string>> {
  const salary_ids = claimed.map((row) => row.about)
  const { rows } = await sql<{ id: string; sms: string; platform: string; email: string }>`
    select slip.id, person.mobile as sms, person.email, coalesce(person.platform_user_id, '') as platform
    from unnest(${salary_ids}::uuid[]) as wanted (id)
    join lateral (select id, member_id from salary where company_id = ${company_id} and id = wanted.id limit 1) as slip on true
    join lateral (
      select mobile, email, platform_user_id from member where company_id = ${company_id} and id = slip.member_id limit 1) as person on true`.execute(
    db,
  )
  const live = new Map(rows.map(({ id, ...row }) => [id, { ...row, link: '' }]))
  return new Map(claimed.map(({ id, about, channel }) => [id, live.get(about)?.[channel] ?? '']))
}

export type CheckedClaim = PersonRow & {
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
  readonly identity: FrozenPerson | null
}
/** Whether this is still who the plan froze; said in words where not. */
const stopFor = (salary_id: string, { identity, ...person }: Read): string | null => {
  const stop = stopOf(identity, presentOf(salary_id, person))
  return stop && sayStop(stop)
}
type Read = PersonRow & { readonly identity: FrozenPerson | null }

/** `limit 1` keeps the order of the reading: first these few rows, then the one slip and the one person of each. */
export const readTried = ({ company_id }: Of): RawBuilder<CheckedClaim> => sql<CheckedClaim>`
  select tried.id, tried.salary_id, tried.version, tried.channel, tried.purpose, tried.attempts,
    slip.status as salary_status, slip.version as salary_version, slip.identity, person.status as member_status, ${personFields}
  from tried
  join lateral (
    select status, version, member_id, identity from salary where company_id = ${company_id} and id = tried.salary_id limit 1) as slip on true
  join lateral (
    select ${memberFields} from member where company_id = ${company_id} and id = slip.member_id limit 1) as person on true
  ${ownPhone}`

/** Asked right before a message leaves. */
export function departureOf(
  row: CheckedClaim,
  { corp_name, title }: Pick<Gate, 'corp_name' | 'title'>,
  origin: string,
): Departure {
  const verdict = stillWanted({ ...row, is_for_leaver: isPlannedForLeaver(row.identity), stop: stopFor(row.salary_id, row) })
  if (!verdict.send) return verdict
  const saying = sayingFor(row, { corp_name, title }, origin)
  return { send: true, to: verdict.to, saying, name: maskName(row.name), hide: row.mobile }
}

/**
 * The slip itself becomes readable with the message that announces it, in the same transaction; unsent SMS go back to the company, and whom one
 * way did not reach goes on by the next. Answers whose slips were sent by this.
 */
export async function settled(
  of: Of,
  marked: readonly Marked[],
  /** Of these slips whose message failed, which are on another way. */
  goOn: (failed: readonly Marked[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const slips = marked.filter((row) => row.purpose === 'slip')
  const handedOver = slips.filter((row) => row.status === 'accepted' || row.status === 'unknown')
  const sent = await settle(
    of,
    handedOver.map((row) => row.about),
    'sent',
  )
  const failed = slips.filter((row) => row.status === 'failed')
  const onTheirWay = await goOn(failed)
  await settle(
    of,
    failed.map((row) => row.about).filter((id) => !onTheirWay.has(id)),
    'failed',
  )
  const unsent = marked.filter((row) => row.status === 'failed' || row.status === 'cancelled')
  await giveBackSms(of, smsPieces(unsent), 'unsent', { id: newId(), batch_id: of.batch_id })
  return new Set(sent)
}

/** Answers which of them waited until now. */
async function settle({ db, company_id, now }: Of, salary_ids: readonly string[], status: 'sent' | 'failed'): Promise<string[]> {
  if (salary_ids.length === 0) return []
  const settled = await db
    .updateTable('salary')
    .set(status === 'sent' ? { status, sent_at: now } : { status })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .where('status', '=', 'queued')
    .returning(['id as salary_id', 'batch_id', isHeard(company_id, 'slip.sent').as('heard')])
    .execute()
  const heard = status === 'sent' ? settled.filter((one) => one.heard) : []
  await tellWebhooks(
    { db, company_id, now },
    'slip.sent',
    heard.map(({ salary_id, batch_id }) => ({ salary_id, batch_id })),
  )
  return settled.map(({ salary_id }) => salary_id)
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
  const sent = await sql<{ salary_id: string; status: SalaryStatus }>`
    with due as (
      select * from unnest(${pick((one) => one.id)}::uuid[], ${pick((one) => one.salary_id)}::uuid[], ${pick((one) => one.purpose)}::text[],
        ${pick((one) => one.verdict)}::text[], ${pick((one) => one.code)}::text[], ${pick((one) => one.message)}::text[])
        as one (id, salary_id, purpose, verdict, code, message)),
    told as (
      update delivery set status = due.verdict, attempts = attempts + 1, code = due.code, message = due.message, done_at = ${now}
      from due where delivery.company_id = ${company_id} and delivery.id = due.id)
    update salary set status = case when due.verdict = 'failed' then 'failed' else 'sent' end,
      sent_at = case when due.verdict = 'failed' then null else ${now}::timestamptz end
    from due where salary.company_id = ${company_id} and salary.id = due.salary_id and due.purpose = 'slip' and salary.status = 'queued'
    returning salary.id as salary_id, salary.status`.execute(db)
  await tellWebhooks(
    { db, company_id, now },
    'slip.sent',
    sent.rows.filter(({ status }) => status === 'sent').map(({ salary_id }) => ({ salary_id, batch_id })),
  )
  return rows.length
}

function verdictOf(row: Read & { salary_id: string; gone: boolean; withdrawn: boolean }) {
  if (row.withdrawn) return { verdict: 'cancelled', code: null, message: null }
  if (row.gone && !isPlannedForLeaver(row.identity)) return { verdict: 'failed', code: 'left', message: left_after_plan }
  const stop = stopFor(row.salary_id, row)
  return stop ? { verdict: 'failed', code: 'identity', message: stop } : { verdict: 'accepted', code: null, message: null }
}

/** Of everybody since then through the chat platform, and the most that one of these people had. */
export async function slipsSentSince(
  { db, company_id }: Pick<Of, 'db' | 'company_id'>,
  since: Date,
  member_ids: readonly string[],
): Promise<{ used: number; most_of_one: number }> {
  const { rows } = await sql<{ used: number; most_of_one: number }>`
    with sent as (
      select salary.member_id, count(*)::int as count
      from delivery join salary on salary.company_id = delivery.company_id and salary.id = delivery.salary_id
      where delivery.company_id = ${company_id} and delivery.channel = 'platform' and delivery.done_at >= ${since}
        and delivery.status in ('accepted', 'unknown')
      group by salary.member_id)
    select coalesce(sum(count), 0)::int as used,
      coalesce(max(count) filter (where member_id = any(${[...member_ids]}::uuid[])), 0)::int as most_of_one
    from sent`.execute(db)
  return rows[0] ?? { used: 0, most_of_one: 0 }
}
