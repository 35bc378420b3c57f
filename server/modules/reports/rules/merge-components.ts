/**
 * Merges components that only one or two members of a group have into another component. Pure.
 *
 * The total of a bonus that only one of twelve members received is that member's bonus, and the part of gross that no
 * component explains is the pay of those who have it. So in each group and month every published component belongs to
 * at least three members or to nobody. Smaller ones are merged into `rest` (earnings), `other` (deductions) or
 * `employer_other`; where these would cover fewer than three members, the component with the fewest members is merged
 * too. Gross and net are unchanged.
 */
import { componentCount, getComponentIndex, type PackedComponent } from './packed-components.ts'

type MergeRule = { readonly into: PackedComponent; readonly from: readonly PackedComponent[] }
const earningsRule: MergeRule = { into: 'rest', from: ['bonus', 'allowance', 'overtime', 'absence', 'base'] }
const deductionsRule: MergeRule = { into: 'other', from: ['tax', 'social', 'fund'] }
const employerRule: MergeRule = { into: 'employer_other', from: ['employer_social', 'employer_fund'] }

/** Payslips of one group: the member of each, and all components in one flat array. */
type GroupComponents = { readonly memberKeys: readonly string[]; readonly components: Float64Array }
export type MergedComponents = { readonly components: Float64Array; readonly hasMergedComponents: boolean }

/** Sums the components of each member; NaN where one of their payslips has no value. */
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

/** Returns the components of a group's payslips as they are published. */
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
  /** Returns the part of the difference between gross and net that no component explains. */
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
  // Where fewer than three members have deductions, the difference between gross and net would be theirs: only one of
  // the two is published.
  if (isFew(countMembers('other'))) {
    overwrite(['other'], 0)
    overwrite(['net'], Number.NaN)
  }
  // Where fewer than three members are paid at all, neither is published.
  if (isFew(countMembers('rest')) || isFew(countMembers('gross'))) {
    overwrite(['rest', ...earningsRule.from], 0)
    overwrite(['gross'], Number.NaN)
  }
  if (isFew(countMembers('net'))) overwrite(['net'], Number.NaN)
  return { components, hasMergedComponents }
}
