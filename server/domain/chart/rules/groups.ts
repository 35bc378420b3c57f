/**
 * Which departments may be told apart for somebody who may not open the slips of their people. Pure.
 *
 * The people of a month are divided once into groups of at least three, and every figure that is ever told of that month is a sum over whole groups.
 * Whatever is asked for, whatever is subtracted from whatever, remains a sum over whole groups: no difference is about fewer than three people. So a
 * department with fewer is part of what it belongs to; and where the people beside the departments that are told would be fewer than three, the smallest of
 * these joins them.
 */

/** A department and its people who are in none below it; `parent` is a place in the same list, −1: the company itself. */
export type CountedDepartment = { readonly parent: number; readonly own: number }

/**
 * For each department whether it is told, and at the end, one place behind them all, whether the company is. `outside`: people in no department.
 * A parent stands before its children.
 */
export function toldApart(tree: readonly CountedDepartment[], outside: number, fewest: number): boolean[] {
  const company = tree.length
  const all = [...tree.map(({ own }) => own), outside]
  const children = Array.from({ length: tree.length + 1 }, (): number[] => [])
  tree.forEach(({ parent }, at) => children[parent < 0 ? company : parent]?.push(at))
  const told = all.map(() => false)
  /** Everybody below, itself included. */
  const whole = [...all]
  const close = (at: number): void => {
    told[at] = false
    for (const child of children[at] ?? []) close(child)
  }
  const settle = (at: number): void => {
    const below = children[at] ?? []
    whole[at] = (all[at] ?? 0) + below.reduce((sum, child) => sum + (whole[child] ?? 0), 0)
    if ((whole[at] ?? 0) < fewest) {
      close(at)
      return
    }
    told[at] = true
    const apart = below.filter((child) => told[child]).toSorted((a, b) => (whole[a] ?? 0) - (whole[b] ?? 0) || a - b)
    let rest = (whole[at] ?? 0) - apart.reduce((sum, child) => sum + (whole[child] ?? 0), 0)
    for (const child of apart) {
      if (rest === 0 || rest >= fewest) break
      rest += whole[child] ?? 0
      close(child)
    }
  }
  // Children stand behind their parents: from the end on each is done before what it belongs to.
  for (const at of [...tree.keys()].toReversed()) settle(at)
  settle(company)
  return told
}

export type Bracket = { readonly from: number | null; readonly to: number | null; readonly people: number }
/** Brackets with fewer than three people join the next lower one, the lowest the next higher one; nobody's are left out. */
export function joinedBrackets(brackets: readonly Bracket[], fewest: number): Bracket[] {
  const joined: Bracket[] = []
  let open: Bracket | null = null
  for (const one of brackets) {
    const next: Bracket = open ? { from: open.from, to: one.to, people: open.people + one.people } : one
    if (next.people >= fewest || next.people === 0) {
      joined.push(next)
      open = null
    } else open = next
  }
  if (!open) return joined
  // What is left at the top goes down to the next bracket with people, over the empty ones between.
  const last = joined.findLastIndex(({ people }) => people > 0)
  const under = joined[last]
  if (!under) return []
  return [...joined.slice(0, last), { from: under.from, to: open.to, people: under.people + open.people }]
}
