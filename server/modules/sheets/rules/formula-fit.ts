/**
 * Counts in how many rows a formula holds, for formulas set by users as recognition does for those it finds. Also
 * adapts the formula after column roles have changed: a column that is now a deduction is subtracted, as far as the
 * rows agree.
 */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { isDeductionOrTax, isEarning, isGross, isNet } from '../../../contract/sheets/column-roles.ts'
import type { WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { parseCellAmount, type RowCells } from '../../../rules/amounts.ts'
import { getRoundingTolerance } from '../../../rules/rounding.ts'
import { type Formula, isTrusted } from './check/amount-issues.ts'

type SumFormula = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }

/** Checks the formula within rounding. Returns null where the row has no net pay or a cell that is no amount. */
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
const selectKeys = (columns: readonly Column[], matches: (role: ColumnRole) => boolean): string[] =>
  columns.flatMap(({ key, role }) => (matches(role) ? [key] : []))
type SheetFormula = WageSheetInfo['formula']

/** Gross pay is added like the earnings that it sums up. */
const isAdded = (role: ColumnRole): boolean => isEarning(role) || isGross(role)

/**
 * Returns the formulas to try, those closest to the answer first; of equally good ones the first is used. Returns none
 * where the changed columns are not in the formula. A formula entered by the user keeps its columns; only their signs
 * change.
 */
export function getFormulaCandidates(formula: SheetFormula, before: readonly Column[], after: readonly Column[]): SumFormula[] {
  const net = after.find(({ role }) => isNet(role))?.key
  if (net === undefined) return []
  const previousRoles = new Map(before.map(({ key, role }) => [key, role]))
  const current = formula?.net === net ? formula : null
  const terms = new Set(current ? [...current.plus, ...current.minus] : [])
  const changed = after.filter(
    ({ key, role }) =>
      previousRoles.get(key) !== role && (terms.has(key) || isAdded(role) || isDeductionOrTax(role) || isNet(role)),
  )
  const isUserDefined = current !== null && current.by !== 'found'
  const affected = isUserDefined ? changed.filter(({ key }) => terms.has(key)) : changed
  if (affected.length === 0) return []
  const sums = current ? [...moveTerms(current, affected), { plus: current.plus, minus: current.minus, net }] : []
  return [...sums, ...(isUserDefined ? [] : getDefaultFormulas(after, net))].filter(
    ({ plus, minus }) => plus.length + minus.length > 0,
  )
}

/**
 * Returns the formula with the affected columns on the side of their role, with a deduction that is written with its
 * sign added, and without them.
 */
function moveTerms(current: SumFormula, affected: readonly Column[]): SumFormula[] {
  const keys = new Set(affected.map(({ key }) => key))
  const rest = { plus: current.plus.filter((key) => !keys.has(key)), minus: current.minus.filter((key) => !keys.has(key)) }
  const [earned, deducted] = [selectKeys(affected, isAdded), selectKeys(affected, isDeductionOrTax)]
  const { net } = current
  return [
    { plus: [...rest.plus, ...earned], minus: [...rest.minus, ...deducted], net },
    { plus: [...rest.plus, ...earned, ...deducted], minus: rest.minus, net },
    { ...rest, net },
  ]
}

/** Returns the usual formulas for net pay, by column roles alone. */
function getDefaultFormulas(columns: readonly Column[], net: string): SumFormula[] {
  const earned = selectKeys(columns, isEarning)
  const deducted = selectKeys(columns, isDeductionOrTax)
  const gross = selectKeys(columns, isGross).slice(0, 1)
  return [
    { plus: earned, minus: deducted, net },
    { plus: gross, minus: deducted, net },
    { plus: [...earned, ...deducted], minus: [], net },
    // A column that merely equals another one explains nothing.
  ].filter(({ plus, minus }) => plus.length > 0 && plus.length + minus.length > 1)
}

/**
 * Selects the candidate that holds in most rows. If none can be trusted, the known formula is kept, because the check
 * reports in how many rows it holds; a formula entered by the user is never replaced by a guess.
 */
export function selectFormula(formula: SheetFormula, candidates: readonly Formula[]): SheetFormula {
  const best = candidates.reduce<Formula | null>((most, one) => (most && most.holds >= one.holds ? most : one), null)
  if (!best) return formula
  const by = formula?.net === best.net ? formula.by : 'found'
  if (by === 'found' && !isTrusted(best)) return formula
  return { ...best, plus: [...best.plus], minus: [...best.minus], by }
}

/** Whether two formulas have the same columns on the same sides, in any order. */
export const isSameFormula = (one: SumFormula | null, other: SumFormula | null): boolean =>
  toComparableFormula(one) === toComparableFormula(other)
const toComparableFormula = (sum: SumFormula | null) =>
  sum && JSON.stringify([sum.net, sum.plus.toSorted(), sum.minus.toSorted()])
