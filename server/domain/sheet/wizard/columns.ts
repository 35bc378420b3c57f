/** What the columns of a sheet are for: shown, and said by people, with their answers to what is asked about the sheet. */
import { sql } from 'kysely'
import { identityRoles, rolesTwice, roleWords } from '../../../contract/sheet/column-roles.ts'
import * as contract from '../../../contract/sheet/sheet.ts'
import { can, isWages, lacks, openOf } from '../../../contract/words/states.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../../runtime/handle.ts'
import { type BatchRow, batchFor } from '../access.ts'
import { checkOf } from '../check/kept.ts'
import { keepOutcome } from '../check/run-check.ts'
import { closeEdits } from '../check/undo.ts'
import { answer, answeredBy, type Setup, setRoles, skipsHidden } from '../recipe/answers.ts'
import { learn, recipeById } from '../recipe/recipes.ts'
import { templateFor } from '../recipe/template.ts'
import { rowsOf } from '../rows/stored-rows.ts'
import { countInUnit, separateRows, skipRows } from '../rows/written-rows.ts'
import { counting, isSameSum, refits, refitted } from '../rules/holds.ts'
import { applyRecipe, rememberedOf } from '../rules/recipe-match.ts'
import { getUnitPowers, isScaled } from '../rules/unit.ts'
import { drawingOf, infoOf, layoutOf, sealLayout, sealUnderstood, type Understood, understoodOf } from '../understood.ts'

export const getTitleInfo = handle(contract.getTitleInfo, async (ctx, { batch_id }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  return infoOf(batch, understoodOf(ctx, batch))
})

export const checkRequireColumnData = handle(contract.checkRequireColumnData, async (ctx, input) => {
  const batch = await batchFor(ctx, input.batch_id, 'manage')
  must(can.arrange(batch.status), { status: batch.status })
  const before = understoodOf(ctx, batch)
  let next: Setup = { understood: before, layout: layoutOf(ctx, batch, before) }
  if (input.template_id !== undefined) next = await takeTemplate(ctx, next, input.template_id)
  const taken = next.understood

  const wanted = new Map(input.columns.map((column) => [column.key, column.role]))
  for (const key of wanted.keys())
    if (!before.columns.some((column) => column.key === key)) throw invalid('columns', '表里没有这一列，请刷新后重试')
  const set = new Map(
    next.understood.columns.flatMap(({ key, role }) => {
      const now = wanted.get(key)
      return now === undefined || now === role ? [] : [[key, now]]
    }),
  )
  next = setRoles(next, set, '手工指定')
  next = { ...next, understood: answeredBy(next.understood, set) }
  next = answer(next, input.answers ?? [])
  const twice = rolesTwice(next.understood.columns)
  if (twice) throw invalid('columns', `「${roleWords[twice]}」只能指定一列，请把另一列改成别的用途`)
  await settleRows(ctx, batch, before, next.understood)
  next = { ...next, understood: await refit(ctx, batch, taken, next.understood) }
  if (input.formula !== undefined) next = { ...next, understood: await withFormula(ctx, batch, next.understood, input.formula) }
  await askAgain(ctx, batch, before, next.understood)
  await keepSetup(ctx, batch, next, input.template_id)

  const fresh = await batchFor(ctx, input.batch_id, 'manage')
  // Of what is no wage sheet nothing is remembered: the next one of its kind is asked about again.
  const wages = isWages(next.understood)
  if (wages === true) await learn(ctx, fresh, next.understood, next.layout)
  const outcome = await checkOf(ctx, fresh)
  await keepOutcome(ctx, fresh, outcome)
  const has = (...roles: string[]) => next.understood.columns.some((column) => roles.includes(column.role))
  const unmatched = outcome.checked.rows.filter((row) => !row.skipped && row.member_id === null).length
  const missing: ('name' | 'mobile' | 'net')[] = lacks(next.understood)
  // A name alone does where it finds everybody; where it does not, nothing tells people apart.
  if (unmatched > 0 && !has('mobile', 'id_card', 'employee_no')) missing.push('mobile')
  const open = openOf(next.understood)
  return { ok: missing.length === 0 && open === 0 && wages === true, missing, unmatched, open }
})

/** Another recipe than the one that was found by the header. */
async function takeTemplate(ctx: Ctx, { understood }: Setup, template_id: string): Promise<Setup> {
  const { id } = await templateFor(ctx, template_id)
  const kept = await recipeById(ctx, id)
  if (!kept) throw refuse('not_found')
  const fitted = applyRecipe(understood, kept)
  return { understood: { ...understood, ...fitted.sheet, remembered: rememberedOf(kept, fitted) }, layout: fitted.layout }
}

