/**
 * Sheets that count in thousands or ten thousands of yuan. A cell keeps the text that the sheet shows; its fen are read from that text
 * with the point moved, sign by sign, so that the unit can be changed and changed back and nothing is rounded on the way.
 */
import { moneyRoles } from '../../../contract/sheet/column-roles.ts'
import type { Question } from '../../../contract/sheet/sheet.ts'
import { formatFen } from '../../../contract/words/money.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { isAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { fenOfDecimal, readDecimal } from '../../../rules/decimal.ts'
import { isPercent } from '../../../tables/rules.ts'

/** Tens by which every amount is multiplied. */
export type UnitPower = 0 | 3 | 4
const powers: Record<string, UnitPower> = { thousand: 3, wan: 4 }

/** What was answered, and until then what was suggested. */
export function powerOf(questions: readonly Question[]): UnitPower {
  const asked = questions.find(({ kind }) => kind === 'unit')
  return asked ? (powers[asked.answer ?? asked.suggested] ?? 0) : 0
}

/** Columns whose cells are amounts. */
export const amountKeys = (columns: readonly { key: string; role: ColumnRole; kind: string }[]): ReadonlySet<string> =>
  new Set(
    columns.filter(({ role, kind }) => moneyRoles.has(role) || (kind === 'money' && role !== 'ignore')).map(({ key }) => key),
  )

/** The fen of a text that is counted in tens of so many yuan; null where it is no amount. */
export function fenInUnit(text: string, power: UnitPower): number | null {
  const decimal = readDecimal(text)
  const fen = decimal === null ? null : fenOfDecimal(movePoint(decimal, power))
  return isAmount(fen) ? fen : null
}

/** `0.8512` by four → `8512`. */
export function movePoint(decimal: string, by: number): string {
  const sign = decimal.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = decimal.slice(sign.length).split('.')
  const digits = by < 0 ? whole.padStart(1 - by, '0') + fraction : whole + fraction.padEnd(by, '0')
  const point = by < 0 ? digits.length - fraction.length + by : whole.length + by
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  const right = digits.slice(point).replace(/0+$/, '')
  return sign + left + (right ? `.${right}` : '')
}

/** The cells of a row with their amounts in this unit. */
export function inUnit(cells: RowCells, amounts: ReadonlySet<string>, power: UnitPower): RowCells {
  const next: Record<string, RowCell> = {}
  for (const key in cells) {
    const cell = cells[key]
    if (cell) next[key] = amounts.has(key) ? counted(cell, power) : cell
  }
  return next
}

function counted(cell: RowCell, power: UnitPower): RowCell {
  const { value, kind } = cell
  if (kind === 'error' || kind === 'date' || cell.flaw === 'uncached' || isPercent(value) || readDecimal(value) === null)
    return cell
  const fen = fenInUnit(value, power)
  // What no account could hold must stop the row, and never be paid unmultiplied.
  return fen === null ? { value, kind, flaw: 'damaged' } : { value, kind: 'money', fen }
}

/** What a person types is yuan; the sheet keeps counting as it does. */
export function typedInUnit(cell: RowCell, power: UnitPower): RowCell {
  const decimal = power === 0 || cell.fen === undefined ? null : readDecimal(cell.value)
  return decimal === null ? cell : { ...cell, value: movePoint(decimal, -power) }
}

/** What an employee reads is yuan, whatever the sheet counts in. */
export function inYuan(cells: RowCells, power: UnitPower): RowCells {
  if (power === 0) return cells
  const next: Record<string, RowCell> = {}
  for (const key in cells) {
    const cell = cells[key]
    if (cell) next[key] = cell.kind === 'money' && cell.fen !== undefined ? { ...cell, value: formatFen(cell.fen) } : cell
  }
  return next
}
