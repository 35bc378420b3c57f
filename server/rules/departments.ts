/** The department tree as plain values; `server/database/department-tree.ts` has the same logic in SQL. */

export type DepartmentTreeNode = { readonly id: string; readonly parent_id: string | null }

/** Returns the departments and all their descendants. Terminates even if the tree contains a cycle. */
export function getDescendantIds(ids: readonly string[], tree: readonly DepartmentTreeNode[]): Set<string> {
  const children = Map.groupBy(tree, ({ parent_id }) => parent_id)
  const covered = new Set(ids)
  // Iterating over a set includes elements added during the iteration.
  for (const id of covered) for (const child of children.get(id) ?? []) covered.add(child.id)
  return covered
}

/** Returns the ancestors of a department, starting with its parent. */
export function getAncestors<T extends DepartmentTreeNode>(id: string, byId: ReadonlyMap<string, T>): T[] {
  const ancestors = new Set<T>()
  for (
    let at = byId.get(byId.get(id)?.parent_id ?? '');
    at && at.id !== id && !ancestors.has(at);
    at = byId.get(at.parent_id ?? '')
  )
    ancestors.add(at)
  return [...ancestors]
}
