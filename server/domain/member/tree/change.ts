/** The department tree, changed: one administrator after the other, so that two of them together cannot make a circle. */
import { sql } from 'kysely'
import { type Hanging, type Hung, mayBeCalled, mayStand } from '../../../contract/people/hanging.ts'
import * as contract from '../../../contract/people/member.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handle, handleRights, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { whoManages } from '../../role/index.ts'
import { placeNames, recordMoves } from '../file/events.ts'
import { breaksReference } from '../move.ts'
import { keepable, keepableDepartment } from '../scope.ts'
import { noDepartment } from './read.ts'

type Standing = Hung & { readonly place: number; readonly mine: boolean }
type Tree = ReadonlyMap<string, Standing>

/** Until the end of the transaction whoever else changes the tree waits, and finds what was made of it. */
export const holdTree = (here: Pick<Ctx, 'db' | 'company_id'>): Promise<unknown> => takeTurn(here, 'departments')

/** The whole tree in its order, held. `mine`: within my scope. */
async function heldTree(ctx: Ctx): Promise<Tree> {
  const { db, company_id } = ctx
  await holdTree(ctx)
  const rows = await db
    .selectFrom('department')
    .select(['id', 'parent_id as pid', 'name', 'place'])
    .select(keepableDepartment(ctx).as('mine'))
    .where('company_id', '=', company_id)
    .orderBy('place')
    .orderBy('id')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** One within my scope. Another company's, one out of scope and none at all are the same. */
function mineOf(tree: Tree, id: string): Standing {
  const found = tree.get(id)
  if (!found?.mine) throw noDepartment()
  return found
}

const childrenOf = (tree: Tree, pid: string | null): Standing[] => [...tree.values()].filter((one) => one.pid === pid)

/** What stands in the way of hanging it there is about where, or about what it is called. */
function mustHang(held: { id: string | null; name: string }, pid: string, tree: Hanging): void {
  const stands = mayStand(held, pid, tree)
  if (stands !== true) throw refuse('wrong_state', stands)
  const called = mayBeCalled(held, pid, tree)
  if (called !== true) throw invalid('name', called)
}

export const insertDepartment = handle(contract.insertDepartment, async (ctx, { name, pid }) => {
  const { db, company_id } = ctx
  const tree = await heldTree(ctx)
  mineOf(tree, pid)
  mustHang({ id: null, name }, pid, tree)
  const id = newId()
  const place = Math.max(-1, ...childrenOf(tree, pid).map((one) => one.place)) + 1
  await db.insertInto('department').values({ company_id, id, parent_id: pid, name, place }).execute()
  ctx.about({ id })
  return { id }
})

export const editDepartment = handle(contract.editDepartment, async (ctx, { id, name, pid, before_id, leader_id }) => {
  const { db, company_id } = ctx
  const tree = await heldTree(ctx)
  const held = mineOf(tree, id)
  const called = name ?? held.name
  const moves = pid !== undefined && pid !== held.pid
  if (moves || before_id !== undefined) {
    // Where it hangs is the business of whoever keeps what it hangs below.
    if (held.pid === null) throw refuse('wrong_state', '最上级部门不能移动')
    if (!tree.get(held.pid)?.mine) throw refuse('wrong_state', '这是您管理范围里最高的部门，请由管理上级部门的人移动')
  }
  const parent = pid ?? held.pid
  if (parent !== null && (moves || called !== held.name)) {
    if (moves) mineOf(tree, parent)
    mustHang({ id, name: called }, parent, tree)
  }
  if (leader_id) await mustLead(ctx, leader_id)
  const change = {
    ...(called === held.name ? {} : { name: called }),
    ...(moves ? { parent_id: parent } : {}),
    ...(leader_id === undefined ? {} : { leader_id }),
  }
  if (Object.keys(change).length > 0)
    await db.updateTable('department').set(change).where('company_id', '=', company_id).where('id', '=', id).execute()
  if (moves || before_id !== undefined) await place(ctx, tree, { id, pid: parent }, before_id ?? null)
  if (moves) ctx.about({ from_id: held.pid })
  return {}
})

/** Whoever leads is somebody within my scope who has not left. */
async function mustLead(ctx: Ctx, leader_id: string): Promise<void> {
  const leader = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', leader_id)
    .where('status', '<>', 'left')
    .where(keepable(ctx))
    .forKeyShare()
    .executeTakeFirst()
  if (!leader) throw refuse('not_found', '没有找到这位员工，负责人应是在职的员工')
}

/** Before which of those beside it a department stands; null: last. Whose number changes by that is written. */
async function place(ctx: Ctx, tree: Tree, { id, pid }: { id: string; pid: string | null }, before_id: string | null) {
  const beside = childrenOf(tree, pid).filter((one) => one.id !== id)
  const at = before_id === null ? beside.length : beside.findIndex((one) => one.id === before_id)
  if (at < 0) throw refuse('not_found', '没有找到要排在它前面的部门，请刷新后重试')
  const order = [...beside.slice(0, at).map((one) => one.id), id, ...beside.slice(at).map((one) => one.id)]
  const changed = order.map((one, place) => ({ id: one, place })).filter((one) => tree.get(one.id)?.place !== one.place)
  await sql`
    update department set place = wanted.place
    from unnest(${changed.map((one) => one.id)}::uuid[], ${changed.map((one) => one.place)}::int[]) as wanted (id, place)
    where department.company_id = ${ctx.company_id} and department.id = wanted.id`.execute(ctx.db)
}

export const clearDepartment = handleRights(contract.clearDepartment, async (ctx, { id, move_to }) => {
  const { db, company_id, now } = ctx
  const tree = await heldTree(ctx)
  const held = mineOf(tree, id)
  if (held.pid === null || !tree.get(held.pid)?.mine)
    throw refuse('wrong_state', held.pid === null ? '最上级部门不能删除' : '这是您管理范围里最高的部门，请由管理上级部门的人删除')
  const children = childrenOf(tree, id).length
  if (children > 0) throw refuse('wrong_state', `「${held.name}」下面还有 ${children} 个部门，请先移走或删除它们`)
  if (move_to === id) throw invalid('move_to', '请选择另一个部门接收这些员工')
  if (move_to) mineOf(tree, move_to)
  const managers = await whoManages(ctx, id)
  if (managers.length > 0)
    throw refuse('wrong_state', `「${held.name}」是管理员 ${managers.join('、')} 的管理范围，请先在角色管理中调整`)
  // Whoever puts somebody in meanwhile waits, and finds it gone.
  await db.selectFrom('department').select('id').where('company_id', '=', company_id).where('id', '=', id).forUpdate().execute()
  const before = await placeNames(ctx, await peopleIn(ctx, id))
  const moved = await emptied(ctx, held, move_to)
  await recordMoves(ctx, before)
  const into_id = move_to ?? held.pid
  await db
    .updateTable('department_gone')
    .set({ into_id })
    .where('company_id', '=', company_id)
    .where('into_id', '=', id)
    .execute()
  await db.insertInto('department_gone').values({ company_id, id, into_id, gone_at: now }).execute()
  await db.deleteFrom('department').where('company_id', '=', company_id).where('id', '=', id).execute().catch(notEmpty)
  ctx.about({ moved, into_id })
  return { moved }
})

/** A sheet that makes departments by their names has put one below it since we looked. */
function notEmpty(error: unknown): never {
  if (breaksReference(error)) throw refuse('wrong_state', '刚刚有人在这个部门下面新建了部门，请刷新后重试')
  throw error
}

const peopleIn = async ({ db, company_id }: Ctx, department_id: string): Promise<string[]> =>
  (
    await db
      .selectFrom('member_department')
      .select('member_id')
      .where('company_id', '=', company_id)
      .where('department_id', '=', department_id)
      .execute()
  ).map(({ member_id }) => member_id)

/** Everybody in it goes to the other one, those who have left too: by their department their slips are found. Answers how many. */
async function emptied({ db, company_id }: Ctx, held: Hung, move_to: string | undefined): Promise<number> {
  const { staff, left } = await db
    .selectFrom('member_department')
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'member_department.company_id').onRef('member.id', '=', 'member_department.member_id'),
    )
    .select(sql<number>`(count(*) filter (where member.status <> 'left'))::int`.as('staff'))
    .select(sql<number>`(count(*) filter (where member.status = 'left'))::int`.as('left'))
    .where('member_department.company_id', '=', company_id)
    .where('member_department.department_id', '=', held.id)
    .executeTakeFirstOrThrow()
  if (staff + left === 0) return 0
  if (!move_to) {
    const who = [staff > 0 ? `${staff} 位员工` : '', left > 0 ? `${left} 位已离职的员工` : ''].filter(Boolean).join('和 ')
    throw invalid('move_to', `「${held.name}」里还有 ${who}，请选择把他们移到哪个部门`)
  }
  await sql`
    delete from member_department as here where here.company_id = ${company_id} and here.department_id = ${held.id}
      and exists (select from member_department as there where there.company_id = ${company_id}
        and there.department_id = ${move_to} and there.member_id = here.member_id)`.execute(db)
  await db
    .updateTable('member_department')
    .set({ department_id: move_to })
    .where('company_id', '=', company_id)
    .where('department_id', '=', held.id)
    .execute()
  return staff + left
}
