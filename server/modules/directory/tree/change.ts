/** Changes of the department tree: serialized, so that two concurrent ones cannot create a cycle. */
import { sql } from 'kysely'
import {
  canBeNamed,
  canMoveBelow,
  type DepartmentNode,
  type DepartmentTree,
} from '../../../contract/directory/department-tree.ts'
import * as contract from '../../../contract/directory/members.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { listDepartmentAdminNames } from '../../access/index.ts'
import { getMemberDepartmentNames, recordDepartmentChanges } from '../file/events.ts'
import { isForeignKeyError } from '../move.ts'
import { isManageableDepartment, isManageableMember } from '../scope.ts'
import { createDepartmentNotFoundError } from './read.ts'

type DepartmentRow = DepartmentNode & { readonly position: number; readonly mine: boolean }
type LockedTree = ReadonlyMap<string, DepartmentRow>

/** Other changes of the tree wait until the transaction ends, and then see its result. */
export const lockDepartmentTree = (tx: CompanyTx): Promise<unknown> => lockCompanySubject(tx, 'departments')

/** Loads the whole tree in its order and locks it. `mine`: within the user's scope. */
async function loadLockedTree(ctx: HandlerContext): Promise<LockedTree> {
  const { db, company_id } = ctx
  await lockDepartmentTree(ctx)
  const rows = await db
    .selectFrom('department')
    .select(['id', 'parent_id as pid', 'name', 'position'])
    .select(isManageableDepartment(ctx).as('mine'))
    .where('company_id', '=', company_id)
    .orderBy('position')
    .orderBy('id')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns a department within scope. Another company's, one out of scope and a nonexistent one get the same error. */
function requireManageableDepartment(tree: LockedTree, id: string): DepartmentRow {
  const department = tree.get(id)
  if (!department?.mine) throw createDepartmentNotFoundError()
  return department
}

const listChildren = (tree: LockedTree, pid: string | null): DepartmentRow[] =>
  [...tree.values()].filter((one) => one.pid === pid)

/** Throws the reason why the department cannot be placed there, with the field concerned: parent or name. */
function assertCanMove(department: { id: string | null; name: string }, pid: string, tree: DepartmentTree): void {
  const canMove = canMoveBelow(department, pid, tree)
  if (canMove !== true) throw fail('wrong_state', canMove)
  const canName = canBeNamed(department, pid, tree)
  if (canName !== true) throw invalidInput('name', canName)
}

export const insertDepartment = defineHandler(contract.insertDepartment, async (ctx, { name, pid }) => {
  const { db, company_id } = ctx
  const tree = await loadLockedTree(ctx)
  requireManageableDepartment(tree, pid)
  assertCanMove({ id: null, name }, pid, tree)
  const id = newId()
  const position = Math.max(-1, ...listChildren(tree, pid).map((one) => one.position)) + 1
  await db.insertInto('department').values({ company_id, id, parent_id: pid, name, position }).execute()
  ctx.addAuditDetails({ id })
  return { id }
})

export const editDepartment = defineHandler(contract.editDepartment, async (ctx, { id, name, pid, before_id, leader_id }) => {
  const { db, company_id } = ctx
  const tree = await loadLockedTree(ctx)
  const department = requireManageableDepartment(tree, id)
  const newName = name ?? department.name
  const isMoved = pid !== undefined && pid !== department.pid
  if (isMoved || before_id !== undefined) {
    // A department's parent may be changed only by an administrator of that parent.
    if (department.pid === null) throw fail('wrong_state', '最上级部门不能移动')
    if (!tree.get(department.pid)?.mine) throw fail('wrong_state', '这是您管理范围里最高的部门，请由管理上级部门的人移动')
  }
  const parent = pid ?? department.pid
  if (parent !== null && (isMoved || newName !== department.name)) {
    if (isMoved) requireManageableDepartment(tree, parent)
    assertCanMove({ id, name: newName }, parent, tree)
  }
  if (leader_id) await assertCanLead(ctx, leader_id)
  const change = {
    ...(newName === department.name ? {} : { name: newName }),
    ...(isMoved ? { parent_id: parent } : {}),
    ...(leader_id === undefined ? {} : { leader_id }),
  }
  if (Object.keys(change).length > 0)
    await db.updateTable('department').set(change).where('company_id', '=', company_id).where('id', '=', id).execute()
  if (isMoved || before_id !== undefined) await reorderSiblings(ctx, tree, { id, pid: parent }, before_id ?? null)
  if (isMoved) ctx.addAuditDetails({ from_id: department.pid })
  return {}
})

/** A leader must be an active member within the user's scope. */
async function assertCanLead(ctx: HandlerContext, leader_id: string): Promise<void> {
  const leader = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', leader_id)
    .where('status', '<>', 'left')
    .where(isManageableMember(ctx))
    .forKeyShare()
    .executeTakeFirst()
  if (!leader) throw fail('not_found', '没有找到这位员工，负责人应是在职的员工')
}

/** Places a department before one of its siblings; null: last. Writes only changed positions. */
async function reorderSiblings(
  ctx: HandlerContext,
  tree: LockedTree,
  { id, pid }: { id: string; pid: string | null },
  before_id: string | null,
) {
  const siblings = listChildren(tree, pid).filter((one) => one.id !== id)
  const at = before_id === null ? siblings.length : siblings.findIndex((one) => one.id === before_id)
  if (at < 0) throw fail('not_found', '没有找到要排在它前面的部门，请刷新后重试')
  const order = [...siblings.slice(0, at).map((one) => one.id), id, ...siblings.slice(at).map((one) => one.id)]
  const changed = order
    .map((one, position) => ({ id: one, position }))
    .filter((one) => tree.get(one.id)?.position !== one.position)
  await sql`
    update department set position = wanted.position
    from unnest(${changed.map((one) => one.id)}::uuid[], ${changed.map((one) => one.position)}::int[]) as wanted (id, position)
    where department.company_id = ${ctx.company_id} and department.id = wanted.id`.execute(ctx.db)
}

export const clearDepartment = defineHandler(contract.clearDepartment, { locks: 'access' }, async (ctx, { id, move_to }) => {
  const { db, company_id, now } = ctx
  const tree = await loadLockedTree(ctx)
  const department = requireManageableDepartment(tree, id)
  if (department.pid === null || !tree.get(department.pid)?.mine)
    throw fail(
      'wrong_state',
      department.pid === null ? '最上级部门不能删除' : '这是您管理范围里最高的部门，请由管理上级部门的人删除',
    )
  const children = listChildren(tree, id).length
  if (children > 0) throw fail('wrong_state', `「${department.name}」下面还有 ${children} 个部门，请先移走或删除它们`)
  if (move_to === id) throw invalidInput('move_to', '请选择另一个部门接收这些员工')
  if (move_to) requireManageableDepartment(tree, move_to)
  const managers = await listDepartmentAdminNames(ctx, id)
  if (managers.length > 0)
    throw fail('wrong_state', `「${department.name}」是管理员 ${managers.join('、')} 的管理范围，请先在角色管理中调整`)
  // An administrator who adds a member meanwhile waits, and then finds the department deleted.
  await db.selectFrom('department').select('id').where('company_id', '=', company_id).where('id', '=', id).forUpdate().execute()
  const before = await getMemberDepartmentNames(ctx, await listMemberIds(ctx, id))
  const moved = await moveOutMembers(ctx, department, move_to)
  await recordDepartmentChanges(ctx, before)
  const merged_into_id = move_to ?? department.pid
  await db
    .updateTable('removed_department')
    .set({ merged_into_id })
    .where('company_id', '=', company_id)
    .where('merged_into_id', '=', id)
    .execute()
  await db.insertInto('removed_department').values({ company_id, id, merged_into_id, removed_at: now }).execute()
  await db.deleteFrom('department').where('company_id', '=', company_id).where('id', '=', id).execute().catch(throwIfNotEmpty)
  ctx.addAuditDetails({ moved, merged_into_id })
  return { moved }
})

/** A wage sheet that creates departments by name has added a subdepartment since the lookup. */
function throwIfNotEmpty(error: unknown): never {
  if (isForeignKeyError(error)) throw fail('wrong_state', '刚刚有人在这个部门下面新建了部门，请刷新后重试')
  throw error
}

const listMemberIds = async ({ db, company_id }: HandlerContext, department_id: string): Promise<string[]> =>
  (
    await db
      .selectFrom('member_department')
      .select('member_id')
      .where('company_id', '=', company_id)
      .where('department_id', '=', department_id)
      .execute()
  ).map(({ member_id }) => member_id)

/** Moves all members to the other department, terminated ones too: payslips are found by department. Returns their number. */
async function moveOutMembers(
  { db, company_id }: HandlerContext,
  department: DepartmentNode,
  move_to: string | undefined,
): Promise<number> {
  const { staff, left } = await db
    .selectFrom('member_department')
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'member_department.company_id').onRef('member.id', '=', 'member_department.member_id'),
    )
    .select(sql<number>`(count(*) filter (where member.status <> 'left'))::int`.as('staff'))
    .select(sql<number>`(count(*) filter (where member.status = 'left'))::int`.as('left'))
    .where('member_department.company_id', '=', company_id)
    .where('member_department.department_id', '=', department.id)
    .executeTakeFirstOrThrow()
  if (staff + left === 0) return 0
  if (!move_to) {
    const contentsText = [staff > 0 ? `${staff} 位员工` : '', left > 0 ? `${left} 位已离职的员工` : '']
      .filter(Boolean)
      .join('和 ')
    throw invalidInput('move_to', `「${department.name}」里还有 ${contentsText}，请选择把他们移到哪个部门`)
  }
  await sql`
    delete from member_department as here where here.company_id = ${company_id} and here.department_id = ${department.id}
      and exists (select from member_department as there where there.company_id = ${company_id}
        and there.department_id = ${move_to} and there.member_id = here.member_id)`.execute(db)
  await db
    .updateTable('member_department')
    .set({ department_id: move_to })
    .where('company_id', '=', company_id)
    .where('department_id', '=', department.id)
    .execute()
  return staff + left
}
