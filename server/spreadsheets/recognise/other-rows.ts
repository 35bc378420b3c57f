/** Rows in and below a table that belong to something else: a line that explains the columns, another table, somebody's own payslip. */
import { type Grid, getCell, getText } from '../grid.ts'
import { isLikelyName } from './identity-columns.ts'
import { getWageLabelMeaning, isRecognizedMeaning } from './label-meaning.ts'
import type { IdentityColumns } from './rows.ts'

const hasAmount = (grid: Grid, row: number, { money, unknown }: IdentityColumns) =>
  [...money, ...unknown].some((column) => getCell(grid, row, column).decimal !== null)

/** Texts that stand for no amount at all. */
const noAmountPattern = /^(?:[-—–/\\*.无]+|n\/?a|nil)$/i

const dataTypePattern =
  /^(?:text|string|number|numeric|decimal|amount|required|optional|数字|数值|文本|金额|必填|选填|自动(?:计算|生成))$/i

/**
 * Over the first amounts of the table: Fixed | 3% of Basic | Fixed says how the columns are filled, whoever is named beside it. Somebody who is
 * not paid has one word for all of it (停薪).
 */
export function isColumnExplanation(grid: Grid, row: number, identity: IdentityColumns): boolean {
  if (hasAmount(grid, row, identity)) return false
  const texts = identity.money
    .map((column) => getCell(grid, row, column))
    .flatMap(({ kind, text }) => (kind === 'text' && !noAmountPattern.test(text) ? [text] : []))
  return texts.length >= 2 && (new Set(texts).size >= 2 || texts.every((text) => dataTypePattern.test(text)))
}

/** Date | In | Out | Pay below the people: words only, where an amount should be another label, and nobody's name. */
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
/** 个人工资条 alone in its row: below it stands a payslip of somebody who is in the list. */
export const isPayslipTitle = (text: string): boolean => text.length <= 40 && ownPayslipPattern.test(text)

/** Rows as they read, by what stands in them: to know one again that says the same of the same person. */
export const getRowKey = (grid: Grid, row: number, filled: readonly number[]): string =>
  filled.map((column) => `${column} ${getText(grid, row, column)}`).join('|')
