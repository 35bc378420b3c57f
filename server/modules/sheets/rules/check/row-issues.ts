/**
 * Messages about rows that carry another member's amounts. If all identity columns were sorted or shifted together, no
 * key of a row contradicts another: only last month's amounts reveal it (`assignRows`). One mistake is one question
 * with its evidence, regardless of the number of rows.
 */

import { isTotal } from '../../../../contract/sheets/column-roles.ts'
import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import type { ReorderedColumn } from '../months/column-assignment.ts'
import type { ComparisonCache } from '../months/comparison-cache.ts'
import { MonthSimilarity } from '../months/month-similarity.ts'
import { assignRows } from '../months/row-assignment.ts'
import type { MisplacedRow, RowShift } from '../months/row-ranges.ts'
import { type DetectedIssue, formatRowNumber, type LastMonthComparison } from './month-comparison.ts'

/** Labels of items that hardly change from month to month; others vary, and need more evidence. */
const fixedLabelPattern =
  /基本|基础|底薪|本薪|岗位|职务|职级|薪级|级别|工龄|司龄|技能|标准|固定|养老|医疗|医保|失业|公积金|社保|五险|年金|basic|base/i
const varyingLabelPattern = /绩效|奖|加班|计件|提成|补发|补扣|扣款|浮动|考核/
const isFixedLabel = (label: string): boolean => fixedLabelPattern.test(label) && !varyingLabelPattern.test(label)

/** From this number of rows with another member's amounts on, they become one question with examples. */
const minForCombinedIssue = 6
/**
 * If at least this number of shifts and reordered columns covers half of the rows, the whole wage sheet is out of order
 * and there is one question.
 */
const minForSheetIssue = 2
const exampleCount = 3

export type RowIssues = {
  readonly issues: DetectedIssue[]
  /** Rows covered by an issue: their amounts are not reported again. */
  readonly rows: Set<number>
  /** Indexes in `LastMonthComparison.rows` of members whose amounts do not show whether the row belongs to them. */
  readonly unproven: readonly number[]
  /** Pairs of these rows that fit each other better, most likely pair first. */
  readonly exchanged: readonly number[]
}

/** Finds rows that carry another member's amounts, and those for which it cannot be decided. */
export function* findRowIssues(
  comparison: LastMonthComparison,
  cache: ComparisonCache<MonthSimilarity>,
): CooperativeTask<RowIssues> {
  const similarity = yield* MonthSimilarity.create(comparison, cache)
  const getLabel = (column: number): string => comparison.items[similarity.itemByColumn[column] ?? -1]?.label ?? ''
  const {
    shifts: ranges,
    misplaced,
    reordered,
    unproven,
    exchanged,
  } = yield* assignRows(similarity, {
    isUsuallyFixed: (column) => isFixedLabel(getLabel(column)),
    isSum: (column) => isTotal(comparison.items[similarity.itemByColumn[column] ?? -1]?.role),
  })
  const messages = new RowIssueMessages(comparison, similarity)
  const rows = new Set<number>()
  for (const { from, to } of ranges) for (let row = from; row <= to; row++) rows.add(row)
  for (const { row } of misplaced) rows.add(row)
  for (const disorder of reordered) for (const row of disorder.rows) rows.add(row)
  const mistakes = removeMirroredSwaps(misplaced, similarity)
  const affectsSheet = ranges.length + reordered.length >= minForSheetIssue && rows.size * 2 >= comparison.rows.length
  if (affectsSheet && reordered.length > 0)
    return {
      issues: [
        messages.createSheetIssue(
          [...rows].toSorted((a, b) => a - b),
          [...ranges, ...reordered],
        ),
      ].flatMap((one) => one ?? []),
      rows,
      unproven,
      exchanged,
    }
  const issues = [
    ...ranges.map((stretch) => messages.createShiftIssue(stretch)),
    ...(mistakes.length >= minForCombinedIssue
      ? [messages.createCombinedIssue(mistakes)]
      : mistakes.map((one) => messages.createMisplacedIssue(one))),
    ...reordered.map((disorder) => messages.createReorderIssue(disorder)),
  ]
  return { issues: issues.filter((one) => one !== null), rows, unproven, exchanged }
}

/** Two swapped members are one mistake, reported at the upper row. */
const removeMirroredSwaps = (misplaced: readonly MisplacedRow[], similarity: MonthSimilarity): MisplacedRow[] => {
  const isLower = ({ row, member, isMutual }: MisplacedRow): boolean => {
    const otherRow = similarity.rowByMember[member] ?? -1
    return isMutual && otherRow < row && !similarity.skipped[otherRow]
  }
  return misplaced.filter((one) => !similarity.skipped[one.row] && !isLower(one))
}

const truncate = (text: string): string => (text.length > 12 ? `${text.slice(0, 11)}…` : text || '没有姓名的一行')

class RowIssueMessages {
  readonly #comparison: LastMonthComparison
  readonly #similarity: MonthSimilarity

  constructor(comparison: LastMonthComparison, like: MonthSimilarity) {
    this.#comparison = comparison
    this.#similarity = like
  }

