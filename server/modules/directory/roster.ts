/** The whole roster, as needed to match the rows of a sheet with members. */
import { sql } from 'kysely'
import type { MemberStatus } from '../../contract/shared/schemas.ts'
import type { CompanyTimeTx, CompanyTx } from '../../database/company-tx.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { readLeaverMonths } from '../../http/sessions.ts'
import { type DepartmentTreeNode, getAncestors, getDescendantIds } from '../../rules/departments.ts'
import { getTermination, type Termination } from '../../rules/termination.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { canManageAllMembers } from './scope.ts'
import { listOrderedDepartments } from './tree/read.ts'

export type RosterEntry = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** Compared with `vault.blindIndex('id_card', number in capitals)`; null if unknown. */
  readonly id_card_index: Buffer | null
  /** Compared with `vault.blindIndex('bank_account', its digits)`. */
  readonly bank_account_index: Buffer | null
  /** The member's users on the company's chat platform: those used to sign in, and the one that receives messages (`any`). */
  readonly platform_accounts: readonly PlatformAccount[]
  readonly status: MemberStatus
  /** For terminated members, whether they can still open a payslip; null for all others. */
  readonly termination: Termination | null
  /** Department names, joined by 、. */
  readonly departments: string
  /** Names of the departments' ancestors, joined by 、. */
  readonly departments_above: string
  readonly position: string
  readonly entry_on: string | null
  readonly department_ids: readonly string[]
  /** Whether the current user may manage this member's pay. Names out of scope are for matching only, not for display. */
  readonly in_scope: boolean
}

export type PlatformAccount = { readonly provider: string; readonly user_id: string }
type PlatformLink = PlatformAccount & { readonly account_id: string }
type PlatformLinkProvider = (ctx: CompanyTx) => Promise<PlatformLink[]>
let getPlatformLinks: PlatformLinkProvider = async () => []
/** The account module provides the platform links: it depends on members, not the other way round. */
export const setPlatformLinkProvider = (links: PlatformLinkProvider): void => void (getPlatformLinks = links)

type NamedDepartment = DepartmentTreeNode & { readonly name: string }

/** Returns those of the phones that an active member of the company has. */
export async function listActiveMobiles({ db, company_id }: CompanyTx, mobiles: readonly string[]): Promise<ReadonlySet<string>> {
  if (mobiles.length === 0) return new Set()
  const rows = await db
    .selectFrom('member')
    .select('mobile')
    .where('company_id', '=', company_id)
    .where('status', '<>', 'left')
    .where('mobile', 'in', [...new Set(mobiles)])
    .execute()
  return new Set(rows.map(({ mobile }) => mobile))
}

/**
 * Loads all members of the company including terminated ones, or only the requested ones. Three plain queries are
 * combined in the code: the plan of a single query depended on statistics, and with those of small companies ten
 * thousand members were compared with ten thousand memberships on the day a large company was created.
 */
export async function loadRoster(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'now'>,
  memberIds?: readonly string[],
): Promise<RosterEntry[]> {
  const { db, company_id, currentUser } = ctx
  const ids = sql<string>`any(${[...(memberIds ?? [])]}::uuid[])`
  const members = await db
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
    .$if(memberIds !== undefined, (query) => query.where('id', '=', ids))
    .orderBy('id')
    .execute()
  const departments: NamedDepartment[] = await listOrderedDepartments({ db, company_id })
  const memberships = await db
    .selectFrom('member_department')
    .select(['member_id', 'department_id'])
    .where('company_id', '=', company_id)
    .$if(memberIds !== undefined, (query) => query.where('member_id', '=', ids))
    .execute()
  const links = Map.groupBy(await getPlatformLinks(ctx), ({ account_id }) => account_id)
  const order = new Map(departments.map(({ id }, at) => [id, at]))
  const departmentsByMember = new Map<string, number[]>()
  for (const { member_id, department_id } of memberships) {
    const at = order.get(department_id)
    if (at === undefined) continue
    const existing = departmentsByMember.get(member_id)
    if (existing) existing.push(at)
    else departmentsByMember.set(member_id, [at])
  }
  // Departments below one of the user's departments are in scope too, even if created a moment ago by this request.
  const managedIds = getDescendantIds(currentUser.scope.department_ids, departments)
  const byId = new Map(departments.map((one) => [one.id, one]))
  const namesAbove = departments.map(({ id }) => getAncestors(id, byId).map(({ name }) => name))
  const all = canManageAllMembers(ctx)
  const months = await readLeaverMonths(ctx.db, ctx.company_id)
  const today = toShanghaiDate(ctx.now)
  return members.map(({ account_id, platform_user_id, left_on, left_at, former_account, unconfirmed_at, ...member }) => {
    const on = left_on ?? (left_at ? toShanghaiDate(left_at) : '')
    const departmentIndexes = (departmentsByMember.get(member.id) ?? []).toSorted((a, b) => a - b)
    return {
      ...member,
      platform_accounts: [
        ...(links.get(account_id ?? '') ?? []),
        ...(platform_user_id ? [{ provider: 'any', user_id: platform_user_id }] : []),
      ],
      status: member.status,
      termination:
        member.status === 'left'
          ? getTermination({ on, months, today, hasJoined: former_account !== null, isDoubted: unconfirmed_at !== null })
          : null,
      departments: departmentIndexes.map((at) => departments[at]?.name ?? '').join('、'),
      departments_above: [...new Set(departmentIndexes.flatMap((at) => namesAbove[at] ?? []))].join('、'),
      department_ids: departmentIndexes.map((at) => departments[at]?.id ?? ''),
      in_scope: all || departmentIndexes.some((at) => managedIds.has(departments[at]?.id ?? '')),
    }
  })
}

/**
 * Computes a digest of everything `loadRoster` returns, independent of the user: it changes whenever any of it changes.
 * Signing in does not change it, unless members are linked to a chat platform. Computed in the database: ten thousand
 * members take a hundredth of a second, and five when they are fetched.
 */
export async function computeRosterDigest({ db, company_id, now }: CompanyTimeTx): Promise<string> {
  const months = await readLeaverMonths(db, company_id)
  // For terminated members, the digest also includes what changes over time alone: whether they can still open a
  // payslip on this day.
  const terminatedColumns = sql`case when status = 'left' then concat_ws(' ', left_on, former_account is not null, unconfirmed_at is not null,
    coalesce(left_on, left_at::date) + make_interval(months => ${months}::int) >= ${toShanghaiDate(now)}::date, ${toShanghaiDate(now)}::date - coalesce(left_on, left_at::date) < 90) end`
  const links = await getPlatformLinks({ db, company_id })
  const people = sql<string>`md5(string_agg(row(id, name, mobile, employee_no, id_card_index, bank_account_index, ${terminatedColumns}, position,
    entry_on, platform_user_id, case when ${links.length > 0}::boolean then account_id end)::text, '' order by id))`
  const tree = sql<string>`md5(string_agg(row(id, parent_id, name, position)::text, '' order by id))`
  const memberships = sql<string>`md5(string_agg(concat(member_id, department_id), '' order by member_id, department_id))`
  const getDigest = async (table: 'member' | 'department' | 'member_department', digest: typeof people): Promise<string | null> =>
    (await db.selectFrom(table).select(digest.as('digest')).where('company_id', '=', company_id).executeTakeFirst())?.digest ??
    null
  return JSON.stringify([
    months,
    await getDigest('member', people),
    await getDigest('department', tree),
    await getDigest('member_department', memberships),
    links.map(({ account_id, provider, user_id }) => [account_id, provider, user_id]),
  ])
}
