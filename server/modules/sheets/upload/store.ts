/** Stores a wage sheet after setup: its file, recognition result and rows. Writes batch. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Layout, SheetDifference } from '../../../contract/sheets/sheet.ts'
import { deleteFile, saveFile } from '../../../files/stored-files.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { canManageAllMembers } from '../../directory/index.ts'
import { type BatchRow, requireBatch } from '../access.ts'
import { closeEdits } from '../check/undo.ts'
import { skipsHiddenRows } from '../mapping/answers.ts'
import { deleteCachedNames } from '../names/row-names.ts'
import { sealFileName } from '../names/sealed-names.ts'
import { type RecognizedSheet, sealPayslipLayout, sealRecognition, sealSheetLayout, toSheetInfo } from '../recognition.ts'
import { serializePage } from '../rows/sealed.ts'
import { deleteRows, type RowMetadata, RowWriter } from '../rows/written-rows.ts'
import { createFormulaCounter } from '../rules/formula-fit.ts'
import type { RowDecisions } from '../rules/reconcile.ts'
import { applyUnitPowers, getUnitPowers, isScaled } from '../rules/unit.ts'
import type { BufferedPage } from './buffered-rows.ts'
import type { ImportedSheet, IncomingSheet } from './incoming-sheet.ts'
import { assertStorageQuota } from './storage-quota.ts'

export type BatchSetup = {
  readonly recognition: RecognizedSheet
  readonly layout: Layout
  readonly template_id: string | null
}
/** The result of comparing the wage sheet with the one that it replaces. */
export type SheetComparison = {
  readonly pages: AsyncIterable<BufferedPage>
  readonly decisions: ReadonlyMap<number, RowDecisions>
  readonly difference: SheetDifference | null
}

export async function storeSheet(
  ctx: HandlerContext,
  incoming: IncomingSheet,
  setup: BatchSetup,
  comparison?: SheetComparison,
): Promise<ImportedSheet> {
  const { source, options, previousBatch, sheetLayout } = incoming
  const { recognition } = setup
  const difference = comparison?.difference ?? null
  if (previousBatch && options.compare)
    return { ...toSheetInfo({ ...previousBatch, status: 'draft', file_name: source.file_name }, recognition), difference }

  if (!source.file_id) await assertStorageQuota(ctx, source.bytes.length)
  const file_id = source.file_id ?? (await saveFile(ctx, { kind: 'sheet', name: source.file_name, bytes: source.bytes }))
  const id = previousBatch?.id ?? newId()
  await writeBatch(ctx, id, { incoming, setup, file_id })
  const result = await writeRows(ctx, id, recognition, {
    pages: comparison?.pages ?? incoming.rows.pages(),
    hidden: new Set(skipsHiddenRows(recognition) ? sheetLayout.hidden_rows : []),
    decisions: comparison?.decisions ?? new Map(),
    onRowsSaved: options.onRowsSaved,
  })
  await ctx.db
    .updateTable('batch')
    .set({
      stored_bytes: result.bytes,
      ...(result.recognition !== recognition && { recognition: sealRecognition(ctx.vault, id, result.recognition) }),
    })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', id)
    .execute()
  ctx.addAuditDetails({ batch_id: id, rows: result.rows })
  return { ...toSheetInfo(await requireBatch(ctx, id, 'manage'), result.recognition), difference }
}

