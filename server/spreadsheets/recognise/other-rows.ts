/** Rows in and below a table that belong to something else: notes on columns, another table, an individual payslip. */
import { type Grid, getCell, getText } from '../grid.ts'
import { isLikelyName } from './identity-columns.ts'
import { getWageLabelMeaning, isRecognizedMeaning } from './label-meaning.ts'
import type { IdentityColumns } from './types.ts'

const hasAmount = (grid: Grid, row: number, { money, unknown }: IdentityColumns) =>
  [...money, ...unknown].some((column) => getCell(grid, row, column).decimal !== null)

/** Texts that mean no amount. */
const noAmountPattern = /^(?:[-—–/\\*.无]+|n\/?a|nil)$/i

const dataTypePattern =
  /^(?:text|string|number|numeric|decimal|amount|required|optional|数字|数值|文本|金额|必填|选填|自动(?:计算|生成))$/i

/**
 * Detects a row before the first amounts such as Fixed | 3% of Basic | Fixed, which explains how the columns are
 * filled, regardless of the adjacent name. An unpaid employee has a single word for all columns (停薪).
 */
export function isColumnExplanation(grid: Grid, row: number, identity: IdentityColumns): boolean {
  if (hasAmount(grid, row, identity)) return false
  const texts = identity.money
    .map((column) => getCell(grid, row, column))
    .flatMap(({ kind, text }) => (kind === 'text' && !noAmountPattern.test(text) ? [text] : []))
  return texts.length >= 2 && (new Set(texts).size >= 2 || texts.every((text) => dataTypePattern.test(text)))
}

/** Detects Date | In | Out | Pay below the members: words only, with another label in an amount column, and no name. */
export function isOtherTableHeader(grid: Grid, row: number, filled: readonly number[], identity: IdentityColumns): boolean {
  if (filled.length < 3 || identity.names.length === 0) return false
  if (filled.some((column) => typeof grid.rows[row]?.[column] !== 'string')) return false
  if (identity.names.some((column) => isLikelyName(getText(grid, row, column)))) return false
  const paid = filled.filter((column) => identity.money.includes(column))
  const isLabel = (column: number) => isRecognizedMeaning(getWageLabelMeaning(getText(grid, row, column)))
  return paid.length > 0 && paid.every(isLabel) && filled.filter(isLabel).length >= 2
}

const ownPayslipPattern =
  /(?:个人|本人|员工|我的)\s*(?:的)?\s*(?:工\s*资|薪\s*[资酬]?)\s*[条单]|(?:工\s*资|薪\s*[资酬]?)\s*[条单]\s*(?:样张|样式|样本|示例|查询|打印)|(?:工资|薪资)查询|pay\s?slip/i
/** Matches 个人工资条 alone in its row: a payslip of a member of the list follows. */
export const isPayslipTitle = (text: string): boolean => text.length <= 40 && ownPayslipPattern.test(text)

/** Returns a key of a row's contents, to recognize another row with the same data of the same member. */
export const getRowKey = (grid: Grid, row: number, filled: readonly number[]): string =>
  filled.map((column) => `${column} ${getText(grid, row, column)}`).join('|')
