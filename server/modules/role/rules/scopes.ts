/** What a scope covers, and when it becomes smaller. Pure. */
import type { Power } from '../../../contract/access.ts'
import { type DepartmentTreeNode, getDescendantIds } from '../../../rules/departments.ts'

export type Scope = { readonly all: boolean; readonly department_ids: readonly string[] }

/** Pay and people are managed within a scope; the company is managed as a whole. */
export const needsScope = (power: readonly Power[]): boolean => power.includes('2') || power.includes('3')
export const isEmptyScope = ({ all, department_ids }: Scope): boolean => !all && department_ids.length === 0

/**
 * The scope that is kept when these powers are given: the one that was asked for. Who is given power 1 alone needs none, and keeps what
 * he has for his other powers.
 */
export const chooseGrantedScope = (powers: readonly Power[], requested: Scope, current: Scope): Scope =>
  !needsScope(powers) && isEmptyScope(requested) ? current : requested

/** Whoever takes over from somebody loses nothing he had, and gets all that the other one had; all wins. */
export function mergeScopes(one: Scope, other: Scope): Scope {
  if (one.all || other.all) return { all: true, department_ids: [] }
  return { all: false, department_ids: [...new Set([...one.department_ids, ...other.department_ids])] }
}

/** Whether something is out of reach afterwards. From all to every single department is less: people may stand in none. */
export function isScopeReduced(before: Scope, after: Scope, tree: readonly DepartmentTreeNode[]): boolean {
  if (after.all) return false
  if (before.all) return true
  const covered = getDescendantIds(after.department_ids, tree)
  return [...getDescendantIds(before.department_ids, tree)].some((id) => !covered.has(id))
}
