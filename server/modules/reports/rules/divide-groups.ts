/**
 * Divides the members of a month into fixed groups, for users who may not open their payslips. Pure.
 *
 * Departments change. If members were counted by their current department, a user who may move one of them could query
 * before and after, and the difference would be that member's pay. So each member stays in the group in which they were
 * counted when the month was first published, wherever that department is now; members who are paid later in the month
 * wait until there are at least three of them.
 */

import { getAncestorIndexes, type TreeDepartment } from './totals.ts'
import { findVisibleDepartments } from './visible-departments.ts'

/** A group's department with its ancestors, nearest first (empty: none), and its members: at least three at creation. */
export type MemberGroup<P> = { readonly path: readonly string[]; readonly people: readonly P[] }

/** A member who is paid in the month. `departmentIndex` is their department in the current tree; −1: none. */
export type PaidMember<P> = { readonly member: P; readonly departmentIndex: number }

/** Finds the department in which a group is counted today: the nearest of its path that still exists. */
export function findGroupDepartment(path: readonly string[], departmentIndexById: ReadonlyMap<string, number>): number {
  for (const id of path) {
    const departmentIndex = departmentIndexById.get(id)
    if (departmentIndex !== undefined) return departmentIndex
  }
  return -1
}

/** Groups the members who are in no group yet; each group has at least `minGroupSize` members. */
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
