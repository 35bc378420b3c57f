/**
 * A cell of a stored row: what the sheet said, as text, beside the fen it was understood to be. Rows keep only cells that hold
 * something; a column that is missing in a row is empty there.
 */

import { type AmountSign, applySign, formatFen } from '../contract/shared/money.ts'
import type { CellKind, ColumnRole } from '../contract/shared/schemas.ts'
import { columnRoleLabels, moneyRoles } from '../contract/sheets/column-roles.ts'
import { decimalToFen, isEmptyMark, parseDecimal } from './decimal.ts'
import { parseMobile } from './phone.ts'
import { normalizeText } from './text.ts'

export type RowCell = {
  readonly value: string
  readonly kind: CellKind
  /** Fen of a cell that was read as money; other cells are asked by `parseCellAmount` when their column becomes one of amounts. */
  readonly fen?: number
  /** A number that lost its last digits, or a formula whose result was not stored. */
  readonly flaw?: 'damaged' | 'uncached'
}
/** By the column's key. */
export type RowCells = Readonly<Record<string, RowCell>>

/** What an amount's cell says: fen, nothing, or why it is none. */
export type Amount =
  | { readonly fen: number; readonly error: null }
  | { readonly fen: null; readonly error: null | 'not_a_number' | 'formula_error' | 'damaged_number' }

/** More is nobody's pay (900 million yuan), and the sum of a hundred thousand such amounts still is an exact integer. */
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
  // A number that reads well and fits no integer of fen is as lost as one whose digits were cut.
  return { fen: null, error: decimal === null ? 'not_a_number' : 'damaged_number' }
}

/** What a cell is in such a column: an amount wherever it reads as one and the column is of amounts, whatever it was taken for when it was read. */
export const getCellKind = (cell: RowCell | undefined, role: ColumnRole): CellKind =>
  moneyRoles.has(role) && parseCellAmount(cell).fen !== null ? 'money' : (cell?.kind ?? 'empty')

/** The cell that a typed text becomes; null for an empty one. */
export function parseTypedCell(text: string, role: ColumnRole): RowCell | null {
  const value = text.trim()
  if (value === '') return null
  const fen = moneyRoles.has(role) ? decimalToFen(parseDecimal(value)) : null
  return isAmount(fen) ? { value, kind: 'money', fen } : { value, kind: 'text' }
}

/** A cell's text for people: amounts in one spelling, everything else as it was typed. */
export function formatTypedText(text: string, role: ColumnRole, sign: AmountSign = 'own'): string {
  const fen = parseTypedCell(text, role)?.fen
  return fen === undefined ? text : formatFen(applySign(fen, sign))
}

/**
 * Why a typed text cannot stand in such a column, said at the field before anything is kept; null where it can. An empty cell is always
 * possible: the check says what is missing.
 */
export function validateTypedText(text: string, role: ColumnRole): string | null {
  const value = normalizeText(text)
  if (value === '') return null
  if (role === 'mobile' && parseMobile(value) === null) return '手机号应为 11 位数字，以 1 开头'
  if (moneyRoles.has(role) && !isEmptyMark(value) && !isAmount(decimalToFen(parseDecimal(value))))
    return `「${columnRoleLabels[role]}」这一列要填金额，只写数字`
  return null
}
