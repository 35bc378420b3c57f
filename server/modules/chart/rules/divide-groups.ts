/**
 * Into which groups the people of a month are divided, for somebody who may not open their slips: once, and for good. Pure.
 *
 * Departments change. Were people counted where they stand today, whoever may move one of them could ask before and after, and the difference would be
 * his pay. So each stays in the group in which he was counted when the month was first told, wherever that department hangs now; who is paid later in the
 * month waits until there are three at least who are.
 */

import { getAncestorIndexes, type TreeDepartment } from './totals.ts'
import { findVisibleDepartments } from './visible-departments.ts'

/** A department with all it belonged to, the nearest first (none: no department), and its people. Of three people at least when it was made. */
export type MemberGroup<P> = { readonly path: readonly string[]; readonly people: readonly P[] }

/** Somebody who is paid in the month. `at`: his place in the tree of today; −1: in none. */
export type PaidMember<P> = { readonly member: P; readonly departmentIndex: number }

/** Where a group is counted today: in the nearest of its departments that there still is. */
export function findGroupDepartment(path: readonly string[], departmentIndexById: ReadonlyMap<string, number>): number {
  for (const id of path) {
    const departmentIndex = departmentIndexById.get(id)
    if (departmentIndex !== undefined) return departmentIndex
  }
  return -1
}

/** The groups of whoever is in none yet: `minGroupSize` people at least. */
export function divideIntoGroups<P>(
  tree: readonly TreeDepartment[],
  newcomers: readonly PaidMember<P>[],
  minGroupSize: number,
): MemberGroup<P>[] {
  const directCounts = tree.map(() => 0)
  for (const { departmentIndex } of newcomers)
    if (departmentIndex >= 0) directCounts[departmentIndex] = (directCounts[departmentIndex] ?? 0) + 1
  const withoutDepartment = newcomers.filter(({ departmentIndex }) => departmentIndex < 0).length
  const visible = findVisibleDepartments(
    tree.map(({ parent }, at) => ({ parent, directCount: directCounts[at] ?? 0 })),
    withoutDepartment,
    minGroupSize,
  )
  const groups = Map.groupBy(
    newcomers,
    ({ departmentIndex }) =>
      getAncestorIndexes(tree, departmentIndex).find((departmentIndex) => visible[departmentIndex] === true) ?? -1,
  )
  return [...groups].map(([departmentIndex, groupMembers]) => ({
    path: getAncestorIndexes(tree, departmentIndex).map((at) => tree[at]?.id ?? ''),
    people: groupMembers.map(({ member }) => member),
  }))
}
