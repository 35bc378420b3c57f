/** The whole company as others need it: to match the rows of a sheet to people. */
import { sql } from 'kysely'
import type { MemberStatus } from '../../contract/words/words.ts'
import { above, type Branch, below } from '../../rules/departments.ts'
import { type Leaver, leaverOf } from '../../rules/leaver.ts'
import { dayOf } from '../../runtime/clock.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { readLeaverMonths } from '../../runtime/request/sessions.ts'
import { keepsAll } from './scope.ts'
import { departmentsInOrder } from './tree/read.ts'

export type RosterEntry = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** Compare with `vault.index('id_card', number in capitals)`; null where none is known. */
  readonly id_card_index: Buffer | null
  /** Compare with `vault.index('bank_account', its digits)`. */
  readonly bank_account_index: Buffer | null
  /** As whom he is known at the company's chat platform: by which he has signed in, and where its messages go (of `any` platform). */
  readonly platform_accounts: readonly PlatformAccount[]
  readonly status: MemberStatus
  /** Of somebody who has left: whether they can still open a payslip; null for all others. */
  readonly leaver: Leaver | null
  /** Names, joined by 、. */
  readonly departments: string
  /** The same of what they belong to. */
  readonly departments_above: string
  readonly position: string
  readonly entry_on: string | null
  readonly department_ids: readonly string[]
  /** Whether me may pay this person. Names of people out of scope are for matching, not for showing. */
  readonly in_scope: boolean
}

export type PlatformAccount = { readonly provider: string; readonly user_id: string }
type PlatformLink = PlatformAccount & { readonly account_id: string }
type Links = (ctx: Pick<Ctx, 'db' | 'company_id'>) => Promise<PlatformLink[]>
let linksOf: Links = async () => []
/** Accounts say who has signed in by a platform of the company: they know members, and members do not know them. */
export const tellPlatformLinks = (links: Links): void => void (linksOf = links)

type Department = Branch & { readonly name: string }

/**
 * Everybody of the company, those who left included, or those of them who are asked for. Three plain readings put together here: as one query its plan depended on statistics,
 * and with those of small companies, on the day when a large one comes, ten thousand people were compared with ten thousand places.
 */
export async function roster(
  ctx: Pick<Ctx, 'db' | 'me' | 'company_id' | 'now'>,
  only?: readonly string[],
): Promise<RosterEntry[]> {
  const { db, company_id, me } = ctx
  const ids = sql<string>`any(${[...(only ?? [])]}::uuid[])`
  const people = await db
    .selectFrom('member')
    .select([
      'id',
      'account_id',
      'name',
      'mobile',
      'employee_no',
      'id_card_index',
      'bank_account_index',
      'platform_user_id',
      'status',
    ])
    .select(['position', 'entry_on', 'left_on', 'left_at', 'former_account', 'unconfirmed_at'])
    .where('company_id', '=', company_id)
    .$if(only !== undefined, (query) => query.where('id', '=', ids))
    .orderBy('id')
    .execute()
  const departments: Department[] = await departmentsInOrder({ db, company_id })
  const places = await db
    .selectFrom('member_department')
    .select(['member_id', 'department_id'])
    .where('company_id', '=', company_id)
    .$if(only !== undefined, (query) => query.where('member_id', '=', ids))
    .execute()
  const links = Map.groupBy(await linksOf(ctx), ({ account_id }) => account_id)
  const order = new Map(departments.map(({ id }, at) => [id, at]))
  const of = new Map<string, number[]>()
  for (const { member_id, department_id } of places) {
    const at = order.get(department_id)
    if (at === undefined) continue
    const known = of.get(member_id)
    if (known) known.push(at)
    else of.set(member_id, [at])
  }
  // What is below a department of mine is mine as well, also when it was made a moment ago by this very request.
  const mine = below(me.scope.department_ids, departments)
  const byId = new Map(departments.map((one) => [one.id, one]))
  const namesAbove = departments.map(({ id }) => above(id, byId).map(({ name }) => name))
  const all = keepsAll(ctx)
  const months = await readLeaverMonths(ctx.db, ctx.company_id)
  const today = dayOf(ctx.now)
  return people.map(({ account_id, platform_user_id, left_on, left_at, former_account, unconfirmed_at, ...person }) => {
    const on = left_on ?? (left_at ? dayOf(left_at) : '')
    const own = (of.get(person.id) ?? []).toSorted((a, b) => a - b)
    return {
      ...person,
      platform_accounts: [
        ...(links.get(account_id ?? '') ?? []),
        ...(platform_user_id ? [{ provider: 'any', user_id: platform_user_id }] : []),
      ],
      status: person.status,
      leaver:
        person.status === 'left'
          ? leaverOf({ on, months, today, hasJoined: former_account !== null, isDoubted: unconfirmed_at !== null })
          : null,
      departments: own.map((at) => departments[at]?.name ?? '').join('、'),
      departments_above: [...new Set(own.flatMap((at) => namesAbove[at] ?? []))].join('、'),
      department_ids: own.map((at) => departments[at]?.id ?? ''),
      in_scope: all || own.some((at) => mine.has(departments[at]?.id ?? '')),
    }
  })
}

/**
 * A digest of all that `roster` answers, whoever asks: another one wherever anything of it is otherwise. That somebody has signed in is nothing of
 * the kind, unless people are linked to a chat platform. Counted where it lies: ten thousand people are a hundredth of a second so, and five when they are fetched.
 */
export async function rosterDigest({ db, company_id, now }: Pick<Ctx, 'db' | 'company_id' | 'now'>): Promise<string> {
  const months = await readLeaverMonths(db, company_id)
  // Of leavers also what time alone changes: by these days they can open a payslip, or no longer.
  const left = sql`case when status = 'left' then concat_ws(' ', left_on, former_account is not null, unconfirmed_at is not null,
    coalesce(left_on, left_at::date) + make_interval(months => ${months}::int) >= ${dayOf(now)}::date, ${dayOf(now)}::date - coalesce(left_on, left_at::date) < 90) end`
  const links = await linksOf({ db, company_id })
  const people = sql<string>`md5(string_agg(row(id, name, mobile, employee_no, id_card_index, bank_account_index, ${left}, position,
    entry_on, platform_user_id, case when ${links.length > 0}::boolean then account_id end)::text, '' order by id))`
  const tree = sql<string>`md5(string_agg(row(id, parent_id, name, place)::text, '' order by id))`
  const places = sql<string>`md5(string_agg(concat(member_id, department_id), '' order by member_id, department_id))`
  const of = async (table: 'member' | 'department' | 'member_department', digest: typeof people): Promise<string | null> =>
    (await db.selectFrom(table).select(digest.as('digest')).where('company_id', '=', company_id).executeTakeFirst())?.digest ??
    null
  return JSON.stringify([
    months,
    await of('member', people),
    await of('department', tree),
    await of('member_department', places),
    links.map(({ account_id, provider, user_id }) => [account_id, provider, user_id]),
  ])
}
