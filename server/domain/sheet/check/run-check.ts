/** Runs the rules over a batch: reads its rows, the roster and the run before; keeps what follows (status, totals). */
import { setImmediate } from 'node:timers/promises'
import type * as z from 'zod/mini'
import type { counts, Problem } from '../../../contract/sheet.ts'
import { isWages, lacks, openOf } from '../../../contract/states.ts'
import type { ProblemKind } from '../../../contract/words.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { refuse } from '../../../runtime/handle.ts'
import { roster } from '../../member/index.ts'
import { type BatchRow, setBatchStatus } from '../access.ts'
import { learnFrom } from '../recipe/recipes.ts'
import type { RowCells } from '../rules/amounts.ts'
import { speaksFor } from '../rules/check/beside-last.ts'
import { type Person, Roster } from '../rules/check/matching.ts'
import { Check, type Checked } from '../rules/check/problems.ts'
import { inYuan, powerOf } from '../rules/unit.ts'
import { rowsOf, type StoredRow } from '../stored-rows.ts'
import { type Understood, understoodOf } from '../understood.ts'
import { alreadyPaid, type CompanyRun, companyRun, type LastRun, lastRun } from './last-run.ts'
import { monthsBefore } from './months-before.ts'
import { Content, type KeptTotals, sameFile, totalsPlace } from './same-file.ts'
import { factsOf } from './sheet-facts.ts'
import { withTurns } from './turns.ts'

export type Counts = z.infer<typeof counts>
export type Run = {
  readonly checked: Checked
  readonly people: readonly Person[]
  readonly last: LastRun | null
  /** What others of the company paid these people, where `last` does not speak for the sheet. */
  readonly company: CompanyRun | null
  readonly already: ReadonlySet<string>
  readonly understood: Understood
  /** What all rows say, to know the same sheet again. */
  readonly content: string
}
export type RunOptions = {
  /** Sees the rows as they pass, so that nobody reads them twice. */
  each?(row: StoredRow): void
  /**
   * What to compare with. `errors`: only what errors need, which is the last run; warnings that need more are left out. `none`: nothing,
   * for whoever only wants to know who the rows are for. A run already made lends its own.
   */
  beside?: 'none' | 'errors' | Pick<Run, 'last' | 'company' | 'already'>
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
  const isWhole = beside !== 'none' && beside !== 'errors'
  const { last, already } =
    typeof beside === 'object'
      ? beside
      : {
          last: beside === 'none' ? null : await lastRun(ctx, batch),
          already: isWhole ? await alreadyPaid(ctx, batch) : new Set<string>(),
        }
  const cards = new Map<string, string>()
  const check = new Check(factsOf(ctx, batch, understood), {
    roster: new Roster(people),
    last: last?.figures ?? null,
    already,
    idCardIndex(id_card) {
      const known = cards.get(id_card)
      if (known !== undefined) return known
      const index = vault.index('id_card', id_card).toString('hex')
      cards.set(id_card, index)
      return index
    },
  })
  const content = new Content()
  for await (const page of rowsOf(ctx, batch.id)) {
    for (const row of page) {
      check.add(row)
      content.add(row.cells)
      each?.(row)
    }
  }
  await setImmediate()
  const company = await besideCompany(ctx, batch, check, { last, beside })
  const after = isWhole
    ? { same_file: await sameFile(ctx, batch, `${content}`), ...(await monthsBefore(ctx, batch, understood, check, last)) }
    : { same_file: null, earlier: () => [], tax: [] }
  return { checked: await withTurns(check.finishing(after)), people, last, company, already, understood, content: `${content}` }
}

/** Where the administrator's own last run does not speak for the sheet, what the company knows of these people does. */
async function besideCompany(
  ctx: Ctx,
  batch: BatchRow,
  check: Check,
  { last, beside }: { readonly last: LastRun | null; readonly beside: RunOptions['beside'] },
): Promise<CompanyRun | null> {
  if (beside === 'none') return null
  const isLent = typeof beside === 'object'
  const people = check.people()
  if (!isLent && last && speaksFor(people, last.figures.has)) return null
  const company = isLent ? beside.company : await companyRun(ctx, batch, people)
  if (company) check.turnTo(company.figures, company.isUnseen)
  return company
}

