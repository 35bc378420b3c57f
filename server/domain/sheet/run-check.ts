/** Runs the rules over a batch: reads its rows, the roster and the run before; keeps what follows (status, totals). */
import { setImmediate } from 'node:timers/promises'
import type * as z from 'zod/mini'
import type { counts, Problem } from '../../contract/sheet.ts'
import type { ProblemKind } from '../../contract/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { refuse } from '../../runtime/handle.ts'
import { roster } from '../member/index.ts'
import { type BatchRow, setBatchStatus, visibleBatches } from './access.ts'
import { alreadyPaid, type LastRun, lastRun } from './last-run.ts'
import type { RowCells } from './rules/amounts.ts'
import { type Person, Roster } from './rules/matching.ts'
import { Check, type Checked } from './rules/problems.ts'
import { rowsOf, type StoredRow } from './stored-rows.ts'
import { type Understood, understoodOf } from './understood.ts'

export type Counts = z.infer<typeof counts>
export type Run = {
  readonly checked: Checked
  readonly people: readonly Person[]
  readonly last: LastRun | null
  readonly already: ReadonlySet<string>
  readonly understood: Understood
}
export type RunOptions = {
  /** Sees the rows as they pass, so that nobody reads them twice. */
  each?(row: StoredRow): void
  /** What to compare with: `none` leaves out warnings that need other pay runs (errors never do); a run already made lends its own. */
  beside?: 'none' | Pick<Run, 'last' | 'already'>
}

/** The roster of the company in the form that the rules ask for. */
export async function peopleOf(ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>): Promise<Person[]> {
  const all = await roster(ctx)
  return all.map(({ id_card_index, ...person }) => ({ ...person, id_card_index: id_card_index?.toString('hex') ?? null }))
}

/** Checks every row. */
export async function runCheck(ctx: Ctx, batch: BatchRow, { each, beside }: RunOptions = {}): Promise<Run> {
  const { vault } = ctx
  const understood = understoodOf(ctx, batch)
  const people = await peopleOf(ctx)
  const { last, already } =
    beside === 'none'
      ? { last: null, already: new Set<string>() }
      : (beside ?? { last: await lastRun(ctx, batch), already: await alreadyPaid(ctx, batch) })
  const cards = new Map<string, string>()
  const check = new Check(
    {
      columns: understood.columns,
      formula: understood.formula,
      expected: understood.expected,
      totals_row: understood.totals_row,
      same_file: await sameFile(ctx, batch),
      accepted: batch.accepted,
    },
    {
      roster: new Roster(people),
      last: last?.net_of ?? new Map<string, number>(),
      already,
      idCardIndex(id_card) {
        const known = cards.get(id_card)
        if (known !== undefined) return known
        const index = vault.index('id_card', id_card).toString('hex')
        cards.set(id_card, index)
        return index
      },
    },
  )
  for await (const page of rowsOf(ctx, batch.id)) {
    for (const row of page) {
      check.add(row)
      each?.(row)
    }
  }
  await setImmediate()
  return { checked: check.finish(), people, last, already, understood }
}

/** Another batch made of the same file, that was not withdrawn. */
async function sameFile(ctx: Ctx, batch: BatchRow): Promise<{ title: string; month: string } | null> {
  const other = await ctx.db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.file_name', 'title.name', 'title.month'])
    .where('batch.company_id', '=', ctx.company_id)
    .where('batch.file_hash', '=', batch.file_hash)
    .where('batch.id', '<>', batch.id)
    .where('batch.status', '<>', 'withdrawn')
    .where(visibleBatches(ctx))
    .orderBy('batch.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return other ? { title: other.name ?? other.file_name, month: other.month ?? '' } : null
}

const place = (batch_id: string) => ({ table: 'batch', row: batch_id, column: 'totals' })

/**
 * Keeps the outcome with the batch: `checked` when no error is left and it has a name column, a net column and a title, else `draft`.
 * `updated_at` moves only with the status: looking at a batch is no change of it. Answers the status.
 */
export async function keepOutcome(ctx: Ctx, batch: BatchRow, { checked, understood }: Run): Promise<BatchRow['status']> {
  const { db, company_id, vault } = ctx
  if (batch.status !== 'draft' && batch.status !== 'checked') return batch.status
  const has = (...roles: string[]) => understood.columns.some((column) => roles.includes(column.role))
  const ready =
    batch.title_id !== null &&
    has('net') &&
    has('name', 'last_name') &&
    checked.totals.people > 0 &&
    !checked.problems.some((problem) => problem.level === 'error')
  const status = ready ? 'checked' : 'draft'
  const fields = { people: checked.totals.people, totals: vault.seal(place(batch.id), checked.totals) }
  if (status !== batch.status)
    return (await setBatchStatus(ctx, batch.id, [batch.status], status, fields)) ? status : batch.status
  await db.updateTable('batch').set(fields).where('company_id', '=', company_id).where('id', '=', batch.id).execute()
  return status
}

export function countsOf(status: BatchRow['status'], { checked, last }: Run): Counts {
  const { problems, rows, totals, skipped } = checked
  const kinds = new Map<string, { kind: ProblemKind; level: Problem['level']; count: number }>()
  for (const { kind, level } of problems) {
    const line = kinds.get(`${level}:${kind}`)
    if (line) line.count += 1
    else kinds.set(`${level}:${kind}`, { kind, level, count: 1 })
  }
  const errors = problems.filter((problem) => problem.level === 'error').length
  return {
    status,
    rows: rows.length,
    skipped,
    errors,
    warnings: problems.length - errors,
    totals,
    last: last
      ? {
          people: last.people,
          gross_fen: last.gross_fen,
          tax_fen: last.tax_fen,
          net_fen: last.net_fen,
          title: last.title,
          month: last.month,
        }
      : null,
    kinds: [...kinds.values()].sort((a, b) => (a.level === b.level ? b.count - a.count : a.level === 'error' ? -1 : 1)),
  }
}

export type ReadyRow = {
  readonly row: number
  readonly member_id: string
  readonly cells: RowCells
  readonly net_fen: number | null
  readonly gross_fen: number | null
  readonly tax_fen: number | null
}

/** The rows of a batch for the plan, checked once more: `wrong_state` with `{ errors }` where something still has to be put right. */
export async function readyRows(ctx: Ctx, batch: BatchRow): Promise<ReadyRow[]> {
  const cells = new Map<number, RowCells>()
  const { checked, understood } = await runCheck(ctx, batch, {
    each: (row) => void (row.skipped || cells.set(row.row, row.cells)),
    beside: 'none',
  })
  const errors = checked.problems.filter((problem) => problem.level === 'error').length
  if (errors > 0) throw refuse('wrong_state', `还有 ${errors} 个错误没有处理，请先处理再发送`, { status: batch.status, errors })
  if (!understood.columns.some((column) => column.role === 'net'))
    throw refuse('wrong_state', '还没有指定哪一列是实发工资，请先指定', { status: batch.status, errors: 1 })
  const ready = checked.rows.flatMap(({ row, member_id, skipped, net_fen, gross_fen, tax_fen }) => {
    const own = cells.get(row)
    return skipped || member_id === null || !own ? [] : [{ row, member_id, cells: own, net_fen, gross_fen, tax_fen }]
  })
  if (ready.length === 0) throw refuse('wrong_state', '这一批里没有可以发送的人', { status: batch.status, errors: 0 })
  return ready
}
