/** Whom a slip may not reach: what the roster, the last messages and the slips of before tell of it. */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../contract/people/reach.ts'
import { type ReachProblem, reachProblems } from '../../contract/words/words.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { failureOf } from '../../runtime/post/index.ts'
import { providerOf } from '../company/index.ts'
import { departmentsAt, peopleShown } from '../member/index.ts'
import { lastFailure, neverViewed } from '../slip/index.ts'

/** A message that bounced longer ago says little of the phone of today. */
const lately_ms = 100 * 86_400_000

/** For queries on `member`: what the carrier said of the last invitation, where it bounced. */
const inviteFailure = (company_id: string): RawBuilder<string | null> => sql<string | null>`(
  select ${failureOf(company_id, sql`newest.id`)} from (
    select invite.id from invite where invite.company_id = ${company_id} and invite.member_id = member.id order by invite.id desc limit 1
  ) as newest where member.account_id is null)`

type Conditions = Readonly<Record<ReachProblem, RawBuilder<boolean>>>
async function conditions(ctx: Ctx): Promise<{ is: Conditions; why: RawBuilder<string | null> }> {
  const { company_id, now } = ctx
  const since = new Date(now.getTime() - lately_ms)
  const why = sql<string | null>`coalesce(${lastFailure(company_id, since)}, ${inviteFailure(company_id)})`
  const bound = (await providerOf(ctx)) !== null
  return {
    why,
    is: {
      no_phone: sql<boolean>`member.mobile = ''`,
      unconfirmed: sql<boolean>`member.unconfirmed_at is not null`,
      bounced: sql<boolean>`${why} is not null`,
      not_joined: sql<boolean>`member.status = 'invited'`,
      never_viewed: neverViewed(company_id),
      no_platform: bound ? sql<boolean>`member.platform_user_id is null` : sql<boolean>`false`,
    },
  }
}

export const getReachList = handle(contract.getReachList, async (ctx, { problem, page, pagesize }) => {
  const { is, why } = await conditions(ctx)
  const people = await peopleShown(ctx, { with_children: true })
  const count = (one: ReachProblem) => sql<number>`(count(*) filter (where ${is[one]}))::int`
  const counts = await people
    .select([count('no_phone').as('no_phone'), count('unconfirmed').as('unconfirmed'), count('bounced').as('bounced')])
    .select([
      count('not_joined').as('not_joined'),
      count('never_viewed').as('never_viewed'),
      count('no_platform').as('no_platform'),
    ])
    .executeTakeFirstOrThrow()
  const found = people.where(problem ? is[problem] : sql<boolean>`(${sql.join(Object.values(is), sql` or `)})`)
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const named = reachProblems.map((one) => sql`case when ${is[one]} then ${one}::text end`)
  const rows = await found
    .select(['id', 'name', 'mobile', departmentsAt(ctx.company_id).as('departments'), why.as('why')])
    .select(sql<ReachProblem[]>`array_remove(array[${sql.join(named)}], null)`.as('problems'))
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ id, departments, ...row }) => ({
      ...row,
      member_id: id,
      departments: departments.map(({ NAME }) => NAME).join('、'),
    })),
    page: { page, pagesize, total },
    counts,
  }
})
