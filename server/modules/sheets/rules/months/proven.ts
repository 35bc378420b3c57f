/** Decides whether a row contains its member's fixed amounts: then it is proven and excluded from further search. */

/** Share of a row's fixed amounts that must be the member's own, and share of other members who must differ in them. */
const minProvenShare = 0.5
const minDistinctShare = 0.5

/** The two months as far as they are needed here (`MonthSimilarity`). */
type ComparedMonths = {
  readonly memberCount: number
  readonly columnCount: number
  readonly memberByRow: Int32Array
  readonly fixed: Uint8Array
  readonly proven: Uint8Array
  readonly settled: Uint8Array
  getDistance(row: number, person: number, column: number): number
  isSameAmount(row: number, person: number, column: number): boolean
}

/** Sets `proven`, and `settled` where more than that share matches. `steps`: offsets of the other members examined. */
export function markProven(similarity: ComparedMonths, row: number, steps: readonly number[]): void {
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
