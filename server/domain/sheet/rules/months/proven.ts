/** Whether a row's own fixed figures stand in it: then it is its person's, and plays no part any more. */
import type { Likeness } from './likeness.ts'

/** Of a row's fixed figures this part must be his own, and so many of the others must differ from him in them. */
const proven_share = 0.5
const told_apart_share = 0.5

/** Writes it down: `proven`, and `settled` where more than that part stands in it. `steps`: distances at which others are looked at. */
export function prove(like: Likeness, row: number, steps: readonly number[]): void {
  like.proven[row] = 0
  like.settled[row] = 0
  const person = like.own[row] ?? -1
  if (person < 0) return
  const kept: number[] = []
  let filled = 0
  for (let column = 0; column < like.columns; column++) {
    if (!like.fixed[column] || Number.isNaN(like.far(row, person, column))) continue
    filled += 1
    if (like.isSame(row, person, column)) kept.push(column)
  }
  if (kept.length === 0 || kept.length < filled * proven_share) return
  let [others, differing] = [0, 0]
  for (const step of steps) {
    const other = (person + step) % like.people
    if (other === person) continue
    others += 1
    if (kept.some((column) => !like.isSame(row, other, column))) differing += 1
  }
  if (others > 0 && differing < others * told_apart_share) return
  like.proven[row] = 1
  if (kept.length > filled * proven_share) like.settled[row] = 1
}
