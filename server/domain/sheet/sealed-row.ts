/** The cells of a row as a document: written once, when the row comes, and sealed as it was written. */
import * as z from 'zod/mini'
import type { RowCells } from '../../rules/amounts.ts'
import {
  arePacked,
  arePackedByKey,
  kindsOnDisk,
  type PackedCells,
  packCells,
  placed,
  unpackCells,
} from '../../rules/packed-row.ts'
import { DocumentUnreadable, documentKind } from '../../runtime/data/document.ts'
import type { Vault } from '../../runtime/secrets.ts'

const place = (row_id: string) => ({ table: 'sheet_row', row: row_id, column: 'cells' })

const isListOfLists = (value: unknown): value is unknown[][] => Array.isArray(value) && value.every(Array.isArray)
const sheetRow = documentKind<{ readonly cells: PackedCells }>({
  kind: 'sheet row',
  version: 3,
  schema: z.object({
    cells: z.array(
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
    ),
  }),
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

/** What is sealed of these cells: one line. */
export const writeCells = (cells: RowCells): string => sheetRow.write({ cells: packCells(cells) })
/** The same of cells that came packed: they stay as they came. */
export function writePacked(packed: string): string {
  if (!arePacked(parsed(packed))) throw new DocumentUnreadable(sheetRow.kind, null, 'it is not what its schema says')
  return `{"version":${sheetRow.version},"cells":${packed}}`
}
/** An error of the language would say what stands there. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
export const readCells = (written: string): RowCells => unpackCells(sheetRow.read(written).cells)
export const sealWritten = (vault: Vault, row_id: string, written: string): Buffer =>
  vault.seal(place(row_id), Buffer.from(written))
export const sealCells = (vault: Vault, row_id: string, cells: RowCells): Buffer => sealWritten(vault, row_id, writeCells(cells))
export const openCells = (vault: Vault, row_id: string, sealed: Buffer): RowCells =>
  unpackCells(sheetRow.open(vault, place(row_id), sealed).cells)
