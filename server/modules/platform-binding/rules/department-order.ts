/**
 * Computes the order of sibling departments. Pure. The platform's order is adopted where it has changed since the
 * previous sync; where only the local order differs, an administrator has arranged it manually, and it is preserved.
 */
import type { ExistingDepartment, IncomingDepartment, SyncedDepartment } from './departments.ts'

/** Smaller values of `sort` come first; null if the platform provides none. */
export type DirectoryDepartmentOrder = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string | null
  readonly sort: number | null
}
/** The state at the previous sync, by the platform's key. */
export type StoredPosition = { readonly parent_key: string | null; readonly position: number; readonly sort: number | null }

/**
 * Returns siblings in the platform's order, one parent after the other. Missing values keep their previous ones. Equal
 * siblings, and siblings of which one never had a value, keep their previous order; new ones come last, by name.
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
    position,
    previousPosition,
  }))
}

type Siblings = {
  /** All current siblings in the local order. */
  readonly existing: readonly string[]
  /** The platform's departments that belong here, in the platform's order. */
  readonly incoming: readonly { readonly id: string; readonly previousPosition: number | null }[]
}

/** Local departments keep their positions; a new one is inserted after its predecessor on the platform. */
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
    // The platform's first department is inserted before the first one that is already present here.
    const next = predecessor ? null : shared[0]
    const position = predecessor ? order.indexOf(predecessor.id) + 1 : next ? order.indexOf(next) : order.length
    order.splice(position, 0, id)
  })
  return order
}

/** Returns the changed positions of all departments whose siblings changed. `departments` must be in the local order. */
export function computePositions(
  placed: readonly SyncedDepartment[],
  departments: readonly ExistingDepartment[],
): { readonly id: string; readonly position: number }[] {
  const newParentById = new Map(placed.map(({ id, parent_id }) => [id, parent_id]))
  // Departments that move away are no longer siblings; those that move here are added.
  const staying = departments.filter(({ id, parent_id }) => !newParentById.has(id) || newParentById.get(id) === parent_id)
  const stayingByParent = Map.groupBy(staying, ({ parent_id }) => parent_id)
  return [...Map.groupBy(placed, ({ parent_id }) => parent_id)].flatMap(([parent_id, family]) => {
    const current = (stayingByParent.get(parent_id) ?? []).map(({ id }) => id)
    const order = orderSiblings({ existing: current, incoming: family.toSorted((one, other) => one.position - other.position) })
    const isSame = order.length === current.length && order.every((id, at) => id === current[at])
    return isSame ? [] : order.map((id, position) => ({ id, position }))
  })
}
