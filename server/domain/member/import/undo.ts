/** An import taken back, whole, within a day and while nothing was built on it. */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import * as contract from '../../../contract/people/import.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handleRights, type RightsCtx, refuse } from '../../../runtime/handle.ts'
import { managedByNobody } from '../../role/index.ts'
import { holdersOfPhones } from '../change.ts'
import { record } from '../file/events.ts'
import { breaksReference } from '../move.ts'
import { keepable, keepableDepartment, keepsAll } from '../scope.ts'
import { holdTree } from '../tree/change.ts'
import { day_ms, heldImport, mine, undoOf } from './kept.ts'
import { restore } from './people.ts'
import { type ArrivalMark, isMark, marksNow, pieces, type Snapshot, snapshots } from './snapshots.ts'
import type { Undo } from './undo-document.ts'

export const undoImport = handleRights(contract.undoImport, async (ctx, { import_id }) => {
  const { db, company_id, now } = ctx
  await takeTurn(ctx, 'import')
  await holdTree(ctx)
  const row = await heldImport(ctx, import_id)
  const undo = await undoOf(ctx, row)
  if (row.stage !== 'done' || !undo || !row.applied_at)
    throw refuse('wrong_state', row.stage === 'undone' ? '这次导入已经撤销' : '还没有导入，不用撤销', { status: row.stage })
  if (row.applied_at.getTime() + day_ms < now.getTime())
    throw refuse('wrong_state', '导入超过一天，不能再整体撤销', { status: row.stage })
  const { people, departments, leaders } = undo
  await mustStand(ctx, people)
  await mustBeMine(ctx, people)
  await mustHoldPhones(ctx, people)
  const created = people.filter(({ before }) => before === null).map(({ after }) => after.id)
  const restored = people.flatMap(({ before }) => before ?? [])
  for (const some of pieces(created))
    await db
      .deleteFrom('member')
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${some}::uuid[])`)
      .execute()
      .catch(builtOn)
  await restore(ctx, restored)
  await record(
    ctx,
    restored.map(({ id }) => ({ member_id: id, kind: 'undone' })),
  )
  await mustBeAlone(
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
  await removeEmpty(ctx, departments)
  await mine(ctx, import_id).set({ stage: 'undone', undo: null }).execute()
  ctx.about({ removed: created.length, restored: restored.length })
  return { removed: created.length, restored: restored.length }
})

/** Everybody is as the import left him: whoever has joined, was changed or left since is not taken back under somebody's hands. */
async function mustStand(ctx: Ctx, people: Undo['people']): Promise<void> {
  const marked = people.flatMap(({ after }) => (isMark(after) ? [after] : []))
  const whole = people.flatMap(({ after }) => (isMark(after) ? [] : [after.id]))
  const now = new Map<string, ArrivalMark | Snapshot>(
    [...(await marksNow(ctx, marked)), ...(await snapshots(ctx, whole))].map((one) => [one.id, one]),
  )
  const other = people.filter(({ after }) => !isDeepStrictEqual(now.get(after.id), after))
  const [first] = other
  if (!first) return
  const who = `${String(first.after.name)}${other.length > 1 ? ` 等 ${other.length} 位员工` : ''}`
  throw refuse('wrong_state', `${who}在导入之后有了变化（加入了企业，或资料又改过），不能再整体撤销，请逐个修改`, {
    status: 'done',
  })
}

type Change = Undo['people'][number]

/** The scope of before is not the scope of now: people, and the departments that they would go back to. */
async function mustBeMine(ctx: Ctx, people: readonly Change[]): Promise<void> {
  if (keepsAll(ctx)) return
  const { db, company_id, me } = ctx
  let seen = 0
  for (const some of pieces(people.map(({ after }) => after.id))) {
    const rows = await db
      .selectFrom('member')
      .select('id')
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${some}::uuid[])`)
      .where(keepable(ctx))
      .execute()
    seen += rows.length
  }
  const own = new Set(me.scope.department_ids)
  const isLed = people.some(({ before, after }) =>
    before?.departments.some((id) => !after.departments.includes(id) && !own.has(id)),
  )
  if (seen < people.length || isLed)
    throw refuse('wrong_state', '导入的员工里有人已不在您的管理范围，不能再整体撤销', { status: 'done' })
}

/** Nobody is joined again to an account that has left his phone. */
async function mustHoldPhones(ctx: Ctx, people: readonly Change[]): Promise<void> {
  const joined = people.flatMap(({ before, after }) =>
    before?.account_id && !isMark(after) && before.account_id !== after.account_id ? [before] : [],
  )
  for (const some of pieces(joined)) {
    const holders = await holdersOfPhones(
      ctx,
      some.map(({ mobile }) => String(mobile)),
    )
    const other = some.find(({ mobile, account_id }) => holders.get(String(mobile)) !== account_id)
    if (other)
      throw refuse('wrong_state', `${String(other.name)}原来的手机号已不是他账号的手机号，不能再整体撤销，请逐个修改`, {
        status: 'done',
      })
  }
}

/** An identity card is of one person: whoever was added under it meanwhile has it. */
async function mustBeAlone({ db, company_id }: Ctx, ids: readonly string[]): Promise<void> {
  for (const some of pieces(ids)) {
    const { rows } = await sql<{ name: string }>`
      select one.name from member as one join member as other
        on other.company_id = one.company_id and other.id_card_index = one.id_card_index and other.id <> one.id and other.status <> 'left'
      where one.company_id = ${company_id} and one.id = any(${some}::uuid[]) and one.status <> 'left' limit 1`.execute(db)
    const [first] = rows
    if (first)
      throw refuse('wrong_state', `${first.name}的身份证号在导入之后登记给了另一位员工，不能再整体撤销，请逐个修改`, {
        status: 'done',
      })
  }
}

/** A slip or anything else that names him. */
function builtOn(error: unknown): never {
  if (breaksReference(error))
    throw refuse('wrong_state', '导入的员工里有人已经有工资条或审批，不能再整体撤销，请逐个修改', { status: 'done' })
  throw error
}

/** The departments that it made, from the lowest; where somebody has put something in, or is set over it, it stays. */
async function removeEmpty(ctx: RightsCtx, made: readonly string[]): Promise<void> {
  const { db, company_id } = ctx
  const free = await managedByNobody(ctx, made)
  for (let gone = 1; gone > 0; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from department where department.company_id = ${company_id} and department.id = any(${free}::uuid[])
        and not exists (select from department as child where child.company_id = ${company_id} and child.parent_id = department.id)
        and not exists (select from department_gone as trace where trace.company_id = ${company_id} and trace.into_id = department.id)
        and ${keepableDepartment(ctx)}
        and not exists (select from member_department as placed where placed.company_id = ${company_id} and placed.department_id = department.id)`.execute(
      db,
    )
    gone = Number(numAffectedRows)
  }
}
