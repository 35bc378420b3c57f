/**
 * Encryption of row cells: one document per page of rows, because wage sheets are read as a whole ten times as often as
 * single rows; a row that was changed later has its own document.
 */
import * as z from 'zod/mini'
import { DocumentFormatError, defineDocument } from '../../../crypto/sealed-document.ts'
import type { Vault } from '../../../crypto/secrets.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import {
  arePackedCells,
  arePackedRows,
  type PackedCells,
  type PackedRows,
  packCells,
  storedCellKinds,
  unpackCells,
} from '../../../rules/packed-row.ts'

const packedCellsSchema = z.array(
  z.union([
    z.null(),
    z.int(),
    z.string(),
    z.tuple([z.int().check(z.gte(0))]),
    z.tuple([
      z.string(),
      z.int().check(z.gte(0), z.lt(storedCellKinds.length)),
      z.optional(z.nullable(z.int())),
      z.optional(z.int()),
    ]),
  ]),
)

const sheetRowDocument = defineDocument<{ readonly cells: PackedCells }>({
  kind: 'sheet row',
  version: 1,
  schema: z.object({ cells: packedCellsSchema }),
  fastCheck: (value): value is { cells: PackedCells } => arePackedCells(value.cells),
})
const sheetPageDocument = defineDocument<{ readonly rows: PackedRows }>({
  kind: 'page of a sheet',
  version: 1,
  schema: z.object({ rows: z.array(z.tuple([z.int(), packedCellsSchema])) }),
  fastCheck: (value): value is { rows: PackedRows } => arePackedRows(value.rows),
})

const getRowPosition = (row_id: string) => ({ table: 'sheet_row', row: row_id, column: 'cells' })
export const sealCells = (vault: Vault, row_id: string, cells: RowCells): Buffer =>
  sheetRowDocument.seal(vault, getRowPosition(row_id), { cells: packCells(cells) })
export const openCells = (vault: Vault, row_id: string, sealed: Buffer): RowCells =>
  unpackCells(sheetRowDocument.open(vault, getRowPosition(row_id), sealed).cells)

/** A page can be decrypted only within its batch; which page a row belongs to is stored unencrypted. */
const getPagePosition = (batch_id: string, page_id: string) => ({ table: 'sheet_page', row: page_id, column: batch_id })
export const sealPage = (vault: Vault, batch_id: string, page_id: string, serialized: Buffer): Buffer =>
  vault.seal(getPagePosition(batch_id, page_id), serialized)
export const openPage = (vault: Vault, batch_id: string, page_id: string, sealed: Buffer): PackedRows =>
  sheetPageDocument.open(vault, getPagePosition(batch_id, page_id), sealed).rows

/** Serializes a page before encryption. */
export const serializePage = (rows: readonly { readonly row: number; readonly cells: RowCells }[]): Buffer =>
  Buffer.from(sheetPageDocument.write({ rows: rows.map(({ row, cells }) => [row, packCells(cells)]) }))
export const deserializePage = (serialized: Buffer): { row: number; cells: RowCells }[] =>
  sheetPageDocument.read(serialized.toString()).rows.map(([row, cells]) => ({ row, cells: unpackCells(cells) }))
/** Serializes a page that was uploaded packed, without parsing its cells into values. */
export function serializePackedPage(packed: string): { written: Buffer; numbers: number[] } {
  const rows = parsePackedJson(packed)
  if (!arePackedRows(rows)) throw new DocumentFormatError(sheetPageDocument.kind, null, 'it is not what its schema says')
  return {
    written: Buffer.from(`{"version":${sheetPageDocument.version},"rows":${packed}}`),
    numbers: rows.map(([row]) => row),
  }
}
/** The error message of `JSON.parse` would contain parts of the text. */
function parsePackedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
