/** What a row says of its person, and what can be wrong with its amounts: cells that are no amount, sums that do not add up, pay that is out of the usual. */
import { itemRoles } from '../../../../contract/sheet/column-roles.ts'
import type { SheetInfo } from '../../../../contract/sheet/sheet.ts'
import { formatFen } from '../../../../contract/words/money.ts'
import type { ColumnRole, Fix, ProblemKind } from '../../../../contract/words/words.ts'
import { amountOf, type RowCells } from '../../../../rules/amounts.ts'
import { roundingAllowance } from '../../../../rules/rounding.ts'
import { tidy } from '../../../../rules/text.ts'
import type { Said } from './matching.ts'

export type CheckColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }
/** Which columns add up to the net pay, and in how many rows of the sheet they did. */
export type Formula = {
  readonly plus: readonly string[]
  readonly minus: readonly string[]
  readonly net: string
  readonly holds: number
  readonly of: number
}

export type SubtotalColumn = SheetInfo['subtotals'][number]

export type AmountFinding = {
  readonly kind: ProblemKind
  readonly level: 'error' | 'warning'
  readonly column: string | null
  readonly message: string
  readonly fix: readonly Fix[]
  /** What the cell would be by the others. */
  readonly computed_fen?: number
}
/** Fen of a row that count; null where the sheet has no such column, or the cell says nothing. */
export type RowFigures = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly tax_fen: number | null }

const words = {
  not_a_number: (label: string) => `「${label}」不是数字；请改正，或跳过这一行`,
  formula_error: (label: string) => `「${label}」是公式错误或没有计算结果；请填写金额，或在 Excel 中重新计算并保存后再上传`,
  damaged_number: (label: string) => `「${label}」的数字超过 15 位，末尾几位已经丢失；请填写正确的金额`,
}
const fixesOfCell: readonly Fix[] = ['edit', 'skip']

/** The columns that sums are made of: their cells must be amounts, whatever they are for. */
export const termsOf = (formula: Formula | null, subtotals: readonly SubtotalColumn[]): ReadonlySet<string> =>
  new Set([...(formula ? [formula] : []), ...subtotals.filter(isTrusted)].flatMap(({ plus, minus }) => [...plus, ...minus]))

/** The columns that sums of a sheet are made of, and those sums. */
export const sumTerms = ({
  formula,
  subtotals,
}: {
  formula: Formula | null
  subtotals: readonly SubtotalColumn[]
}): ReadonlySet<string> =>
  new Set([
    ...termsOf(formula, subtotals),
    ...(formula ? [formula.net] : []),
    ...subtotals.filter(isTrusted).map(({ key }) => key),
  ])

/** The formula is trusted where at least four rows of five keep it; below that it was perhaps no rule of this sheet. */
export const isTrusted = ({ holds, of }: { readonly holds: number; readonly of: number }): boolean =>
  of > 0 && holds * 5 >= of * 4

type AmountSheet = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  readonly subtotals: readonly SubtotalColumn[]
  readonly terms: ReadonlySet<string>
}

/** `rounded_fen`: how far the largest difference is that rounding explains. */
export function checkAmounts(
  cells: RowCells,
  sheet: AmountSheet,
): { figures: RowFigures; findings: AmountFinding[]; rounded_fen: number } {
  const { figures, findings, filled, net } = readAmounts(cells, sheet)
  let rounded_fen = 0
  if (!net) return { figures, findings, rounded_fen }
  if (filled === 0) {
    const message = '这一行没有任何金额；请跳过，或填写实发金额'
    return {
      figures,
      rounded_fen,
      findings: [...findings, { kind: 'empty_row', level: 'error', column: net.key, message, fix: ['skip', 'edit'] }],
    }
  }
  const net_fen = figures.net_fen
  if (net_fen === null) {
    if (!amountOf(cells[net.key]).flaw) {
      const message = `「${net.label}」是空的；请填写金额，或跳过这一行`
      findings.push({ kind: 'missing_net', level: 'error', column: net.key, message, fix: fixesOfCell })
    }
    return { figures, findings, rounded_fen }
  }
  const check = (sum: Pick<Formula, 'plus' | 'minus' | 'holds' | 'of'>, column: CheckColumn) => {
    const { finding, within_fen } = checkSum(cells, sum, column)
    if (finding) findings.push(finding)
    rounded_fen = Math.max(rounded_fen, within_fen)
  }
  if (sheet.formula?.net === net.key) check(sheet.formula, net)
  for (const subtotal of sheet.subtotals) {
    const column = sheet.columns.find(({ key }) => key === subtotal.key)
    // The net pay has its own formula; a sum that is left out is not written.
    if (column && column !== net) check(subtotal, column)
  }
  if (net_fen < 0)
    findings.push({
      kind: 'negative_net',
      level: 'warning',
      column: net.key,
      message: '实发是负数，请确认',
      fix: ['edit', 'accept', 'skip'],
    })
  return { figures, findings, rounded_fen }
}

