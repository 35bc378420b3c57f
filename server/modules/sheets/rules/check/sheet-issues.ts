/**
 * Checks of the whole wage sheet: uploaded before, different month, wrong sums and totals, numbers shared by two
 * members.
 */
import { formatFen } from '../../../../contract/shared/money.ts'
import type { IssueKind } from '../../../../contract/shared/schemas.ts'
import { columnRoles, isBankAccount, isIdCard, isMobile, isNet } from '../../../../contract/sheets/column-roles.ts'
import { type RowCells } from '../../../../rules/amounts.ts'
import { normalizeText } from '../../../../rules/text.ts'
import type { DeclaredTotals, WrongTotal } from '../declared-totals.ts'
import { type CheckColumn, type Formula, isTrusted } from './amount-issues.ts'
import { type DetectedIssue, formatRowNumber } from './month-comparison.ts'
import type { DeclaredDifference, TotalsResult } from './totals-check.ts'

type AddIssue = (
  row: number,
  kind: DetectedIssue['kind'],
  level: DetectedIssue['level'],
  column: string | null,
  message: string,
) => void

export type SheetDetails = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  readonly expected: Formula | null
  /** Columns that did not exist last month, by key. */
  readonly newColumns: ReadonlySet<string>
  readonly totals_row: { readonly row: number; readonly net_fen: number | null; readonly agrees: boolean | null } | null
  /** Amounts of that total row by column, if the sheet layout includes it and it covers all rows. */
  readonly declared: DeclaredTotals | null
  /** Amounts of every total row. */
  readonly totals: readonly DeclaredTotals[]
  readonly declared_month: string | null
  readonly title_month: string | null
}
export type SameFileMatch = { readonly title: string; readonly month: string; readonly by: 'file' | 'content' }

/** `formulaCounts` is the number of rows in which last month's formula holds. */
export function findSheetIssues(
  sheet: SheetDetails,
  totals: TotalsResult,
  same_file: SameFileMatch | null,
  formulaCounts: { readonly holds: number; readonly of: number } | null,
): DetectedIssue[] {
  const { totals_row, declared, expected, formula, columns, declared_month, title_month } = sheet
  const net = columns.find((column) => isNet(column.role))?.key ?? null
  const issues: DetectedIssue[] = []
  const addIssue: AddIssue = (row, kind, level, column, message) =>
    void issues.push({ row, name: '', kind, level, column, message, fix: ['accept'] })
  if (same_file) {
    const otherBatch = `${same_file.title}${same_file.month ? ` ${same_file.month}` : ''}`
    const statement =
      same_file.by === 'file' ? `这个文件已经上传过（${otherBatch}）` : `每一格内容都与已上传的另一批相同（${otherBatch}）`
    addIssue(0, 'same_file', 'warning', null, `${statement}，请确认不是重复发放`)
  }
  if (declared_month && title_month && declared_month !== title_month)
    addIssue(
      0,
      'other_month',
      'warning',
      null,
      `表里写的是 ${declared_month}，这一批的月份是 ${title_month}；请确认没有传错表，或修改标题的月份`,
    )
  // A column shifted by one row breaks the sums of the whole wage sheet at once; the previous wage sheet shows what
  // they should be.
  if (expected && expected.of >= 3 && isTrusted(expected) && expected.net === net) {
    if (!(formula && isTrusted(formula)))
      addIssue(
        0,
        'sum_mismatch',
        'error',
        net,
        '上次同样的表各项相加等于实发，这次大部分行都不等；可能有一列错位了，请核对后再继续',
      )
    else if (
      formulaCounts &&
      formulaCounts.of >= 3 &&
      formulaCounts.holds * 2 < formulaCounts.of &&
      hasChangedTerms(formula, expected, sheet.newColumns)
    )
      addIssue(
        0,
        'sum_mismatch',
        'error',
        net,
        '实发的算法和上次不同：按上次的算法，大部分行都不相等，换一种加减才相等；可能有两列的列名写反了，请核对表头和内容，确认无误才接受',
      )
  }
  for (const one of totals.wrongTotals) addWrongTotalIssue(one, columns, addIssue)
  const isReported = (row: number) => totals.rightRows.has(row) || totals.wrongTotals.some((one) => one.declared.row === row)
  if (declared && declared.amounts.length > 0) {
    // The last department total, where there is no grand total.
    if (!totals.rightRows.has(declared.row) && totals.declared) addTotalRowIssue(declared.row, totals.declared, columns, addIssue)
  } else if (totals_row?.agrees === false && !isReported(totals_row.row)) {
    const amountText = totals_row.net_fen === null ? '' : ` ${formatFen(totals_row.net_fen)}`
    addIssue(totals_row.row, 'total_row_mismatch', 'warning', net, `表里合计行的实发${amountText} 与各行相加不一致，请核对`)
  }
  return issues
}

/** Reports a wrong total of a department or of one of several sheets. */
function addWrongTotalIssue(
  { declared: { row, label }, rowsText, differences }: WrongTotal,
  columns: readonly CheckColumn[],
  addIssue: AddIssue,
): void {
  const getLabel = (key: string) => `「${columns.find((column) => column.key === key)?.label ?? ''}」`
  const text = ({ key, fen, sum }: WrongTotal['differences'][number]) =>
    `${getLabel(key)}写的是 ${formatFen(fen)}，${rowsText}相加是 ${formatFen(sum)}`
  const where = `「${label || '合计'}」行的`
  const first =
    differences.find(({ key }) => columns.some((column) => column.key === key && isNet(column.role))) ?? differences[0]
  if (!first) return
  if (differences.length <= 3)
    for (const one of differences)
      addIssue(row, 'subtotal_mismatch', 'warning', one.key, `${where}${text(one)}，请核对是否漏行或改过数`)
  else
    addIssue(
      row,
      'subtotal_mismatch',
      'warning',
      first.key,
      `${where}${text(first)}；这一行共有 ${differences.length} 列不一致，请核对是否漏行`,
    )
}

