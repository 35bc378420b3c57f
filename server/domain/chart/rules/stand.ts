/**
 * Into which groups the people of a month are divided, for somebody who may not open their slips: once, and for good. Pure.
 *
 * Departments change. Were people counted where they stand today, whoever may move one of them could ask before and after, and the difference would be
 * his pay. So each stays in the group in which he was counted when the month was first told, wherever that department hangs now; who is paid later in the
 * month waits until there are three at least who are.
 */
import { toldApart } from './groups.ts'
import { type Branched, upFrom } from './lines.ts'

/** A department with all it belonged to, the nearest first (none: no department), and its people. Of three people at least when it was made. */
export type CountedGroup<P> = { readonly path: readonly string[]; readonly people: readonly P[] }

/** Somebody who is paid in the month. `at`: his place in the tree of today; −1: in none. */
export type PaidPerson<P> = { readonly person: P; readonly at: number }

/** Where a group is counted today: in the nearest of its departments that there still is. */
export function placeOfGroup(path: readonly string[], placeOf: ReadonlyMap<string, number>): number {
  for (const id of path) {
    const place = placeOf.get(id)
    if (place !== undefined) return place
  }
  return -1
}

/** The groups of whoever is in none yet: `fewest` people at least. */
export function divided<P>(tree: readonly Branched[], newcomers: readonly PaidPerson<P>[], fewest: number): CountedGroup<P>[] {
  const own = tree.map(() => 0)
  for (const { at } of newcomers) if (at >= 0) own[at] = (own[at] ?? 0) + 1
  const outside = newcomers.filter(({ at }) => at < 0).length
  const told = toldApart(
    tree.map(({ parent }, at) => ({ parent, own: own[at] ?? 0 })),
    outside,
    fewest,
  )
  const groups = Map.groupBy(newcomers, ({ at }) => upFrom(tree, at).find((place) => told[place] === true) ?? -1)
  return [...groups].map(([place, some]) => ({
    path: upFrom(tree, place).map((at) => tree[at]?.id ?? ''),
    people: some.map(({ person }) => person),
  }))
}
