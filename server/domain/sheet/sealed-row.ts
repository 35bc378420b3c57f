/** The cells of a row as a document: written once, when the row comes, and sealed as it was written. */
import * as z from 'zod/mini'
import type { RowCells } from '../../rules/amounts.ts'
import { documentKind } from '../../runtime/data/document.ts'
import type { Vault } from '../../runtime/secrets.ts'
import { arePacked, kindsOnDisk, type PackedCells, packCells, unpackCells } from './rules/packed-row.ts'

const place = (row_id: string) => ({ table: 'sheet_row', row: row_id, column: 'cells' })

const isListOfLists = (value: unknown): value is unknown[][] => Array.isArray(value) && value.every(Array.isArray)

const sheetRow = documentKind<{ readonly cells: PackedCells }>({
  kind: 'sheet row',
  version: 2,
  schema: z.object({
    cells: z.record(
      z.string(),
      z.union([
        z.int(),
        z.string(),
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
  // Of the first version a cell began with the key of its column.
  upgrades: {
    1: ({ cells }) => ({
      cells: isListOfLists(cells) ? Object.fromEntries(cells.map(([key, ...cell]) => [key, cell])) : null,
    }),
  },
})

/** What is sealed of these cells: one line. */
export const writePacked = (cells: PackedCells): string => sheetRow.write({ cells })
export const writeCells = (cells: RowCells): string => writePacked(packCells(cells))
export const readCells = (written: string): RowCells => unpackCells(sheetRow.read(written).cells)
export const sealWritten = (vault: Vault, row_id: string, written: string): Buffer =>
  vault.seal(place(row_id), Buffer.from(written))
export const sealCells = (vault: Vault, row_id: string, cells: RowCells): Buffer => sealWritten(vault, row_id, writeCells(cells))
export const openCells = (vault: Vault, row_id: string, sealed: Buffer): RowCells =>
  unpackCells(sheetRow.open(vault, place(row_id), sealed).cells)