/**
 * Keeps the outcome with the batch: `checked` when no error is left, nothing that must be answered is open, it was not said to be no wage
 * sheet, and it has a title, a column that says who, and a net column or the word that there is none; else `draft`.
 * `updated_at` moves only with the status: looking at a batch is no change of it. Answers the status.
 */
export async function keepOutcome(ctx: Ctx, batch: BatchRow, { checked, understood, content }: Run): Promise<BatchRow['status']> {
  const { db, company_id, vault } = ctx
  if (batch.status !== 'draft' && batch.status !== 'checked') return batch.status
  const ready =
    batch.title_id !== null &&
    openOf(understood) === 0 &&
    isWages(understood) === true &&
    lacks(understood).length === 0 &&
    checked.totals.people > 0 &&
    !checked.problems.some((problem) => problem.level === 'error')
  const status = ready ? 'checked' : 'draft'
  const fields = {
    people: checked.totals.people,
    totals: vault.seal(totalsPlace(batch.id), { ...checked.totals, content } satisfies KeptTotals),
  }
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
  /** Of the roster, joined by 、. */
  readonly departments: string
  /** What he does by the roster, the closest first: department and position, position, department. */
  readonly places: readonly string[]
  readonly cells: RowCells
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
 * The rows of a batch for the plan, checked once more: `wrong_state` with `{ errors }` where something still has to be put right. `settled`: it
 * is about to be sent, so what was decided is remembered.
 */
export async function readyRows(ctx: Ctx, batch: BatchRow, settled: boolean): Promise<ReadyRow[]> {
  const cells = new Map<number, RowCells>()
  const { checked, understood, last, people } = await runCheck(ctx, batch, {
    each: (row) => void (row.skipped || cells.set(row.row, row.cells)),
    beside: 'errors',
  })
  const wages = isWages(understood)
  if (wages !== true) throw refuse('wrong_state', wages, { status: batch.status, errors: 1 })
  const open = openOf(understood)
  if (open > 0)
    throw refuse('wrong_state', `关于这张表还有 ${open} 个问题没有回答，请先回答再发送`, { status: batch.status, errors: open })
  const errors = checked.problems.filter((problem) => problem.level === 'error').length
  if (errors > 0) throw refuse('wrong_state', `还有 ${errors} 个错误没有处理，请先处理再发送`, { status: batch.status, errors })
  if (lacks(understood).includes('net'))
    throw refuse('wrong_state', '还没有指定哪一列是实发工资，请先指定', { status: batch.status, errors: 1 })
  const power = powerOf(understood.questions)
  const unproven = new Set(checked.unproven)
  const by_id = new Map(people.map((person) => [person.id, person]))
  const placesOf = (person: Person | undefined): string[] => {
    const { departments = '', position = '' } = person ?? {}
    return [position && departments && `${departments}/${position}`, position, departments].filter((place) => place !== '')
  }
  const ready = checked.rows.flatMap(
    ({ row, member_id, skipped, net_fen, gross_fen, tax_fen, name_only, differs, exchanged }) => {
      const own = cells.get(row)
      return skipped || member_id === null || !own
        ? []
        : [
            {
              row,
              member_id,
              departments: by_id.get(member_id)?.departments ?? '',
              places: placesOf(by_id.get(member_id)),
              cells: inYuan(own, power),
              net_fen,
              gross_fen,
              tax_fen,
              known: last?.figures.has(member_id) ?? false,
              unproven: unproven.has(row),
              name_only,
              differs,
              exchanged,
            },
          ]
    },
  )
  if (ready.length === 0) throw refuse('wrong_state', '这一批里没有可以发送的人', { status: batch.status, errors: 0 })
  if (settled) await learnFrom(ctx, batch, true)
  return ready
}
