/** Replaces the wage sheet of a batch: decisions stay where column and member are the same. Passes the result on. */
import { setImmediate } from 'node:timers/promises'
import type { QuestionKind } from '../../../contract/shared/schemas.ts'
import { notWageSheetAnswer } from '../../../contract/shared/statuses.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { runCooperatively } from '../../../shared/cooperative.ts'
import type { BatchRow } from '../access.ts'
import { skipsHiddenRows } from '../mapping/answers.ts'
import { getMapping } from '../mapping/mappings.ts'
import { openPayslipLayout, openRecognition, openSheetLayout, type RecognizedSheet } from '../recognition.ts'
import { getRows, streamRows } from '../rows/stored-rows.ts'
import type { NewRow } from '../rows/written-rows.ts'
import { createRowLookup, reapplyEdits } from '../rules/check/edits.ts'
import { toColumnMapping } from '../rules/column-mapping.ts'
import type { FittedMapping } from '../rules/mapping-fit.ts'
import { applyMapping, minSimilarity } from '../rules/mapping-match.ts'
import type { ColumnMapping, ColumnMatches, MappingLayout } from '../rules/mapping-types.ts'
import { type DecidedRow, reconcileSheets } from '../rules/reconcile.ts'
import { applyUnitPowers, getUnitPowers, isScaled } from '../rules/unit.ts'
import { BufferedRows } from './buffered-rows.ts'
import type { ImportedSheet, IncomingSheet } from './incoming-sheet.ts'
import { setUpSheet } from './setup.ts'
import { storeSheet } from './store.ts'

/**
 * For another sheet of the same file no difference is computed, because it was not meant to be the same. Neither wage
 * sheet is in memory as a whole: new rows are compressed, previous ones stay in the database.
 */
export async function replaceSheet(ctx: HandlerContext, incoming: IncomingSheet, old: BatchRow): Promise<ImportedSheet> {
  const { recognition: newSheet, rows: incomingRows, source } = incoming
  const previousSheet = openRecognition(ctx, old)
  const currentMapping = await getCurrentMapping(ctx, old, previousSheet)
  const fitted = applyMapping(newSheet, currentMapping, '沿用修正前的设置')
  const newKeyByOld = mapColumnKeys(previousSheet, currentMapping.mapping, fitted.matches)
  const { columns, questions } = fitted.sheet
  const powers = getUnitPowers(columns, questions)
  const hasScaledUnits = isScaled(powers)
  const convertRow = ({ row, cells }: NewRow) => ({ row, cells: hasScaledUnits ? applyUnitPowers(cells, powers) : cells })

  const rows = source.is_new ? incomingRows : new BufferedRows()
  async function* streamNewRows() {
    for await (const chunk of source.is_new
      ? incomingRows.rows()
      : applyEdits(ctx, { id: old.id, was: previousSheet, fresh: newSheet, keyMap: newKeyByOld }, incomingRows.rows())) {
      if (!source.is_new) await rows.add(chunk)
      yield chunk.map(convertRow)
      await setImmediate()
    }
  }
  const { decisions, difference } = await reconcileSheets(
    { before: previousSheet.columns, after: columns, newKeyByOld },
    { before: streamDecidedRows(ctx, old, previousSheet), after: streamNewRows() },
    {
      describesChanges: source.is_new,
      runTask: runCooperatively,
      loadCells: async (compared) => {
        const before = await getRows(ctx, old.id, [...compared.before])
        const now = new Map<number, RowCells>()
        for await (const chunk of rows.rows())
          for (const row of chunk) if (compared.after.has(row.row)) now.set(row.row, convertRow(row).cells)
        return { before: new Map(before.map(({ row, cells }) => [row, cells])), after: now }
      },
    },
  )
  // Decisions about the old wage sheet do not apply to a different kind.
  if (fitted.similarity < minSimilarity)
    return setUpSheet(ctx, incoming, { pages: rows.pages(), decisions: new Map(), difference })
  const setup = {
    recognition: carryQuestions(previousSheet, newSheet, fitted, newKeyByOld),
    layout: fitted.layout,
    template_id: old.template_id,
  }
  return storeSheet(ctx, incoming, setup, { pages: rows.pages(), decisions, difference })
}

/** Returns the current setup of the batch, and columns of its template that this wage sheet lacks: a corrected one may not. */
async function getCurrentMapping(
  ctx: HandlerContext,
  old: BatchRow,
  previousSheet: RecognizedSheet,
): Promise<{ mapping: ColumnMapping; layout: MappingLayout }> {
  const { mapping, layout } = toColumnMapping(previousSheet, openPayslipLayout(ctx, old, previousSheet))
  const storedMapping =
    previousSheet.remembered?.missing.length && old.template_id ? await getMapping(ctx, old.template_id) : null
  if (!storedMapping) return { mapping, layout }
  const mappedPaths = new Set(mapping.columns.map((column) => column.path))
  const labels = new Set(previousSheet.remembered?.missing.map(({ label }) => label))
  const missing = storedMapping.mapping.columns.filter(({ path, label }) => !mappedPaths.has(path) && labels.has(label))
  const paths = new Set(missing.map(({ path }) => path))
  return {
    mapping: { ...mapping, columns: [...mapping.columns, ...missing], formula: mapping.formula ?? storedMapping.mapping.formula },
    layout: { ...layout, items: [...layout.items, ...storedMapping.layout.items.filter(({ path }) => paths.has(path))] },
  }
}