  createShiftIssue({ from, to, offset, columns }: RowShift): DetectedIssue | null {
    const { rows } = this.#comparison
    const first = rows.slice(from, to + 1).find(({ skipped }) => !skipped)
    const last = rows[to]
    if (!first || !last) return null
    const owner = this.#nameAt(rows.indexOf(first) + offset)
    const direction = offset > 0 ? '下方' : '上方'
    const distance = Math.abs(offset) === 1 ? `${direction}相邻一行` : `${direction}第 ${Math.abs(offset)} 行`
    const range = `第 ${formatRowNumber(first.row)}–${formatRowNumber(last.row)} 行`
    const example = owner ? `，例如「${truncate(first.name)}」这一行更像是「${truncate(owner)}」的` : ''
    return {
      row: first.row,
      name: first.name,
      column: this.#getKey(columns[0]),
      level: 'error',
      kind: 'shifted_rows',
      message: `${range}的${this.#getLabels(columns)}整体错位：每一行都更像是${distance}的人上月的数${example}；请在表里对齐后重新上传，确认无误才接受`,
      fix: ['accept'],
    }
  }

  createMisplacedIssue({ row, member, isMutual, column }: MisplacedRow): DetectedIssue | null {
    const context = this.#comparison.rows[row]
    if (!context) return null
    const theirs = this.#similarity.rowByMember[member] ?? -1
    const there = this.#comparison.rows[theirs]
    const content = `「${truncate(context.name)}」（第 ${formatRowNumber(context.row)} 行）`
    const what = this.#getLabels(column === null ? [] : [column])
    const message = !there
      ? `${content}的${what}与本人上月的不同，更像是另一位这次不在表里的人的，可能错行了；请核对，确认无误才接受`
      : isMutual
        ? `${content}和「${truncate(there.name)}」（第 ${formatRowNumber(there.row)} 行）的${what}疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受`
        : `${content}的${what}更像是「${truncate(there.name)}」（第 ${formatRowNumber(there.row)} 行）上月的，与本人上月的不同，可能错行；请核对，确认无误才接受`
    return {
      row: context.row,
      name: context.name,
      column: this.#getKey(column ?? undefined),
      level: 'error',
      kind: 'swapped_rows',
      message,
      ...(there && isMutual && !there.skipped
        ? { other_row: there.row, fix: ['swap', 'accept', 'skip'] as const }
        : { fix: ['accept', 'skip'] as const }),
    }
  }

  /** Reports many rows at once: a column was sorted without the others, or cells were pasted elsewhere. */
  createCombinedIssue(all: readonly MisplacedRow[]): DetectedIssue | null {
    const first = this.#comparison.rows[all[0]?.row ?? -1]
    if (!first) return null
    const visible = all.slice(0, exampleCount).flatMap(({ row, member }) => {
      const context = this.#comparison.rows[row]
      const theirs = this.#nameAt(this.#similarity.rowByMember[member] ?? -1)
      return context && theirs
        ? [`第 ${formatRowNumber(context.row)} 行「${truncate(context.name)}」的金额更像是「${truncate(theirs)}」的`]
        : []
    })
    return {
      row: first.row,
      name: first.name,
      column: null,
      level: 'error',
      kind: 'shifted_rows',
      message: `金额和姓名对不上：有 ${all.length} 处的金额更像是别人上月的，可能只给一部分列排了序。${visible.join('；')}。请在表里对齐后重新上传，确认无误才接受`,
      fix: ['accept'],
    }
  }

  /** Formats a few rows as examples. */
  #examples(rows: readonly number[]): string {
    const visible = rows.slice(0, exampleCount).flatMap((row) => this.#comparison.rows[row] ?? [])
    return visible.map(({ row, name }) => `第 ${formatRowNumber(row)} 行「${truncate(name)}」`).join('、')
  }

  /**
   * Reports that most rows of the wage sheet have other names: it was sorted, or pasted in parts. Names the columns
   * once, with a few examples.
   */
  createSheetIssue(rows: readonly number[], sections: readonly (RowShift | ReorderedColumn)[]): DetectedIssue | null {
    const columns = new Set(sections.flatMap((part) => ('column' in part ? [part.column] : part.columns)))
    const first = this.#comparison.rows[rows[0] ?? -1]
    if (!first) return null
    return {
      row: first.row,
      name: first.name,
      column: null,
      level: 'error',
      kind: 'shifted_rows',
      message: `整张表的金额和姓名对不上：${rows.length} 人的${this.#getLabels([...columns])}与本人上月的相差很大，像是换了顺序（${this.#examples(rows)}）；可能只给一部分列排了序，请在表里对齐后重新上传，确认无误才接受`,
      fix: ['accept'],
    }
  }

  createReorderIssue({ column, rows }: ReorderedColumn): DetectedIssue | null {
    const first = this.#comparison.rows[rows[0] ?? -1]
    if (!first) return null
    return {
      row: first.row,
      name: first.name,
      column: this.#getKey(column),
      level: 'error',
      kind: 'shifted_rows',
      message: `${this.#getLabels([column])}和姓名对不上：${rows.length} 人与本人上月的相差很大，有的多、有的少，合计却差不多，像是换了顺序（${this.#examples(rows)}）；请核对是否错行，确认无误才接受`,
      fix: ['accept'],
    }
  }

  #nameAt = (row: number): string => this.#comparison.rows[row]?.name ?? ''
  #getKey(column: number | undefined): string | null {
    return column === undefined ? null : (this.#comparison.items[this.#similarity.itemByColumn[column] ?? -1]?.key ?? null)
  }
  #getLabels(columns: readonly number[]): string {
    const labels = columns.map((column) => `「${this.#comparison.items[this.#similarity.itemByColumn[column] ?? -1]?.label}」`)
    if (labels.length === 0) return '金额'
    return labels.slice(0, 3).join('') + (labels.length > 3 ? `等 ${labels.length} 列` : '')
  }
}
