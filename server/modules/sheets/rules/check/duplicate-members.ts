/**
 * Members with several rows: two positions, several projects, a merged name cell, a row of earnings above a row of
 * deductions. This module decides whether the rows may become one payslip; an administrator decides whether they do.
 * Rows of two members with the same name are never combined.
 */

import { formatFen } from '../../../../contract/shared/money.ts'
import { isAnyName, isDeductionOrTax, isEarning, isGross, isNet } from '../../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../../contract/sheets/row-number.ts'
import { isSameName } from '../../../../rules/person-name.ts'
import { type CheckColumn, type Formula, isTrusted } from './amount-issues.ts'
import { type DetectedIssue, formatRowNumber } from './month-comparison.ts'

/** The properties of a member's row needed here. */
export type MemberRow = {
  readonly row: number
  readonly name: string
  /** Unique identifiers of a member; empty where the row has none. */
  readonly numbers: { readonly mobile: string; readonly id_card: string; readonly employee_no: string }
  readonly bank_account: string
  /** The row was matched by name alone: only the name indicates that it is the same member. */
  readonly isNameOnly: boolean
  /** The row above whose name cell is merged with the cell of this row. */
  readonly mergedWith: number | null
  /** All amounts of the row in column order. */
  readonly amounts: readonly number[] | Float64Array
  /** A cell that should contain an amount does not. */
  readonly isUnread: boolean
  readonly net_fen: number | null
  /** A text in the row marks it as a row of deductions. */
  readonly isDeduction: boolean
  getFen(key: string): number
}

type SheetFormulas = { readonly columns: readonly CheckColumn[]; readonly formula: Formula | null }
/**
 * `combine` means suggested, in one question for all such members. `ask` means one question per member; `isNameOnly` is
 * set where the amounts agree and only the name indicates that it is one member. `others` are possibly two members and
 * are never combined.
 */
export type RowCombination =
  | { readonly kind: 'combine' }
  | { readonly kind: 'ask' | 'others'; readonly reason: string; readonly isNameOnly: boolean }

const numberLabels = { mobile: '手机号', id_card: '身份证号', employee_no: '工号' } as const

export function decideCombination(rows: readonly MemberRow[], sheet: SheetFormulas): RowCombination {
  const other = findConflictingNumber(rows.map(({ numbers }) => numbers))
  if (other) return { kind: 'others', reason: `${numberLabels[other]}不同，可能是同名的两个人`, isNameOnly: false }
  const doubt = getCombineDoubt(rows, sheet)
  if (doubt !== null) return { kind: 'ask', reason: doubt, isNameOnly: false }
  if (rows.every((row) => isSameMember(row, rows))) return { kind: 'combine' }
  return { kind: 'ask', reason: '只有姓名相同，缺少手机号或工号可以核对', isNameOnly: true }
}

/** Returns the kind of identifier in which rows of the same member differ. */
export function findConflictingNumber(rows: readonly MemberRow['numbers'][]): keyof MemberRow['numbers'] | null {
  const kinds = ['id_card', 'employee_no', 'mobile'] as const
  return kinds.find((kind) => new Set(rows.flatMap((row) => row[kind] || [])).size > 1) ?? null
}

function getCombineDoubt(rows: readonly MemberRow[], { columns, formula }: SheetFormulas): string | null {
  if (rows.some((one) => rows.some((other) => !isSameName(one.name, other.name)))) return '姓名不同'
  if (rows.some(({ isUnread }) => isUnread)) return '有的金额读不出来，请先改正'
  if (new Set(rows.flatMap(({ bank_account }) => bank_account || [])).size > 1) return '银行卡号不同'
  if (rows.some((one, at) => rows.slice(at + 1).some((other) => haveSameAmounts(one, other))))
    return '有两行的金额完全相同，可能重复了'
  const net = columns.find(({ role }) => isNet(role))
  if (rows.some((row) => row.isDeduction && isPaying(row, columns))) return '有一行写的是扣款，却记在应发的列里'
  if (!net) return null
  if (rows.every(({ net_fen }) => net_fen === null)) return `「${net.label}」都是空的`
  const holds = addsUp(rows, { columns, formula })
  if (holds === true) return null
  return holds === null ? '各项和实发之间没有算式可以核对' : '合起来各项相加不等于实发'
}

/** Whether the row was matched by an identifier, or shares a merged name cell with another of the rows. */
const isSameMember = (row: MemberRow, rows: readonly MemberRow[]): boolean =>
  !row.isNameOnly || rows.some((other) => other.mergedWith === row.row || row.mergedWith === other.row)

const haveSameAmounts = (one: MemberRow, other: MemberRow): boolean =>
  one.amounts.some((fen) => fen !== 0) && one.amounts.every((fen, at) => fen === other.amounts[at])

const isPaying = (row: MemberRow, columns: readonly CheckColumn[]): boolean =>
  (row.net_fen ?? 0) > 0 || columns.some(({ key, role }) => (isEarning(role) || isGross(role)) && row.getFen(key) > 0)

