/** The slips of a batch before they are sent: one as the employee will see it, the people in it, and what a plan is made of. */
import * as contract from '../../contract/sheet.ts'
import { isWages, lacks, openOf } from '../../contract/states.ts'
import { amountOf, type RowCells } from '../../rules/amounts.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { nameOf, payable } from '../member/index.ts'
import { paidOne } from '../pay/index.ts'
import { type BatchRow, batchFor, batchOfSlips } from './access.ts'
import { checkOf } from './check/kept.ts'
import { peopleOf } from './check/run-check.ts'
import { rowsCalled } from './names/sheet-names.ts'
import { learnFrom } from './recipe/recipes.ts'
import { matchRow, type Person, Roster } from './rules/check/matching.ts'
import { saidOf } from './rules/check/problems-amounts.ts'
import { renderSlip } from './rules/render.ts'
import { inYuan, powerOf } from './rules/unit.ts'
import { pageOfRows, rowsAt, rowsOf } from './stored-rows.ts'
import { layoutOf, understoodOf } from './understood.ts'

export const getPreview = handle(contract.getPreview, async (ctx, { batch_id, row, salary_id }) => {
  const batch = await (salary_id ? batchOfSlips : batchFor)(ctx, batch_id, 'view')
  const understood = understoodOf(ctx, batch)
  const { cells, name } = salary_id ? await sentCells(ctx, batch, salary_id) : await rowCells(ctx, batch, row)
  return renderSlip({
    layout: layoutOf(ctx, batch, understood),
    columns: understood.columns,
    formula: understood.formula,
    cells: inYuan(cells, powerOf(understood.questions)),
    title: batch.title_name ?? '',
    month: batch.title_month,
    corp_name: ctx.me.company_name,
    name: name ?? saidOf(cells, understood.columns).names[0] ?? '',
  })
})

/** A row as it stands now; the first that is sent where none is named. */
async function rowCells(ctx: Ctx, batch: BatchRow, row: number | undefined): Promise<{ cells: RowCells; name: null }> {
  if (row !== undefined) {
    const [one] = await rowsAt(ctx, batch.id, [row])
    if (!one) throw refuse('not_found', '表里没有这一行，请刷新后重试')
    return { cells: one.cells, name: null }
  }
  for await (const page of rowsOf(ctx, batch.id, 50)) {
    const one = page.find((candidate) => !candidate.skipped)
    if (one) return { cells: one.cells, name: null }
  }
  throw refuse('not_found', '这一批里没有可以预览的人')
}

/** The cells that a slip of this batch was sent with, in its present version. */
async function sentCells(ctx: Ctx, batch: BatchRow, salary_id: string): Promise<{ cells: RowCells; name: string }> {
  const slip = await paidOne(ctx, batch.id, salary_id, payable(ctx))
  if (!slip) throw refuse('not_found')
  return { cells: slip.content.cells, name: (await nameOf(ctx, slip.member_id)) ?? '' }
}

export const getPreviewMember = handle(contract.getPreviewMember, async (ctx, { batch_id, name, page, pagesize }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const { columns } = understoodOf(ctx, batch)
  const net = columns.find((column) => column.role === 'net')?.key
  const from = (page - 1) * pagesize
  const only = name ? await rowsCalled(ctx, batch.id, columns, name) : null
  const { rows, total } = await pageOfRows(ctx, batch.id, { from, count: pagesize, only })
  const roster = new Roster(await peopleOf(ctx))
  return {
    list: rows.map(({ row, cells, member_id: chosen }) => {
      const said = saidOf(cells, columns)
      const { person } = matchRow(said, roster, chosen, (card) => ctx.vault.index('id_card', card).toString('hex'))
      return {
        row,
        member_id: person?.id ?? null,
        name: said.names[0] ?? '',
        department: said.department || (person?.departments ?? ''),
        net_fen: net ? amountOf(cells[net]).fen : null,
      }
    }),
    page: { page, pagesize, total },
  }
})

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
  const power = powerOf(understoodOf(ctx, batch).questions)
  return async (rows) => new Map((await rowsAt(ctx, batch.id, rows)).map(({ row, cells }) => [row, inYuan(cells, power)]))
}
