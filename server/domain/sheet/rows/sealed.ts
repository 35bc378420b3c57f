/**
 * The cells of rows as they are sealed: a page of a sheet as one document, for a sheet is read as a whole ten times as often as a row of it; and a row
 * that was written anew since, as its own.
 */
import * as z from 'zod/mini'
import type { RowCells } from '../../../rules/amounts.ts'
import {
  arePacked,
  arePackedByKey,
  areRows,
  kindsOnDisk,
  type PackedCells,
  type PackedRows,
  packCells,
  placed,
  unpackCells,
} from '../../../rules/packed-row.ts'
import { DocumentUnreadable, documentKind } from '../../../runtime/data/document.ts'
import type { Vault } from '../../../runtime/secrets.ts'

const packedCells = z.array(
  z.union([
    z.null(),
    z.int(),
    z.string(),
    z.tuple([z.int().check(z.gte(0))]),
    z.tuple([
      z.string(),
      z.int().check(z.gte(0), z.lt(kindsOnDisk.length)),
      z.optional(z.nullable(z.int())),
      z.optional(z.int()),
    ]),
  ]),
)
const isListOfLists = (value: unknown): value is unknown[][] => Array.isArray(value) && value.every(Array.isArray)

const sheetRow = documentKind<{ readonly cells: PackedCells }>({
  kind: 'sheet row',
  version: 3,
  schema: z.object({ cells: packedCells }),
  quick: (value): value is { cells: PackedCells } => arePacked(value.cells),
  unversioned: (cells) => ({ cells }),
  // Of the first version a cell began with the key of its column, of the second it stood under it.
  upgrades: {
    1: ({ cells }) => ({
      cells: isListOfLists(cells) ? Object.fromEntries(cells.map(([key, ...cell]) => [key, cell])) : null,
    }),
    2: ({ cells }) => ({ cells: arePackedByKey(cells) ? placed(cells) : null }),
  },
})
const sheetPage = documentKind<{ readonly rows: PackedRows }>({
  kind: 'page of a sheet',
  version: 1,
  schema: z.object({ rows: z.array(z.tuple([z.int(), packedCells])) }),
  quick: (value): value is { rows: PackedRows } => areRows(value.rows),
})

const rowPlace = (row_id: string) => ({ table: 'sheet_row', row: row_id, column: 'cells' })
export const sealCells = (vault: Vault, row_id: string, cells: RowCells): Buffer =>
  sheetRow.seal(vault, rowPlace(row_id), { cells: packCells(cells) })
export const openCells = (vault: Vault, row_id: string, sealed: Buffer): RowCells =>
  unpackCells(sheetRow.open(vault, rowPlace(row_id), sealed).cells)

/** A page opens only in its batch: which page a row belongs to is said in the open. */
const pagePlace = (batch_id: string, page_id: string) => ({ table: 'sheet_page', row: page_id, column: batch_id })
export const sealPage = (vault: Vault, batch_id: string, page_id: string, written: Buffer): Buffer =>
  vault.seal(pagePlace(batch_id, page_id), written)
export const openPage = (vault: Vault, batch_id: string, page_id: string, sealed: Buffer): PackedRows =>
  sheetPage.open(vault, pagePlace(batch_id, page_id), sealed).rows

/** What is sealed of a page. */
export const writePage = (rows: readonly { readonly row: number; readonly cells: RowCells }[]): Buffer =>
  Buffer.from(sheetPage.write({ rows: rows.map(({ row, cells }) => [row, packCells(cells)]) }))
export const readPage = (written: Buffer): { row: number; cells: RowCells }[] =>
  sheetPage.read(written.toString()).rows.map(([row, cells]) => ({ row, cells: unpackCells(cells) }))
/** Of a page that came packed: it stays as it came, and no cell of it is made a value. */
export function writePacked(packed: string): { written: Buffer; numbers: number[] } {
  const rows = parsed(packed)
  if (!areRows(rows)) throw new DocumentUnreadable(sheetPage.kind, null, 'it is not what its schema says')
  return {
    written: Buffer.from(`{"version":${sheetPage.version},"rows":${packed}}`),
    numbers: rows.map(([row]) => row),
  }
}
/** An error of the language would say what stands there. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
