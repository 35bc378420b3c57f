/** The tree of departments as values; `runtime/data/departments.ts` is its twin in SQL. */

export type DepartmentTreeNode = { readonly id: string; readonly parent_id: string | null }

/** The departments themselves and everything below them. A tree that bites its own tail ends as well. */
export function getDescendantIds(ids: readonly string[], tree: readonly DepartmentTreeNode[]): Set<string> {
  const children = Map.groupBy(tree, ({ parent_id }) => parent_id)
  const covered = new Set(ids)
  // A set goes on to what is added while it is walked.
  for (const id of covered) for (const child of children.get(id) ?? []) covered.add(child.id)
  return covered
}

/** What a department belongs to, from its parent upward as far as there is anything. */
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
