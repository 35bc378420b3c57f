/**
 * Pictures in cells. WPS stores one as a formula with a text result, `=DISPIMG("ID_…",1)`, and writes that text in
 * every format; Excel does not know it and shows an error, and has IMAGE and its own cell pictures. None of them is
 * text written by a user.
 */
import { type CellMark, type Grid, getCellId, type StoredValue } from '../grid.ts'

const pictureTextPattern = /^=\s*(?:_xlfn\.)*DISPIMG\(/i
const pictureFormulaPattern = /^\s*[=+]*\s*(?:_xlfn\.)*(?:DISPIMG|IMAGE)\(/i

/** Clears the cells that contain pictures and marks them. */
export function markPictures(grid: Grid): void {
  grid.rows.forEach((row, at) => {
    if (!row) return
    for (let column = 0; column < row.length; column++) {
      const stored = row[column]
      if (typeof stored === 'string' && stored.startsWith('=') && pictureTextPattern.test(stored)) markPicture(grid, at, column)
    }
  })
  for (const [id, mark] of grid.marks)
    if (mark.picture || pictureFormulaPattern.test(getFormula(mark)))
      markPicture(grid, Math.floor(id / getCellId(1, 0)), id % getCellId(1, 0))
}

const getFormula = ({ formula, shared }: CellMark): string => formula ?? shared?.formula ?? ''

function markPicture({ rows, marks }: Grid, row: number, column: number): void {
  const cells = rows[row] as StoredValue[] | undefined
  if (cells && column < cells.length) cells[column] = null
  marks.set(getCellId(row, column), { picture: true })
}
