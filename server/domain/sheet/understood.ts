/** What was understood of a batch's sheet, sealed with the batch: columns and their roles, formula, questions; and its drawing beside it. */
import type { Layout, SheetInfo } from '../../contract/sheet.ts'
import type { ColumnRole } from '../../contract/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { Drawing, Part } from '../../tables/index.ts'
import type { BatchRow } from './access.ts'
import { layoutPlace } from './names/words.ts'
import { arrange } from './rules/arrange.ts'
import type { Formula } from './rules/check/problems-amounts.ts'
import type { Renamed } from './rules/recipe.ts'
import { powerOf } from './rules/unit.ts'

/** The sheet as it was read, before anybody or any recipe decided about it. */
export type AsRead = Pick<SheetInfo, 'formula' | 'questions' | 'totals_row'> & {
  /** By key. */
  readonly roles: Readonly<Record<string, ColumnRole>>
}
export type Understood = Omit<SheetInfo, 'batch_id' | 'status' | 'file_name' | 'title' | 'parts'> & {
  /** With the places of their columns, which a drawing needs. */
  readonly parts: Part[]
  /** The formula of the last sheet from the same template. */
  readonly expected: Formula | null
  /** Rows that call themselves a total: of departments, of sheets, of all. */
  readonly total_rows?: readonly number[]
  /** Somebody has said that nothing adds up. */
  readonly no_sums?: boolean
  readonly read?: AsRead
  /** Columns that seem to be old ones under a new name, and what those were. */
  readonly renames?: readonly Renamed[]
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

/** The arrangement of a batch's slips, with the notes that somebody wrote into it. */
export const sealLayout = (vault: Ctx['vault'], batch_id: string, layout: Layout): Buffer =>
  vault.seal(layoutPlace(batch_id), layout)

export function layoutOf(
  { vault }: Pick<Ctx, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'layout'>,
  understood?: Pick<Understood, 'columns'>,
): Layout {
  const kept = vault.open<Partial<Layout>>(layoutPlace(batch.id), batch.layout)
  if (kept.sort_list && kept.groups) return kept as Layout
  return arrange(understood?.columns ?? [])
}

/** The answer of the calls that show the sheet. */
export function infoOf(batch: BatchRow, understood: Understood): SheetInfo {
  const { expected: _, no_sums: _n, total_rows: _t, read: _r, renames: _w, ...known } = understood
  return {
    batch_id: batch.id,
    status: batch.status,
    file_name: batch.file_name,
    title:
      batch.title_id !== null && batch.title_name !== null && batch.title_month !== null
        ? { title_id: batch.title_id, title: batch.title_name, month: batch.title_month, kind: batch.title_kind ?? 'monthly' }
        : null,
    ...known,
    // It was read as it stands; in ten thousands to the fen it would be said wrong.
    totals_row: known.totals_row && powerOf(known.questions) > 0 ? { ...known.totals_row, net_fen: null } : known.totals_row,
  }
}
