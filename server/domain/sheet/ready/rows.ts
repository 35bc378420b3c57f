/** The rows of a checked batch as they will be sent: what a plan is made of. */
import { isWages, lacks, openOf } from '../../../contract/words/states.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type Ctx, refuse } from '../../../runtime/handle.ts'
import type { BatchRow } from '../access.ts'
import { checkOf } from '../check/kept.ts'
import { peopleOf } from '../check/run-check.ts'
import { learnFrom } from '../recipe/recipes.ts'
import { rowsAt } from '../rows/stored-rows.ts'
import type { Person } from '../rules/check/matching.ts'
import { getUnitPowers, inYuan } from '../rules/unit.ts'
import { understoodOf } from '../understood.ts'

export type ReadyRow = {
  readonly row: number
  readonly member_id: string
  /** Of the roster, joined by 、. */
  readonly departments: string
  /** What he does by the roster, the closest first: department and position, position, department. */
  readonly places: readonly string[]
  readonly net_fen: number | null
  readonly gross_fen: number | null
  readonly tax_fen: number | null
  /** Whether this person was paid in the run that this one is compared with. */
  readonly known: boolean
  /** The figures beside that run do not tell whether they are this person's. */
  readonly unproven: boolean
  /** Found by the name alone, and nothing else says that it is he. */
  readonly name_only: boolean
  /** The roster has another department, position or day of entry. */
  readonly differs: boolean
  /** Another row has what is his, as he has what is the other's; 1: the likeliest two, 0: nothing says so. */
  readonly exchanged: number
}

/**
 * The rows of a batch for the plan, by its check: `wrong_state` with `{ errors }` where something still has to be put right. `settled`: it
 * is about to be sent, so what was decided is remembered.
 */
export async function readyRows(ctx: Ctx, batch: BatchRow, settled: boolean): Promise<ReadyRow[]> {
  const { checked, known } = await checkOf(ctx, batch)
  const understood = understoodOf(ctx, batch)
  const wages = isWages(understood)
  if (wages !== true) throw refuse('wrong_state', wages, { status: batch.status, errors: 1 })
  const open = openOf(understood)
  if (open > 0)
    throw refuse('wrong_state', `关于这张表还有 ${open} 个问题没有回答，请先回答再发送`, { status: batch.status, errors: open })
  const errors = checked.problems.filter((problem) => problem.level === 'error').length
  if (errors > 0) throw refuse('wrong_state', `还有 ${errors} 个错误没有处理，请先处理再发送`, { status: batch.status, errors })
  if (lacks(understood).includes('net'))
    throw refuse('wrong_state', '还没有指定哪一列是实发工资，请先指定', { status: batch.status, errors: 1 })
  const unproven = new Set(checked.unproven)
  const by_id = new Map((await peopleOf(ctx)).map((person) => [person.id, person]))
  const ready = checked.rows.flatMap(({ skipped, member_id, ...one }): ReadyRow[] => {
    if (skipped || member_id === null) return []
    const person = by_id.get(member_id)
    const whose = { member_id, departments: person?.departments ?? '', places: placesOf(person) }
    return [{ ...one, ...whose, known: known.has(one.row), unproven: unproven.has(one.row) }]
  })
  if (ready.length === 0) throw refuse('wrong_state', '这一批里没有可以发送的人', { status: batch.status, errors: 0 })
  if (settled) await learnFrom(ctx, batch, true)
  return ready
}

function placesOf(person: Person | undefined): string[] {
  const { departments = '', position = '' } = person ?? {}
  return [position && departments && `${departments}/${position}`, position, departments].filter((place) => place !== '')
}

/** Opens rows of a batch as they are sent: amounts in yuan. */
export function cellsToSend(ctx: Ctx, batch: BatchRow): (rows: readonly number[]) => Promise<ReadonlyMap<number, RowCells>> {
  const { columns, questions } = understoodOf(ctx, batch)
  const powers = getUnitPowers(columns, questions)
  return async (rows) => new Map((await rowsAt(ctx, batch.id, rows)).map(({ row, cells }) => [row, inYuan(cells, powers)]))
}
