/**
 * In how many rows a formula holds: counted for formulas that people have set, as the recognition counts those it finds. And which one it is
 * after somebody has said what columns are for: what is a deduction now is taken off, as far as the rows agree.
 */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import type { WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { parseCellAmount, type RowCells } from '../../../rules/amounts.ts'
import { getRoundingTolerance } from '../../../rules/rounding.ts'
import { type Formula, isTrusted } from './check/amount-issues.ts'

type SumFormula = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }

/** As far as amounts are rounded. Null where the row says nothing: no net pay, or a cell that is no amount. */
export function checkFormula(cells: RowCells, { plus, minus, net }: SumFormula): boolean | null {
  const stated = parseCellAmount(cells[net])
  if (stated.fen === null) return null
  let sum = 0
  for (const [keys, sign] of [
    [plus, 1],
    [minus, -1],
  ] as const)
    for (const key of keys) {
      const { fen, error } = parseCellAmount(cells[key])
      if (error) return null
      sum += sign * (fen ?? 0)
    }
  return Math.abs(sum - stated.fen) <= getRoundingTolerance(plus.length + minus.length)
}

export function createFormulaCounter(formula: SumFormula): {
  add(cells: RowCells): void
  result(): { holds: number; of: number }
} {
  let holds = 0
  let of = 0
  return {
    add(cells) {
      const locked = checkFormula(cells, formula)
      if (locked === null) return
      of += 1
      if (locked) holds += 1
    },
    result: () => ({ holds, of }),
  }
}

type Column = { readonly key: string; readonly role: ColumnRole }
type SheetFormula = WageSheetInfo['formula']

const sideByRole: Partial<Record<ColumnRole, 'plus' | 'minus'>> = {
  earning: 'plus',
  gross: 'plus',
  deduction: 'minus',
  tax: 'minus',
}

/**
 * The sums to try, what was said first: of those that hold as often the first is taken. None where nothing that was said touches the sum.
 * What a person has written down keeps its columns; only their sides follow.
 */
export function getFormulaCandidates(formula: SheetFormula, before: readonly Column[], after: readonly Column[]): SumFormula[] {
  const net = after.find(({ role }) => role === 'net')?.key
  if (net === undefined) return []
  const previousRoles = new Map(before.map(({ key, role }) => [key, role]))
  const current = formula?.net === net ? formula : null
  const terms = new Set(current ? [...current.plus, ...current.minus] : [])
  const changed = after.filter(
    ({ key, role }) => previousRoles.get(key) !== role && (terms.has(key) || sideByRole[role] || role === 'net'),
  )
  const isUserDefined = current !== null && current.by !== 'found'
  const affected = isUserDefined ? changed.filter(({ key }) => terms.has(key)) : changed
  if (affected.length === 0) return []
  const sums = current ? [...moveTerms(current, affected), { plus: current.plus, minus: current.minus, net }] : []
  return [...sums, ...(isUserDefined ? [] : getDefaultFormulas(after, net))].filter(
    ({ plus, minus }) => plus.length + minus.length > 0,
  )
}

/** The columns where they were said to belong; a deduction that is written with its sign is added; out of the sum. */
function moveTerms(current: SumFormula, affected: readonly Column[]): SumFormula[] {
  const keys = new Set(affected.map(({ key }) => key))
  const rest = { plus: current.plus.filter((key) => !keys.has(key)), minus: current.minus.filter((key) => !keys.has(key)) }
  const getKeysOnSide = (targetSide: 'plus' | 'minus') =>
    affected.flatMap(({ key, role }) => (sideByRole[role] === targetSide ? [key] : []))
  const [earned, deducted] = [getKeysOnSide('plus'), getKeysOnSide('minus')]
  const { net } = current
  return [
    { plus: [...rest.plus, ...earned], minus: [...rest.minus, ...deducted], net },
    { plus: [...rest.plus, ...earned, ...deducted], minus: rest.minus, net },
    { ...rest, net },
  ]
}

/** The usual ways to the net pay, by what columns are for alone. */
function getDefaultFormulas(columns: readonly Column[], net: string): SumFormula[] {
  const getKeys = (...roles: ColumnRole[]) => columns.flatMap(({ key, role }) => (roles.includes(role) ? [key] : []))
  const deducted = getKeys('deduction', 'tax')
  const gross = getKeys('gross').slice(0, 1)
  return [
    { plus: getKeys('earning'), minus: deducted, net },
    { plus: gross, minus: deducted, net },
    { plus: [...getKeys('earning'), ...deducted], minus: [], net },
    // One column that is equal to another explains nothing.
  ].filter(({ plus, minus }) => plus.length > 0 && plus.length + minus.length > 1)
}

/**
 * The one of them that holds in the most rows. Where none is a rule of this sheet, what was known stays, as the check says in how many rows it
 * holds; what a person has written down is never another's guess.
 */
export function selectFormula(formula: SheetFormula, candidates: readonly Formula[]): SheetFormula {
  const best = candidates.reduce<Formula | null>((most, one) => (most && most.holds >= one.holds ? most : one), null)
  if (!best) return formula
  const by = formula?.net === best.net ? formula.by : 'found'
  if (by === 'found' && !isTrusted(best)) return formula
  return { ...best, plus: [...best.plus], minus: [...best.minus], by }
}

/** The same columns on the same sides, in whatever order. */
export const isSameFormula = (one: SumFormula | null, other: SumFormula | null): boolean =>
  toComparableFormula(one) === toComparableFormula(other)
const toComparableFormula = (sum: SumFormula | null) =>
  sum && JSON.stringify([sum.net, sum.plus.toSorted(), sum.minus.toSorted()])