/**
 * Whether a column that counted last month no longer does and no counted column is new: then no column was added, but
 * one changed its meaning.
 */
function hasChangedTerms({ plus, minus }: Formula, expected: Formula, fresh: ReadonlySet<string>): boolean {
  const counts = [
    [expected.plus, plus],
    [expected.minus, minus],
  ] as const
  return (
    ![...plus, ...minus].some((key) => fresh.has(key)) && counts.some(([were, are]) => were.some((key) => !are.includes(key)))
  )
}

function addTotalRowIssue(
  row: number,
  { rowsText, differences }: DeclaredDifference,
  columns: readonly CheckColumn[],
  addIssue: AddIssue,
): void {
  const first =
    differences.find(({ key }) => columns.some((column) => column.key === key && isNet(column.role))) ?? differences[0]
  if (!first) return
  const getLabel = (key: string) => `「${columns.find((column) => column.key === key)?.label ?? ''}」`
  const text = ({ key, fen, sum }: (typeof differences)[number]) =>
    `${getLabel(key)}写的是 ${formatFen(fen)}，${rowsText}相加是 ${formatFen(sum)}`
  // With more than a few differences the row may not be the sum of these rows, which is one question instead of forty.
  if (differences.length <= 3)
    for (const one of differences)
      addIssue(row, 'total_row_mismatch', 'warning', one.key, `表里合计行的${text(one)}，请核对是否漏行或改过数`)
  else
    addIssue(
      row,
      'total_row_mismatch',
      'warning',
      first.key,
      `表里合计行有 ${differences.length} 列与${rowsText}相加不一致：${text(first)}；另有${differences
        .filter((one) => one !== first)
        .slice(0, 3)
        .map(({ key }) => getLabel(key))
        .join('')}${differences.length > 4 ? '等' : ''}；请核对是否漏行`,
    )
}

/** A column of unique numbers. */
export type NumberColumn = { readonly key: string; readonly label: string }
export const selectNumberColumns = (columns: readonly CheckColumn[]): NumberColumn[] =>
  [isMobile, isIdCard, isBankAccount].flatMap((matches) => {
    const column = columns.find(({ role }) => matches(role))
    return column ? [{ key: column.key, label: columnRoles[column.role].label }] : []
  })

/** Returns the numbers of a row with their columns. */
export function readNumbers(cells: RowCells, columns: readonly NumberColumn[]): string[] {
  return columns.flatMap(({ key }) => {
    const cell = cells[key]
    const text = cell && cell.flaw !== 'damaged' ? normalizeText(cell.value).replace(/[\s-]/g, '').toUpperCase() : ''
    // A word instead of a number (无, 现金) identifies nobody.
    return /\d{6}/.test(text) ? [`${key} ${text}`] : []
  })
}

/** Finds numbers that occur for more than one member. */
export class DuplicateNumberCheck {
  readonly #columns: readonly NumberColumn[]
  readonly #bearersByNumber = new Map<string, { row: number; name: string; bearer: string }[]>()

  constructor(columns: readonly NumberColumn[]) {
    this.#columns = columns
  }

  /** `who` is the member where known, otherwise the name. */
  add(row: number, name: string, who: string, own: readonly string[]): void {
    for (const id of own) {
      const bearers = this.#bearersByNumber.get(id)
      if (bearers) bearers.push({ row, name, bearer: who })
      else this.#bearersByNumber.set(id, [{ row, name, bearer: who }])
    }
  }

  listIssues(): DetectedIssue[] {
    return [...this.#bearersByNumber].flatMap(([id, bearers]) => {
      if (new Set(bearers.map(({ bearer }) => bearer)).size < 2) return []
      const column = this.#columns.find(({ key }) => id.startsWith(`${key} `))
      const rows = bearers.slice(0, 5).map(({ row }) => formatRowNumber(row))
      const list = rows.join('、') + (bearers.length > 5 ? ' 等' : '')
      return bearers.map(
        ({ row, name }): DetectedIssue => ({
          row,
          name,
          column: column?.key ?? null,
          level: 'warning',
          kind: 'same_number',
          message: `第 ${list} 行的${column?.label}相同，却不是同一个人；请核对是否粘贴错了`,
          fix: ['edit', 'accept', 'skip'],
        }),
      )
    })
  }
}

/** Whether accepting an issue applies to the wage sheet instead of a row: for row 0 and for total rows. */
export const isSheetIssue = ({ row, kind }: { readonly row: number; readonly kind: IssueKind }): boolean =>
  row === 0 || kind === 'total_row_mismatch' || kind === 'subtotal_mismatch'
/** Returns the key under which an acceptance is stored; several totals are accepted one by one. */
export const getAcceptanceMark = ({ row, kind, column }: Pick<DetectedIssue, 'row' | 'kind' | 'column'>): string =>
  `${kind}:${column ?? ''}${kind === 'subtotal_mismatch' ? `@${row}` : ''}`
