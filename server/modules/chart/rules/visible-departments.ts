/**
 * Which departments may be told apart for somebody who may not open the slips of their people. Pure.
 *
 * The people of a month are divided once into groups of at least three, and every figure that is ever told of that month is a sum over whole groups.
 * Whatever is asked for, whatever is subtracted from whatever, remains a sum over whole groups: no difference is about fewer than three people. So a
 * department with fewer is part of what it belongs to; and where the people beside the departments that are told would be fewer than three, the smallest of
 * these joins them.
 */

/** A department and its people who are in none below it; `parent` is a place in the same list, −1: the company itself. */
export type CountedDepartment = { readonly parent: number; readonly directCount: number }

/**
 * For each department whether it is told, and at the end, one place behind them all, whether the company is. `withoutDepartment`: people in no department.
 * A parent stands before its children.
 */
export function findVisibleDepartments(
  tree: readonly CountedDepartment[],
  withoutDepartment: number,
  minGroupSize: number,
): boolean[] {
  const companyIndex = tree.length
  const directCounts = [...tree.map(({ directCount }) => directCount), withoutDepartment]
  const children = Array.from({ length: tree.length + 1 }, (): number[] => [])
  tree.forEach(({ parent }, at) => children[parent < 0 ? companyIndex : parent]?.push(at))
  const visible = directCounts.map(() => false)
  /** Everybody below, itself included. */
  const subtreeCounts = [...directCounts]
  const hideSubtree = (at: number): void => {
    visible[at] = false
    for (const child of children[at] ?? []) hideSubtree(child)
  }
  const decideDepartment = (at: number): void => {
    const childIndexes = children[at] ?? []
    subtreeCounts[at] = (directCounts[at] ?? 0) + childIndexes.reduce((sum, child) => sum + (subtreeCounts[child] ?? 0), 0)
    if ((subtreeCounts[at] ?? 0) < minGroupSize) {
      hideSubtree(at)
      return
    }
    visible[at] = true
    const visibleChildren = childIndexes
      .filter((child) => visible[child])
      .toSorted((a, b) => (subtreeCounts[a] ?? 0) - (subtreeCounts[b] ?? 0) || a - b)
    let remainder = (subtreeCounts[at] ?? 0) - visibleChildren.reduce((sum, child) => sum + (subtreeCounts[child] ?? 0), 0)
    for (const child of visibleChildren) {
      if (remainder === 0 || remainder >= minGroupSize) break
      remainder += subtreeCounts[child] ?? 0
      hideSubtree(child)
    }
  }
  // Children stand behind their parents: from the end on each is done before what it belongs to.
  for (const at of [...tree.keys()].toReversed()) decideDepartment(at)
  decideDepartment(companyIndex)
  return visible
}

export type PayBracket = { readonly from: number | null; readonly to: number | null; readonly people: number }
/** Brackets with fewer than three people join the next lower one, the lowest the next higher one; nobody's are left out. */
export function mergeSmallBrackets(brackets: readonly PayBracket[], minGroupSize: number): PayBracket[] {
  const joined: PayBracket[] = []
  let pending: PayBracket | null = null
  for (const bracket of brackets) {
    const next: PayBracket = pending ? { from: pending.from, to: bracket.to, people: pending.people + bracket.people } : bracket
    if (next.people >= minGroupSize || next.people === 0) {
      joined.push(next)
      pending = null
    } else pending = next
  }
  if (!pending) return joined
  // What is left at the top goes down to the next bracket with people, over the empty ones between.
  const last = joined.findLastIndex(({ people }) => people > 0)
  const lower = joined[last]
  if (!lower) return []
  return [...joined.slice(0, last), { from: lower.from, to: pending.to, people: lower.people + pending.people }]
}
