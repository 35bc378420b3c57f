/** Undoes an import as a whole, within a day and while nothing depends on it. */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import * as contract from '../../../contract/directory/import.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { type AccessContext, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { filterUnmanagedDepartments } from '../../access/index.ts'
import { getPhoneOwners } from '../change.ts'
import { recordMemberEvents } from '../file/events.ts'
import { isForeignKeyError } from '../move.ts'
import { canManageAllMembers, isManageableDepartment, isManageableMember } from '../scope.ts'
import { lockDepartmentTree } from '../tree/change.ts'
import { dayMs, loadUndo, lockImport, updateOwnImport } from './import-record.ts'
import { type ArrivalMark, chunkRows, isArrivalMark, loadMemberStateHashes, loadSnapshots, type Snapshot } from './snapshots.ts'
import type { ImportUndo } from './undo-document.ts'
import { restoreMembers } from './update-members.ts'

export const undoImport = defineHandler(contract.undoImport, { locks: 'access' }, async (ctx, { import_id }) => {
  const { db, company_id, now } = ctx
  await lockCompanySubject(ctx, 'import')
  await lockDepartmentTree(ctx)
  const row = await lockImport(ctx, import_id)
  const undo = await loadUndo(ctx, row)
  if (row.stage !== 'done' || !undo || !row.applied_at)
    throw fail('wrong_state', row.stage === 'undone' ? '这次导入已经撤销' : '还没有导入，不用撤销', { status: row.stage })
  if (row.applied_at.getTime() + dayMs < now.getTime())
    throw fail('wrong_state', '导入超过一天，不能再整体撤销', { status: row.stage })
  const { members, departments, leaders } = undo
  await assertUnchanged(ctx, members)
  await assertManageable(ctx, members)
  await assertPhonesStillOwned(ctx, members)
  const created = members.filter(({ before }) => before === null).map(({ after }) => after.id)
  const restored = members.flatMap(({ before }) => before ?? [])
  for (const chunk of chunkRows(created))
    await db
      .deleteFrom('member')
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${chunk}::uuid[])`)
      .execute()
      .catch(throwIfReferenced)
  await restoreMembers(ctx, restored)
  await recordMemberEvents(
    ctx,
    restored.map(({ id }) => ({ member_id: id, kind: 'undone' })),
  )
  await assertUniqueIdCards(
    ctx,
    restored.map(({ id }) => id),
  )
  for (const { id, leader_id } of leaders)
    await db
      .updateTable('department')
      .set({ leader_id })
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .where('leader_id', 'is', null)
      .execute()
  await deleteEmptyDepartments(ctx, departments)
  await updateOwnImport(ctx, import_id).set({ stage: 'undone', undo: null }).execute()
  ctx.addAuditDetails({ removed: created.length, restored: restored.length })
  return { removed: created.length, restored: restored.length }
})

/** All members must be as the import left them: a member who has joined, was changed or terminated since is not undone. */
async function assertUnchanged(ctx: HandlerContext, members: ImportUndo['members']): Promise<void> {
  const marked = members.flatMap(({ after }) => (isArrivalMark(after) ? [after] : []))
  const changedIds = members.flatMap(({ after }) => (isArrivalMark(after) ? [] : [after.id]))
  const currentById = new Map<string, ArrivalMark | Snapshot>(
    [...(await loadMemberStateHashes(ctx, marked)), ...(await loadSnapshots(ctx, changedIds))].map((one) => [one.id, one]),
  )
  const other = members.filter(({ after }) => !isDeepStrictEqual(currentById.get(after.id), after))
  const [first] = other
  if (!first) return
  const namesText = `${String(first.after.name)}${other.length > 1 ? ` 等 ${other.length} 位员工` : ''}`
  throw fail('wrong_state', `${namesText}在导入之后有了变化（加入了企业，或资料又改过），不能再整体撤销，请逐个修改`, {
    status: 'done',
  })
}

type UndoChange = ImportUndo['members'][number]

/** The scope may have changed: checks the members and the departments they would return to. */
async function assertManageable(ctx: HandlerContext, members: readonly UndoChange[]): Promise<void> {
  if (canManageAllMembers(ctx)) return
  const { db, company_id, currentUser } = ctx
  let manageableCount = 0
  for (const chunk of chunkRows(members.map(({ after }) => after.id))) {
    const rows = await db
      .selectFrom('member')
      .select('id')
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${chunk}::uuid[])`)
      .where(isManageableMember(ctx))
      .execute()
    manageableCount += rows.length
  }
  const managedIds = new Set(currentUser.scope.department_ids)
  const leavesScope = members.some(({ before, after }) =>
    before?.departments.some((id) => !after.departments.includes(id) && !managedIds.has(id)),
  )
  if (manageableCount < members.length || leavesScope)
    throw fail('wrong_state', '导入的员工里有人已不在您的管理范围，不能再整体撤销', { status: 'done' })
}

/** A member is not linked again to an account that no longer has the phone. */
async function assertPhonesStillOwned(ctx: HandlerContext, members: readonly UndoChange[]): Promise<void> {
  const joined = members.flatMap(({ before, after }) =>
    before?.account_id && !isArrivalMark(after) && before.account_id !== after.account_id ? [before] : [],
  )
  for (const chunk of chunkRows(joined)) {
    const owners = await getPhoneOwners(
      ctx,
      chunk.map(({ mobile }) => String(mobile)),
    )
    const other = chunk.find(({ mobile, account_id }) => owners.get(String(mobile)) !== account_id)
    if (other)
      throw fail('wrong_state', `${String(other.name)}原来的手机号已不是他账号的手机号，不能再整体撤销，请逐个修改`, {
        status: 'done',
      })
  }
}

/** An identity card belongs to one member: a member added with it meanwhile keeps it. */
async function assertUniqueIdCards({ db, company_id }: HandlerContext, ids: readonly string[]): Promise<void> {
  for (const chunk of chunkRows(ids)) {
    const { rows } = await sql<{ name: string }>`
      select one.name from member as one join member as other
        on other.company_id = one.company_id and other.id_card_index = one.id_card_index and other.id <> one.id and other.status <> 'left'
      where one.company_id = ${company_id} and one.id = any(${chunk}::uuid[]) and one.status <> 'left' limit 1`.execute(db)
    const [first] = rows
    if (first)
      throw fail('wrong_state', `${first.name}的身份证号在导入之后登记给了另一位员工，不能再整体撤销，请逐个修改`, {
        status: 'done',
      })
  }
}

/** Reports payslips or other rows that reference the member. */
function throwIfReferenced(error: unknown): never {
  if (isForeignKeyError(error))
    throw fail('wrong_state', '导入的员工里有人已经有工资条或审批，不能再整体撤销，请逐个修改', { status: 'done' })
  throw error
}

/** Deletes the departments created by the import, lowest first; a department that has gained members or a leader stays. */
async function deleteEmptyDepartments(ctx: AccessContext, made: readonly string[]): Promise<void> {
  const { db, company_id } = ctx
  const unmanaged = await filterUnmanagedDepartments(ctx, made)
  for (let deletedCount = 1; deletedCount > 0; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from department where department.company_id = ${company_id} and department.id = any(${unmanaged}::uuid[])
        and not exists (select from department as child where child.company_id = ${company_id} and child.parent_id = department.id)
        and not exists (select from removed_department as trace where trace.company_id = ${company_id} and trace.merged_into_id = department.id)
        and ${isManageableDepartment(ctx)}
        and not exists (select from member_department as placed where placed.company_id = ${company_id} and placed.department_id = department.id)`.execute(
      db,
    )
    deletedCount = Number(numAffectedRows)
  }
}
