/**
 * A cell of a stored row: its text in the wage sheet, with the amount in fen that was recognized. Rows store only
 * non-empty cells; a column that is missing in a row is empty there.
 */

import { type AmountSign, applySign, formatFen } from '../contract/shared/money.ts'
import type { CellKind, ColumnRole } from '../contract/shared/schemas.ts'
import { columnRoles, isMobile, moneyRoles } from '../contract/sheets/column-roles.ts'
import { decimalToFen, isEmptyMark, parseDecimal } from './decimal.ts'
import { parseMobile } from './phone.ts'
import { normalizeText } from './text.ts'

export type RowCell = {
  readonly value: string
  readonly kind: CellKind
  /**
   * Amount in fen of a cell that was recognized as money; other cells are parsed by `parseCellAmount` when their column
   * becomes an amount column.
   */
  readonly fen?: number
  /** `damaged` is a number that lost its last digits; `uncached` is a formula without a stored result. */
  readonly flaw?: 'damaged' | 'uncached'
}
/** Cells by column key. */
export type RowCells = Readonly<Record<string, RowCell>>

/** The amount of a cell: fen, nothing, or the error. */
export type Amount =
  | { readonly fen: number; readonly error: null }
  | { readonly fen: null; readonly error: null | 'not_a_number' | 'formula_error' | 'damaged_number' }

/**
 * Larger amounts are not plausible as pay (900 million yuan), and the sum of a hundred thousand such amounts is still
 * an exact integer.
 */
const maxAmountFen = 90_000_000_000
export const isAmount = (fen: number | null): fen is number => fen !== null && Math.abs(fen) <= maxAmountFen

const noAmount: Amount = { fen: null, error: null }

export function parseCellAmount(cell: RowCell | undefined): Amount {
  if (!cell || cell.kind === 'empty') return noAmount
  if (cell.kind === 'error' || cell.flaw === 'uncached') return { fen: null, error: 'formula_error' }
  if (cell.flaw === 'damaged') return { fen: null, error: 'damaged_number' }
  if (cell.fen !== undefined) return isAmount(cell.fen) ? { fen: cell.fen, error: null } : { fen: null, error: 'not_a_number' }
  if (cell.value === '' || isEmptyMark(cell.value)) return noAmount
  if (cell.kind === 'date') return { fen: null, error: 'not_a_number' }
  const decimal = parseDecimal(cell.value)
  const fen = decimalToFen(decimal)
  if (isAmount(fen)) return { fen, error: null }
  if (fen !== null) return { fen: null, error: 'not_a_number' }
  // A valid number that cannot be represented as an integer of fen is as damaged as one whose digits were cut.
  return { fen: null, error: decimal === null ? 'not_a_number' : 'damaged_number' }
}

/**
 * Returns the kind of a cell in a column: money if the column holds amounts and the cell can be parsed as one,
 * regardless of the kind that was recognized when it was read.
 */
export const getCellKind = (cell: RowCell | undefined, role: ColumnRole): CellKind =>
  moneyRoles.has(role) && parseCellAmount(cell).fen !== null ? 'money' : (cell?.kind ?? 'empty')

/** Converts typed text to a cell; null if it is empty. */
export function parseTypedCell(text: string, role: ColumnRole): RowCell | null {
  const value = text.trim()
  if (value === '') return null
  const fen = moneyRoles.has(role) ? decimalToFen(parseDecimal(value)) : null
  return isAmount(fen) ? { value, kind: 'money', fen } : { value, kind: 'text' }
}

/** Formats a cell's text for display: amounts in a uniform format, everything else as typed. */
export function formatTypedText(text: string, role: ColumnRole, sign: AmountSign = 'own'): string {
  const fen = parseTypedCell(text, role)?.fen
  return fen === undefined ? text : formatFen(applySign(fen, sign))
}

/**
 * Returns why a typed text is invalid for a column, shown at the field before anything is saved; null if it is valid.
 * An empty cell is always allowed: the check reports what is missing.
 */
export function validateTypedText(text: string, role: ColumnRole): string | null {
  const value = normalizeText(text)
  if (value === '') return null
  if (isMobile(role) && parseMobile(value) === null) return '手机号应为 11 位数字，以 1 开头'
  if (moneyRoles.has(role) && !isEmptyMark(value) && !isAmount(decimalToFen(parseDecimal(value))))
    return `「${columnRoles[role].label}」这一列要填金额，只写数字`
  return null
}
