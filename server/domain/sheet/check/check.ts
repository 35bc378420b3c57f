/** What is wrong with a batch: told. */
import type { AskOf } from '../../../contract/call.ts'
import { moneyRoles } from '../../../contract/sheet/column-roles.ts'
import type { PlacedProblem, Problem } from '../../../contract/sheet/sheet.ts'
import * as contract from '../../../contract/sheet/sheet.ts'
import { type RowCells } from '../../../rules/amounts.ts'
import { readMobile } from '../../../rules/phone.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { roster } from '../../member/index.ts'
import { batchFor, visibleBatches } from '../access.ts'
import { combinedIn, editedRows, rowsAt } from '../rows/stored-rows.ts'
import { rowText } from '../rules/check/beside-last.ts'
import { ofEachFirst } from '../rules/check/listed.ts'
import type { Checked } from '../rules/check/problems.ts'
import { saidOf } from '../rules/check/problems-amounts.ts'
import { type Understood, understoodOf } from '../understood.ts'
import { checkOf } from './kept.ts'
import { countsOf, keepOutcome } from './run-check.ts'
import { lastEdit } from './undo.ts'

/** Problems in one answer; the next ones are the next page. */
const a_page = 500
/** What the page of problems shows of a kind at once. */
const of_each_kind = 50
const most_skipped = 200

export const checkWageData = handle(contract.checkWageData, async (ctx, { batch_id, page, ...wanted }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const outcome = await checkOf(ctx, batch)
  const { checked, beside_others, joined, missing } = outcome
  const understood = understoodOf(ctx, batch)
  // Whoever tries amounts until the questions change leaves a line for each try.
  if (beside_others !== null) ctx.about({ beside_others })
  const { may } = await ctx.db
    .selectFrom('batch')
    .select(visibleBatches(ctx, 'manage').as('may'))
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch.id)
    .executeTakeFirstOrThrow()
  const status = may ? await keepOutcome(ctx, batch, outcome) : batch.status
  const problems = wantedOf(checked.problems, wanted)
  const skipped = checked.rows.filter((row) => row.skipped).slice(0, most_skipped)
  return {
    counts: countsOf(status, outcome),
    problems: await placed(ctx, { id: batch.id, checked, understood }, problems.slice((page - 1) * a_page, page * a_page)),
    problems_total: problems.length,
    edited: (await editedRows(ctx, batch.id)).reduce((all, { edited }) => all + edited.length, 0),
    last_edit: await lastEdit(ctx, batch.id, understood),
    joined: [...joined],
    missing: [...missing],
    skipped: skipped.map(({ row, name }) => ({ row, name })),
    combined: await combinedPeople(ctx, batch.id, checked),
  }
})

/** Who has one payslip of several rows. */
async function combinedPeople(ctx: Ctx, batch_id: string, { rows }: Checked) {
  const others = await combinedIn(ctx, batch_id)
  const people = others.size === 0 ? [] : rows.filter((one) => others.has(one.row) && !one.skipped)
  return people
    .slice(0, most_skipped)
    .map(({ row, name, net_fen }) => ({ row, name, net_fen, rows: [row, ...(others.get(row) ?? [])] }))
}

type Wanted = Omit<AskOf<typeof contract.checkWageData>, 'batch_id' | 'page'>
function wantedOf(problems: readonly Problem[], { kind, level, find }: Wanted): readonly Problem[] {
  const text = find?.trim().toLocaleLowerCase('zh-CN') ?? ''
  if (!kind && !level && text === '') return ofEachFirst(problems, a_page, of_each_kind)
  return problems.filter(
    (one) =>
      (!kind || one.kind === kind) &&
      (!level || one.level === level) &&
      [one.name, rowText(one.row), one.message].some((said) => said.toLocaleLowerCase('zh-CN').includes(text)),
  )
}

/** With what stands in their cells, who the rows are for, and what they pay. */
async function placed(
  ctx: Ctx,
  { id, checked, understood }: { id: string; checked: Checked; understood: Understood },
  problems: readonly Problem[],
): Promise<PlacedProblem[]> {
  const numbers = new Set(problems.flatMap(({ row }) => (row > 0 ? [row] : [])))
  const cellsOf = new Map((await rowsAt(ctx, id, [...numbers])).map(({ row, cells }) => [row, cells]))
  const checkedAt = new Map(checked.rows.flatMap((row) => (numbers.has(row.row) ? [[row.row, row] as const] : [])))
  const ids = [...checkedAt.values()].flatMap(({ member_id }) => member_id ?? [])
  const personOf = new Map((await roster(ctx, ids)).map((person) => [person.id, person]))
  return problems.map((problem) => {
    const cells = cellsOf.get(problem.row)
    if (!cells) return { ...problem, value: null, of: null }
    const said = saidOf(cells, understood.columns)
    const row = checkedAt.get(problem.row)
    const person = personOf.get(row?.member_id ?? '')
    return {
      ...problem,
      value: problem.column === null ? null : (cells[problem.column]?.value ?? ''),
      of: {
        mobile: readMobile(said.mobile) ?? (said.mobile || (person?.mobile ?? '')),
        department: said.department || (person?.departments ?? ''),
        // Of several rows the sentence says what they pay together.
        gross_fen: problem.kind === 'several_rows' ? null : (row?.gross_fen ?? null),
        net_fen: problem.kind === 'several_rows' ? null : (row?.net_fen ?? null),
      },
    }
  })
}

export const getDetailUpload = handle(contract.getDetailUpload, async (ctx, { batch_id, only, page, pagesize }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const { checked } = await checkOf(ctx, batch)
  const understood = understoodOf(ctx, batch)
  const problemsOf = new Map<number, string[]>()
  for (const { row, id } of checked.problems) problemsOf.set(row, [...(problemsOf.get(row) ?? []), id])
  const all = only ? checked.rows.filter((row) => problemsOf.has(row.row)) : checked.rows
  const shown = all.slice((page - 1) * pagesize, page * pagesize)
  const stored = new Map(
    (
      await rowsAt(
        ctx,
        batch.id,
        shown.map((row) => row.row),
      )
    ).map((row) => [row.row, row]),
  )
  const money = new Set(understood.columns.filter((column) => moneyRoles.has(column.role)).map((column) => column.key))
  return {
    list: shown.map(({ row, member_id, skipped }) => ({
      row,
      member_id,
      skipped,
      cells: plain(stored.get(row)?.cells ?? {}, money),
      problems: problemsOf.get(row) ?? [],
    })),
    page: { page, pagesize, total: all.length },
  }
})

const plain = (cells: RowCells, money: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(cells).map(([key, { value, kind }]) => [
      key,
      { value, kind: kind === 'number' && money.has(key) ? ('money' as const) : kind },
    ]),
  )
