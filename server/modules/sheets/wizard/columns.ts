/** Column roles of a wage sheet: shows them and applies the user's roles and answers. */
import { sql } from 'kysely'
import { can, checkIsWageSheet, countOpenQuestions, findMissingRoles } from '../../../contract/shared/statuses.ts'
import { columnRoles, findDuplicateRole, identityRoles, isAnyName, isNet } from '../../../contract/sheets/column-roles.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { type BatchRow, countUnsent, requireBatch } from '../access.ts'
import { saveCheckStatus } from '../check/run-check.ts'
import { getCheckOutcome } from '../check/stored-check.ts'
import { closeEdits } from '../check/undo.ts'
import { answerByRoles, applyAnswers, type SheetSetup, setRoles, skipsHiddenRows } from '../mapping/answers.ts'
import { getMapping, saveBatchMapping } from '../mapping/mappings.ts'
import { requireTemplate } from '../mapping/template.ts'
import {
  openPayslipLayout,
  openRecognition,
  openSheetLayout,
  type RecognizedSheet,
  sealPayslipLayout,
  sealRecognition,
  toSheetInfo,
} from '../recognition.ts'
import { streamCombinedRows } from '../rows/stored-rows.ts'
import { applyUnits, separateRows, skipRows } from '../rows/written-rows.ts'
import { createFormulaCounter, getFormulaCandidates, isSameFormula, selectFormula } from '../rules/formula-fit.ts'
import { applyMapping, toRememberedMapping } from '../rules/mapping-match.ts'
import { getUnitPowers, isScaled } from '../rules/unit.ts'

export const getTitleInfo = defineHandler(contract.getTitleInfo, async (ctx, { batch_id }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  return { ...toSheetInfo(batch, openRecognition(ctx, batch)), unsent_count: await countUnsent(ctx, batch.id) }
})

export const checkRequireColumnData = defineHandler(contract.checkRequireColumnData, async (ctx, input) => {
  const batch = await requireBatch(ctx, input.batch_id, 'manage')
  assertAllowed(can.arrange(batch.status), { status: batch.status })
  const before = openRecognition(ctx, batch)
  let next: SheetSetup = { recognition: before, layout: openPayslipLayout(ctx, batch, before) }
  if (input.template_id !== undefined) next = await applyTemplate(ctx, next, input.template_id)
  const appliedSheet = next.recognition

  const requestedRoles = new Map(input.columns.map((column) => [column.key, column.role]))
  for (const key of requestedRoles.keys())
    if (!before.columns.some((column) => column.key === key)) throw invalidInput('columns', '表里没有这一列，请刷新后重试')
  const changedRoles = new Map(
    next.recognition.columns.flatMap(({ key, role }) => {
      const now = requestedRoles.get(key)
      return now === undefined || now === role ? [] : [[key, now]]
    }),
  )
  next = setRoles(next, changedRoles, '手工指定')
  next = { ...next, recognition: answerByRoles(next.recognition, changedRoles) }
  next = applyAnswers(next, input.answers ?? [])
  const duplicateRole = findDuplicateRole(next.recognition.columns)
  if (duplicateRole) throw invalidInput('columns', `「${columnRoles[duplicateRole].label}」只能指定一列，请把另一列改成别的用途`)
  await updateRowsAfterSetup(ctx, batch, before, next.recognition)
  next = { ...next, recognition: await refitFormula(ctx, batch, appliedSheet, next.recognition) }
  if (input.formula !== undefined)
    next = { ...next, recognition: await applyFormula(ctx, batch, next.recognition, input.formula) }
  await clearAcceptedIfChanged(ctx, batch, before, next.recognition)
  await saveSetup(ctx, batch, next, input.template_id)

  const updatedBatch = await requireBatch(ctx, input.batch_id, 'manage')
  // If it is no wage sheet, nothing is saved: the next one of its kind is asked about again.
  const wageSheetCheck = checkIsWageSheet(next.recognition)
  if (wageSheetCheck === true) await saveBatchMapping(ctx, updatedBatch, next.recognition, next.layout)
  const outcome = await getCheckOutcome(ctx, updatedBatch)
  await saveCheckStatus(ctx, updatedBatch, outcome)
  const hasIdentifier = next.recognition.columns.some(({ role }) => identityRoles.has(role) && !isAnyName(role))
  const unmatched = outcome.checked.rows.filter((row) => !row.skipped && row.member_id === null).length
  const missing: ('name' | 'mobile' | 'net')[] = findMissingRoles(next.recognition)
  // A name column suffices if it matches all members; otherwise a unique identifier is required.
  if (unmatched > 0 && !hasIdentifier) missing.push('mobile')
  const openQuestions = countOpenQuestions(next.recognition)
  return {
    ok: missing.length === 0 && openQuestions === 0 && wageSheetCheck === true,
    missing,
    unmatched,
    open_question_count: openQuestions,
  }
})

/** Applies a template other than the one found by the header. */
async function applyTemplate(ctx: HandlerContext, { recognition }: SheetSetup, template_id: string): Promise<SheetSetup> {
  const { id } = await requireTemplate(ctx, template_id)
  const storedMapping = await getMapping(ctx, id)
  if (!storedMapping) throw fail('not_found')
  const fitted = applyMapping(recognition, storedMapping)
  return {
    recognition: { ...recognition, ...fitted.sheet, remembered: toRememberedMapping(storedMapping, fitted) },
    layout: fitted.layout,
  }
}

