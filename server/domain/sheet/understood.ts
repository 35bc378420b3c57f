/** What was understood of a batch's sheet, sealed with the batch: columns and their roles, formula, questions; and its drawing beside it. */
import type { Layout, SheetInfo } from '../../contract/sheet.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { BatchRow } from './access.ts'
import type { Drawing } from './reader/answer.ts'
import { arrange } from './rules/arrange.ts'
import type { Formula } from './rules/problems-amounts.ts'
import type { Part } from './rules/understand.ts'

export type Understood = Omit<SheetInfo, 'batch_id' | 'status' | 'file_name' | 'title' | 'parts'> & {
  /** With the places of their columns, which a drawing needs. */
  readonly parts: Part[]
  /** The formula of the last sheet from the same template. */
  readonly expected: Formula | null
}

const place = (batch_id: string) => ({ table: 'batch', row: batch_id, column: 'understood' })
export const sealUnderstood = (vault: Ctx['vault'], batch_id: string, understood: Understood): Buffer =>
  vault.seal(place(batch_id), understood)

const drawingPlace = (batch_id: string) => ({ table: 'batch', row: batch_id, column: 'drawing' })
export const sealDrawing = (vault: Ctx['vault'], batch_id: string, drawing: Drawing): Buffer =>
  vault.seal(drawingPlace(batch_id), drawing)
/** What a drawing needs beside the rows of people; nothing where the batch is older than drawings. */
export const drawingOf = ({ vault }: Pick<Ctx, 'vault'>, batch: Pick<BatchRow, 'id' | 'drawing'>): Drawing =>
  batch.drawing ? vault.open<Drawing>(drawingPlace(batch.id), batch.drawing) : { others: [], hidden_rows: [], merges: [] }

/** Columns with their present roles, and all else that is known of the sheet. */
export const understoodOf = ({ vault }: Pick<Ctx, 'vault'>, batch: Pick<BatchRow, 'id' | 'understood'>): Understood =>
  vault.open<Understood>(place(batch.id), batch.understood)

/** The arrangement of a batch's slips. */
export function layoutOf(batch: Pick<BatchRow, 'layout'>, understood?: Pick<Understood, 'columns'>): Layout {
  const kept = batch.layout as Partial<Layout> | null
  if (kept?.sort_list && kept.groups) return kept as Layout
  return arrange(understood?.columns ?? [])
}

/** The answer of the calls that show the sheet. */
export function infoOf(batch: BatchRow, understood: Understood): SheetInfo {
  const { expected: _, ...known } = understood
  return {
    batch_id: batch.id,
    status: batch.status,
    file_name: batch.file_name,
    title:
      batch.title_id !== null && batch.title_name !== null && batch.title_month !== null
        ? { title_id: batch.title_id, title: batch.title_name, month: batch.title_month, kind: batch.title_kind ?? 'monthly' }
        : null,
    ...known,
  }
}
