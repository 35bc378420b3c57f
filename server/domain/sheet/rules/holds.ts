/**
 * In how many rows a formula holds: counted for formulas that people have set, as the recognition counts those it finds. And which one it is
 * after somebody has said what columns are for: what is a deduction now is taken off, as far as the rows agree.
 */
import type { SheetInfo } from '../../../contract/sheet/sheet.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { amountOf, type RowCells } from '../../../rules/amounts.ts'
import { roundingAllowance } from '../../../rules/rounding.ts'
import { type Formula, isTrusted } from './check/problems-amounts.ts'

type Sum = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }

/** As far as amounts are rounded. Null where the row says nothing: no net pay, or a cell that is no amount. */
export function holdsIn(cells: RowCells, { plus, minus, net }: Sum): boolean | null {
  const stated = amountOf(cells[net])
  if (stated.fen === null) return null
  let sum = 0
  for (const [keys, sign] of [
    [plus, 1],
    [minus, -1],
  ] as const)
    for (const key of keys) {
      const { fen, flaw } = amountOf(cells[key])
      if (flaw) return null
      sum += sign * (fen ?? 0)
    }
  return Math.abs(sum - stated.fen) <= roundingAllowance(plus.length + minus.length)
}

export function counting(formula: Sum): { add(cells: RowCells): void; result(): { holds: number; of: number } } {
  let holds = 0
  let of = 0
  return {
    add(cells) {
      const held = holdsIn(cells, formula)
      if (held === null) return
      of += 1
      if (held) holds += 1
    },
    result: () => ({ holds, of }),
  }
}

type Column = { readonly key: string; readonly role: ColumnRole }
type Known = SheetInfo['formula']

const side: Partial<Record<ColumnRole, 'plus' | 'minus'>> = {
  earning: 'plus',
  gross: 'plus',
  deduction: 'minus',
  tax: 'minus',
}

/**
 * The sums to try, what was said first: of those that hold as often the first is taken. None where nothing that was said touches the sum.
 * What a person has written down keeps its columns; only their sides follow.
 */
export function refits(formula: Known, before: readonly Column[], after: readonly Column[]): Sum[] {
  const net = after.find(({ role }) => role === 'net')?.key
  if (net === undefined) return []
  const was = new Map(before.map(({ key, role }) => [key, role]))
  const kept = formula?.net === net ? formula : null
  const terms = new Set(kept ? [...kept.plus, ...kept.minus] : [])
  const changed = after.filter(({ key, role }) => was.get(key) !== role && (terms.has(key) || side[role] || role === 'net'))
  const own = kept !== null && kept.by !== 'found'
  const meant = own ? changed.filter(({ key }) => terms.has(key)) : changed
  if (meant.length === 0) return []
  const sums = kept ? [...moved(kept, meant), { plus: kept.plus, minus: kept.minus, net }] : []
  return [...sums, ...(own ? [] : plain(after, net))].filter(({ plus, minus }) => plus.length + minus.length > 0)
}

/** The columns where they were said to belong; a deduction that is written with its sign is added; out of the sum. */
function moved(kept: Sum, meant: readonly Column[]): Sum[] {
  const keys = new Set(meant.map(({ key }) => key))
  const rest = { plus: kept.plus.filter((key) => !keys.has(key)), minus: kept.minus.filter((key) => !keys.has(key)) }
  const on = (wanted: 'plus' | 'minus') => meant.flatMap(({ key, role }) => (side[role] === wanted ? [key] : []))
  const [earned, taken] = [on('plus'), on('minus')]
  const { net } = kept
  return [
    { plus: [...rest.plus, ...earned], minus: [...rest.minus, ...taken], net },
    { plus: [...rest.plus, ...earned, ...taken], minus: rest.minus, net },
    { ...rest, net },
  ]
}

/** The usual ways to the net pay, by what columns are for alone. */
function plain(columns: readonly Column[], net: string): Sum[] {
  const of = (...roles: ColumnRole[]) => columns.flatMap(({ key, role }) => (roles.includes(role) ? [key] : []))
  const taken = of('deduction', 'tax')
  const gross = of('gross').slice(0, 1)
  return [
    { plus: of('earning'), minus: taken, net },
    { plus: gross, minus: taken, net },
    { plus: [...of('earning'), ...taken], minus: [], net },
    // One column that is equal to another explains nothing.
  ].filter(({ plus, minus }) => plus.length > 0 && plus.length + minus.length > 1)
}

/**
 * The one of them that holds in the most rows. Where none is a rule of this sheet, what was known stays, as the check says in how many rows it
 * holds; what a person has written down is never another's guess.
 */
export function refitted(formula: Known, counted: readonly Formula[]): Known {
  const best = counted.reduce<Formula | null>((most, one) => (most && most.holds >= one.holds ? most : one), null)
  if (!best) return formula
  const by = formula?.net === best.net ? formula.by : 'found'
  if (by === 'found' && !isTrusted(best)) return formula
  return { ...best, plus: [...best.plus], minus: [...best.minus], by }
}

/** The same columns on the same sides, in whatever order. */
export const isSameSum = (one: Sum | null, other: Sum | null): boolean => said(one) === said(other)
const said = (sum: Sum | null) => sum && JSON.stringify([sum.net, sum.plus.toSorted(), sum.minus.toSorted()])
