/** A sheet that replaces the one of a batch: what was decided for it stays wherever column and person are the same. */
import { setImmediate } from 'node:timers/promises'
import type { Difference, Question } from '../../contract/sheet.ts'
import { not_wages } from '../../contract/states.ts'
import type { QuestionKind } from '../../contract/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { BatchRow } from './access.ts'
import type { NewSetup } from './keep.ts'
import { recipeById } from './recipe/recipes.ts'
import { skipsHidden, take } from './recipe/take.ts'
import { carryOver, type Decisions, keepEdits } from './rules/carry.ts'
import { differ } from './rules/difference.ts'
import { type Recipe, type RecipeLayout, recipeOf } from './rules/recipe.ts'
import { like_enough, likeness, type Matched } from './rules/recipe-match.ts'
import { amountKeys, inUnit, powerOf } from './rules/unit.ts'
import { a_statement, type NewRow, rowsOf, type StoredRow } from './stored-rows.ts'
import { drawingOf, layoutOf, type Understood, understoodOf } from './understood.ts'

export type Replaced = {
  /** Null: it is another kind of sheet, for which nothing of the old one holds. */
  readonly setup: NewSetup | null
  readonly rows: AsyncIterable<NewRow[]>
  readonly decisions: ReadonlyMap<number, Decisions>
  readonly difference: Difference | null
}

/** `is_new_file`: of another sheet of the same file no difference is told: it was not meant to be the same. */
export async function replace(
  ctx: Ctx,
  old: BatchRow,
  fresh: Understood,
  coming: AsyncIterable<NewRow[]>,
  is_new_file: boolean,
): Promise<Replaced> {
  const was = understoodOf(ctx, old)
  const own = await ownRecipe(ctx, old, was)
  const read: NewRow[] = []
  for await (const chunk of coming) read.push(...chunk)
  const before = await decidedRows(ctx, old, was)

  const taken = take(fresh, own, '沿用修正前的设置')
  const { columns, questions } = taken.understood
  const keyOf = keysOf(was, own.recipe, taken.applied.matched)
  const after = is_new_file ? read : keepEdits({ parts: was.parts, rows: before }, { parts: fresh.parts, rows: read }, keyOf)
  const power = powerOf(questions)
  const amounts = amountKeys(columns)
  const counted = power === 0 ? after : after.map(({ row, cells }) => ({ row, cells: inUnit(cells, amounts, power) }))
  await setImmediate()
  const isLike = likeness(own.recipe.columns, fresh.columns) >= like_enough
  const sides = { before: was.columns, after: columns, keyOf }
  return {
    setup: isLike ? { ...stillAsked(was, taken, keyOf), template_id: old.template_id } : null,
    rows: inChunks(isLike || is_new_file ? after : read),
    decisions: isLike ? carryOver(before, counted, sides) : new Map(),
    difference: is_new_file ? differ({ columns: was.columns, rows: before }, { columns, rows: counted }, keyOf) : null,
  }
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
async function decidedRows(ctx: Ctx, old: BatchRow, was: Understood): Promise<StoredRow[]> {
  const hidden = new Set(skipsHidden(was) ? drawingOf(ctx, old).hidden_rows : [])
  const rows: StoredRow[] = []
  for await (const page of rowsOf(ctx, old.id))
    for (const row of page) rows.push(hidden.has(row.row) ? { ...row, skipped: false } : row)
  return rows
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

async function* inChunks(rows: readonly NewRow[]): AsyncGenerator<NewRow[]> {
  for (let from = 0; from < rows.length; from += a_statement) yield rows.slice(from, from + a_statement)
}
