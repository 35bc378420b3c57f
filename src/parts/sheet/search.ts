/**
 * What the wizard's pages read from the address. Apart from the components: a route's `validateSearch` belongs to the routed
 * app's first file, and must not bring the pages' widgets with it.
 */
import { parseText } from '../../ui/search-params.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export type BatchSearch = { batch_id?: string | undefined }
/** The batch in the address; whatever is no id is none. */
export const parseBatchSearch = (raw: Record<string, unknown>): BatchSearch => {
  const text = parseText(raw.batch_id)
  return { batch_id: text && uuidPattern.test(text) ? text : undefined }
}

/** A cell of the sheet that somebody was led to: a row, a column (its key, `c12`), or both; `from` leads back. */
export type CellSearch = BatchSearch & { row?: number | undefined; col?: string | undefined; from?: 'check' | undefined }
export const parseCellSearch = (raw: Record<string, unknown>): CellSearch => {
  const row = Number(raw.row)
  const col = parseText(raw.col)
  return {
    ...parseBatchSearch(raw),
    row: Number.isInteger(row) && row > 0 ? row : undefined,
    col: col && /^c\d+$/.test(col) ? col : undefined,
    from: raw.from === 'check' ? 'check' : undefined,
  }
}
