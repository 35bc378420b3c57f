/**
 * What only one or two of a group have is told as part of something else. Pure.
 *
 * The sum of a bonus that one person of twelve got is his bonus, and what all parts leave of gross is that of whoever has it. So of each group and month
 * every part that is told is one that at least three have, or nobody: others stand in `rest` (what is earned), `other` (what is taken) or `employer_other`,
 * and where these would be about fewer than three the part that fewest have joins them. Gross and net stay as they are.
 */
import { type PackedPart, part_count, placeOfPart } from './packed.ts'

type Side = { readonly into: PackedPart; readonly from: readonly PackedPart[] }
const earned: Side = { into: 'rest', from: ['bonus', 'allowance', 'overtime', 'absence', 'base'] }
const taken: Side = { into: 'other', from: ['tax', 'social', 'fund'] }
const beside: Side = { into: 'employer_other', from: ['employer_social', 'employer_fund'] }

/** Slips of one group: whose each is, and its parts in a row. */
type GroupSlips = { readonly people: readonly string[]; readonly parts: Float64Array }
export type Folded = { readonly parts: Float64Array; readonly isFolded: boolean }

/** Of somebody, part by part; NaN where one of his slips does not say it. */
export function sumsByPerson({ people, parts }: GroupSlips): Map<string, Float64Array> {
  const sums = new Map<string, Float64Array>()
  for (const [slip, person] of people.entries()) {
    const own = sums.get(person) ?? new Float64Array(part_count)
    for (let part = 0; part < part_count; part += 1) own[part] = (own[part] ?? 0) + (parts[slip * part_count + part] ?? 0)
    sums.set(person, own)
  }
  return sums
}

/** How the parts of a group's slips are told. */
export function foldedParts({ people, parts: given }: GroupSlips, fewest: number): Folded {
  const parts = given.slice()
  let isFolded = false
  const at = (slip: number, part: PackedPart): number => parts[slip * part_count + placeOfPart(part)] ?? 0
  const put = (slip: number, part: PackedPart, to: number): void => {
    parts[slip * part_count + placeOfPart(part)] = to
  }
  const slips = [...people.keys()]
  const holdersOf = (of: (slip: number) => number): number => {
    const sums = new Map<string, number>()
    for (const slip of slips) sums.set(people[slip] ?? '', (sums.get(people[slip] ?? '') ?? 0) + (of(slip) || 0))
    return [...sums.values()].filter((sum) => sum !== 0).length
  }
  const holders = (part: PackedPart): number => holdersOf((slip) => at(slip, part))
  const isFew = (count: number): boolean => count > 0 && count < fewest
  const move = (from: PackedPart, into: PackedPart): void => {
    isFolded = true
    for (const slip of slips) {
      const fen = at(slip, from)
      if (Number.isNaN(fen)) continue
      put(slip, into, at(slip, into) + (from === 'absence' ? -fen : fen))
      put(slip, from, 0)
    }
  }
  const gather = ({ into, from }: Side): void => {
    for (const part of from) if (isFew(holders(part))) move(part, into)
    while (isFew(holders(into))) {
      const [next] = from.filter((part) => holders(part) > 0).toSorted((a, b) => holders(a) - holders(b))
      if (next === undefined) return
      move(next, into)
    }
  }
  const drop = (of: readonly PackedPart[], to: number): void => {
    isFolded = true
    for (const slip of slips) for (const part of of) put(slip, part, to)
  }
  /** What gross and net differ by beside what is named. */
  const unnamed = (slip: number): number => {
    const [tax, between] = [at(slip, 'tax'), at(slip, 'gross') - at(slip, 'net')]
    return between - (at(slip, 'social') + at(slip, 'fund') + at(slip, 'other') + (Number.isNaN(tax) ? 0 : tax))
  }
  if (isFew(holdersOf(unnamed))) {
    isFolded = true
    for (const slip of slips) put(slip, 'other', at(slip, 'other') + (unnamed(slip) || 0))
  }
  for (const side of [earned, taken, beside]) gather(side)
  if (isFew(holders('employer_other'))) drop(['employer_other'], 0)
  // Where hardly anybody has anything taken off, what gross and net differ by is his: only one of both is told.
  if (isFew(holders('other'))) {
    drop(['other'], 0)
    drop(['net'], Number.NaN)
  }
  // And where hardly anybody is paid at all, neither.
  if (isFew(holders('rest')) || isFew(holders('gross'))) {
    drop(['rest', ...earned.from], 0)
    drop(['gross'], Number.NaN)
  }
  if (isFew(holders('net'))) drop(['net'], Number.NaN)
  return { parts, isFolded }
}
