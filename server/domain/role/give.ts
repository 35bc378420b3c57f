/** Giving powers. Nobody is signed out by it, unless his scope becomes smaller. Writes admin and admin_department. */
import * as contract from '../../contract/corp/role.ts'
import type { Power } from '../../contract/who.ts'
import { handleRights, invalid, type RightsCtx } from '../../runtime/handle.ts'
import { endSessions } from '../../runtime/request/sessions.ts'
import { notify } from '../desk/index.ts'
import {
  type AdminRow,
  departmentTree,
  heldAdmins,
  type Joined,
  joinedPeople,
  knownScope,
  mustBe,
  myselfOf,
  sayScope,
  scopeOf,
  writeRights,
} from './rows.ts'
import { type Holder, mayGive, wordsOf } from './rules/powers.ts'
import { isEmpty, isSmaller, needsScope, type Scope, scopeGiven } from './rules/scopes.ts'

type Wish = { readonly power: readonly Power[]; readonly scope: Scope }

/** Gives these people the same; all of them or nobody. Answers their ids as administrators, in the order that was asked. */
async function give(ctx: RightsCtx, member_ids: readonly string[], wish: Wish): Promise<string[]> {
  if (needsScope(wish.power) && isEmpty(wish.scope)) throw invalid('scope', '请选择管理范围：全公司，或至少一个部门')
  const people = await joinedPeople(ctx, member_ids)
  const admins = await heldAdmins(ctx)
  const tree = await departmentTree(ctx)
  const asked = knownScope(wish.scope, tree)
  const me = myselfOf(ctx)
  const made = new Map<string, string>()
  for (const person of people) {
    const admin = admins.find((one) => one.member_id === person.id)
    made.set(person.id, await giveOne(ctx, me, person, admin, { power: wish.power, scope: asked }, tree))
  }
  const ids = [...new Set(member_ids)].flatMap((id) => made.get(id) ?? [])
  ctx.about({ user_ids: ids.join(' '), powers: wish.power.join(), departments: asked.department_ids.length })
  return ids
}

async function giveOne(
  ctx: RightsCtx,
  me: Holder,
  person: Joined,
  admin: AdminRow | undefined,
  wish: Wish,
  tree: Awaited<ReturnType<typeof departmentTree>>,
): Promise<string> {
  const { db, company_id } = ctx
  const has = admin?.power ?? []
  mustBe(mayGive(me, { id: admin?.id ?? null, power: has }, wish.power))
  const before = admin ? await scopeOf(ctx, admin) : { all: false, department_ids: [] }
  const scope = scopeGiven(wish.power, wish.scope, before)
  const id = await writeRights(ctx, { member_id: person.id, account_id: person.account_id }, admin, {
    power: [...has, ...wish.power],
    scope,
  })
  if (needsScope(has) && isSmaller(before, scope, tree))
    await endSessions(db, { account_id: person.account_id, company_id }, 'role')
  const where = needsScope(wish.power) ? `，管理范围：${sayScope(scope, tree)}` : ''
  const text = `${ctx.me.name} 为您设置了${wordsOf(wish.power)}权限${where}`
  await notify(ctx, id, { kind: 'role', text, batch_id: null })
  return id
}

export const insertRole = handleRights(contract.insertRole, async (ctx, { member_id, power, scope }) => {
  const [user_id = ''] = await give(ctx, [member_id], { power, scope })
  return { user_id }
})

export const addAmin = handleRights(contract.addAmin, async (ctx, { member_ids, power, scope }) => ({
  user_ids: await give(ctx, member_ids, { power, scope }),
}))