/** What is written, and whatever is no amount where one belongs. */
function readAmounts(cells: RowCells, sheet: AmountSheet) {
  const findings: AmountFinding[] = []
  const figures: { -readonly [K in keyof RowFigures]: RowFigures[K] } = { net_fen: null, gross_fen: null, tax_fen: null }
  let filled = 0
  let net: CheckColumn | null = null
  for (const column of sheet.columns) {
    if (!itemRoles.has(column.role) && !sheet.terms.has(column.key)) {
      if ((column.role === 'bank_account' || column.role === 'employee_no') && cells[column.key]?.flaw === 'damaged') {
        const message = `「${column.label}」超过 15 位，在 Excel 中末尾几位已经丢失；请核对原件`
        findings.push({ kind: 'damaged_number', level: 'warning', column: column.key, message, fix: ['edit', 'accept'] })
      }
      continue
    }
    const amount = amountOf(cells[column.key])
    if (amount.flaw) {
      filled += 1
      const message = words[amount.flaw](column.label)
      findings.push({ kind: amount.flaw, level: 'error', column: column.key, message, fix: fixesOfCell })
    } else if (amount.fen !== null) filled += 1
    if (column.role === 'net') {
      net = column
      figures.net_fen = amount.fen
    } else if (column.role === 'gross') figures.gross_fen ??= amount.fen
    else if (column.role === 'tax') figures.tax_fen = (figures.tax_fen ?? 0) + (amount.fen ?? 0)
  }
  return { figures, findings, filled, net }
}

/** As far as amounts are rounded, over cells that are amounts or empty; where one is neither, that is already said. */
function checkSum(
  cells: RowCells,
  formula: Pick<Formula, 'plus' | 'minus' | 'holds' | 'of'>,
  column: CheckColumn,
): { finding: AmountFinding | null; within_fen: number } {
  const nothing = { finding: null, within_fen: 0 }
  const written = amountOf(cells[column.key]).fen
  if (written === null) return nothing
  let sum = 0
  for (const [keys, sign] of [
    [formula.plus, 1],
    [formula.minus, -1],
  ] as const) {
    for (const key of keys) {
      const { fen, flaw } = amountOf(cells[key])
      if (flaw) return nothing
      sum += sign * (fen ?? 0)
    }
  }
  const difference = Math.abs(sum - written)
  if (difference <= roundingAllowance(formula.plus.length + formula.minus.length))
    return { finding: null, within_fen: difference }
  const message = `各项相加得 ${formatFen(sum)}，「${column.label}」写的是 ${formatFen(written)}，相差 ${formatFen(difference)}`
  const level = isTrusted(formula) ? 'error' : 'warning'
  const fix = ['edit', 'accept', 'skip'] as const
  return { finding: { kind: 'sum_mismatch', level, column: column.key, message, fix, computed_fen: sum }, within_fen: 0 }
}

/** Who a row is for, in its own words. */
export function saidOf(cells: RowCells, columns: readonly CheckColumn[]): Said {
  const text = (role: CheckColumn['role']) => {
    const column = columns.find((one) => one.role === role)
    return column ? tidy(cells[column.key]?.value ?? '') : ''
  }
  const [last, first] = [text('last_name'), text('first_name')]
  const name = text('name')
  const latin = /^[ -ɏ]*$/.test(last + first)
  const names = name
    ? [name]
    : last || first
      ? [latin ? `${last} ${first}`.trim() : last + first, ...(latin ? [`${first} ${last}`.trim()] : [])]
      : []
  const nameless = !columns.some(({ role }) => role === 'name' || role === 'last_name' || role === 'first_name')
  return {
    names,
    ...(nameless && { nameless: true as const }),
    mobile: text('mobile'),
    id_card: text('id_card'),
    employee_no: text('employee_no'),
    department: text('department'),
  }
}
