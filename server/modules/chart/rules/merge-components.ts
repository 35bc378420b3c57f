/**
 * What only one or two of a group have is told as part of something else. Pure.
 *
 * The sum of a bonus that one person of twelve got is his bonus, and what all parts leave of gross is that of whoever has it. So of each group and month
 * every part that is told is one that at least three have, or nobody: others stand in `rest` (what is earned), `other` (what is taken) or `employer_other`,
 * and where these would be about fewer than three the part that fewest have joins them. Gross and net stay as they are.
 */
import { componentCount, getComponentIndex, type PackedComponent } from './packed-components.ts'

type MergeRule = { readonly into: PackedComponent; readonly from: readonly PackedComponent[] }
const earningsRule: MergeRule = { into: 'rest', from: ['bonus', 'allowance', 'overtime', 'absence', 'base'] }
const deductionsRule: MergeRule = { into: 'other', from: ['tax', 'social', 'fund'] }
const employerRule: MergeRule = { into: 'employer_other', from: ['employer_social', 'employer_fund'] }

/** Slips of one group: whose each is, and its parts in a row. */
type GroupComponents = { readonly memberKeys: readonly string[]; readonly components: Float64Array }
export type MergedComponents = { readonly components: Float64Array; readonly hasMergedComponents: boolean }

/** Of somebody, part by part; NaN where one of his slips does not say it. */
export function sumByMemberKey({ memberKeys, components }: GroupComponents): Map<string, Float64Array> {
  const sums = new Map<string, Float64Array>()
  for (const [slip, memberKey] of memberKeys.entries()) {
    const memberTotals = sums.get(memberKey) ?? new Float64Array(componentCount)
    for (let index = 0; index < componentCount; index += 1)
      memberTotals[index] = (memberTotals[index] ?? 0) + (components[slip * componentCount + index] ?? 0)
    sums.set(memberKey, memberTotals)
  }
  return sums
}

/** How the parts of a group's slips are told. */
export function mergeSmallComponents(
  { memberKeys, components: originalComponents }: GroupComponents,
  minGroupSize: number,
): MergedComponents {
  const components = originalComponents.slice()
  let hasMergedComponents = false
  const getAmount = (slip: number, part: PackedComponent): number =>
    components[slip * componentCount + getComponentIndex(part)] ?? 0
  const setAmount = (slip: number, part: PackedComponent, to: number): void => {
    components[slip * componentCount + getComponentIndex(part)] = to
  }
  const rowIndexes = [...memberKeys.keys()]
  const countMembersWith = (getValue: (slip: number) => number): number => {
    const sums = new Map<string, number>()
    for (const slip of rowIndexes)
      sums.set(memberKeys[slip] ?? '', (sums.get(memberKeys[slip] ?? '') ?? 0) + (getValue(slip) || 0))
    return [...sums.values()].filter((sum) => sum !== 0).length
  }
  const countMembers = (part: PackedComponent): number => countMembersWith((slip) => getAmount(slip, part))
  const isFew = (count: number): boolean => count > 0 && count < minGroupSize
  const move = (from: PackedComponent, into: PackedComponent): void => {
    hasMergedComponents = true
    for (const slip of rowIndexes) {
      const fen = getAmount(slip, from)
      if (Number.isNaN(fen)) continue
      setAmount(slip, into, getAmount(slip, into) + (from === 'absence' ? -fen : fen))
      setAmount(slip, from, 0)
    }
  }
  const applyRule = ({ into, from }: MergeRule): void => {
    for (const part of from) if (isFew(countMembers(part))) move(part, into)
    while (isFew(countMembers(into))) {
      const [next] = from.filter((part) => countMembers(part) > 0).toSorted((a, b) => countMembers(a) - countMembers(b))
      if (next === undefined) return
      move(next, into)
    }
  }
  const overwrite = (droppedComponents: readonly PackedComponent[], to: number): void => {
    hasMergedComponents = true
    for (const slip of rowIndexes) for (const part of droppedComponents) setAmount(slip, part, to)
  }
  /** What gross and net differ by beside what is named. */
  const getUnnamedAmount = (slip: number): number => {
    const [tax, between] = [getAmount(slip, 'tax'), getAmount(slip, 'gross') - getAmount(slip, 'net')]
    return (
      between - (getAmount(slip, 'social') + getAmount(slip, 'fund') + getAmount(slip, 'other') + (Number.isNaN(tax) ? 0 : tax))
    )
  }
  if (isFew(countMembersWith(getUnnamedAmount))) {
    hasMergedComponents = true
    for (const slip of rowIndexes) setAmount(slip, 'other', getAmount(slip, 'other') + (getUnnamedAmount(slip) || 0))
  }
  for (const side of [earningsRule, deductionsRule, employerRule]) applyRule(side)
  if (isFew(countMembers('employer_other'))) overwrite(['employer_other'], 0)
  // Where hardly anybody has anything taken off, what gross and net differ by is his: only one of both is told.
  if (isFew(countMembers('other'))) {
    overwrite(['other'], 0)
    overwrite(['net'], Number.NaN)
  }
  // And where hardly anybody is paid at all, neither.
  if (isFew(countMembers('rest')) || isFew(countMembers('gross'))) {
    overwrite(['rest', ...earningsRule.from], 0)
    overwrite(['gross'], Number.NaN)
  }
  if (isFew(countMembers('net'))) overwrite(['net'], Number.NaN)
  return { components: components, hasMergedComponents: hasMergedComponents }
}
