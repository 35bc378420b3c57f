/** Whether a row's own fixed figures stand in it: then it is its person's, and plays no part any more. */
import type { MonthSimilarity } from './month-similarity.ts'

/** Of a row's fixed figures this part must be his own, and so many of the others must differ from him in them. */
const minProvenShare = 0.5
const minDistinctShare = 0.5

/** Writes it down: `proven`, and `settled` where more than that part stands in it. `steps`: distances at which others are looked at. */
export function markProven(similarity: MonthSimilarity, row: number, steps: readonly number[]): void {
  similarity.proven[row] = 0
  similarity.settled[row] = 0
  const person = similarity.memberByRow[row] ?? -1
  if (person < 0) return
  const sameColumns: number[] = []
  let filled = 0
  for (let column = 0; column < similarity.columnCount; column++) {
    if (!similarity.fixed[column] || Number.isNaN(similarity.getDistance(row, person, column))) continue
    filled += 1
    if (similarity.isSameAmount(row, person, column)) sameColumns.push(column)
  }
  if (sameColumns.length === 0 || sameColumns.length < filled * minProvenShare) return
  let [others, differing] = [0, 0]
  for (const step of steps) {
    const other = (person + step) % similarity.memberCount
    if (other === person) continue
    others += 1
    if (sameColumns.some((column) => !similarity.isSameAmount(row, other, column))) differing += 1
  }
  if (others > 0 && differing < others * minDistinctShare) return
  similarity.proven[row] = 1
  if (sameColumns.length > filled * minProvenShare) similarity.settled[row] = 1
}
