/**
 * Reads the identity and amounts of a row and finds issues of its amounts: cells that are no amount, sums that do not
 * add up, unusual pay.
 */

import { formatFen } from '../../../../contract/shared/money.ts'
import type { CellKind, ColumnRole, IssueFix, IssueKind } from '../../../../contract/shared/schemas.ts'
import {
  comparedRoles,
  isAnyName,
  isBankAccount,
  isEmployeeNo,
  isGross,
  isNet,
  isTax,
} from '../../../../contract/sheets/column-roles.ts'
import type { WageSheetInfo } from '../../../../contract/sheets/sheet.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { getRoundingTolerance } from '../../../../rules/rounding.ts'
import { normalizeText } from '../../../../rules/text.ts'
import type { RowIdentity } from './member-match.ts'

export type CheckColumn = {
  readonly key: string
  readonly label: string
  readonly role: ColumnRole
  /** Cell kind as displayed; undefined where only sums are checked. */
  readonly kind?: CellKind
}
/** The columns that add up to net pay, and in how many rows they do. */
export type Formula = {
  readonly plus: readonly string[]
  readonly minus: readonly string[]
  readonly net: string
  readonly holds: number
  readonly of: number
}

export type SubtotalColumn = WageSheetInfo['subtotals'][number]

export type AmountIssue = {
  readonly kind: IssueKind
  readonly level: 'error' | 'warning'
  readonly column: string | null
  readonly message: string
  readonly fix: readonly IssueFix[]
  /** The value of the cell according to the other cells. */
  readonly expected_fen?: number
}
/** Counted amounts of a row in fen; null where the wage sheet has no such column or the cell is empty. */
export type RowAmounts = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly tax_fen: number | null }

const cellErrorMessages = {
  not_a_number: (label: string) => `「${label}」不是数字；请改正，或跳过这一行`,
  formula_error: (label: string) => `「${label}」是公式错误或没有计算结果；请填写金额，或在 Excel 中重新计算并保存后再上传`,
  damaged_number: (label: string) => `「${label}」的数字超过 15 位，末尾几位已经丢失；请填写正确的金额`,
}
const cellFixes: readonly IssueFix[] = ['edit', 'skip']

/** Returns the columns used in sums: their cells must be amounts, whatever their role. */
export const getFormulaTerms = (formula: Formula | null, subtotals: readonly SubtotalColumn[]): ReadonlySet<string> =>
  new Set([...(formula ? [formula] : []), ...subtotals.filter(isTrusted)].flatMap(({ plus, minus }) => [...plus, ...minus]))

/** Returns the columns used in sums of a wage sheet, and those sums. */
export const getSumTerms = ({
  formula,
  subtotals,
}: {
  formula: Formula | null
  subtotals: readonly SubtotalColumn[]
}): ReadonlySet<string> =>
  new Set([
    ...getFormulaTerms(formula, subtotals),
    ...(formula ? [formula.net] : []),
    ...subtotals.filter(isTrusted).map(({ key }) => key),
  ])

/** A formula is trusted if at least four of five rows satisfy it; below that it may not be a rule of this wage sheet. */
export const isTrusted = ({ holds, of }: { readonly holds: number; readonly of: number }): boolean =>
  of > 0 && holds * 5 >= of * 4

type SheetFormulas = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  readonly subtotals: readonly SubtotalColumn[]
  readonly terms: ReadonlySet<string>
}

/** Checks the amounts of a row. `rounded_fen` is the largest difference that rounding explains. */
export function checkAmounts(
  cells: RowCells,
  sheet: SheetFormulas,
): { amounts: RowAmounts; issues: AmountIssue[]; rounded_fen: number } {
  const { figures: amounts, findings: issues, filled, net } = readAmounts(cells, sheet)
  let rounded_fen = 0
  if (!net) return { amounts, issues, rounded_fen }
  if (filled === 0) {
    const message = '这一行没有任何金额；请跳过，或填写实发金额'
    return {
      amounts,
      rounded_fen,
      issues: [...issues, { kind: 'empty_row', level: 'error', column: net.key, message, fix: ['skip', 'edit'] }],
    }
  }
  const net_fen = amounts.net_fen
  if (net_fen === null) {
    if (!parseCellAmount(cells[net.key]).error) {
      const message = `「${net.label}」是空的；请填写金额，或跳过这一行`
      issues.push({ kind: 'missing_net', level: 'error', column: net.key, message, fix: cellFixes })
    }
    return { amounts, issues, rounded_fen }
  }
  const check = (sum: Pick<Formula, 'plus' | 'minus' | 'holds' | 'of'>, column: CheckColumn) => {
    const { finding, within_fen } = checkSum(cells, sum, column)
    if (finding) issues.push(finding)
    rounded_fen = Math.max(rounded_fen, within_fen)
  }
  if (sheet.formula?.net === net.key) check(sheet.formula, net)
  for (const subtotal of sheet.subtotals) {
    const column = sheet.columns.find(({ key }) => key === subtotal.key)
    // Net pay has its own formula; a sum whose column is missing is not checked.
    if (column && column !== net) check(subtotal, column)
  }
  if (net_fen < 0)
    issues.push({
      kind: 'negative_net',
      level: 'warning',
      column: net.key,
      message: '实发是负数，请确认',
      fix: ['edit', 'accept', 'skip'],
    })
  return { amounts, issues, rounded_fen }
}

