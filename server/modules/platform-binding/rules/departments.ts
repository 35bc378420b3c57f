/** Places the platform's departments in the company's own tree. Pure. */
import { maxDepartmentLevels } from '../../../contract/directory/department-tree.ts'

export type IncomingDepartment = {
  readonly key: string
  readonly parent_key: string | null
  readonly name: string
  /** Rank over all departments; meaningful only among siblings. */
  readonly position: number
  /** Rank at the previous sync below the same parent; null: it was not there. */
  readonly previousPosition: number | null
}
/** In their local order. */
export type ExistingDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
}
export type SyncedDepartment = {
  readonly key: string
  readonly id: string
  readonly isNew: boolean
  /** The department moves to another parent or gets another name. */
  readonly isMoved: boolean
  readonly parent_id: string | null
  readonly name: string
  readonly position: number
  readonly previousPosition: number | null
}
type ExistingTree = {
  readonly departments: readonly ExistingDepartment[]
  /** Local departments by the platform's key, from earlier syncs. */
  readonly linked: ReadonlyMap<string, string>
  readonly newId: () => string
}
type PlacedDepartment = SyncedDepartment & { readonly level: number }

/**
 * Plans the departments, parents first. The platform's root is the company's own root. Linked departments stay linked
 * when renamed or moved; on the first sync the same path of names identifies the same department. Departments without a
 * visible parent, in a cycle or nested too deeply are placed below the root.
 */
export function planDepartments(
  incoming: readonly IncomingDepartment[],
  { departments, linked, newId }: ExistingTree,
): SyncedDepartment[] {
  const root = departments.find(({ parent_id }) => parent_id === null) ?? null
  const byKey = new Map(incoming.map((one) => [one.key, one]))
  const existingById = new Map(departments.map((one) => [one.id, one]))
  const idByPath = new Map(departments.map((one) => [getPathKey(one.parent_id, one.name), one.id]))
  const usedIds = new Set([...linked.values()].filter((id) => existingById.has(id)))
  const tops = incoming.filter(({ parent_key }) => parent_key === null)
  // If several departments have no visible parent, none of them is the root.
  const top = tops.length === 1 ? tops[0] : undefined
  const placed = new Map<string, PlacedDepartment>()

  const setPosition = (one: IncomingDepartment, parent: PlacedDepartment | null): PlacedDepartment => {
    const isRoot = one === top && root !== null
    const parent_id = isRoot ? null : (parent?.id ?? root?.id ?? null)
    const linkedId = isRoot ? root.id : linked.get(one.key)
    const pathMatch = idByPath.get(getPathKey(parent_id, one.name))
    const existingId =
      linkedId !== undefined && existingById.has(linkedId)
        ? linkedId
        : pathMatch !== undefined && !usedIds.has(pathMatch)
          ? pathMatch
          : null
    const id = existingId ?? newId()
    usedIds.add(id)
    const previous = existingById.get(id)
    // The root keeps its local name.
    const name = isRoot ? root.name : one.name || previous?.name || '未命名部门'
    const isMoved = previous !== undefined && (previous.name !== name || previous.parent_id !== parent_id)
    return {
      key: one.key,
      id,
      isNew: existingId === null,
      isMoved,
      parent_id,
      name,
      position: one.position,
      previousPosition: one.previousPosition,
      level: isRoot ? 1 : (parent?.level ?? 1) + 1,
    }
  }

  for (const start of incoming) {
    const ancestors = new Set<IncomingDepartment>()
    for (let at: IncomingDepartment | undefined = start; at && !placed.has(at.key) && !ancestors.has(at); ) {
      ancestors.add(at)
      at = at.parent_key === null ? undefined : byKey.get(at.parent_key)
    }
    for (const one of [...ancestors].toReversed()) {
      const parent = one.parent_key === null ? null : (placed.get(one.parent_key) ?? null)
      placed.set(one.key, setPosition(one, parent && parent.level < maxDepartmentLevels ? parent : null))
    }
  }
  return [...placed.values()].map(({ level: _level, ...one }) => one)
}

const getPathKey = (parent_id: string | null, name: string): string => `${parent_id ?? ''}\n${name.trim().toLowerCase()}`
