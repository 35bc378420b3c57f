/** Writes a wage sheet value as a file with a third-party library, as a user would upload it. */
import { type CellObject, utils, write } from '@e965/xlsx'
import type { Grid, StoredValue } from '../../../server/spreadsheets/grid.ts'

const types = { xlsx: 'xlsx', xls: 'biff8', ods: 'ods', csv: 'csv' } as const
export type Written = keyof typeof types

const a_day = 86_400_000
/** Dates are stored as Excel stores them, independent of the machine's time zone. */
const getCell = (stored: StoredValue): CellObject | string | number | null =>
  stored instanceof Date
    ? { t: 'n', v: (stored.getTime() - Date.UTC(1899, 11, 30)) / a_day, z: 'yyyy-mm-dd' }
    : typeof stored === 'boolean'
      ? String(stored)
      : (stored ?? null)

export function getFile({ rows, merges, name }: Grid, type: Written): Buffer {
  const sheet = utils.aoa_to_sheet(rows.map((cells) => (cells ?? []).map(getCell)))
  sheet['!merges'] = merges.map(({ top, left, bottom, right }) => ({ s: { r: top, c: left }, e: { r: bottom, c: right } }))
  const bytes: unknown = write({ SheetNames: [name], Sheets: { [name]: sheet } }, { type: 'buffer', bookType: types[type] })
  if (!Buffer.isBuffer(bytes)) throw new Error('nothing was written')
  return bytes
}