/** What answers and roles mean for the rows: their unit, whether hidden ones count, and who was chosen beside other columns. */
async function settleRows(ctx: Ctx, batch: BatchRow, before: Understood, after: Understood): Promise<void> {
  const was = new Map(before.columns.map((column) => [column.key, column.role]))
  const changed = after.columns.filter((column) => column.role !== was.get(column.key))
  const old = getUnitPowers(before.columns, before.questions)
  const powers = getUnitPowers(after.columns, after.questions)
  const isRescaled = isScaled(old) || isScaled(powers)
  if (isRescaled && JSON.stringify([...old]) !== JSON.stringify([...powers])) {
    await countInUnit(ctx, batch.id, powers)
    await closeEdits(ctx, batch.id)
  }
  if (skipsHidden(after) !== skipsHidden(before))
    await skipRows(ctx, batch.id, drawingOf(ctx, batch).hidden_rows, skipsHidden(after))
  const isIdentity = changed.some(
    (column) => identityRoles.has(column.role) || identityRoles.has(was.get(column.key) ?? 'ignore'),
  )
  if (!isIdentity) return
  // Whose rows they are is asked anew.
  await separateRows(ctx, batch.id, null)
  await ctx.db
    .updateTable('sheet_row')
    // Who was chosen by hand was chosen for the name that stood there.
    .set({ member_id: null })
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch.id)
    .execute()
}

/** What was accepted was said of other columns, of amounts in another unit, or of another sum. */
async function askAgain(ctx: Ctx, batch: BatchRow, before: Understood, after: Understood): Promise<void> {
  const said = ({ columns, questions, formula, expected }: Understood) =>
    JSON.stringify([
      columns.map(({ key, role }) => [key, role]),
      [...getUnitPowers(columns, questions)].filter(([, power]) => power > 0),
      [formula, expected].map((sum) => sum && [sum.net, sum.plus.toSorted(), sum.minus.toSorted()]),
    ])
  if (said(before) === said(after)) return
  await ctx.db
    .updateTable('sheet_row')
    .set({ accepted: [] })
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch.id)
    .where(sql<boolean>`cardinality(accepted) > 0`)
    .execute()
  await ctx.db
    .updateTable('batch')
    .set({ accepted: batch.accepted.filter((one) => one.startsWith('same_file:')) })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch.id)
    .execute()
}

/** What columns are for was said: the sum of the net pay follows, as far as the rows agree. */
async function refit(ctx: Ctx, batch: BatchRow, before: Understood, after: Understood): Promise<Understood> {
  const sums = after.no_sums ? [] : refits(after.formula, before.columns, after.columns)
  if (sums.length === 0) return after
  const counts = sums.map(counting)
  for await (const page of rowsOf(ctx, batch.id))
    for (const row of page) if (!row.skipped) for (const count of counts) count.add(row.cells)
  const formula = refitted(
    after.formula,
    sums.map((sum, at) => ({ ...sum, holds: 0, of: 0, ...counts[at]?.result() })),
  )
  // Of another sum the last sheet knows nothing.
  return isSameSum(formula, after.formula) ? { ...after, formula } : { ...after, formula, expected: null }
}

/** A person's own formula, with the number of rows in which it holds; null: nothing adds up. */
async function withFormula(
  ctx: Ctx,
  batch: BatchRow,
  understood: Understood,
  wanted: { plus: string[]; minus: string[] } | null,
): Promise<Understood> {
  if (wanted === null) return { ...understood, formula: null, expected: null, no_sums: true }
  const net = understood.columns.find((column) => column.role === 'net')
  if (!net) throw invalid('formula', '请先指定哪一列是实发')
  const terms = [...wanted.plus, ...wanted.minus]
  if (terms.length === 0) throw invalid('formula', '请选择哪些列相加等于实发')
  if (terms.includes(net.key)) throw invalid('formula', `「${net.label}」就是实发，不能再加进去`)
  if (new Set(terms).size < terms.length) throw invalid('formula', '同一列只能加一次或减一次')
  const amounts = getUnitPowers(understood.columns, understood.questions)
  const other = terms.find((key) => !amounts.has(key))
  if (other !== undefined) {
    const label = understood.columns.find((column) => column.key === other)?.label
    throw invalid('formula', label === undefined ? '表里没有这一列，请刷新后重试' : `「${label}」不是金额，不能相加`)
  }
  const sum = { plus: wanted.plus, minus: wanted.minus, net: net.key }
  const count = counting(sum)
  for await (const page of rowsOf(ctx, batch.id)) for (const row of page) if (!row.skipped) count.add(row.cells)
  return { ...understood, formula: { ...sum, ...count.result(), by: 'person' }, expected: null, no_sums: false }
}

async function keepSetup(
  ctx: Ctx,
  batch: BatchRow,
  { understood, layout }: Setup,
  template_id: string | undefined,
): Promise<void> {
  const { db, company_id, vault, now, me } = ctx
  await db
    .updateTable('batch')
    .set({
      understood: sealUnderstood(vault, batch.id, understood),
      layout: sealLayout(vault, batch.id, layout),
      layout_version: batch.layout_version + 1,
      layout_by: me.admin_id,
      updated_at: now,
      ...(template_id === undefined ? {} : { template_id }),
    })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .execute()
}
