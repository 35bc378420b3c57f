/** Linking platform users to members: shows both sides for a decision. Writes platform_user and, through the roster, member. */
import { type Selectable, sql } from 'kysely'
import type { CallInput } from '../../../contract/call.ts'
import * as contract from '../../../contract/platform-binding/binding.ts'
import { maskMobile, mobilePattern } from '../../../contract/shared/schemas.ts'
import type { PlatformUser } from '../../../database/tables.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { addMembers, countWithoutPlatformUser, loadMatchCandidates, type NewMember } from '../../directory/index.ts'
import { createNotBoundError, findBinding, type StoredBinding, saveBindingEvent } from '../binding-rows.ts'
import { isPlatformCompany, type PlatformLink, saveLinks } from '../links.ts'
import { platformUserSchema } from '../stored-schemas.ts'
import { applyMemberDepartments } from '../sync/apply.ts'
import { removeLinkedCandidates } from './remove-linked-candidates.ts'

/** SQL expression for `platform_user`: the link state of a user. */
export const selectCombineKind = sql<contract.CombineKind>`case
  when member_id is not null then case when removed_at is null then 'same' else 'left' end
  else match_status end`
export const isListed = sql<boolean>`(removed_at is null or member_id is not null)`

export const getCorpCombineInfo = defineHandler(
  contract.getCorpCombineInfo,
  async (ctx, { kind, search = '', page, pagesize }) => {
    const binding = await findBinding(ctx)
    if (!binding) throw createNotBoundError()
    const counts = await countByKind(ctx, binding)
    const text = `%${search.replace(/[\\%_]/g, '\\$&')}%`
    const matches = selectPlatformUsers(ctx, binding)
      .where(sql<boolean>`${selectCombineKind} = ${kind}`)
      .$if(search !== '', (query) =>
        query.where((eb) =>
          eb.or([
            eb('name', 'like', text),
            eb('mobile', 'like', text),
            eb('employee_no', 'ilike', text),
            eb('user_id', 'ilike', text),
          ]),
        ),
      )
    const { total } = await matches.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await matches
      .select(['user_id', 'name', 'mobile', 'employee_no', 'details', 'match_reason', 'linked_by', 'member_id', 'candidates'])
      .orderBy('name')
      .orderBy('user_id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    const platformUsers = await toPlatformUserViews(ctx, binding, rows)
    const candidatesById = await loadCandidates(
      ctx,
      rows.flatMap(({ member_id, candidates }) => (member_id ? [member_id] : candidates)),
    )
    return {
      same: counts.same,
      only_platform: counts.conflict + counts.suggested + counts.new + counts.ignored,
      only_here: await countWithoutPlatformUser(ctx),
      counts,
      conflicts: rows.flatMap(({ match_reason: reason, linked_by, member_id, candidates }, at) => {
        const platform_user = platformUsers[at]
        const memberCandidates = (member_id ? [member_id] : candidates).flatMap((id) => candidatesById.get(id) ?? [])
        return platform_user ? [{ platform_user, reason, linked_by, candidates: memberCandidates }] : []
      }),
      page: { page, pagesize, total },
    }
  },
)

const selectPlatformUsers = (ctx: HandlerContext, binding: StoredBinding) =>
  ctx.db.selectFrom('platform_user').where(isPlatformCompany(ctx, binding)).where(isListed)

async function countByKind(ctx: HandlerContext, binding: StoredBinding): Promise<Record<contract.CombineKind, number>> {
  const rows = await selectPlatformUsers(ctx, binding)
    .select(({ fn }) => [selectCombineKind.as('kind'), fn.countAll<number>().as('people')])
    .groupBy(selectCombineKind)
    .execute()
  const getCount = (kind: contract.CombineKind) => rows.find((one) => one.kind === kind)?.people ?? 0
  return {
    conflict: getCount('conflict'),
    suggested: getCount('suggested'),
    new: getCount('new'),
    ignored: getCount('ignored'),
    same: getCount('same'),
    left: getCount('left'),
  }
}

type PlatformUserRow = Pick<Selectable<PlatformUser>, 'user_id' | 'name' | 'mobile' | 'employee_no' | 'details'>
/** Converts rows to the items shown on the page, in the same order. */
export async function toPlatformUserViews(ctx: HandlerContext, binding: StoredBinding, rows: readonly PlatformUserRow[]) {
  const names = await getPlatformDepartmentNames(ctx, binding, rows)
  return rows.map(({ user_id, name, mobile, employee_no, details: content }) => {
    const department_ids = [...platformUserSchema.parse(content).departments]
    return {
      platform_user_id: user_id,
      name,
      mobile: mobile && maskMobile(mobile),
      employee_no,
      departments: department_ids.flatMap((key) => names.get(key) || []),
      department_ids,
    }
  })
}

export async function getPlatformDepartmentNames(
  ctx: HandlerContext,
  binding: StoredBinding,
  rows: readonly { readonly details: unknown }[],
) {
  const keys = [...new Set(rows.flatMap(({ details: content }) => platformUserSchema.parse(content).departments))]
  const departments = await ctx.db
    .selectFrom('platform_department')
    .select(['key', 'name'])
    .where(isPlatformCompany(ctx, binding))
    .where('key', '=', sql<string>`any(${keys}::text[])`)
    .execute()
  return new Map(departments.map(({ key, name }) => [key, name]))
}

/** Loads the candidate members of the roster by id. */
async function loadCandidates(ctx: HandlerContext, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const people = await loadMatchCandidates(ctx, ids)
  return new Map(people.map((one) => [one.member_id, { ...one, mobile: one.mobile && maskMobile(one.mobile) }] as const))
}

type CombineDecision = CallInput<typeof contract.combinePlatform>['decisions'][number]
type LockedPlatformUser = Awaited<ReturnType<typeof lockPlatformUsers>>[number]

export const combinePlatform = defineHandler(contract.combinePlatform, async (ctx, { decisions }) => {
  const binding = await findBinding(ctx)
  if (!binding) throw createNotBoundError()
  if (binding.status === 20) throw fail('wrong_state', '正在同步通讯录，请等同步完成', { status: binding.status })
  const people = await lockPlatformUsers(ctx, binding, decisions)
  const getDecisions = (action: 'create' | 'ignore') => decisions.filter(({ member_id }) => member_id === action)
  const linkDecisions = decisions.filter(({ member_id }) => member_id !== 'create' && member_id !== 'ignore')
  await assertMembersLinkable(ctx, binding, linkDecisions)
  const created = await createMembers(ctx, getDecisions('create'), people)
  const links: PlatformLink[] = [
    ...linkDecisions.map(({ platform_user_id: user_id, member_id }) => ({ user_id, member_id, by: 'chosen' as const })),
    ...created,
  ]
  await saveLinks(ctx, binding, [
    ...links,
    ...getDecisions('ignore').map(({ platform_user_id: user_id }) => ({ user_id, member_id: null, by: null })),
  ])
  // Members that were also candidates of other platform users are now linked.
  await removeLinkedCandidates(ctx, binding)
  await ignorePlatformUsers(
    ctx,
    binding,
    getDecisions('ignore').map(({ platform_user_id }) => platform_user_id),
  )
  await applyMemberDepartments(
    ctx,
    binding,
    links.map(({ user_id }) => user_id),
  )
  const result = { linked: linkDecisions.length, created: created.length, ignored: getDecisions('ignore').length }
  await saveBindingEvent(ctx, binding.id, { kind: 'combined', by: ctx.currentUser.name, detail: result })
  ctx.addAuditDetails(result)
  return result
})

/** Locks the platform users; all must exist and none may be verified: a verified link cannot be changed by administrators. */
async function lockPlatformUsers(ctx: HandlerContext, binding: StoredBinding, decisions: readonly CombineDecision[]) {
  const ids = decisions.map(({ platform_user_id }) => platform_user_id)
  if (new Set(ids).size < ids.length) throw invalidInput('decisions', '同一个人有两个决定，请核对')
  const people = await ctx.db
    .selectFrom('platform_user')
    .select(['user_id', 'name', 'details', 'linked_by', 'member_id'])
    .where(isPlatformCompany(ctx, binding))
    .where('user_id', '=', sql<string>`any(${ids}::text[])`)
    .where('removed_at', 'is', null)
    .orderBy('user_id')
    .forUpdate()
    .execute()
  if (people.length < ids.length) throw fail('not_found', '有人已经不在办公平台上，请刷新后重新选择')
  const verified = people.find(({ linked_by }) => linked_by === 'proved')
  if (verified)
    throw fail('wrong_state', `${verified.name || verified.user_id} 已由本人登录确认，不能改成别人`, { status: 'proved' })
  return people
}

async function assertMembersLinkable(
  ctx: HandlerContext,
  binding: StoredBinding,
  linkDecisions: readonly CombineDecision[],
): Promise<void> {
  const ids = linkDecisions.map(({ member_id }) => member_id)
  if (ids.length === 0) return
  if (new Set(ids).size < ids.length) throw invalidInput('decisions', '同一位员工选给了两个人，请核对')
  const members = await loadMatchCandidates(ctx, ids)
  if (members.length < ids.length) throw fail('not_found', '没有找到所选的员工，可能已离职，请刷新后重选')
  const verified = await ctx.db
    .selectFrom('platform_user')
    .select(['user_id', 'name'])
    .where(isPlatformCompany(ctx, binding))
    .where('member_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('linked_by', '=', 'proved')
    .where('removed_at', 'is', null)
    .where('user_id', '<>', sql<string>`all(${linkDecisions.map(({ platform_user_id }) => platform_user_id)}::text[])`)
    .executeTakeFirst()
  if (verified)
    throw fail('wrong_state', `所选的员工已由本人用 ${verified.name || verified.user_id} 登录确认，不能改成别人`, {
      status: 'proved',
    })
}

/** Creates members as the platform describes them. One without a phone has no other contact: an administrator adds it. */
async function createMembers(
  ctx: HandlerContext,
  toCreate: readonly CombineDecision[],
  people: readonly LockedPlatformUser[],
): Promise<PlatformLink[]> {
  const pattern = new RegExp(mobilePattern)
  const added = toCreate.map(({ platform_user_id }): NewMember => {
    const { details: storedContent, name } = people.find(({ user_id }) => user_id === platform_user_id) ?? {
      details: null,
      name: '',
    }
    const content = platformUserSchema.parse(storedContent)
    if (!name)
      throw fail('wrong_state', '办公平台没有提供这位员工的姓名，请先在花名册里添加，再在这里选择', { status: 'no_name' })
    if (!pattern.test(content.mobile))
      throw fail('wrong_state', `办公平台没有提供 ${name} 的手机号，请先在花名册里添加，再在这里选择`, { status: 'no_mobile' })
    return {
      name: name.slice(0, 30),
      mobile: content.mobile,
      employee_no: content.employee_no.slice(0, 30),
      position: content.job_title.slice(0, 30),
    }
  })
  const ids = added.length > 0 ? await addMembers(ctx, added) : []
  return toCreate.map(({ platform_user_id: user_id }, at) => ({ user_id, member_id: ids[at] ?? null, by: 'chosen' }))
}

const ignorePlatformUsers = (ctx: HandlerContext, binding: StoredBinding, user_ids: readonly string[]) =>
  ctx.db
    .updateTable('platform_user')
    .set({ match_status: 'ignored', match_reason: null, candidates: [] })
    .where(isPlatformCompany(ctx, binding))
    .where('user_id', '=', sql<string>`any(${[...user_ids]}::text[])`)
    .execute()
