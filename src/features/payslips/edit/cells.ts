/** The cells of a correction as pure functions: their format, what counts as a change, and which totals are updated. */

import { propagateTotals } from '../../../../server/contract/payslips/send.ts'
import { applySign, formatFen, formatPlainFen, parseFen } from '../../../../server/contract/shared/money.ts'
import { moneyRoles } from '../../../../server/contract/sheets/column-roles.ts'
import type { BatchDetail, PayslipListItem } from '../labels.ts'

export type EditColumn = BatchDetail['columns'][number]
type CellTexts = Readonly<Record<string, string>>

const parseCellFen = (text: string | undefined) => parseFen((text ?? '').replaceAll(/[,，\s¥￥]/g, '').replace('−', '-'))
const getCellAmount = ({ role }: Pick<EditColumn, 'role'>, text: string) => (moneyRoles.has(role) ? parseCellFen(text) : null)

/** Returns whether typed text cannot be the amount that the cell needs. An emptied cell counts as 0. */
export const isInvalidAmount = ({ role }: Pick<EditColumn, 'role'>, text: string): boolean =>
  moneyRoles.has(role) && text.trim() !== '' && parseCellFen(text) === null

/** Formats a cell for its input field: an amount as usual with the sign of the wage sheet, as the user types it. */
export function formatCellInput(column: EditColumn, text: string): string {
  const fen = getCellAmount(column, text)
  return fen === null ? text : formatFen(fen)
}
/** Formats a cell as the employee sees it on the payslip. */
export function formatPayslipValue(column: EditColumn, text: string): string {
  const fen = getCellAmount(column, text)
  return fen === null ? text : formatFen(applySign(fen, column.sign))
}
/** Returns whether the amount has an implicit minus sign that is not typed. */
export function hasMinus(column: EditColumn, text: string): boolean {
  const fen = getCellAmount(column, text)
  return column.sign === 'turned' || (column.sign === 'minus' && (fen === null || fen >= 0))
}
/** The same amount in another format is no change. */
export function isSameCellValue(column: EditColumn, left: string, right: string): boolean {
  if (left === right) return true
  const fen = getCellAmount(column, left)
  return fen !== null && fen === getCellAmount(column, right)
}

const toAmounts = (texts: CellTexts) =>
  new Map(
    Object.entries(texts).flatMap(([key, text]) => {
      const fen = text === '' ? 0 : parseCellFen(text)
      return fen === null ? [] : [[key, fen] as const]
    }),
  )

/** Computes the totals that change with the edits, and those that contradict them: by the same rules as the server. */
export function computePropagation(
  payslip: Pick<PayslipListItem, 'cells'>,
  { columns, sums }: Pick<BatchDetail, 'columns' | 'sums'>,
  edits: CellTexts,
) {
  const money = new Set(sums.flatMap(({ key, plus, minus }) => [key, ...plus, ...minus]))
  const getOriginal = (key: string) => payslip.cells[key]?.value ?? ''
  const texts = columns.flatMap(({ key }) => (money.has(key) && payslip.cells[key] ? [[key, getOriginal(key)] as const] : []))
  const changed = columns.flatMap((column) => {
    const text = edits[column.key]
    return text === undefined || !money.has(column.key) || isSameCellValue(column, text, getOriginal(column.key))
      ? []
      : [[column.key, text] as const]
  })
  const { updatedTotals, mismatchedTotals } = propagateTotals(
    sums,
    toAmounts(Object.fromEntries(texts)),
    toAmounts(Object.fromEntries(changed)),
  )
  return { followed: new Map([...updatedTotals].map(([key, fen]) => [key, formatPlainFen(fen)])), uneven: mismatchedTotals }
}

/** For a payslip combined from rows their cells can be corrected: replaces combined columns and sums by each row's. */
export function expandRowCells(
  payslip: Pick<PayslipListItem, 'cells'>,
  { columns, sums }: Pick<BatchDetail, 'columns' | 'sums'>,
): Pick<BatchDetail, 'columns' | 'sums'> {
  const rows = [...new Set(Object.keys(payslip.cells).flatMap((key) => key.split('@')[1] ?? []))].toSorted(
    (a, b) => Number(a) - Number(b),
  )
  if (rows.length === 0) return { columns, sums }
  const toRowKey = (row: string) => (key: string) => `${key}@${row}`
  return {
    columns: rows.flatMap((row, index) =>
      columns.map((column) => ({ ...column, key: toRowKey(row)(column.key), label: `第 ${index + 1} 行 · ${column.label}` })),
    ),
    sums: rows.flatMap((row) =>
      sums.map(({ key, plus, minus }) => ({
        key: toRowKey(row)(key),
        plus: plus.map(toRowKey(row)),
        minus: minus.map(toRowKey(row)),
      })),
    ),
  }
}