/** Creates a batch, or resets the existing one without its rows and file. */
async function writeBatch(
  ctx: HandlerContext,
  id: string,
  { incoming, setup, file_id }: { incoming: IncomingSheet; setup: BatchSetup; file_id: string },
): Promise<void> {
  const { db, company_id, vault, now } = ctx
  const { source, previousBatch, title_id, owner_id, fingerprint, sheetLayout } = incoming
  const { recognition, layout, template_id } = setup
  const columns = {
    title_id,
    file_id,
    file_name: sealFileName(vault, id, source.file_name),
    // The hash is keyed, as in every module: a plain hash of a short file would allow a guessed content to be
    // confirmed.
    file_hash: vault.blindIndex('sheet', createHash('sha256').update(source.bytes).digest('hex')),
    fingerprint,
    template_id,
    recognition: sealRecognition(vault, id, recognition),
    sheet_layout: sealSheetLayout(vault, id, sheetLayout),
    layout: sealPayslipLayout(vault, id, layout),
    people: recognition.rows,
    // The scope at the time of upload.
    scope_all: canManageAllMembers(ctx),
    scope_ids: [...ctx.currentUser.scope.department_ids],
    updated_at: now,
  }
  if (!previousBatch) {
    await db
      .insertInto('batch')
      .values({ company_id, id, owner_id, ...columns, created_at: now })
      .execute()
    return
  }
  await deleteCachedNames(ctx, id)
  await closeEdits(ctx, id)
  await deleteRows(ctx, id)
  const resetColumns = {
    ...columns,
    ...getVersionResets(ctx, previousBatch),
    status: 'draft' as const,
    accepted: [],
    totals: null,
  }
  await db.updateTable('batch').set(resetColumns).where('company_id', '=', company_id).where('id', '=', id).execute()
  if (previousBatch.file_id && previousBatch.file_id !== file_id) await deleteFile(ctx, previousBatch.file_id)
}

/**
 * When a wage sheet is replaced, other windows that edit the layout or the recipients are notified by the version.
 * Selected rows may belong to other members now, so the selection is cleared.
 */
const getVersionResets = ({ currentUser }: HandlerContext, previousBatch: BatchRow) => ({
  layout_version: previousBatch.layout_version + 1,
  layout_by: currentUser.admin_id,
  options_version: previousBatch.options_version + 1,
  options_by: currentUser.admin_id,
  send_options: sql<string>`case when send_options->'rows' <> 'null'::jsonb then jsonb_set(send_options, '{rows}', '[]') else send_options end`,
})

type RowWriteOptions = {
  pages: AsyncIterable<BufferedPage>
  /** Skipped rows that are hidden in the file. */
  hidden: ReadonlySet<number>
  decisions: ReadonlyMap<number, RowDecisions>
  onRowsSaved: (rows: number) => void
}

/** Writes the rows and counts in how many of them a formula holds that did not come from recognition. */
async function writeRows(
  ctx: HandlerContext,
  batch_id: string,
  recognition: RecognizedSheet,
  { pages, hidden, decisions, onRowsSaved }: RowWriteOptions,
): Promise<{ rows: number; bytes: number; recognition: RecognizedSheet }> {
  const powers = getUnitPowers(recognition.columns, recognition.questions)
  const hasScaledUnits = isScaled(powers)
  const { formula } = recognition
  const count = formula && formula.by !== 'found' ? createFormulaCounter(formula) : null
  const writer = new RowWriter(ctx, batch_id)
  const applyDecisions = ({ row, edited }: RowMetadata): RowMetadata => {
    const decision = decisions.get(row)
    return { row, edited, ...decision, skipped: hidden.has(row) || decision?.skipped === true }
  }
  let rowCount = 0
  for await (const page of pages) {
    if (!hasScaledUnits) {
      if (count) for (const { cells } of page.rows()) count.add(cells)
      await writer.add(page.metadata.map(applyDecisions), page.serialized)
    } else {
      const rows = page.rows().map((row) => ({ ...row, cells: applyUnitPowers(row.cells, powers) }))
      for (const { cells } of rows) count?.add(cells)
      await writer.add(rows.map(applyDecisions), serializePage(rows))
    }
    rowCount += page.metadata.length
    onRowsSaved(rowCount)
  }
  return {
    rows: rowCount,
    bytes: await writer.finish(),
    recognition: formula && count ? { ...recognition, formula: { ...formula, ...count.result() } } : recognition,
  }
}
