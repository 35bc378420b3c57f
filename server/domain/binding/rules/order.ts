/**
 * In which order departments stand below the same one. Pure. The platform's order is followed where it has changed since the reading before; where only
 * ours differs, somebody has ordered them here by hand, and it stays.
 */
import type { FollowedDepartment, OwnDepartment, ToldDepartment } from './departments.ts'

/** `sort`: smaller first; null: not told. */
export type SaidDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string | null
  readonly sort: number | null
}
/** As it was at the reading before, by the platform's key. */
export type KnownPlace = { readonly parent_key: string | null; readonly place: number; readonly sort: number | null }

/**
 * Siblings in the platform's order, one family after the other. What is not told is what it was; of equals, and where it was never told of one of
 * them, whoever stood before another still does, and who is new comes last, by name.
 */
export function toldOrder(said: readonly SaidDepartment[], known: ReadonlyMap<string, KnownPlace>): ToldDepartment[] {
  const ranked = [...Map.groupBy(said, ({ parent_id }) => parent_id).values()].flatMap((family) => {
    const all = family.map(({ id, parent_id, name, sort }) => {
      const before = known.get(id)
      const was = before && before.parent_key === parent_id ? before.place : null
      return { id, parent_id, name: (name ?? '').trim().slice(0, 50), was, sort: sort ?? before?.sort ?? null }
    })
    const isTold = all.every(({ sort }) => sort !== null)
    return all.toSorted(
      (one, other) =>
        (isTold ? (one.sort ?? 0) - (other.sort ?? 0) : 0) ||
        (one.was ?? Number.MAX_SAFE_INTEGER) - (other.was ?? Number.MAX_SAFE_INTEGER) ||
        one.name.localeCompare(other.name),
    )
  })
  return ranked.map(({ id, parent_id, name, was }, place) => ({ key: id, parent_key: parent_id, name, place, was }))
}

type Family = {
  /** All that stand there now, in our order. */
  readonly ours: readonly string[]
  /** Those of the platform that are to stand there, in its order. */
  readonly told: readonly { readonly id: string; readonly was: number | null }[]
}

/** Departments of ours alone keep the places they have; who comes is put behind whom he stands behind there. */
export function siblingOrder({ ours, told }: Family): string[] {
  const standing = new Set(ours)
  const before = told.filter(({ was }) => was !== null)
  const isReordered = before.some(({ was }, at) => at > 0 && (was ?? 0) < (before[at - 1]?.was ?? 0))
  const theirs = told.filter(({ id }) => standing.has(id)).map(({ id }) => id)
  const isTheirs = new Set(theirs)
  const inTurn = theirs.values()
  const order = isReordered ? ours.map((id) => (isTheirs.has(id) ? (inTurn.next().value ?? id) : id)) : [...ours]
  told.forEach(({ id }, at) => {
    if (standing.has(id)) return
    const behind = told[at - 1]
    // Whoever is first there stands before the first of those that stand here already.
    const next = behind ? null : theirs[0]
    const place = behind ? order.indexOf(behind.id) + 1 : next ? order.indexOf(next) : order.length
    order.splice(place, 0, id)
  })
  return order
}

/** The places that change, of everybody who stands below the same department as one that does. `own` in its order. */
export function placesHere(
  placed: readonly FollowedDepartment[],
  own: readonly OwnDepartment[],
): { readonly id: string; readonly place: number }[] {
  const to = new Map(placed.map(({ id, parent_id }) => [id, parent_id]))
  // Who moves away stands there no more; who moves there comes.
  const staying = own.filter(({ id, parent_id }) => !to.has(id) || to.get(id) === parent_id)
  const ours = Map.groupBy(staying, ({ parent_id }) => parent_id)
  return [...Map.groupBy(placed, ({ parent_id }) => parent_id)].flatMap(([parent_id, family]) => {
    const now = (ours.get(parent_id) ?? []).map(({ id }) => id)
    const order = siblingOrder({ ours: now, told: family.toSorted((one, other) => one.place - other.place) })
    const isSame = order.length === now.length && order.every((id, at) => id === now[at])
    return isSame ? [] : order.map((id, place) => ({ id, place }))
  })
}