/** Reads the amounts and reports cells that should be an amount and are not. */
function readAmounts(cells: RowCells, sheet: SheetFormulas) {
  const issues: AmountIssue[] = []
  const amounts: { -readonly [K in keyof RowAmounts]: RowAmounts[K] } = { net_fen: null, gross_fen: null, tax_fen: null }
  let filled = 0
  let net: CheckColumn | null = null
  for (const column of sheet.columns) {
    if (!comparedRoles.has(column.role) && !sheet.terms.has(column.key)) {
      if ((isBankAccount(column.role) || isEmployeeNo(column.role)) && cells[column.key]?.flaw === 'damaged') {
        const message = `「${column.label}」超过 15 位，在 Excel 中末尾几位已经丢失；请核对原件`
        issues.push({ kind: 'damaged_number', level: 'warning', column: column.key, message, fix: ['edit', 'accept'] })
      }
      continue
    }
    const amount = parseCellAmount(cells[column.key])
    if (amount.error) {
      filled += 1
      const message = cellErrorMessages[amount.error](column.label)
      issues.push({ kind: amount.error, level: 'error', column: column.key, message, fix: cellFixes })
    } else if (amount.fen !== null) filled += 1
    if (isNet(column.role)) {
      net = column
      amounts.net_fen = amount.fen
    } else if (isGross(column.role)) amounts.gross_fen ??= amount.fen
    else if (isTax(column.role)) amounts.tax_fen = (amounts.tax_fen ?? 0) + (amount.fen ?? 0)
  }
  return { figures: amounts, findings: issues, filled, net }
}

/** Checks a sum within rounding, if all its cells are amounts or empty; other cells are already reported. */
function checkSum(
  cells: RowCells,
  formula: Pick<Formula, 'plus' | 'minus' | 'holds' | 'of'>,
  column: CheckColumn,
): { finding: AmountIssue | null; within_fen: number } {
  const noIssue = { finding: null, within_fen: 0 }
  const statedFen = parseCellAmount(cells[column.key]).fen
  if (statedFen === null) return noIssue
  let sum = 0
  for (const [keys, sign] of [
    [formula.plus, 1],
    [formula.minus, -1],
  ] as const) {
    for (const key of keys) {
      const { fen, error } = parseCellAmount(cells[key])
      if (error) return noIssue
      sum += sign * (fen ?? 0)
    }
  }
  const difference = Math.abs(sum - statedFen)
  if (difference <= getRoundingTolerance(formula.plus.length + formula.minus.length))
    return { finding: null, within_fen: difference }
  const message = `各项相加得 ${formatFen(sum)}，「${column.label}」写的是 ${formatFen(statedFen)}，相差 ${formatFen(difference)}`
  const level = isTrusted(formula) ? 'error' : 'warning'
  const fix = ['edit', 'accept', 'skip'] as const
  return { finding: { kind: 'sum_mismatch', level, column: column.key, message, fix, expected_fen: sum }, within_fen: 0 }
}

/** Reads the identity of the employee from the cells of a row. */
export function readIdentity(cells: RowCells, columns: readonly CheckColumn[]): RowIdentity {
  const text = (role: CheckColumn['role']) => {
    const column = columns.find((one) => one.role === role)
    return column ? normalizeText(cells[column.key]?.value ?? '') : ''
  }
  const [last, first] = [text('last_name'), text('first_name')]
  const name = text('name')
  const latin = /^[ -ɏ]*$/.test(last + first)
  const names = name
    ? [name]
    : last || first
      ? [latin ? `${last} ${first}`.trim() : last + first, ...(latin ? [`${first} ${last}`.trim()] : [])]
      : []
  const hasNoNameColumn = !columns.some(({ role }) => isAnyName(role))
  return {
    names,
    ...(hasNoNameColumn && { hasNoNameColumn: true as const }),
    mobile: text('mobile'),
    id_card: text('id_card'),
    employee_no: text('employee_no'),
    department: text('department'),
  }
}
