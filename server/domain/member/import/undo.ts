/** An import taken back, whole, within a day and while nothing was built on it. */
import { sql } from 'kysely'
import * as contract from '../../../contract/people/import.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { whoManages } from '../../role/index.ts'
import { holdTree } from '../departments-change.ts'
import { breaksReference } from '../move.ts'
import type { Undo } from './apply.ts'
import { day_ms, heldImport, importPlace, mine } from './kept.ts'
import { pieces, restore, type Snapshot, snapshots } from './people.ts'

export const undoImport = handle(contract.undoImport, async (ctx, { import_id }) => {
  const { db, company_id, now, vault } = ctx
  await sql`select pg_advisory_xact_lock(hashtextextended(${`import|${company_id}`}, 0))`.execute(db)
  await holdTree(ctx)
  const row = await heldImport(ctx, import_id)
  if (row.stage !== 'done' || !row.undo || !row.applied_at)
    throw refuse('wrong_state', row.stage === 'undone' ? '这次导入已经撤销' : '还没有导入，不用撤销', { status: row.stage })
  if (row.applied_at.getTime() + day_ms < now.getTime())
    throw refuse('wrong_state', '导入超过一天，不能再整体撤销', { status: row.stage })
  const { people, departments } = vault.open<Undo>(importPlace(import_id, 'undo'), row.undo)
  await mustStand(
    ctx,
    people.map(({ after }) => after),
  )
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
  await removeEmpty(ctx, departments)
  await mine(ctx, import_id).set({ stage: 'undone', undo: null }).execute()
  ctx.about({ removed: created.length, restored: restored.length })
  return { removed: created.length, restored: restored.length }
})

/** Everybody is as the import left him: whoever has joined, was changed or left since is not taken back under somebody's hands. */
async function mustStand(ctx: Ctx, people: readonly Snapshot[]): Promise<void> {
  const now = new Map(
    (
      await snapshots(
        ctx,
        people.map(({ id }) => id),
      )
    ).map((one) => [one.id, JSON.stringify(one)]),
  )
  const other = people.filter((one) => now.get(one.id) !== JSON.stringify(one))
  const [first] = other
  if (!first) return
  const who = `${String(first.name)}${other.length > 1 ? ` 等 ${other.length} 位员工` : ''}`
  throw refuse('wrong_state', `${who}在导入之后有了变化（加入了企业，或资料又改过），不能再整体撤销，请逐个修改`, {
    status: 'done',
  })
}

/** A slip or anything else that names him. */
function builtOn(error: unknown): never {
  if (breaksReference(error))
    throw refuse('wrong_state', '导入的员工里有人已经有工资条或审批，不能再整体撤销，请逐个修改', { status: 'done' })
  throw error
}

/** The departments that it made, from the lowest; where somebody has put something in, or is set over it, it stays. */
async function removeEmpty(ctx: Ctx, made: readonly string[]): Promise<void> {
  const { db, company_id } = ctx
  const free: string[] = []
  for (const id of made) if ((await whoManages(ctx, id)).length === 0) free.push(id)
  for (let gone = 1; gone > 0; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from department where department.company_id = ${company_id} and department.id = any(${free}::uuid[])
        and not exists (select from department as child where child.company_id = ${company_id} and child.parent_id = department.id)
        and not exists (select from department_gone as trace where trace.company_id = ${company_id} and trace.into_id = department.id)
        and not exists (select from member_department as placed where placed.company_id = ${company_id} and placed.department_id = department.id)`.execute(
      db,
    )
    gone = Number(numAffectedRows)
  }
}
