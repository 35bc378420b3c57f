/** A sheet that replaces the one of a batch: what was decided for it stays wherever column and person are the same. Hands it on to be stored. */
import { setImmediate } from 'node:timers/promises'
import type { Question } from '../../../contract/sheet/sheet.ts'
import { not_wages } from '../../../contract/words/states.ts'
import type { QuestionKind } from '../../../contract/words/words.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import type { BatchRow } from '../access.ts'
import { skipsHidden } from '../recipe/answers.ts'
import { recipeById } from '../recipe/recipes.ts'
import { rowsAsWritten, rowsAsWrittenAt } from '../rows/stored-rows.ts'
import type { NewRow } from '../rows/written-rows.ts'
import { compare, type DecidedRow } from '../rules/carry.ts'
import { keepEdits, placing } from '../rules/check/edits.ts'
import { type Recipe, type RecipeLayout, recipeOf } from '../rules/recipe.ts'
import type { Fitted } from '../rules/recipe-fit.ts'
import { applyRecipe, like_enough, type Matched } from '../rules/recipe-match.ts'
import { getUnitPowers, inUnit, isScaled } from '../rules/unit.ts'
import { drawingOf, layoutOf, type Understood, understoodOf } from '../understood.ts'
import { HeldRows } from './held-rows.ts'
import type { Incoming, Kept } from './keep.ts'
import { setUp } from './setup.ts'
import { store } from './store.ts'

/**
 * Of another sheet of the same file no difference is told: it was not meant to be the same. Neither sheet is in memory as a whole: rows that come are
 * held compressed, those before stay in the database.
 */
export async function correct(ctx: Ctx, incoming: Incoming, old: BatchRow): Promise<Kept> {
  const { understood: fresh, rows: coming, source } = incoming
  const was = understoodOf(ctx, old)
  const own = await ownRecipe(ctx, old, was)
  const fitted = applyRecipe(fresh, own, '沿用修正前的设置')
  const keyOf = keysOf(was, own.recipe, fitted.matched)
  const { columns, questions } = fitted.sheet
  const powers = getUnitPowers(columns, questions)
  const isBig = isScaled(powers)
  const counted = ({ row, cells }: NewRow) => ({ row, cells: isBig ? inUnit(cells, powers) : cells })

  const rows = source.is_new ? coming : new HeldRows()
  async function* after() {
    for await (const chunk of source.is_new ? coming.rows() : withEdits(ctx, { id: old.id, was, fresh, keyOf }, coming.rows())) {
      if (!source.is_new) await rows.add(chunk)
      yield chunk.map(counted)
      await setImmediate()
    }
  }
  const { decisions, difference } = await compare(
    { before: was.columns, after: columns, keyOf },
    { before: decidedRows(ctx, old, was), after: after() },
    {
      tells: source.is_new,
      inTurns: withTurns,
      cellsOf: async (told) => {
        const before = await rowsAsWrittenAt(ctx, old.id, [...told.before])
        const now = new Map<number, RowCells>()
        for await (const chunk of rows.rows())
          for (const row of chunk) if (told.after.has(row.row)) now.set(row.row, counted(row).cells)
        return { before: new Map(before.map(({ row, cells }) => [row, cells])), after: now }
      },
    },
  )
  // Of another kind of sheet nothing holds that was decided for the old one.
  if (fitted.like < like_enough) return setUp(ctx, incoming, { pages: rows.pages(), decisions: new Map(), difference })
  const setup = { understood: stillAsked(was, fresh, fitted, keyOf), layout: fitted.layout, template_id: old.template_id }
  return store(ctx, incoming, setup, { pages: rows.pages(), decisions, difference })
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
async function* decidedRows(ctx: Ctx, old: BatchRow, was: Understood): AsyncGenerator<DecidedRow[]> {
  const hidden = new Set(skipsHidden(was) ? drawingOf(ctx, old).hidden_rows : [])
  for await (const page of rowsAsWritten(ctx, old.id))
    yield page.map(({ row, cells, member_id, skipped, accepted }) => ({
      row,
      cells,
      member_id,
      skipped: skipped && !hidden.has(row),
      accepted,
    }))
}

/** What somebody has written into a cell stays in it where the same file is read again. */
async function* withEdits(
  ctx: Ctx,
  { id, was, fresh, keyOf }: { id: string; was: Understood; fresh: Understood; keyOf: ReadonlyMap<string, string> },
  coming: AsyncIterable<NewRow[]>,
): AsyncGenerator<NewRow[]> {
  const before = placing(was.parts, fresh.parts)
  for await (const chunk of coming) {
    const rows = await rowsAsWrittenAt(
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
  fresh: Understood,
  { sheet, fresh: added, missing }: Fitted<Understood['columns'][number]>,
  keyOf: ReadonlyMap<string, string>,
): Understood {
  const moved = (key: string): string[] => {
    const now = keyOf.get(key)
    return now === undefined ? [] : [now]
  }
  const there = new Set(sheet.questions.map(({ id }) => id))
  const asked = was.questions.flatMap((question): Question[] => {
    if (!ofTemplate.has(question.kind) || question.key === null) return []
    return moved(question.key).flatMap((key) => {
      const id = `${question.kind}:${key}`
      return there.has(id) ? [] : [{ ...question, key, id }]
    })
  })
  // Of a new column it is asked once what it is.
  const again = new Set(asked.flatMap(({ key }) => key ?? []))
  const own = sheet.questions
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
    fresh: [...was.remembered.fresh.flatMap(moved), ...added],
    missing,
    renamed: [
      ...was.remembered.renamed.flatMap(({ key, from }) => moved(key).map((now) => ({ key: now, from }))),
      ...sheet.renames.map(({ key, from }) => ({ key, from })),
    ],
  }
  const renames = [...(was.renames ?? []).flatMap((one) => moved(one.key).map((key) => ({ ...one, key }))), ...sheet.renames]
  return { ...fresh, ...sheet, questions: [...own, ...asked], remembered, renames }
}
