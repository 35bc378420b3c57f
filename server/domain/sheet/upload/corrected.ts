/** A sheet that replaces the one of a batch: what was decided for it stays wherever column and person are the same. */
import { setImmediate } from 'node:timers/promises'
import type { Difference, Question } from '../../../contract/sheet.ts'
import { not_wages } from '../../../contract/states.ts'
import type { QuestionKind } from '../../../contract/words.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import type { BatchRow } from '../access.ts'
import { recipeById } from '../recipe/recipes.ts'
import { skipsHidden, take } from '../recipe/take.ts'
import { carryOver, type DecidedTrace, type Decisions, keepEdits, pairing, placing, type Trace, tracing } from '../rules/carry.ts'
import { type Changes, changesOf, differ } from '../rules/difference.ts'
import { type Recipe, type RecipeLayout, recipeOf } from '../rules/recipe.ts'
import { like_enough, likeness, type Matched } from '../rules/recipe-match.ts'
import { amountKeys, inUnit, powerOf } from '../rules/unit.ts'
import { type NewRow, rowsAt, rowsOf, type StoredRow } from '../stored-rows.ts'
import { drawingOf, layoutOf, type Understood, understoodOf } from '../understood.ts'
import { type HeldRow, HeldRows } from './held-rows.ts'
import type { NewSetup } from './keep.ts'

export type Replaced = {
  /** Null: it is another kind of sheet, for which nothing of the old one holds. */
  readonly setup: NewSetup | null
  readonly rows: AsyncIterable<HeldRow[]>
  readonly decisions: ReadonlyMap<number, Decisions>
  readonly difference: Difference | null
}

/**
 * `is_new_file`: of another sheet of the same file no difference is told: it was not meant to be the same. Neither sheet is in memory as a
 * whole: rows that come are held compressed, those before stay in the database, and both are compared by their traces.
 */
export async function replace(
  ctx: Ctx,
  old: BatchRow,
  fresh: Understood,
  coming: HeldRows,
  is_new_file: boolean,
): Promise<Replaced> {
  const was = understoodOf(ctx, old)
  const own = await ownRecipe(ctx, old, was)
  const taken = take(fresh, own, '沿用修正前的设置')
  const { columns, questions } = taken.understood
  const keyOf = keysOf(was, own.recipe, taken.applied.matched)
  const sides = { before: was.columns, after: columns, keyOf }
  const traces = tracing(sides)
  const isLike = likeness(own.recipe.columns, fresh.columns) >= like_enough

  const before = await decidedTraces(ctx, old, was, traces.before)
  const power = powerOf(questions)
  const amounts = amountKeys(columns)
  const counted = ({ row, cells }: NewRow) => ({ row, cells: power === 0 ? cells : inUnit(cells, amounts, power) })
  const held = is_new_file ? coming : new HeldRows()
  const after: Trace[] = []
  for await (const chunk of is_new_file ? coming.all() : withEdits(ctx, { id: old.id, was, fresh, keyOf }, coming.all())) {
    if (!is_new_file) await held.add(chunk)
    for (const row of chunk) after.push(traces.after(counted(row)))
    await setImmediate()
  }
  const paired = await withTurns(pairing(before, after, sides))
  const told = is_new_file ? changesOf(paired, sides) : null
  return {
    setup: isLike ? { ...stillAsked(was, taken, keyOf), template_id: old.template_id } : null,
    rows: held.all(),
    decisions: isLike ? carryOver(paired, sides) : new Map(),
    difference: told && differ(told, sides, await cellsOf(ctx, old.id, { told, held, counted })),
  }
}

/** The cells of the rows that are told of. */
async function cellsOf(
  ctx: Ctx,
  batch_id: string,
  { told, held, counted }: { told: Changes; held: HeldRows; counted: (row: NewRow) => NewRow },
) {
  const rows = await rowsAt(ctx, batch_id, [...new Set([...told.changed.map(({ was }) => was), ...told.gone])])
  const wanted = new Set([...told.changed.map(({ is }) => is), ...told.added])
  const after = new Map<number, RowCells>()
  for await (const chunk of held.all()) for (const row of chunk) if (wanted.has(row.row)) after.set(row.row, counted(row).cells)
  return { before: new Map(rows.map(({ row, cells }) => [row, cells])), after }
}

