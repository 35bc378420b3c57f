/** Rows in and below a table that belong to something else: a line that explains the columns, another table, somebody's own payslip. */
import { cellAt, type Grid, textAt } from '../grid.ts'
import { isKnown, labelMeaning } from './meaning.ts'
import type { WhoColumns } from './rows.ts'
import { looksLikeName } from './who.ts'

const hasAmount = (grid: Grid, row: number, { money, unknown }: WhoColumns) =>
  [...money, ...unknown].some((column) => cellAt(grid, row, column).decimal !== null)

/** Texts that stand for no amount at all. */
const noAmount = /^(?:[-—–/\\*.无]+|n\/?a|nil)$/i

const typeWord =
  /^(?:text|string|number|numeric|decimal|amount|required|optional|数字|数值|文本|金额|必填|选填|自动(?:计算|生成))$/i

/**
 * Over the first amounts of the table: Fixed | 3% of Basic | Fixed says how the columns are filled, whoever is named beside it. Somebody who is
 * not paid has one word for all of it (停薪).
 */
export function explainsColumns(grid: Grid, row: number, who: WhoColumns): boolean {
  if (hasAmount(grid, row, who)) return false
  const texts = who.money
    .map((column) => cellAt(grid, row, column))
    .flatMap(({ kind, text }) => (kind === 'text' && !noAmount.test(text) ? [text] : []))
  return texts.length >= 2 && (new Set(texts).size >= 2 || texts.every((text) => typeWord.test(text)))
}

/** Date | In | Out | Pay below the people: words only, where an amount should be another label, and nobody's name. */
export function startsOtherTable(grid: Grid, row: number, filled: readonly number[], who: WhoColumns): boolean {
  if (filled.length < 3 || who.names.length === 0) return false
  if (filled.some((column) => typeof grid.rows[row]?.[column] !== 'string')) return false
  if (who.names.some((column) => looksLikeName(textAt(grid, row, column)))) return false
  const paid = filled.filter((column) => who.money.includes(column))
  const isLabel = (column: number) => isKnown(labelMeaning(textAt(grid, row, column)))
  return paid.length > 0 && paid.every(isLabel) && filled.filter(isLabel).length >= 2
}

const ownPayslip =
  /(?:个人|本人|员工|我的)\s*(?:的)?\s*(?:工\s*资|薪\s*[资酬]?)\s*[条单]|(?:工\s*资|薪\s*[资酬]?)\s*[条单]\s*(?:样张|样式|样本|示例|查询|打印)|(?:工资|薪资)查询|pay\s?slip/i
/** 个人工资条 alone in its row: below it stands a payslip of somebody who is in the list. */
export const isPayslipTitle = (text: string): boolean => text.length <= 40 && ownPayslip.test(text)

/** Rows as they read, by what stands in them: to know one again that says the same of the same person. */
export const rowText = (grid: Grid, row: number, filled: readonly number[]): string =>
  filled.map((column) => `${column} ${textAt(grid, row, column)}`).join('|')
