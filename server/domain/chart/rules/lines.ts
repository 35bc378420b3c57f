/** Slips of some months, added up: by month, department, person, part of pay and what somebody gets. Pure; amounts in integer fen. */

import type { PayPart } from '../../../contract/wage/chart.ts'
import { fen } from '../../../contract/words/money.ts'
import { type Bracket, joinedBrackets } from './groups.ts'
import { type PackedPart, packedParts, part_count, placeOfPart } from './packed.ts'

export type Branched = { readonly id: string; readonly name: string; readonly parent: number; readonly level: number }
export type SeenPerson = {
  readonly id: string
  readonly name: string
  readonly entry_on: string | null
  readonly left_on: string | null
  /** His place in the tree; −1: in no department. */
  readonly at: number
}
export type ChartView = {
  /** A parent before what is below it. */
  readonly tree: readonly Branched[]
  readonly people: readonly SeenPerson[]
  /** Groups of fewer people are not told apart; null where the slips may be opened. */
  readonly fewest: number | null
}
/** Slips of one pay run: places in `people` of the view (−1: nobody of it), and of each slip its parts in a row. */
type Bundle = { readonly people: Int32Array; readonly parts: Float64Array }
export type ToldMonth = {
  readonly bundles: Bundle[]
  /** What may be told apart, by place in the tree, the company at the end; null: everything. */
  told: readonly boolean[] | null
  /** By person, where he is counted in this month; absent: where he stands. */
  at?: Int32Array
  /** Changes of fewer than three people wait; what fewer than three of a group have is part of something else. */
  readonly isHeld?: boolean
  readonly isFolded?: boolean
}
export type Months = Map<string, ToldMonth>

/** The place in the tree where somebody is counted in a month; −1: in no department. */
export const placeOfPerson = ({ people }: Pick<ChartView, 'people'>, month: ToldMonth | undefined, person: number): number =>
  month?.at?.[person] ?? people[person]?.at ?? -1

