/**
 * Decides when changes of a month are published to users who may not open its payslips. Pure.
 *
 * Two queries of the same total differ by what changed between them: one late payment, correction or withdrawal would
 * reveal one employee's amount. So a group stays as published until the amounts of at least three of its members
 * differ, in each component that differs at all, from every state that was ever published. Then the current state is
 * published.
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

/** Payslip totals by member key. */
type MemberTotals = ReadonlyMap<string, Float64Array>
const emptyTotals = new Float64Array(componentCount)

/** The published payslips of a group (`packComponentTable`), and earlier published states, latest first, with who differed. */
export type PublishedGroup = { readonly published: Buffer; readonly previousStates: readonly Buffer[] }
/** Maximum number of stored states; a group that has changed more often stays as it is. */
const maxStates = 12

const isSameAmount = (one: number | undefined, other: number | undefined): boolean => Object.is(one ?? 0, other ?? 0)
/** Counts the members who differ, per component. */
function countDifferences(one: MemberTotals, other: MemberTotals): Map<PackedComponent, number> {
  const counts = new Map<PackedComponent, number>()
  for (const memberKey of new Set([...one.keys(), ...other.keys()])) {
    const [a, b] = [one.get(memberKey) ?? emptyTotals, other.get(memberKey) ?? emptyTotals]
    for (const [at, part] of packedComponents.entries())
      if (!isSameAmount(a[at], b[at])) counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  return counts
}

/**
 * Decides whether to publish a group. `current` holds the payslips as they would be published; members who were
 * published before and are not paid now are not in it.
 */
export function publishGroup(
  current: ComponentTable,
  previous: PublishedGroup,
  minGroupSize: number,
): { readonly group: PublishedGroup; readonly isSuppressed: boolean } {
  const currentTotals = sumByMemberKey(current)
  const publishedTotals = sumByMemberKey(unpackComponents(previous.published))
  const change = countDifferences(currentTotals, publishedTotals)
  if (change.size === 0) return { group: previous, isSuppressed: false }
  const suppressed = { group: previous, isSuppressed: true }
  if (previous.previousStates.length >= maxStates || (currentTotals.size > 0 && currentTotals.size < minGroupSize))
    return suppressed
  const isEnough = (counts: ReadonlyMap<PackedComponent, number>) => [...counts.values()].every((count) => count >= minGroupSize)
  // A first publication reveals no difference; components that few members have were already merged.
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
  return { group: { published: packComponentTable(current), previousStates }, isSuppressed: false }
}

export function selectMembers({ memberKeys, components }: ComponentTable, ids: readonly string[]): ComponentTable {
  const requestedKeys = new Set(ids.map((id) => toMemberKey(id)))
  const rows = [...memberKeys.keys()].filter((row) => requestedKeys.has(memberKeys[row] ?? ''))
  const selectedComponents = new Float64Array(rows.length * componentCount)
  for (const [at, row] of rows.entries())
    selectedComponents.set(components.subarray(row * componentCount, (row + 1) * componentCount), at * componentCount)
  return { memberKeys: rows.map((row) => memberKeys[row] ?? ''), components: selectedComponents }
}