/**
 * Updates the rows after answers and roles have changed: their unit, hidden rows, and members chosen with other
 * columns.
 */
async function updateRowsAfterSetup(
  ctx: HandlerContext,
  batch: BatchRow,
  before: RecognizedSheet,
  after: RecognizedSheet,
): Promise<void> {
  const previousRoles = new Map(before.columns.map((column) => [column.key, column.role]))
  const changed = after.columns.filter((column) => column.role !== previousRoles.get(column.key))
  const old = getUnitPowers(before.columns, before.questions)
  const powers = getUnitPowers(after.columns, after.questions)
  const isRescaled = isScaled(old) || isScaled(powers)
  if (isRescaled && JSON.stringify([...old]) !== JSON.stringify([...powers])) {
    await applyUnits(ctx, batch.id, powers)
    await closeEdits(ctx, batch.id)
  }
  if (skipsHiddenRows(after) !== skipsHiddenRows(before))
    await skipRows(ctx, batch.id, openSheetLayout(ctx, batch).hidden_rows, skipsHiddenRows(after))
  const isIdentity = changed.some(
    (column) => identityRoles.has(column.role) || identityRoles.has(previousRoles.get(column.key) ?? 'ignore'),
  )
  if (!isIdentity) return
  // The members of the rows have to be determined again.
  await separateRows(ctx, batch.id, null)
  await ctx.db
    .updateTable('sheet_row')
    // A manually chosen member was chosen for the old name.
    .set({ member_id: null })
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch.id)
    .execute()
}

/** Clears accepted warnings if they referred to other columns, amounts in another unit, or another sum. */
async function clearAcceptedIfChanged(
  ctx: HandlerContext,
  batch: BatchRow,
  before: RecognizedSheet,
  after: RecognizedSheet,
): Promise<void> {
  const getFingerprint = ({ columns, questions, formula, expected }: RecognizedSheet) =>
    JSON.stringify([
      columns.map(({ key, role }) => [key, role]),
      [...getUnitPowers(columns, questions)].filter(([, power]) => power > 0),
      [formula, expected].map((sum) => sum && [sum.net, sum.plus.toSorted(), sum.minus.toSorted()]),
    ])
  if (getFingerprint(before) === getFingerprint(after)) return
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

/** Adapts the net pay formula to changed column roles, as far as the rows agree. */
async function refitFormula(
  ctx: HandlerContext,
  batch: BatchRow,
  before: RecognizedSheet,
  after: RecognizedSheet,
): Promise<RecognizedSheet> {
  const sums = after.no_sums ? [] : getFormulaCandidates(after.formula, before.columns, after.columns)
  if (sums.length === 0) return after
  const counts = sums.map(createFormulaCounter)
  for await (const page of streamCombinedRows(ctx, batch.id))
    for (const row of page) if (!row.skipped) for (const count of counts) count.add(row.cells)
  const formula = selectFormula(
    after.formula,
    sums.map((sum, at) => ({ ...sum, holds: 0, of: 0, ...counts[at]?.result() })),
  )
  // The previous wage sheet has no expectation for a different formula.
  return isSameFormula(formula, after.formula) ? { ...after, formula } : { ...after, formula, expected: null }
}

/**
 * Applies a formula that the user entered, with the number of rows in which it holds; null means that nothing adds up.
 */
async function applyFormula(
  ctx: HandlerContext,
  batch: BatchRow,
  recognition: RecognizedSheet,
  formulaInput: { plus: string[]; minus: string[] } | null,
): Promise<RecognizedSheet> {
  if (formulaInput === null) return { ...recognition, formula: null, expected: null, no_sums: true }
  const net = recognition.columns.find((column) => isNet(column.role))
  if (!net) throw invalidInput('formula', '请先指定哪一列是实发')
  const terms = [...formulaInput.plus, ...formulaInput.minus]
  if (terms.length === 0) throw invalidInput('formula', '请选择哪些列相加等于实发')
  if (terms.includes(net.key)) throw invalidInput('formula', `「${net.label}」就是实发，不能再加进去`)
  if (new Set(terms).size < terms.length) throw invalidInput('formula', '同一列只能加一次或减一次')
  const amounts = getUnitPowers(recognition.columns, recognition.questions)
  const other = terms.find((key) => !amounts.has(key))
  if (other !== undefined) {
    const label = recognition.columns.find((column) => column.key === other)?.label
    throw invalidInput('formula', label === undefined ? '表里没有这一列，请刷新后重试' : `「${label}」不是金额，不能相加`)
  }
  const sum = { plus: formulaInput.plus, minus: formulaInput.minus, net: net.key }
  const count = createFormulaCounter(sum)
  for await (const page of streamCombinedRows(ctx, batch.id)) for (const row of page) if (!row.skipped) count.add(row.cells)
  return { ...recognition, formula: { ...sum, ...count.result(), by: 'person' }, expected: null, no_sums: false }
}

async function saveSetup(
  ctx: HandlerContext,
  batch: BatchRow,
  { recognition, layout }: SheetSetup,
  template_id: string | undefined,
): Promise<void> {
  const { db, company_id, vault, now, currentUser } = ctx
  await db
    .updateTable('batch')
    .set({
      recognition: sealRecognition(vault, batch.id, recognition),
      layout: sealPayslipLayout(vault, batch.id, layout),
      layout_version: batch.layout_version + 1,
      layout_by: currentUser.admin_id,
      updated_at: now,
      ...(template_id === undefined ? {} : { template_id }),
    })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .execute()
}