/** What is set up for the batch now, and the columns that its template has and this sheet had not: a corrected one may bring them. */
async function ownRecipe(ctx: Ctx, old: BatchRow, was: Understood): Promise<{ recipe: Recipe; layout: RecipeLayout }> {
  const { recipe, layout } = recipeOf(was, layoutOf(ctx, old, was))
  const kept = was.remembered?.missing.length && old.template_id ? await recipeById(ctx, old.template_id) : null
  if (!kept) return { recipe, layout }
  const known = new Set(recipe.columns.map((column) => column.path))
  const labels = new Set(was.remembered?.missing.map(({ label }) => label))
  const missing = kept.recipe.columns.filter(({ path, label }) => !known.has(path) && labels.has(label))
  const paths = new Set(missing.map(({ path }) => path))
  return {
    recipe: { ...recipe, columns: [...recipe.columns, ...missing], formula: recipe.formula ?? kept.recipe.formula },
    layout: { ...layout, items: [...layout.items, ...kept.layout.items.filter(({ path }) => paths.has(path))] },
  }
}

/** Rows as they are; one that was left out only because the sheet hid it was no decision about a person. */
async function decidedTraces(
  ctx: Ctx,
  old: BatchRow,
  was: Understood,
  traceOf: (row: StoredRow) => Trace,
): Promise<DecidedTrace[]> {
  const hidden = new Set(skipsHidden(was) ? drawingOf(ctx, old).hidden_rows : [])
  const rows: DecidedTrace[] = []
  for await (const page of rowsOf(ctx, old.id))
    for (const row of page) {
      const { member_id, skipped, accepted } = row
      rows.push({ ...traceOf(row), member_id, skipped: skipped && !hidden.has(row.row), accepted })
    }
  return rows
}

/** What somebody has written into a cell stays in it where the same file is read again. */
async function* withEdits(
  ctx: Ctx,
  { id, was, fresh, keyOf }: { id: string; was: Understood; fresh: Understood; keyOf: ReadonlyMap<string, string> },
  coming: AsyncIterable<NewRow[]>,
): AsyncGenerator<NewRow[]> {
  const before = placing(was.parts, fresh.parts)
  for await (const chunk of coming) {
    const rows = await rowsAt(
      ctx,
      id,
      chunk.flatMap(({ row }) => before(row) ?? []),
    )
    yield keepEdits({ parts: was.parts, rows }, { parts: fresh.parts, rows: chunk }, keyOf)
  }
}

/** From a column before to the same column now. */
function keysOf(was: Understood, recipe: Recipe, { known, renamed }: Matched): Map<string, string> {
  const oldKey = new Map(was.columns.map(({ key }, at) => [recipe.columns[at]?.path ?? '', key]))
  const keyOf = new Map<string, string>()
  const add = (path: string, key: string) => {
    const before = oldKey.get(path)
    if (before !== undefined) keyOf.set(before, key)
  }
  for (const [key, one] of known) add(one.path, key)
  for (const { column, from } of renamed) add(from.path, column.key)
  return keyOf
}

const ofTemplate: ReadonlySet<QuestionKind> = new Set(['new_column', 'renamed_column'])

/** What differed from the template still does, and is still asked where it was not answered; an answer to the same question holds. */
function stillAsked(
  was: Understood,
  { applied, layout, understood }: ReturnType<typeof take>,
  keyOf: ReadonlyMap<string, string>,
) {
  const moved = (key: string): string[] => {
    const now = keyOf.get(key)
    return now === undefined ? [] : [now]
  }
  const there = new Set(understood.questions.map(({ id }) => id))
  const asked = was.questions.flatMap((question): Question[] => {
    if (!ofTemplate.has(question.kind) || question.key === null) return []
    return moved(question.key).flatMap((key) => {
      const id = `${question.kind}:${key}`
      return there.has(id) ? [] : [{ ...question, key, id }]
    })
  })
  // Of a new column it is asked once what it is.
  const again = new Set(asked.flatMap(({ key }) => key ?? []))
  const own = understood.questions
    .filter(({ kind, key }) => kind !== 'role' || key === null || !again.has(key))
    .map((question) => {
      // Said of the whole sheet: true of this one where it would be asked in the same words.
      const same = was.questions.find((one) => one.id === question.id && one.key === null && one.message === question.message)
      // That one sheet is none of wages says nothing of the sheet that is chosen in its place.
      const isSaid = question.answer === null && question.key === null && same && same.answer !== not_wages
      return isSaid ? { ...question, answer: same.answer } : question
    })
  const remembered = was.remembered && {
    ...was.remembered,
    fresh: [...was.remembered.fresh.flatMap(moved), ...applied.fresh],
    missing: applied.missing,
    renamed: [
      ...was.remembered.renamed.flatMap(({ key, from }) => moved(key).map((now) => ({ key: now, from }))),
      ...applied.renamed.map(({ key, from }) => ({ key, from })),
    ],
  }
  const renames = [
    ...(was.renames ?? []).flatMap((one) => moved(one.key).map((key) => ({ ...one, key }))),
    ...(understood.renames ?? []),
  ]
  return { understood: { ...understood, questions: [...own, ...asked], remembered, renames }, layout }
}
