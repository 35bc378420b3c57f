/**
 * Pictures in cells. WPS keeps one as a formula with a text for a result, `=DISPIMG("ID_…",1)`, and writes that text into every format; Excel knows
 * neither and shows an error, and has IMAGE and pictures of its own. None of them is a text that somebody wrote.
 */
import { cellId, type Grid, type Mark, type Stored } from '../grid.ts'

const written = /^=\s*(?:_xlfn\.)*DISPIMG\(/i
const formula = /^\s*[=+]*\s*(?:_xlfn\.)*(?:DISPIMG|IMAGE)\(/i

/** Empties the cells that hold pictures and marks them. */
export function takePictures(grid: Grid): void {
  grid.rows.forEach((row, at) => {
    if (!row) return
    for (let column = 0; column < row.length; column++) {
      const stored = row[column]
      if (typeof stored === 'string' && stored.startsWith('=') && written.test(stored)) take(grid, at, column)
    }
  })
  for (const [id, mark] of grid.marks)
    if (mark.picture || formula.test(formulaIn(mark))) take(grid, Math.floor(id / cellId(1, 0)), id % cellId(1, 0))
}

const formulaIn = ({ formula, shared }: Mark): string => formula ?? shared?.formula ?? ''

function take({ rows, marks }: Grid, row: number, column: number): void {
  const cells = rows[row] as Stored[] | undefined
  if (cells && column < cells.length) cells[column] = null
  marks.set(cellId(row, column), { picture: true })
}
