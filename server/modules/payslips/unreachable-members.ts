/** Members whom a payslip may not reach, according to the roster, the latest messages and earlier payslips. */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../contract/payslips/unreachable-members.ts'
import { type ReachIssue, reachIssues } from '../../contract/shared/schemas.ts'
import { defineHandler, type HandlerContext } from '../../http/handler.ts'
import { getBoundProvider } from '../company/settings/index.ts'
import { memberDepartmentsJson, peopleVisible } from '../directory/index.ts'
import { selectInviteFailure } from '../invites/index.ts'
import { requireBatch } from '../sheets/index.ts'
import { loadReadyRows } from '../sheets/ready/index.ts'
import { hasNeverViewed, selectLastDeliveryFailure } from './send/ledger.ts'

/** An older bounce says little about today's phone. */
const recentFailureMs = 100 * 86_400_000

/** What keeps a payslip from arriving; the other problems only need attention, because a link or an SMS still arrives. */
const blockingIssues = ['no_phone', 'unconfirmed', 'bounced'] as const satisfies readonly ReachIssue[]

type ReachConditions = Readonly<Record<ReachIssue, RawBuilder<boolean>>>
async function buildReachConditions(ctx: HandlerContext): Promise<{ is: ReachConditions; why: RawBuilder<string | null> }> {
  const { company_id, now } = ctx
  const since = new Date(now.getTime() - recentFailureMs)
  const lastError = sql<
    string | null
  >`coalesce(${selectLastDeliveryFailure(company_id, since)}, ${selectInviteFailure(company_id)})`
  const isBound = (await getBoundProvider(ctx)) !== null
  return {
    why: lastError,
    is: {
      no_phone: sql<boolean>`member.mobile = ''`,
      unconfirmed: sql<boolean>`member.unconfirmed_at is not null`,
      bounced: sql<boolean>`${lastError} is not null`,
      not_joined: sql<boolean>`member.status = 'invited'`,
      never_viewed: hasNeverViewed(company_id),
      no_platform: isBound ? sql<boolean>`member.platform_user_id is null` : sql<boolean>`false`,
    },
  }
}

export const getUnreachableMemberList = defineHandler(
  contract.getUnreachableMemberList,
  async (ctx, { issue, batch_id, page, pagesize }) => {
    const { is: byIssue, why: lastError } = await buildReachConditions(ctx)
    const visible = await peopleVisible(ctx, { with_children: true })
    const members = batch_id ? visible.where('id', 'in', await listBatchMembers(ctx, batch_id)) : visible
    const matchesAny = (issues: readonly ReachIssue[]) =>
      sql<boolean>`(${sql.join(
        issues.map((one) => byIssue[one]),
        sql` or `,
      )})`
    const count = (one: ReachIssue) => sql<number>`(count(*) filter (where ${byIssue[one]}))::int`
    const { unreachable_count, ...counts } = await members
      .select([count('no_phone').as('no_phone'), count('unconfirmed').as('unconfirmed'), count('bounced').as('bounced')])
      .select([
        count('not_joined').as('not_joined'),
        count('never_viewed').as('never_viewed'),
        count('no_platform').as('no_platform'),
        sql<number>`(count(*) filter (where ${matchesAny(blockingIssues)}))::int`.as('unreachable_count'),
      ])
      .executeTakeFirstOrThrow()
    const matches = members.where(issue ? byIssue[issue] : matchesAny(reachIssues))
    const { total } = await matches.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const named = reachIssues.map((one) => sql`case when ${byIssue[one]} then ${one}::text end`)
    const rows = await matches
      .select(['id', 'name', 'mobile', memberDepartmentsJson(ctx.company_id).as('departments'), lastError.as('why')])
      .select(sql<ReachIssue[]>`array_remove(array[${sql.join(named)}], null)`.as('problems'))
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
      unreachable_count,
    }
  },
)

/** The members that the rows of a wage sheet belong to; an id that no member has keeps the list of an empty sheet valid. */
async function listBatchMembers(ctx: HandlerContext, batch_id: string): Promise<string[]> {
  const rows = await loadReadyRows(ctx, await requireBatch(ctx, batch_id, 'view'), false)
  return [...rows.map(({ member_id }) => member_id), absentId]
}
const absentId = '00000000-0000-0000-0000-000000000000'
