/** What is wrong with a batch: told. */
import { moneyRoles } from '../../../contract/column-roles.ts'
import * as contract from '../../../contract/sheet.ts'
import { handle } from '../../../runtime/handle.ts'
import { batchFor, visibleBatches } from '../access.ts'
import { type RowCells } from '../rules/amounts.ts'
import { rowsAt } from '../stored-rows.ts'
import { countsOf, keepOutcome, type Run, runCheck } from './run-check.ts'

/** Problems in one answer; `counts.kinds` counts all of them. */
const most_problems = 500
const most_names = 500
const most_skipped = 200

export const checkWageData = handle(contract.checkWageData, async (ctx, { batch_id }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const run = await runCheck(ctx, batch)
  // Whoever tries amounts until the questions change leaves a line for each try.
  if (run.company?.isUnseen) ctx.about({ beside_others: run.company.figures.people().size })
  const { may } = await ctx.db
    .selectFrom('batch')
    .select(visibleBatches(ctx, 'manage').as('may'))
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch.id)
    .executeTakeFirstOrThrow()
  const status = may ? await keepOutcome(ctx, batch, run) : batch.status
  const skipped = run.checked.rows.filter((row) => row.skipped).slice(0, most_skipped)
  return {
    counts: countsOf(status, run),
    problems: run.checked.problems.slice(0, most_problems),
    ...comings(run),
    skipped: skipped.map(({ row, name }) => ({ row, name })),
  }
})

/** Who is new and who is missing, beside the last run. */
function comings({ checked, last, people }: Run): { joined: { name: string }[]; missing: { member_id: string; name: string }[] } {
  if (!last) return { joined: [], missing: [] }
  const here = new Set(checked.rows.flatMap((row) => (row.skipped || row.member_id === null ? [] : [row.member_id])))
  const joined = checked.rows.filter((row) => !row.skipped && row.member_id !== null && !last.figures.has(row.member_id))
  const missing = people.filter((person) => person.in_scope && last.figures.has(person.id) && !here.has(person.id))
  return {
    joined: joined.slice(0, most_names).map(({ name }) => ({ name })),
    missing: missing.slice(0, most_names).map(({ id, name }) => ({ member_id: id, name })),
  }
}

export const getDetailUpload = handle(contract.getDetailUpload, async (ctx, { batch_id, only, page, pagesize }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const { checked, understood } = await runCheck(ctx, batch)
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