/** Adds slips up. A figure that one of them lacks is none. */
export class PartSums {
  readonly #sums = new Float64Array(part_count)
  readonly people = new Set<number>()
  slips = 0
  add(person: number, parts: Float64Array, from: number): void {
    this.slips += 1
    this.people.add(person)
    for (let part = 0; part < part_count; part += 1) this.#sums[part] = (this.#sums[part] ?? 0) + (parts[from + part] ?? 0)
  }
  /** What others come to counts here as well. */
  join(other: PartSums): void {
    this.slips += other.slips
    for (const person of other.people) this.people.add(person)
    for (let part = 0; part < part_count; part += 1) this.#sums[part] = (this.#sums[part] ?? 0) + (other.#sums[part] ?? 0)
  }
  of(part: Exclude<PackedPart, 'gross' | 'net' | 'tax'>): number {
    return fen(this.#sums[placeOfPart(part)] ?? 0)
  }
  orNone(part: 'gross' | 'net' | 'tax'): number | null {
    const sum = this.#sums[placeOfPart(part)] ?? 0
    return this.slips === 0 || Number.isNaN(sum) ? null : fen(sum)
  }
  get sums() {
    const gross_fen = this.orNone('gross')
    const employer_fen = this.of('employer_social') + this.of('employer_fund') + this.of('employer_other')
    return {
      gross_fen,
      net_fen: this.orNone('net'),
      tax_fen: this.orNone('tax'),
      social_fen: this.of('social'),
      fund_fen: this.of('fund'),
      other_fen: this.of('other'),
      employer_fen,
      cost_fen: gross_fen === null ? null : gross_fen + employer_fen,
    }
  }
}

/** From a place upward to the highest, itself first. */
export function upFrom(tree: readonly Branched[], place: number): number[] {
  const line: number[] = []
  for (let at = place; at >= 0; at = tree[at]?.parent ?? -1) line.push(at)
  return line
}

/** For each place whether it is `place` or below it; the company holds everything. */
export function within(tree: readonly Branched[], place: number): boolean[] {
  const inside = tree.map(() => place < 0)
  tree.forEach(({ parent }, at) => {
    inside[at] = place < 0 || at === place || (parent >= 0 && inside[parent] === true)
  })
  return inside
}

type Take = (month: string, person: number, parts: Float64Array, from: number) => void
/** Every slip of the people of a department (−1: of the company) in the months in which it may be told apart. */
export function eachSlip(view: ChartView, months: Months, place: number, take: Take): void {
  const { tree, people } = view
  const inside = within(tree, place)
  for (const [month, one] of months) {
    const { bundles, told } = one
    if (told && !told[place < 0 ? tree.length : place]) continue
    for (const bundle of bundles)
      for (let at = 0; at < bundle.people.length; at += 1) {
        const person = bundle.people[at] ?? -1
        if (person < 0 || !people[person]) continue
        if (place >= 0 && inside[placeOfPerson(view, one, person)] !== true) continue
        take(month, person, bundle.parts, at * part_count)
      }
  }
}

function sumOf<K>(sums: Map<K, PartSums>, key: K): PartSums {
  let sum = sums.get(key)
  if (!sum) {
    sum = new PartSums()
    sums.set(key, sum)
  }
  return sum
}
/** The sums of what `keyOf` puts together. */
function summed<K>(given: readonly [ChartView, Months, number], keyOf: (month: string, person: number) => K): Map<K, PartSums> {
  const sums = new Map<K, PartSums>()
  eachSlip(...given, (month, person, parts, from) => sumOf(sums, keyOf(month, person)).add(person, parts, from))
  return sums
}

export const byMonth = (...given: [ChartView, Months, number]): Map<string, PartSums> => summed(given, (month) => month)
export const byPerson = (...given: [ChartView, Months, number]): Map<number, PartSums> => summed(given, (_, person) => person)
/** Some sums as one. */
export function together(sums: Iterable<PartSums>): PartSums {
  const all = new PartSums()
  for (const one of sums) all.join(one)
  return all
}
export const altogether = (...given: [ChartView, Months, number]): PartSums => together(byMonth(...given).values())

/** The departments directly below one (of a company with one highest department: below that); −1: everybody who is in none that is told apart. */
export function byDepartment(view: ChartView, months: Months, place: number): { places: number[]; sums: Map<number, PartSums> } {
  const { tree } = view
  const highest = [...tree.keys()].filter((at) => tree[at]?.parent === -1)
  const over = place < 0 && highest.length === 1 ? (highest[0] ?? -1) : place
  const places = [...tree.keys()].filter((at) => tree[at]?.parent === over)
  const among = new Set(places)
  const groupOf = tree.map((_, at) => upFrom(tree, at).find((one) => among.has(one)) ?? -1)
  const sums = summed([view, months, place], (month, person) => {
    const one = months.get(month)
    const group = groupOf[placeOfPerson(view, one, person)] ?? -1
    const told = one?.told
    return group >= 0 && told && !told[group] ? -1 : group
  })
  return { places, sums }
}

/** Every department with all below it, in the months in which it may be told apart. */
export function byEachDepartment(view: ChartView, months: Months, place: number): Map<number, PartSums> {
  const { tree } = view
  const inside = within(tree, place)
  const lines = tree.map((_, at) => upFrom(tree, at).filter((one) => inside[one]))
  const sums = new Map<number, PartSums>()
  eachSlip(view, months, place, (month, person, parts, from) => {
    const of = months.get(month)
    for (const one of lines[placeOfPerson(view, of, person)] ?? [])
      if (!of?.told || of.told[one]) sumOf(sums, one).add(person, parts, from)
  })
  return sums
}

/** The parts of pay in their order, without those that are nowhere. */
export function structureOf(sums: PartSums): { part: PayPart; sum_fen: number }[] {
  const tax = sums.orNone('tax')
  return structureParts.flatMap((part) => {
    const sum_fen = part === 'tax' ? tax : sums.of(part)
    return sum_fen === null || sum_fen === 0 ? [] : [{ part, sum_fen }]
  })
}
const structureParts = packedParts.filter((part) => part !== 'gross' && part !== 'net')

/** Bounds in yuan: what people ask each other about. */
const bounds = [3_000, 5_000, 8_000, 10_000, 15_000, 20_000, 30_000, 50_000, 100_000]
const [net_at, gross_at] = [placeOfPart('net'), placeOfPart('gross')]
/** What each person got in all, and in how many months; NaN where a slip of his does not say it. */
function netsOf(view: ChartView, months: Months, place: number) {
  const size = view.people.length
  const got = { nets: new Float64Array(size), grosses: new Float64Array(size), months: new Int32Array(size) }
  const last = new Int32Array(size).fill(-1)
  let [now, at] = ['', -1]
  eachSlip(view, months, place, (month, person, parts, from) => {
    if (month !== now) [now, at] = [month, at + 1]
    got.nets[person] = (got.nets[person] ?? 0) + (parts[from + net_at] ?? 0)
    got.grosses[person] = (got.grosses[person] ?? 0) + (parts[from + gross_at] ?? 0)
    if (last[person] === at) return
    last[person] = at
    got.months[person] = (got.months[person] ?? 0) + 1
  })
  return got
}
/** People by what they get in a month on average, from the first bracket that has some to the last. */
export function distributionOf(view: ChartView, months: Months, place: number): Bracket[] {
  const got = netsOf(view, months, place)
  const counts = [...bounds, null].map(() => 0)
  for (let person = 0; person < view.people.length; person += 1) {
    const net = got.nets[person] ?? Number.NaN
    const fenOf = Number.isNaN(net) ? (got.grosses[person] ?? Number.NaN) : net
    const times = got.months[person] ?? 0
    if (times === 0 || Number.isNaN(fenOf)) continue
    const average = fenOf / times / 100
    const found = bounds.findIndex((bound) => average < bound)
    const at = found < 0 ? bounds.length : found
    counts[at] = (counts[at] ?? 0) + 1
  }
  const inFen = (bound: number | undefined): number | null => (bound === undefined ? null : bound * 100)
  const all = counts.map((people, at): Bracket => ({ from: inFen(bounds[at - 1]), to: inFen(bounds[at]), people }))
  const some = all.slice(
    all.findIndex(({ people }) => people > 0),
    all.findLastIndex(({ people }) => people > 0) + 1,
  )
  return view.fewest === null ? some : joinedBrackets(all, view.fewest).filter(({ people }) => people > 0)
}

export type Heads = { readonly month: string; staff: number; joined: number; left: number }
/** Who is there at the end of each month, who came and who went in it: by the roster as it is. */
export function headsOf(
  { tree, people }: ChartView,
  place: number,
  months: readonly string[],
): { heads: Heads[]; no_entry: number } {
  const inside = within(tree, place)
  const here = people.filter(({ at }) => place < 0 || (at >= 0 && inside[at]))
  const heads = months.map((month): Heads => {
    const [in_month, gone] = [
      (day: string | null) => day?.startsWith(month) === true,
      (day: string | null) => day !== null && day.slice(0, 7) <= month,
    ]
    return {
      month,
      staff: here.filter(({ entry_on, left_on }) => (entry_on === null || entry_on.slice(0, 7) <= month) && !gone(left_on))
        .length,
      joined: here.filter(({ entry_on }) => in_month(entry_on)).length,
      left: here.filter(({ left_on }) => in_month(left_on)).length,
    }
  })
  return { heads, no_entry: here.filter(({ entry_on }) => entry_on === null).length }
}