/** Streams the stored rows with their decisions; being skipped only because it was hidden is not a decision. */
async function* streamDecidedRows(
  ctx: HandlerContext,
  old: BatchRow,
  previousSheet: RecognizedSheet,
): AsyncGenerator<DecidedRow[]> {
  const hidden = new Set(skipsHiddenRows(previousSheet) ? openSheetLayout(ctx, old).hidden_rows : [])
  for await (const page of streamRows(ctx, old.id))
    yield page.map(({ row, cells, member_id, skipped, accepted }) => ({
      row,
      cells,
      member_id,
      skipped: skipped && !hidden.has(row),
      accepted,
    }))
}

/** Reapplies manual cell edits when the same file is read again. */
async function* applyEdits(
  ctx: HandlerContext,
  {
    id,
    was: previousSheet,
    fresh: newSheet,
    keyMap: newKeyByOld,
  }: { id: string; was: RecognizedSheet; fresh: RecognizedSheet; keyMap: ReadonlyMap<string, string> },
  incomingRows: AsyncIterable<NewRow[]>,
): AsyncGenerator<NewRow[]> {
  const toPreviousRow = createRowLookup(previousSheet.parts, newSheet.parts)
  for await (const chunk of incomingRows) {
    const rows = await getRows(
      ctx,
      id,
      chunk.flatMap(({ row }) => toPreviousRow(row) ?? []),
    )
    yield reapplyEdits({ sourceTables: previousSheet.parts, rows }, { sections: newSheet.parts, rows: chunk }, newKeyByOld)
  }
}

/** Maps previous column keys to the keys of the same columns now. */
function mapColumnKeys(
  previousSheet: RecognizedSheet,
  mapping: ColumnMapping,
  { mapped: matchedColumns, renamed }: ColumnMatches,
): Map<string, string> {
  const oldKey = new Map(previousSheet.columns.map(({ key }, at) => [mapping.columns[at]?.path ?? '', key]))
  const newKeyByOld = new Map<string, string>()
  const add = (path: string, key: string) => {
    const before = oldKey.get(path)
    if (before !== undefined) newKeyByOld.set(before, key)
  }
  for (const [key, one] of matchedColumns) add(one.path, key)
  for (const { column, from } of renamed) add(from.path, column.key)
  return newKeyByOld
}

const templateQuestionKinds: ReadonlySet<QuestionKind> = new Set(['new_column', 'renamed_column'])

/** Carries over questions: differences from the template are asked until answered; an answer to the same stays. */
function carryQuestions(
  previousSheet: RecognizedSheet,
  newSheet: RecognizedSheet,
  { sheet, added: addedColumns, missing }: FittedMapping<RecognizedSheet['columns'][number]>,
  newKeyByOld: ReadonlyMap<string, string>,
): RecognizedSheet {
  const getNewKeys = (key: string): string[] => {
    const now = newKeyByOld.get(key)
    return now === undefined ? [] : [now]
  }
  const existingIds = new Set(sheet.questions.map(({ id }) => id))
  const carriedQuestions = previousSheet.questions.flatMap((question): Question[] => {
    if (!templateQuestionKinds.has(question.kind) || question.key === null) return []
    return getNewKeys(question.key).flatMap((key) => {
      const id = `${question.kind}:${key}`
      return existingIds.has(id) ? [] : [{ ...question, key, id }]
    })
  })
  // A new column is asked about only once.
  const carriedKeys = new Set(carriedQuestions.flatMap(({ key }) => key ?? []))
  const ownQuestions = sheet.questions
    .filter(({ kind, key }) => kind !== 'role' || key === null || !carriedKeys.has(key))
    .map((question) => {
      // A question about the whole wage sheet keeps its answer if it would be asked with the same text.
      const same = previousSheet.questions.find(
        (one) => one.id === question.id && one.key === null && one.message === question.message,
      )
      // The answer that one sheet is no wage sheet does not apply to the sheet chosen instead.
      const isAnswered = question.answer === null && question.key === null && same && same.answer !== notWageSheetAnswer
      return isAnswered ? { ...question, answer: same.answer } : question
    })
  const remembered = previousSheet.remembered && {
    ...previousSheet.remembered,
    fresh: [...previousSheet.remembered.fresh.flatMap(getNewKeys), ...addedColumns],
    missing,
    renamed: [
      ...previousSheet.remembered.renamed.flatMap(({ key, from }) => getNewKeys(key).map((now) => ({ key: now, from }))),
      ...sheet.renames.map(({ key, from }) => ({ key, from })),
    ],
  }
  const renames = [
    ...(previousSheet.renames ?? []).flatMap((one) => getNewKeys(one.key).map((key) => ({ ...one, key }))),
    ...sheet.renames,
  ]
  return { ...newSheet, ...sheet, questions: [...ownQuestions, ...carriedQuestions], remembered, renames }
}
