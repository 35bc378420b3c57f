/** Totals of payslips over months: by month, department, member, component and pay bracket. Pure; amounts in integer fen. */

import type { PayComponent } from '../../../contract/reports/charts.ts'
import { toFen } from '../../../contract/shared/money.ts'
import { componentCount, getComponentIndex, type PackedComponent, packedComponents } from './packed-components.ts'
import { mergeSmallBrackets, type PayBracket } from './visible-departments.ts'

export type TreeDepartment = { readonly id: string; readonly name: string; readonly parent: number; readonly level: number }
export type ChartMember = {
  readonly id: string
  readonly name: string
  readonly entry_on: string | null
  readonly left_on: string | null
  /** Index in the department tree; −1 means no department. */
  readonly departmentIndex: number
}
export type ChartView = {
  /** Parents come before their children. */
  readonly tree: readonly TreeDepartment[]
  readonly members: readonly ChartMember[]
  /** Groups with fewer members are not shown separately; null where the user may open the payslips. */
  readonly minGroupSize: number | null
}
/** Payslips of one batch: indexes into `members` of the view (−1: not in it), and all their components in one flat array. */
type PayslipBundle = { readonly memberIndexes: Int32Array; readonly components: Float64Array }
export type ChartMonth = {
  readonly bundles: PayslipBundle[]
  /** Whether each department of the tree may be shown separately, with the company as the last entry; null: everything. */
  visible: readonly boolean[] | null
  /** Department in which each member is counted in this month; if absent, their current department. */
  departmentIndexes?: Int32Array
  /**
   * `isSuppressed` means that changes of fewer than three members are held back. `hasMergedComponents` means that
   * components that fewer than three members of a group have are merged into others.
   */
  readonly isSuppressed?: boolean
  readonly hasMergedComponents?: boolean
}
export type ChartMonths = Map<string, ChartMonth>

/** Returns the index of the department in which a member is counted in a month; −1: no department. */
export const getDepartmentIndex = (
  { members }: Pick<ChartView, 'members'>,
  month: ChartMonth | undefined,
  memberIndex: number,
): number => month?.departmentIndexes?.[memberIndex] ?? members[memberIndex]?.departmentIndex ?? -1

