/**
 * In which order departments stand below the same one. Pure. The platform's order is followed where it has changed since the reading before; where only
 * ours differs, somebody has ordered them here by hand, and it stays.
 */
import type { ExistingDepartment, IncomingDepartment, SyncedDepartment } from './departments.ts'

/** `sort`: smaller first; null: not told. */
export type DirectoryDepartmentOrder = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string | null
  readonly sort: number | null
}
/** As it was at the reading before, by the platform's key. */
export type StoredPosition = { readonly parent_key: string | null; readonly position: number; readonly sort: number | null }

/**
 * Siblings in the platform's order, one family after the other. What is not told is what it was; of equals, and where it was never told of one of
 * them, whoever stood before another still does, and who is new comes last, by name.
 */
export function orderIncomingDepartments(
  incoming: readonly DirectoryDepartmentOrder[],
  stored: ReadonlyMap<string, StoredPosition>,
): IncomingDepartment[] {
  const ranked = [...Map.groupBy(incoming, ({ parent_id }) => parent_id).values()].flatMap((family) => {
    const all = family.map(({ id, parent_id, name, sort }) => {
      const previous = stored.get(id)
      const previousPosition = previous && previous.parent_key === parent_id ? previous.position : null
      return {
        id,
        parent_id,
        name: (name ?? '').trim().slice(0, 50),
        was: previousPosition,
        sort: sort ?? previous?.sort ?? null,
      }
    })
    const hasOrder = all.every(({ sort }) => sort !== null)
    return all.toSorted(
      (one, other) =>
        (hasOrder ? (one.sort ?? 0) - (other.sort ?? 0) : 0) ||
        (one.was ?? Number.MAX_SAFE_INTEGER) - (other.was ?? Number.MAX_SAFE_INTEGER) ||
        one.name.localeCompare(other.name),
    )
  })
  return ranked.map(({ id, parent_id, name, was: previousPosition }, position) => ({
    key: id,
    parent_key: parent_id,
    name,
    position: position,
    previousPosition: previousPosition,
  }))
}

type Siblings = {
  /** All that stand there now, in our order. */
  readonly existing: readonly string[]
  /** Those of the platform that are to stand there, in its order. */
  readonly incoming: readonly { readonly id: string; readonly previousPosition: number | null }[]
}

/** Departments of ours alone keep the places they have; who comes is put behind whom he stands behind there. */
export function orderSiblings({ existing, incoming }: Siblings): string[] {
  const existingIds = new Set(existing)
  const before = incoming.filter(({ previousPosition }) => previousPosition !== null)
  const isReordered = before.some(
    ({ previousPosition }, at) => at > 0 && (previousPosition ?? 0) < (before[at - 1]?.previousPosition ?? 0),
  )
  const shared = incoming.filter(({ id }) => existingIds.has(id)).map(({ id }) => id)
  const sharedIds = new Set(shared)
  const nextShared = shared.values()
  const order = isReordered ? existing.map((id) => (sharedIds.has(id) ? (nextShared.next().value ?? id) : id)) : [...existing]
  incoming.forEach(({ id }, at) => {
    if (existingIds.has(id)) return
    const predecessor = incoming[at - 1]
    // Whoever is first there stands before the first of those that stand here already.
    const next = predecessor ? null : shared[0]
    const position = predecessor ? order.indexOf(predecessor.id) + 1 : next ? order.indexOf(next) : order.length
    order.splice(position, 0, id)
  })
  return order
}

/** The places that change, of everybody who stands below the same department as one that does. `departments` in its order. */
export function computePositions(
  placed: readonly SyncedDepartment[],
  departments: readonly ExistingDepartment[],
): { readonly id: string; readonly position: number }[] {
  const newParentById = new Map(placed.map(({ id, parent_id }) => [id, parent_id]))
  // Who moves away stands there no more; who moves there comes.
  const staying = departments.filter(({ id, parent_id }) => !newParentById.has(id) || newParentById.get(id) === parent_id)
  const stayingByParent = Map.groupBy(staying, ({ parent_id }) => parent_id)
  return [...Map.groupBy(placed, ({ parent_id }) => parent_id)].flatMap(([parent_id, family]) => {
    const current = (stayingByParent.get(parent_id) ?? []).map(({ id }) => id)
    const order = orderSiblings({ existing: current, incoming: family.toSorted((one, other) => one.position - other.position) })
    const isSame = order.length === current.length && order.every((id, at) => id === current[at])
    return isSame ? [] : order.map((id, position) => ({ id, position: position }))
  })
}
