/** The tree of departments as values; `runtime/data/departments.ts` is its twin in SQL. */

export type Branch = { readonly id: string; readonly parent_id: string | null }

/** The departments themselves and everything below them. A tree that bites its own tail ends as well. */
export function below(ids: readonly string[], tree: readonly Branch[]): Set<string> {
  const children = Map.groupBy(tree, ({ parent_id }) => parent_id)
  const covered = new Set(ids)
  // A set goes on to what is added while it is walked.
  for (const id of covered) for (const child of children.get(id) ?? []) covered.add(child.id)
  return covered
}

/** What a department belongs to, from its parent upward as far as there is anything. */
export function above<T extends Branch>(id: string, byId: ReadonlyMap<string, T>): T[] {
  const line = new Set<T>()
  for (let at = byId.get(byId.get(id)?.parent_id ?? ''); at && at.id !== id && !line.has(at); at = byId.get(at.parent_id ?? ''))
    line.add(at)
  return [...line]
}
