/**
 * Decides which departments may be shown separately to users who may not open the payslips of their members. Pure.
 *
 * The members of a month are divided once into groups of at least three, and every published amount of that month is a
 * sum over whole groups. Any difference of published amounts is therefore again a sum over whole groups and never
 * concerns fewer than three members. So a department with fewer members is merged into its parent; and where fewer than
 * three members would remain outside the visible departments, the smallest of these is merged with them.
 */

/** A department and the number of its direct members; `parent` is an index in the same list, −1: the company itself. */
export type CountedDepartment = { readonly parent: number; readonly directCount: number }

/**
 * Returns for each department whether it is visible, and in the last entry whether the company is. `withoutDepartment`
 * counts members in no department. Parents come before their children.
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
  /** Number of members of the whole subtree. */
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
  // Children come after their parents, so iterating backwards decides each department before its parent.
  for (const at of [...tree.keys()].toReversed()) decideDepartment(at)
  decideDepartment(companyIndex)
  return visible
}

export type PayBracket = { readonly from: number | null; readonly to: number | null; readonly people: number }
/** Merges brackets of fewer than three members into the next lower, the lowest into the next higher; drops empty ones. */
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
  // A remainder at the top is merged down into the next bracket that is not empty.
  const last = joined.findLastIndex(({ people }) => people > 0)
  const lower = joined[last]
  if (!lower) return []
  return [...joined.slice(0, last), { from: lower.from, to: pending.to, people: lower.people + pending.people }]
}