/** Whether the combined rows add up to their net pay; null where the wage sheet has nothing to verify it. */
export function addsUp(rows: readonly MemberRow[], { columns, formula }: SheetFormulas): boolean | null {
  const net_fen = sumNet(rows)
  const net = columns.find(({ role }) => isNet(role))?.key
  const sum = (keys: readonly string[]) => keys.reduce((all, key) => all + rows.reduce((fen, row) => fen + row.getFen(key), 0), 0)
  if (formula && formula.net === net) {
    if (sum(formula.plus) - sum(formula.minus) === net_fen) return true
    if (isTrusted(formula)) return false
  }
  const getKeys = (matches: (role: CheckColumn['role']) => boolean) =>
    columns.flatMap(({ key, role }) => (matches(role) ? [key] : []))
  const [earned, gross, deducted] = [getKeys(isEarning), getKeys(isGross).slice(0, 1), getKeys(isDeductionOrTax)]
  // A wage sheet with only names and net pay has no amounts that could disagree.
  if (rows.every((row) => [...earned, ...gross, ...deducted].every((key) => row.getFen(key) === 0)))
    return rows.every((row) => row.net_fen !== null) ? true : null
  const alternatives = [earned, gross].filter((plus) => plus.length > 0)
  return alternatives.some((plus) => [sum(deducted), -sum(deducted)].some((off) => sum(plus) - off === net_fen)) ? true : null
}

export const sumNet = (rows: readonly MemberRow[]): number => rows.reduce((all, { net_fen }) => all + (net_fen ?? 0), 0)

const formatRowList = (rows: readonly { readonly row: number }[]): string =>
  rows
    .slice(0, 5)
    .map(({ row }) => formatRowNumber(row))
    .join('、') + (rows.length > 5 ? ' 等' : '')

/** Creates the question about a member whose rows may be combined into one payslip. */
export function createCombineIssue(rows: readonly MemberRow[], column: string | null): DetectedIssue | null {
  const [first] = rows
  if (!first) return null
  return {
    row: first.row,
    name: first.name,
    column,
    level: 'error',
    kind: 'several_rows',
    message: `第 ${formatRowList(rows)} 行是同一个人，合成一张工资条后实发 ${formatFen(sumNet(rows))}；请合成，或分开处理`,
    fix: ['combine', 'separate'],
  }
}

/** Creates the issues of a member with several rows that are reviewed one by one. */
export function createDuplicateIssues(
  rows: readonly MemberRow[],
  column: string | null,
  decision: RowCombination,
): DetectedIssue[] {
  const list = formatRowList(rows)
  const reasonText = decision.kind === 'combine' ? '' : `，但${decision.reason}`
  const hasNet = rows.some(({ net_fen }) => net_fen !== null)
  const sum = hasNet ? `（合成后实发 ${formatFen(sumNet(rows))}）` : ''
  // The first fix is the recommended one: differing rows should be combined rather than skipped, because skipping a row
  // loses its pay.
  const isCombinable = decision.kind === 'combine' || decision.isNameOnly
  const firstFixes: DetectedIssue['fix'] = isCombinable ? ['combine', 'match', 'skip'] : ['match', 'skip', 'combine']
  const todo =
    decision.kind === 'others' ? '请把其中一行指定给别人，或跳过多余的行' : '确认无误才合成，否则跳过多余的行，或指定给别人'
  const message =
    decision.kind === 'others'
      ? `第 ${list} 行对上了同一个人${reasonText}；${todo}`
      : `第 ${list} 行是同一个人${reasonText}${sum}；${todo}`
  return rows.map(({ row, name }, at) => ({
    row,
    name,
    column,
    level: 'error',
    kind: 'duplicate_person',
    message,
    fix: at === 0 && decision.kind !== 'others' ? firstFixes : ['match', 'skip'],
  }))
}

/** Issues of single rows that no longer apply when all rows of the member are combined. */
export const singleRowIssueKinds: ReadonlySet<DetectedIssue['kind']> = new Set([
  'missing_net',
  'empty_row',
  'sum_mismatch',
  'negative_net',
  'net_outlier',
  'item_outlier',
  'tax_mismatch',
])

const deductionTextPattern = /^(?:应扣|代扣|扣款|扣除|扣发|减项|扣减)(?:项目?|合计|部分|明细|款项?)?$/
export const isDeductionText = (text: string): boolean => deductionTextPattern.test(text.replace(/\s/g, ''))

type Merge = { readonly top: number; readonly left: number; readonly bottom: number; readonly right: number }
type RecognizedColumns = {
  readonly columns: readonly CheckColumn[]
  readonly parts: readonly { readonly places: readonly (readonly [key: string, index: number])[] }[]
}
/**
 * Finds rows whose name cell is merged with a row above and maps each row to that row. Columns of a merge count from 1,
 * column positions from 0.
 */
export function findMergedNames(
  { columns, parts: sourceTables }: RecognizedColumns,
  merges: readonly Merge[],
): Map<number, number> {
  const names = new Set(columns.flatMap(({ key, role }) => (isAnyName(role) ? [key] : [])))
  const tops = new Map<number, number>()
  for (const { top, bottom, left, right } of merges) {
    const positions = sourceTables[Math.floor(top / rowsPerSheet)]?.places ?? []
    if (!positions.some(([key, index]) => names.has(key) && index + 1 >= left && index + 1 <= right)) continue
    for (let row = top + 1; row <= bottom; row++) tops.set(row, top)
  }
  return tops
}
