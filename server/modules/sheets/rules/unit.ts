/**
 * Handles wage sheets with amounts in thousands or ten thousands of yuan. A cell keeps the displayed text; its fen are
 * parsed from that text with the decimal point moved digit by digit, so that the unit can be changed and reverted
 * without rounding.
 */

import { formatFen } from '../../../contract/shared/money.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { isIgnored, moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import { isAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { decimalToFen, parseDecimal } from '../../../rules/decimal.ts'
import { isPercent } from '../../../spreadsheets/rules.ts'

/** Power of ten by which amounts are multiplied. */
export type UnitPower = 0 | 3 | 4
const powerByAnswer: Record<string, UnitPower> = { thousand: 3, wan: 4 }

/** Power of ten for each amount column, by column key. */
export type UnitPowers = ReadonlyMap<string, UnitPower>

type AmountColumn = { readonly key: string; readonly role: ColumnRole; readonly kind: string }

/** Whether the cells of a column are amounts. */
const isAmountColumn = ({ role, kind }: AmountColumn): boolean => moneyRoles.has(role) || (kind === 'money' && !isIgnored(role))

/**
 * Returns the unit that was answered, or suggested until then: for the column itself, otherwise for the whole wage
 * sheet.
 */
export function getUnitPowers(columns: readonly AmountColumn[], questions: readonly Question[]): UnitPowers {
  const answeredPowers = new Map(
    questions.flatMap(({ kind, key, answer, suggested }) =>
      kind === 'unit' ? [[key, powerByAnswer[answer ?? suggested] ?? 0] as const] : [],
    ),
  )
  return new Map(
    columns.flatMap((column) =>
      isAmountColumn(column) ? [[column.key, answeredPowers.get(column.key) ?? answeredPowers.get(null) ?? 0] as const] : [],
    ),
  )
}

/** Whether any column is in thousands or ten thousands. */
export const isScaled = (all: UnitPowers): boolean => [...all.values()].some((power) => power > 0)

/** Parses a text in this unit to fen; null where it is no amount. */
export function parseFenInUnit(text: string, power: UnitPower): number | null {
  const decimal = parseDecimal(text)
  const fen = decimal === null ? null : decimalToFen(shiftDecimalPoint(decimal, power))
  return isAmount(fen) ? fen : null
}

/** Moves the decimal point: `0.8512` by four → `8512`. */
export function shiftDecimalPoint(decimal: string, by: number): string {
  const sign = decimal.startsWith('-') ? '-' : ''
  const [integerDigits = '', fraction = ''] = decimal.slice(sign.length).split('.')
  const digits = by < 0 ? integerDigits.padStart(1 - by, '0') + fraction : integerDigits + fraction.padEnd(by, '0')
  const point = by < 0 ? digits.length - fraction.length + by : integerDigits.length + by
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  const right = digits.slice(point).replace(/0+$/, '')
  return sign + left + (right ? `.${right}` : '')
}

/** Applies the unit of each column to the cells of a row. */
export function applyUnitPowers(cells: RowCells, all: UnitPowers): RowCells {
  const next: Record<string, RowCell> = {}
  for (const key in cells) {
    const cell = cells[key]
    const power = all.get(key)
    if (cell) next[key] = power === undefined ? cell : convertCell(cell, power)
  }
  return next
}

function convertCell(cell: RowCell, power: UnitPower): RowCell {
  const { value, kind } = cell
  if (kind === 'error' || kind === 'date' || cell.flaw === 'uncached' || isPercent(value) || parseDecimal(value) === null)
    return cell
  const fen = parseFenInUnit(value, power)
  // An amount too large to represent must block the row and never be paid unscaled.
  return fen === null ? { value, kind, flaw: 'damaged' } : { value, kind: 'money', fen }
}

/** Converts an amount entered in yuan to the unit of the wage sheet. */
export function toSheetUnit(cell: RowCell, power: UnitPower): RowCell {
  const decimal = power === 0 || cell.fen === undefined ? null : parseDecimal(cell.value)
  return decimal === null ? cell : { ...cell, value: shiftDecimalPoint(decimal, -power) }
}

/** Converts amounts to yuan for employees, whatever the unit of the wage sheet. */
export function toYuanCells(cells: RowCells, all: UnitPowers): RowCells {
  if (!isScaled(all)) return cells
  const next: Record<string, RowCell> = {}
  for (const key in cells) {
    const cell = cells[key]
    const isBig = (all.get(key) ?? 0) > 0
    if (cell)
      next[key] = isBig && cell.kind === 'money' && cell.fen !== undefined ? { ...cell, value: formatFen(cell.fen) } : cell
  }
  return next
}
