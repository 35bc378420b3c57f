/** Who of the platform is whom: shown with both sides, and said by a person. Writes platform_person and, through the roster, member. */
import { type Selectable, sql } from 'kysely'
import type { InputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/people/binding.ts'
import { maskMobile, mobilePattern } from '../../../contract/words/words.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import type { PlatformPerson } from '../../../runtime/postgres/tables.ts'
import { addMembers, countUnreached, type NewMember, tellablePeople } from '../../member/index.ts'
import { seenPerson } from '../kept.ts'
import { type Link, link, ofCorp } from '../links.ts'
import { bindingOf, type KeptBinding, notBound, tellOf } from '../rows.ts'
import { followWhere } from '../sync/follow.ts'
import { dropTaken } from './taken.ts'

/** For queries on `platform_person`: how somebody stands. */
export const kindOf = sql<contract.CombineKind>`case
  when member_id is not null then case when gone_at is null then 'same' else 'left' end
  else standing end`
export const shownOf = sql<boolean>`(gone_at is null or member_id is not null)`

export const getCorpCombineInfo = handle(contract.getCorpCombineInfo, async (ctx, { kind, search = '', page, pagesize }) => {
  const binding = await bindingOf(ctx)
  if (!binding) throw notBound()
  const counts = await countKinds(ctx, binding)
  const text = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  const found = peopleThere(ctx, binding)
    .where(sql<boolean>`${kindOf} = ${kind}`)
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
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .select(['user_id', 'name', 'mobile', 'employee_no', 'said', 'why', 'linked_by', 'member_id', 'candidates'])
    .orderBy('name')
    .orderBy('user_id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const shown = await shownPeople(ctx, binding, rows)
  const people = await candidatesOf(
    ctx,
    rows.flatMap(({ member_id, candidates }) => (member_id ? [member_id] : candidates)),
  )
  return {
    same: counts.same,
    only_platform: counts.conflict + counts.suggested + counts.new + counts.ignored,
    only_here: await countUnreached(ctx),
    counts,
    conflicts: rows.flatMap(({ why, linked_by, member_id, candidates }, at) => {
      const platform_user = shown[at]
      const beside = (member_id ? [member_id] : candidates).flatMap((id) => people.get(id) ?? [])
      return platform_user ? [{ platform_user, why, linked_by, candidates: beside }] : []
    }),
    page: { page, pagesize, total },
  }
})

const peopleThere = (ctx: Ctx, binding: KeptBinding) =>
  ctx.db.selectFrom('platform_person').where(ofCorp(ctx, binding)).where(shownOf)

async function countKinds(ctx: Ctx, binding: KeptBinding): Promise<Record<contract.CombineKind, number>> {
  const figures = await peopleThere(ctx, binding)
    .select(({ fn }) => [kindOf.as('kind'), fn.countAll<number>().as('people')])
    .groupBy(kindOf)
    .execute()
  const of = (wanted: contract.CombineKind) => figures.find((one) => one.kind === wanted)?.people ?? 0
  return {
    conflict: of('conflict'),
    suggested: of('suggested'),
    new: of('new'),
    ignored: of('ignored'),
    same: of('same'),
    left: of('left'),
  }
}

type ShownRow = Pick<Selectable<PlatformPerson>, 'user_id' | 'name' | 'mobile' | 'employee_no' | 'said'>
/** As the page shows them, one a row. */
export async function shownPeople(ctx: Ctx, binding: KeptBinding, rows: readonly ShownRow[]) {
  const names = await departmentNames(ctx, binding, rows)
  return rows.map(({ user_id, name, mobile, employee_no, said }) => {
    const department_ids = [...seenPerson.parse(said).departments]
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

export async function departmentNames(ctx: Ctx, binding: KeptBinding, rows: readonly { readonly said: unknown }[]) {
  const keys = [...new Set(rows.flatMap(({ said }) => seenPerson.parse(said).departments))]
  const named = await ctx.db
    .selectFrom('platform_department')
    .select(['key', 'name'])
    .where(ofCorp(ctx, binding))
    .where('key', '=', sql<string>`any(${keys}::text[])`)
    .execute()
  return new Map(named.map(({ key, name }) => [key, name]))
}

/** People of the roster beside them, by id. */
async function candidatesOf(ctx: Ctx, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const people = await tellablePeople(ctx, ids)
  return new Map(people.map((one) => [one.member_id, { ...one, mobile: one.mobile && maskMobile(one.mobile) }] as const))
}

type Decision = InputOf<typeof contract.combinePlatform>['decisions'][number]
type Person = Awaited<ReturnType<typeof heldPeople>>[number]

export const combinePlatform = handle(contract.combinePlatform, async (ctx, { decisions }) => {
  const binding = await bindingOf(ctx)
  if (!binding) throw notBound()
  if (binding.status === 20) throw refuse('wrong_state', '正在同步通讯录，请等同步完成', { status: binding.status })
  const people = await heldPeople(ctx, binding, decisions)
  const of = (what: 'create' | 'ignore') => decisions.filter(({ member_id }) => member_id === what)
  const chosen = decisions.filter(({ member_id }) => member_id !== 'create' && member_id !== 'ignore')
  await mustBeHere(ctx, binding, chosen)
  const created = await create(ctx, of('create'), people)
  const links: Link[] = [
    ...chosen.map(({ platform_user_id: user_id, member_id }) => ({ user_id, member_id, by: 'chosen' as const })),
    ...created,
  ]
  await link(ctx, binding, [
    ...links,
    ...of('ignore').map(({ platform_user_id: user_id }) => ({ user_id, member_id: null, by: null })),
  ])
  // Whoever was named beside somebody else too is taken now.
  await dropTaken(ctx, binding)
  await ignore(
    ctx,
    binding,
    of('ignore').map(({ platform_user_id }) => platform_user_id),
  )
  await followWhere(
    ctx,
    binding,
    links.map(({ user_id }) => user_id),
  )
  const result = { linked: chosen.length, created: created.length, ignored: of('ignore').length }
  await tellOf(ctx, binding.id, { kind: 'combined', by: ctx.me.name, detail: result })
  ctx.about(result)
  return result
})

/** Held, all there and none certain already: whom somebody has proved to be is nobody else's to say. */
async function heldPeople(ctx: Ctx, binding: KeptBinding, decisions: readonly Decision[]) {
  const ids = decisions.map(({ platform_user_id }) => platform_user_id)
  if (new Set(ids).size < ids.length) throw invalid('decisions', '同一个人有两个决定，请核对')
  const people = await ctx.db
    .selectFrom('platform_person')
    .select(['user_id', 'name', 'said', 'linked_by', 'member_id'])
    .where(ofCorp(ctx, binding))
    .where('user_id', '=', sql<string>`any(${ids}::text[])`)
    .where('gone_at', 'is', null)
    .orderBy('user_id')
    .forUpdate()
    .execute()
  if (people.length < ids.length) throw refuse('not_found', '有人已经不在办公平台上，请刷新后重新选择')
  const proved = people.find(({ linked_by }) => linked_by === 'proved')
  if (proved) throw refuse('wrong_state', `${proved.name || proved.user_id} 已由本人登录确认，不能改成别人`, { status: 'proved' })
  return people
}

async function mustBeHere(ctx: Ctx, binding: KeptBinding, chosen: readonly Decision[]): Promise<void> {
  const ids = chosen.map(({ member_id }) => member_id)
  if (ids.length === 0) return
  if (new Set(ids).size < ids.length) throw invalid('decisions', '同一位员工选给了两个人，请核对')
  const here = await tellablePeople(ctx, ids)
  if (here.length < ids.length) throw refuse('not_found', '没有找到所选的员工，可能已离职，请刷新后重选')
  const proved = await ctx.db
    .selectFrom('platform_person')
    .select(['user_id', 'name'])
    .where(ofCorp(ctx, binding))
    .where('member_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('linked_by', '=', 'proved')
    .where('gone_at', 'is', null)
    .where('user_id', '<>', sql<string>`all(${chosen.map(({ platform_user_id }) => platform_user_id)}::text[])`)
    .executeTakeFirst()
  if (proved)
    throw refuse('wrong_state', `所选的员工已由本人用 ${proved.name || proved.user_id} 登录确认，不能改成别人`, {
      status: 'proved',
    })
}

/** New people as the platform describes them; where it tells no phone they cannot be reached otherwise, and somebody has to add them. */
async function create(ctx: Ctx, wanted: readonly Decision[], people: readonly Person[]): Promise<Link[]> {
  const pattern = new RegExp(mobilePattern)
  const added = wanted.map(({ platform_user_id }): NewMember => {
    const { said: raw, name } = people.find(({ user_id }) => user_id === platform_user_id) ?? { said: null, name: '' }
    const said = seenPerson.parse(raw)
    if (!name)
      throw refuse('wrong_state', '办公平台没有提供这位员工的姓名，请先在花名册里添加，再在这里选择', { status: 'no_name' })
    if (!pattern.test(said.mobile))
      throw refuse('wrong_state', `办公平台没有提供 ${name} 的手机号，请先在花名册里添加，再在这里选择`, { status: 'no_mobile' })
    return {
      name: name.slice(0, 30),
      mobile: said.mobile,
      employee_no: said.employee_no.slice(0, 30),
      position: said.job_title.slice(0, 30),
    }
  })
  const ids = added.length > 0 ? await addMembers(ctx, added) : []
  return wanted.map(({ platform_user_id: user_id }, at) => ({ user_id, member_id: ids[at] ?? null, by: 'chosen' }))
}

const ignore = (ctx: Ctx, binding: KeptBinding, user_ids: readonly string[]) =>
  ctx.db
    .updateTable('platform_person')
    .set({ standing: 'ignored', why: null, candidates: [] })
    .where(ofCorp(ctx, binding))
    .where('user_id', '=', sql<string>`any(${[...user_ids]}::text[])`)
    .execute()
