/** Where the platform's departments stand in the company's own tree. Pure. */
import { most_levels } from '../../../contract/people/hanging.ts'

export type ToldDepartment = {
  readonly key: string
  readonly parent_key: string | null
  readonly name: string
  /** Its rank there, over all departments; only beside its siblings it means something. */
  readonly place: number
  /** Its rank at the reading before, below the same parent; null: it was not there. */
  readonly was: number | null
}
/** In their order here. */
export type OwnDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
}
export type FollowedDepartment = {
  readonly key: string
  readonly id: string
  readonly isNew: boolean
  /** It follows to another place, or to another name. */
  readonly isMoved: boolean
  readonly parent_id: string | null
  readonly name: string
  readonly place: number
  readonly was: number | null
}
type Known = {
  readonly own: readonly OwnDepartment[]
  /** Departments of ours by the platform's key, of a time before. */
  readonly linked: ReadonlyMap<string, string>
  readonly newId: () => string
}
type Set_ = FollowedDepartment & { readonly level: number }

/**
 * Parents first. The platform's root is the company's own; who was linked stays so, with another name or elsewhere; the first time the same way of
 * names leads to the same department. What hangs below nothing that can be seen, bites its own tail or lies too deep, hangs below the root.
 */
export function followedDepartments(told: readonly ToldDepartment[], { own, linked, newId }: Known): FollowedDepartment[] {
  const root = own.find(({ parent_id }) => parent_id === null) ?? null
  const byKey = new Map(told.map((one) => [one.key, one]))
  const ours = new Map(own.map((one) => [one.id, one]))
  const byWay = new Map(own.map((one) => [wayKey(one.parent_id, one.name), one.id]))
  const taken = new Set([...linked.values()].filter((id) => ours.has(id)))
  const tops = told.filter(({ parent_key }) => parent_key === null)
  // With several that hang below nothing seen, none of them is the company.
  const top = tops.length === 1 ? tops[0] : undefined
  const placed = new Map<string, Set_>()

  const put = (one: ToldDepartment, parent: Set_ | null): Set_ => {
    const isRoot = one === top && root !== null
    const parent_id = isRoot ? null : (parent?.id ?? root?.id ?? null)
    const before = isRoot ? root.id : linked.get(one.key)
    const way = byWay.get(wayKey(parent_id, one.name))
    const same = before !== undefined && ours.has(before) ? before : way !== undefined && !taken.has(way) ? way : null
    const id = same ?? newId()
    taken.add(id)
    const was = ours.get(id)
    // The company itself is called here as it is called here.
    const name = isRoot ? root.name : one.name || was?.name || '未命名部门'
    const isMoved = was !== undefined && (was.name !== name || was.parent_id !== parent_id)
    return {
      key: one.key,
      id,
      isNew: same === null,
      isMoved,
      parent_id,
      name,
      place: one.place,
      was: one.was,
      level: isRoot ? 1 : (parent?.level ?? 1) + 1,
    }
  }

  for (const start of told) {
    const line = new Set<ToldDepartment>()
    for (let at: ToldDepartment | undefined = start; at && !placed.has(at.key) && !line.has(at); ) {
      line.add(at)
      at = at.parent_key === null ? undefined : byKey.get(at.parent_key)
    }
    for (const one of [...line].toReversed()) {
      const parent = one.parent_key === null ? null : (placed.get(one.parent_key) ?? null)
      placed.set(one.key, put(one, parent && parent.level < most_levels ? parent : null))
    }
  }
  return [...placed.values()].map(({ level: _level, ...one }) => one)
}

const wayKey = (parent_id: string | null, name: string): string => `${parent_id ?? ''}\n${name.trim().toLowerCase()}`
