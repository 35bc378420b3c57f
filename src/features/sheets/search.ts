/**
 * Parses the search parameters of the wizard pages. Separate from the components: a route's `validateSearch` is part of
 * the routed app's first bundle and must not pull in the pages' widgets.
 */
import { parseText } from '../../components/search-params.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export type BatchSearch = { batch_id?: string | undefined }
/** Parses the batch id in the address; invalid ids are dropped. */
export const parseBatchSearch = (raw: Record<string, unknown>): BatchSearch => {
  const text = parseText(raw.batch_id)
  return { batch_id: text && uuidPattern.test(text) ? text : undefined }
}

/** A linked cell of the wage sheet: a row, a column (its key, `c12`), or both; `from` leads back. */
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
