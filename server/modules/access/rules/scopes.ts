/** What a scope covers, and when it shrinks. Pure. */
import type { Power } from '../../../contract/access.ts'
import { type DepartmentTreeNode, getDescendantIds } from '../../../rules/departments.ts'

export type Scope = { readonly all: boolean; readonly department_ids: readonly string[] }

/** Pay and members are managed within a scope; the company is managed as a whole. */
export const needsScope = (power: readonly Power[]): boolean => power.includes('2') || power.includes('3')
export const isEmptyScope = ({ all, department_ids }: Scope): boolean => !all && department_ids.length === 0

/** Returns the scope stored with a grant: the requested one. Power 1 alone needs none and keeps the scope of the other powers. */
export const chooseGrantedScope = (powers: readonly Power[], requested: Scope, current: Scope): Scope =>
  !needsScope(powers) && isEmptyScope(requested) ? current : requested

/** A successor keeps their own scope and gains the predecessor's; `all` takes precedence. */
export function mergeScopes(one: Scope, other: Scope): Scope {
  if (one.all || other.all) return { all: true, department_ids: [] }
  return { all: false, department_ids: [...new Set([...one.department_ids, ...other.department_ids])] }
}

/** Whether something becomes inaccessible. From all to every single department is a reduction: members may belong to none. */
export function isScopeReduced(before: Scope, after: Scope, tree: readonly DepartmentTreeNode[]): boolean {
  if (after.all) return false
  if (before.all) return true
  const covered = getDescendantIds(after.department_ids, tree)
  return [...getDescendantIds(before.department_ids, tree)].some((id) => !covered.has(id))
}
