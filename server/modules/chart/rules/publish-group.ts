/**
 * When changes of a month are told to somebody who may not open its slips. Pure.
 *
 * Sums that are looked at twice differ by what changed meanwhile: one who is paid later, one correction, one withdrawal would be one person's figure. So a
 * group stays as it was told until the figures of at least three of its people differ, in each part that differs at all, from every state in which it was
 * ever told: then it is told as it is.
 */
import { sumByMemberKey } from './merge-components.ts'
import {
  type ComponentTable,
  componentCount,
  type PackedComponent,
  packComponentTable,
  packedComponents,
  toMemberKey,
  unpackComponents,
} from './packed-components.ts'

/** By key of a person, what his slips come to. */
type MemberTotals = ReadonlyMap<string, Float64Array>
const emptyTotals = new Float64Array(componentCount)

/** The slips of a group as they are told (`packComponentTable`), and of whoever was told otherwise before, state by state, the latest first, what he was told to have. */
export type PublishedGroup = { readonly published: Buffer; readonly previousStates: readonly Buffer[] }
/** So many states are kept; a group that changed more often stays as it is. */
const maxStates = 12

const isSameAmount = (one: number | undefined, other: number | undefined): boolean => Object.is(one ?? 0, other ?? 0)
/** How many people differ, part by part. */
function countDifferences(one: MemberTotals, other: MemberTotals): Map<PackedComponent, number> {
  const counts = new Map<PackedComponent, number>()
  for (const memberKey of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(memberKey) ?? emptyTotals, other.get(memberKey) ?? emptyTotals]
    for (const [at, part] of packedComponents.entries())
      if (!isSameAmount(a[at], b[at])) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  return counts
}

/** `current`: the slips as they would be told; people whom `told` knows and who are paid nothing now are not in it. */
export function publishGroup(
  current: ComponentTable,
  previous: PublishedGroup,
  minGroupSize: number,
): { readonly group: PublishedGroup; readonly isLocked: boolean } {
  const currentTotals = sumByMemberKey(current)
  const publishedTotals = sumByMemberKey(unpackComponents(previous.published))
  const change = countDifferences(currentTotals, publishedTotals)
  if (change.size === 0) return { group: previous, isLocked: false }
  const suppressed = { group: previous, isLocked: true }
  if (previous.previousStates.length >= maxStates || (currentTotals.size > 0 && currentTotals.size < minGroupSize))
    return suppressed
  const isEnough = (counts: ReadonlyMap<PackedComponent, number>) => [...counts.values()].every((count) => count >= minGroupSize)
  // From nothing everything is new: what few have was folded.
  if (publishedTotals.size > 0 || previous.previousStates.length > 0) if (!isEnough(change)) return suppressed
  const state = new Map(publishedTotals)
  for (const packed of previous.previousStates) {
    for (const [memberKey, memberTotals] of sumByMemberKey(unpackComponents(packed))) state.set(memberKey, memberTotals)
    if (!isEnough(countDifferences(currentTotals, state))) return suppressed
  }
  const changed = [...new Set([...currentTotals.keys(), ...publishedTotals.keys()])].filter((memberKey) =>
    packedComponents.some(
      (_, at) =>
        !isSameAmount((currentTotals.get(memberKey) ?? emptyTotals)[at], (publishedTotals.get(memberKey) ?? emptyTotals)[at]),
    ),
  )
  const formerComponents = new Float64Array(changed.length * componentCount)
  for (const [row, memberKey] of changed.entries())
    formerComponents.set(publishedTotals.get(memberKey) ?? emptyTotals, row * componentCount)
  const isFirst = publishedTotals.size === 0 && previous.previousStates.length === 0
  const previousStates = isFirst
    ? []
    : [packComponentTable({ memberKeys: changed, components: formerComponents }), ...previous.previousStates]
  return { group: { published: packComponentTable(current), previousStates: previousStates }, isLocked: false }
}

/** Of slips those of some people, by their ids. */
export function selectMembers({ memberKeys, components }: ComponentTable, ids: readonly string[]): ComponentTable {
  const requestedKeys = new Set(ids.map((id) => toMemberKey(id)))
  const rows = [...memberKeys.keys()].filter((row) => requestedKeys.has(memberKeys[row] ?? ''))
  const selectedComponents = new Float64Array(rows.length * componentCount)
  for (const [at, row] of rows.entries())
    selectedComponents.set(components.subarray(row * componentCount, (row + 1) * componentCount), at * componentCount)
  return { memberKeys: rows.map((row) => memberKeys[row] ?? ''), components: selectedComponents }
}
