/**
 * When changes of a month are told to somebody who may not open its slips. Pure.
 *
 * Sums that are looked at twice differ by what changed meanwhile: one who is paid later, one correction, one withdrawal would be one person's figure. So a
 * group stays as it was told until the figures of at least three of its people differ, in each part that differs at all, from every state in which it was
 * ever told: then it is told as it is.
 */
import { sumsByPerson } from './folded.ts'
import { keyOfPerson, type PackedPart, packedParts, packRows, part_count, type Sheaf, unpackParts } from './packed.ts'

/** By key of a person, what his slips come to. */
type State = ReadonlyMap<string, Float64Array>
const nothing = new Float64Array(part_count)

/** The slips of a group as they are told (`packRows`), and of whoever was told otherwise before, state by state, the latest first, what he was told to have. */
export type ToldGroup = { readonly told: Buffer; readonly earlier: readonly Buffer[] }
/** So many states are kept; a group that changed more often stays as it is. */
const most_states = 12

const isSame = (one: number | undefined, other: number | undefined): boolean => Object.is(one ?? 0, other ?? 0)
/** How many people differ, part by part. */
function differing(one: State, other: State): Map<PackedPart, number> {
  const counts = new Map<PackedPart, number>()
  for (const person of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(person) ?? nothing, other.get(person) ?? nothing]
    for (const [at, part] of packedParts.entries()) if (!isSame(a[at], b[at])) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  return counts
}

/** `now`: the slips as they would be told; people whom `told` knows and who are paid nothing now are not in it. */
export function toldNow(now: Sheaf, before: ToldGroup, fewest: number): { readonly group: ToldGroup; readonly isHeld: boolean } {
  const present = sumsByPerson(now)
  const last = sumsByPerson(unpackParts(before.told))
  const change = differing(present, last)
  if (change.size === 0) return { group: before, isHeld: false }
  const held = { group: before, isHeld: true }
  if (before.earlier.length >= most_states || (present.size > 0 && present.size < fewest)) return held
  const isEnough = (counts: ReadonlyMap<PackedPart, number>) => [...counts.values()].every((count) => count >= fewest)
  // From nothing everything is new: what few have was folded.
  if (last.size > 0 || before.earlier.length > 0) if (!isEnough(change)) return held
  const state = new Map(last)
  for (const packed of before.earlier) {
    for (const [person, own] of sumsByPerson(unpackParts(packed))) state.set(person, own)
    if (!isEnough(differing(present, state))) return held
  }
  const changed = [...new Set([...present.keys(), ...last.keys()])].filter((person) =>
    packedParts.some((_, at) => !isSame((present.get(person) ?? nothing)[at], (last.get(person) ?? nothing)[at])),
  )
  const former = new Float64Array(changed.length * part_count)
  for (const [row, person] of changed.entries()) former.set(last.get(person) ?? nothing, row * part_count)
  const isFirst = last.size === 0 && before.earlier.length === 0
  const earlier = isFirst ? [] : [packRows({ people: changed, parts: former }), ...before.earlier]
  return { group: { told: packRows(now), earlier }, isHeld: false }
}

/** Of slips those of some people, by their ids. */
export function sheafOf({ people, parts }: Sheaf, ids: readonly string[]): Sheaf {
  const wanted = new Set(ids.map((id) => keyOfPerson(id)))
  const rows = [...people.keys()].filter((row) => wanted.has(people[row] ?? ''))
  const own = new Float64Array(rows.length * part_count)
  for (const [at, row] of rows.entries()) own.set(parts.subarray(row * part_count, (row + 1) * part_count), at * part_count)
  return { people: rows.map((row) => people[row] ?? ''), parts: own }
}
