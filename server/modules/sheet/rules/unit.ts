/**
 * Sheets that count in thousands or ten thousands of yuan. A cell keeps the text that the sheet shows; its fen are read from that text
 * with the point moved, sign by sign, so that the unit can be changed and changed back and nothing is rounded on the way.
 */

import { formatFen } from '../../../contract/shared/money.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import { isAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { decimalToFen, parseDecimal } from '../../../rules/decimal.ts'
import { isPercent } from '../../../spreadsheets/rules.ts'

/** Tens by which every amount is multiplied. */
export type UnitPower = 0 | 3 | 4
const powerByAnswer: Record<string, UnitPower> = { thousand: 3, wan: 4 }

/** Tens by which the amounts of each column are multiplied, by column key; of columns whose cells are no amounts there is none. */
export type UnitPowers = ReadonlyMap<string, UnitPower>

type AmountColumn = { readonly key: string; readonly role: ColumnRole; readonly kind: string }

/** Columns whose cells are amounts. */
const isAmountColumn = ({ role, kind }: AmountColumn): boolean => moneyRoles.has(role) || (kind === 'money' && role !== 'ignore')

/** What was answered, and until then what was suggested: of the column itself, else of the whole sheet. */
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

/** Whether any column counts in thousands or ten thousands. */
export const isScaled = (all: UnitPowers): boolean => [...all.values()].some((power) => power > 0)

/** The fen of a text that is counted in tens of so many yuan; null where it is no amount. */
export function parseFenInUnit(text: string, power: UnitPower): number | null {
  const decimal = parseDecimal(text)
  const fen = decimal === null ? null : decimalToFen(shiftDecimalPoint(decimal, power))
  return isAmount(fen) ? fen : null
}

/** `0.8512` by four → `8512`. */
export function shiftDecimalPoint(decimal: string, by: number): string {
  const sign = decimal.startsWith('-') ? '-' : ''
  const [integerDigits = '', fraction = ''] = decimal.slice(sign.length).split('.')
  const digits = by < 0 ? integerDigits.padStart(1 - by, '0') + fraction : integerDigits + fraction.padEnd(by, '0')
  const point = by < 0 ? digits.length - fraction.length + by : integerDigits.length + by
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  const right = digits.slice(point).replace(/0+$/, '')
  return sign + left + (right ? `.${right}` : '')
}

/** The cells of a row with the amounts of each column in its unit. */
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
  // What no account could hold must stop the row, and never be paid unmultiplied.
  return fen === null ? { value, kind, flaw: 'damaged' } : { value, kind: 'money', fen }
}

/** What a person types is yuan; the sheet keeps counting as it does. */
export function toSheetUnit(cell: RowCell, power: UnitPower): RowCell {
  const decimal = power === 0 || cell.fen === undefined ? null : parseDecimal(cell.value)
  return decimal === null ? cell : { ...cell, value: shiftDecimalPoint(decimal, -power) }
}

/** What an employee reads is yuan, whatever the sheet counts in. */
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