/** Sums payslips. If one payslip lacks an amount, that total is missing. */
export class ComponentTotals {
  readonly #totals = new Float64Array(componentCount)
  readonly members = new Set<number>()
  payslipCount = 0
  add(person: number, sections: Float64Array, from: number): void {
    this.payslipCount += 1
    this.members.add(person)
    for (let part = 0; part < componentCount; part += 1)
      this.#totals[part] = (this.#totals[part] ?? 0) + (sections[from + part] ?? 0)
  }
  /** Adds the totals of another instance. */
  merge(other: ComponentTotals): void {
    this.payslipCount += other.payslipCount
    for (const person of other.members) this.members.add(person)
    for (let part = 0; part < componentCount; part += 1)
      this.#totals[part] = (this.#totals[part] ?? 0) + (other.#totals[part] ?? 0)
  }
  get(part: Exclude<PackedComponent, 'gross' | 'net' | 'tax'>): number {
    return toFen(this.#totals[getComponentIndex(part)] ?? 0)
  }
  getOrNull(part: 'gross' | 'net' | 'tax'): number | null {
    const sum = this.#totals[getComponentIndex(part)] ?? 0
    return this.payslipCount === 0 || Number.isNaN(sum) ? null : toFen(sum)
  }
  get totals() {
    const gross_fen = this.getOrNull('gross')
    const employer_fen = this.get('employer_social') + this.get('employer_fund') + this.get('employer_other')
    return {
      gross_fen,
      net_fen: this.getOrNull('net'),
      tax_fen: this.getOrNull('tax'),
      social_fen: this.get('social'),
      fund_fen: this.get('fund'),
      other_fen: this.get('other'),
      employer_fen,
      cost_fen: gross_fen === null ? null : gross_fen + employer_fen,
    }
  }
}

/** Returns the department and its ancestors up to the root. */
export function getAncestorIndexes(tree: readonly TreeDepartment[], index: number): number[] {
  const ancestors: number[] = []
  for (let at = index; at >= 0; at = tree[at]?.parent ?? -1) ancestors.push(at)
  return ancestors
}

/** Marks each department that is `departmentIndex` or below it; the company (−1) contains all. */
export function markSubtree(tree: readonly TreeDepartment[], departmentIndex: number): boolean[] {
  const isInside = tree.map(() => departmentIndex < 0)
  tree.forEach(({ parent }, at) => {
    isInside[at] = departmentIndex < 0 || at === departmentIndex || (parent >= 0 && isInside[parent] === true)
  })
  return isInside
}

type PayslipCallback = (month: string, person: number, parts: Float64Array, from: number) => void
/** Visits every payslip of the members of a department (−1: of the company) in the months in which it may be shown separately. */
export function forEachPayslip(
  view: ChartView,
  months: ChartMonths,
  departmentIndex: number,
  handlePayslip: PayslipCallback,
): void {
  const { tree, members } = view
  const isInside = markSubtree(tree, departmentIndex)
  for (const [month, one] of months) {
    const { bundles, visible } = one
    if (visible && !visible[departmentIndex < 0 ? tree.length : departmentIndex]) continue
    for (const bundle of bundles)
      for (let at = 0; at < bundle.memberIndexes.length; at += 1) {
        const memberIndex = bundle.memberIndexes[at] ?? -1
        if (memberIndex < 0 || !members[memberIndex]) continue
        if (departmentIndex >= 0 && isInside[getDepartmentIndex(view, one, memberIndex)] !== true) continue
        handlePayslip(month, memberIndex, bundle.components, at * componentCount)
      }
  }
}

function getOrCreateTotals<K>(sums: Map<K, ComponentTotals>, key: K): ComponentTotals {
  let sum = sums.get(key)
  if (!sum) {
    sum = new ComponentTotals()
    sums.set(key, sum)
  }
  return sum
}
/** Sums payslips grouped by the result of `getKey`. */
function sumBy<K>(
  sumArguments: readonly [ChartView, ChartMonths, number],
  getKey: (month: string, person: number) => K,
): Map<K, ComponentTotals> {
  const sums = new Map<K, ComponentTotals>()
  forEachPayslip(...sumArguments, (month, memberIndex, components, offset) =>
    getOrCreateTotals(sums, getKey(month, memberIndex)).add(memberIndex, components, offset),
  )
  return sums
}

export const sumByMonth = (...sumArguments: [ChartView, ChartMonths, number]): Map<string, ComponentTotals> =>
  sumBy(sumArguments, (month) => month)
export const sumByMember = (...sumArguments: [ChartView, ChartMonths, number]): Map<number, ComponentTotals> =>
  sumBy(sumArguments, (_, memberIndex) => memberIndex)
export function mergeTotals(sums: Iterable<ComponentTotals>): ComponentTotals {
  const all = new ComponentTotals()
  for (const one of sums) all.merge(one)
  return all
}
export const sumAll = (...sumArguments: [ChartView, ChartMonths, number]): ComponentTotals =>
  mergeTotals(sumByMonth(...sumArguments).values())

/**
 * Sums by the direct child departments (for a company with a single root department: the children of that root); −1
 * stands for members who are in no department that is shown separately.
 */
export function sumByDepartment(
  view: ChartView,
  months: ChartMonths,
  departmentIndex: number,
): { places: number[]; sums: Map<number, ComponentTotals> } {
  const { tree } = view
  const rootIndexes = [...tree.keys()].filter((at) => tree[at]?.parent === -1)
  const parentIndex = departmentIndex < 0 && rootIndexes.length === 1 ? (rootIndexes[0] ?? -1) : departmentIndex
  const departmentIndexes = [...tree.keys()].filter((at) => tree[at]?.parent === parentIndex)
  const groupIndexes = new Set(departmentIndexes)
  const groupByIndex = tree.map((_, at) => getAncestorIndexes(tree, at).find((one) => groupIndexes.has(one)) ?? -1)
  const sums = sumBy([view, months, departmentIndex], (month, memberIndex) => {
    const one = months.get(month)
    const group = groupByIndex[getDepartmentIndex(view, one, memberIndex)] ?? -1
    const visible = one?.visible
    return group >= 0 && visible && !visible[group] ? -1 : group
  })
  return { places: departmentIndexes, sums }
}

/** Sums every department with all its descendants, in the months in which it may be shown separately. */
export function sumByDepartmentSubtree(
  view: ChartView,
  months: ChartMonths,
  departmentIndex: number,
): Map<number, ComponentTotals> {
  const { tree } = view
  const isInside = markSubtree(tree, departmentIndex)
  const ancestorLists = tree.map((_, at) => getAncestorIndexes(tree, at).filter((one) => isInside[one]))
  const sums = new Map<number, ComponentTotals>()
  forEachPayslip(view, months, departmentIndex, (month, memberIndex, components, offset) => {
    const chartMonth = months.get(month)
    for (const one of ancestorLists[getDepartmentIndex(view, chartMonth, memberIndex)] ?? [])
      if (!chartMonth?.visible || chartMonth.visible[one]) getOrCreateTotals(sums, one).add(memberIndex, components, offset)
  })
  return sums
}

/** Returns the pay components in their fixed order, without those that no payslip has. */
export function getPayStructure(sums: ComponentTotals): { component: PayComponent; sum_fen: number }[] {
  const tax = sums.getOrNull('tax')
  return structureComponents.flatMap((part) => {
    const sum_fen = part === 'tax' ? tax : sums.get(part)
    return sum_fen === null || sum_fen === 0 ? [] : [{ component: part, sum_fen }]
  })
}
const structureComponents = packedComponents.filter((part) => part !== 'gross' && part !== 'net')

/** Bracket bounds in yuan, at customary salary levels. */
const bracketBoundsYuan = [3_000, 5_000, 8_000, 10_000, 15_000, 20_000, 30_000, 50_000, 100_000]
const [netIndex, grossIndex] = [getComponentIndex('net'), getComponentIndex('gross')]
/** Sums the pay of each member and counts their months; NaN where one of their payslips has no value. */
function sumMemberPay(view: ChartView, months: ChartMonths, departmentIndex: number) {
  const size = view.members.length
  const memberPay = { nets: new Float64Array(size), grosses: new Float64Array(size), months: new Int32Array(size) }
  const last = new Int32Array(size).fill(-1)
  let [now, at] = ['', -1]
  forEachPayslip(view, months, departmentIndex, (month, memberIndex, components, offset) => {
    if (month !== now) [now, at] = [month, at + 1]
    memberPay.nets[memberIndex] = (memberPay.nets[memberIndex] ?? 0) + (components[offset + netIndex] ?? 0)
    memberPay.grosses[memberIndex] = (memberPay.grosses[memberIndex] ?? 0) + (components[offset + grossIndex] ?? 0)
    if (last[memberIndex] === at) return
    last[memberIndex] = at
    memberPay.months[memberIndex] = (memberPay.months[memberIndex] ?? 0) + 1
  })
  return memberPay
}
/** Counts members by average monthly pay, from the first to the last bracket that is not empty. */
export function getPayDistribution(view: ChartView, months: ChartMonths, departmentIndex: number): PayBracket[] {
  const memberPay = sumMemberPay(view, months, departmentIndex)
  const counts = [...bracketBoundsYuan, null].map(() => 0)
  for (let memberIndex = 0; memberIndex < view.members.length; memberIndex += 1) {
    const net = memberPay.nets[memberIndex] ?? Number.NaN
    const totalFen = Number.isNaN(net) ? (memberPay.grosses[memberIndex] ?? Number.NaN) : net
    const monthCount = memberPay.months[memberIndex] ?? 0
    if (monthCount === 0 || Number.isNaN(totalFen)) continue
    const average = totalFen / monthCount / 100
    const bracketIndex = bracketBoundsYuan.findIndex((bound) => average < bound)
    const at = bracketIndex < 0 ? bracketBoundsYuan.length : bracketIndex
    counts[at] = (counts[at] ?? 0) + 1
  }
  const inFen = (bound: number | undefined): number | null => (bound === undefined ? null : bound * 100)
  const all = counts.map(
    (people, at): PayBracket => ({ from: inFen(bracketBoundsYuan[at - 1]), to: inFen(bracketBoundsYuan[at]), people }),
  )
  const nonEmpty = all.slice(
    all.findIndex(({ people }) => people > 0),
    all.findLastIndex(({ people }) => people > 0) + 1,
  )
  return view.minGroupSize === null ? nonEmpty : mergeSmallBrackets(all, view.minGroupSize).filter(({ people }) => people > 0)
}

export type Headcount = { readonly month: string; staff: number; joined: number; terminated: number }
/** Returns the headcount at the end of each month, the joiners and the leavers, according to the current roster. */
export function getHeadcount(
  { tree, members: people }: ChartView,
  departmentIndex: number,
  months: readonly string[],
): { heads: Headcount[]; no_entry: number } {
  const isInside = markSubtree(tree, departmentIndex)
  const members = people.filter(({ departmentIndex: at }) => departmentIndex < 0 || (at >= 0 && isInside[at]))
  const heads = months.map((month): Headcount => {
    const [isInMonth, hasLeftBy] = [
      (day: string | null) => day?.startsWith(month) === true,
      (day: string | null) => day !== null && day.slice(0, 7) <= month,
    ]
    return {
      month,
      staff: members.filter(
        ({ entry_on, left_on }) => (entry_on === null || entry_on.slice(0, 7) <= month) && !hasLeftBy(left_on),
      ).length,
      joined: members.filter(({ entry_on }) => isInMonth(entry_on)).length,
      terminated: members.filter(({ left_on }) => isInMonth(left_on)).length,
    }
  })
  return { heads, no_entry: members.filter(({ entry_on }) => entry_on === null).length }
}
