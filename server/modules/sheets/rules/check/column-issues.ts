/**
 * Compares columns with earlier months: columns moved under another label or in another unit, and unusual single
 * amounts.
 */

import { formatFen } from '../../../../contract/shared/money.ts'
import { isNet, isPayItem, isTax } from '../../../../contract/sheets/column-roles.ts'
import { type CooperativeTask, YieldTimer } from '../../../../rules/cooperative-task.ts'
import type { ColumnSuspects, SuspectedOutlier } from '../months/column-results.ts'
import type { ComparisonCache } from '../months/comparison-cache.ts'
import type { MonthSimilarity } from '../months/month-similarity.ts'
import { median, summaryItems } from './member-amounts.ts'
import {
  type ComparedRow,
  type DetectedIssue,
  inaccessiblePayRunNote,
  type LastMonthComparison,
  roundCoarsely,
} from './month-comparison.ts'

/** Maximum number of sampled rows, spread over the wage sheet. */
const maxSampledRows = 400

export function* findColumnIssues(
  comparison: LastMonthComparison,
): CooperativeTask<{ matches: DetectedIssue[]; places: Set<number> }> {
  const paid = comparison.rows.flatMap((row, at) =>
    !row.skipped && row.member_id && comparison.lastMonth.has(row.member_id) ? [at] : [],
  )
  const step = Math.max(1, Math.ceil(paid.length / maxSampledRows))
  const sample = paid.filter((_, at) => at % step === 0)
  const moved = yield* findMovedColumns(comparison, sample)
  const scaled = findScaledColumns(
    comparison,
    sample,
    comparison.items.map((_, index) => index).filter((index) => !moved.places.has(index)),
  )
  const issues = [...moved.matches, ...scaled.matches]
  if (issues.length === 0 && !comparison.isHidden && (yield* isUnchanged(comparison, paid)))
    issues.push({
      ...createSheetIssue(null),
      level: 'warning',
      kind: 'unchanged',
      message: `${paid.length} 个人的每一项金额都与上次完全相同，可能误传了上次的表；请确认`,
    })
  return { matches: issues, places: new Set([...moved.places, ...scaled.places]) }
}

const createSheetIssue = (column: string | null) => ({ row: 0, name: '', column, fix: ['accept'] as const })

const summaryItemLabels: Readonly<Record<string, string>> = { [summaryItems.net]: '实发', [summaryItems.gross]: '应发' }

function* findMovedColumns(
  comparison: LastMonthComparison,
  sample: readonly number[],
): CooperativeTask<{ matches: DetectedIssue[]; places: Set<number> }> {
  const issues: DetectedIssue[] = []
  const movedItems = new Set<number>()
  const yieldTimer = new YieldTimer()
  const people = comparison.lastMonth.getAmountsByMember()
  const before = sample.map((row) => people.get(comparison.rows[row]?.member_id ?? ''))
  /** Counts the rows with an amount in `item` that equals the member's amount in the other item last month. */
  const countAgreeing = (position: number, last: number) => {
    const same: number[] = []
    let of = 0
    for (const [at, row] of sample.entries()) {
      const now = comparison.rows[row]?.amounts[position] ?? 0
      if (now === 0) continue
      of += 1
      const was = last < 0 ? 0 : (before[at]?.[last] ?? 0)
      if (comparison.isHidden ? comparison.toComparable(now) === comparison.toComparable(was) : now === was) same.push(row)
    }
    return { same, of }
  }
  const keepsOwnItem = comparison.items.map(({ lastIndex }, index) => {
    if (lastIndex < 0) return false
    const { same, of } = countAgreeing(index, lastIndex)
    return same.length * 2 > of
  })
  const itemNames = comparison.lastMonth.listItems()
  for (const [index, { key, label, lastIndex }] of comparison.items.entries()) {
    if (lastIndex < 0) continue
    const own = countAgreeing(index, lastIndex)
    if (own.of < 3 || own.same.length * 5 > own.of) continue
    for (const [other, item] of itemNames.entries()) {
      if (other === lastIndex || item === summaryItems.tax || item === summaryItems.special) continue
      const at = comparison.items.findIndex((one) => one.lastIndex === other)
      if (at >= 0 && keepsOwnItem[at]) continue
      if (yieldTimer.shouldYield(sample.length * 4)) yield
      const { same } = countAgreeing(index, other)
      const values = new Set(same.map((row) => comparison.getCurrent(row, index)))
      if (same.length < 3 || same.length * 10 < own.of * 7 || values.size < 2) continue
      movedItems.add(index)
      const sourceLabel = comparison.isHidden ? '别的列' : (summaryItemLabels[item] ?? item.split('/').at(-1))
      const previousLabel = at >= 0 ? comparison.items[at]?.label : sourceLabel
      issues.push({
        ...createSheetIssue(key),
        level: 'error',
        kind: 'column_moved',
        message: `「${label}」这一列里是上次「${previousLabel}」的数（${own.of} 人中有 ${same.length} 人相同），可能整列放错了位置；请核对表头和内容，确认无误才接受`,
      })
      break
    }
  }
  return { matches: issues, places: movedItems }
}

const scaleLabels: ReadonlyMap<number, string> = new Map([
  [1, '10 倍'],
  [2, '100 倍（元与分）'],
  [3, '1,000 倍（元与千元）'],
  [4, '10,000 倍（元与万元）'],
])

function findScaledColumns(
  comparison: LastMonthComparison,
  sample: readonly number[],
  candidates: readonly number[],
): { matches: DetectedIssue[]; places: Set<number> } {
  const byPower = new Map<number, number[]>()
  for (const index of candidates) {
    const ratios = sample.flatMap((row) => {
      const was = comparison.getPrevious(row, index) ?? 0
      const now = comparison.getCurrent(row, index)
      return was !== 0 && now !== 0 ? [now / was] : []
    })
    if (ratios.length < 3) continue
    const middle = median(ratios)
    if (middle <= 0) continue
    const power = Math.round(Math.log10(middle))
    const unit = 10 ** power
    if (!scaleLabels.has(Math.abs(power)) || middle < unit * 0.8 || middle > unit * 1.25) continue
    const near = ratios.filter((ratio) => ratio > unit / 2 && ratio < unit * 2).length
    if (near * 5 >= ratios.length * 4) byPower.set(power, [...(byPower.get(power) ?? []), index])
  }
  const scaledItems = new Set([...byPower.values()].flat())
  const issues = [...byPower].map(([power, of]): DetectedIssue => {
    const ordered = of.toSorted((a, b) => Number(isNet(comparison.items[b]?.role)) - Number(isNet(comparison.items[a]?.role)))
    const labels = ordered.map((index) => `「${comparison.items[index]?.label}」`)
    const what = labels.slice(0, 3).join('') + (labels.length > 3 ? `等 ${labels.length} 列` : '')
    const by = power > 0 ? `是上次的 ${scaleLabels.get(power)}` : `只有上次的 1/${(10 ** -power).toLocaleString('en')}`
    return {
      ...createSheetIssue(comparison.items[ordered[0] ?? 0]?.key ?? null),
      // Ten times a small bonus may be intended; a hundred times indicates another unit.
      level: Math.abs(power) === 1 ? 'warning' : 'error',
      kind: 'scale_changed',
      message: `${what}几乎每个人都${by}，金额单位可能变了；请核对，确认无误才接受`,
    }
  })
  return { matches: issues, places: scaledItems }
}

/** Whether the members are the same and no amount differs. */
function* isUnchanged(comparison: LastMonthComparison, paid: readonly number[]): CooperativeTask<boolean> {
  const countedRows = comparison.rows.filter(({ skipped }) => !skipped)
  if (paid.length < 2 || countedRows.length !== paid.length || comparison.lastMonth.getAmountsByMember().size !== paid.length)
    return false
  const compared = comparison.items.flatMap(({ lastIndex }, item) => (lastIndex < 0 ? [] : [item]))
  if (compared.length === 0 || compared.length !== comparison.items.length) return false
  const yieldTimer = new YieldTimer()
  for (const row of paid) {
    if (yieldTimer.shouldYield(compared.length * 2)) yield
    if (!compared.every((item) => comparison.getCurrent(row, item) === comparison.getPrevious(row, item))) return false
  }
  return true
}

/*
 * Compares members with their own earlier months. First all members are compared with the last pay run; only for those
 * with unusual amounts are more months read, and then the median decides, so that a bonus last month does not make this
 * month look low.
 */

/** Sums follow from their items, and taxes have their own rule. */
const fenPerYuan = 100

/**
 * Whether an item is an outlier relative to the median: the fewer months are known and the more they vary, the larger
 * the tolerance.
 */
export function isOutlier(now: number, before: readonly number[]): boolean {
  const middle = median(before)
  // An item the member never had before is no outlier; a large one is noticed in net pay.
  if (middle === 0) return false
  const spread = Math.max(...before.map((fen) => Math.abs(fen - middle)))
  const size = Math.abs(middle)
  const away = Math.abs(now - middle)
  if (before.length === 1) return away > Math.max(1_000 * fenPerYuan, size * 4)
  if (before.length >= 3 && spread === 0) return away > Math.max(500 * fenPerYuan, size / 2)
  return away > Math.max(500 * fenPerYuan, size * (before.length === 2 ? 2 : 1), spread * 3)
}

/** Whether net pay changed by more than half. */
export const isNetOutlier = (now: number, before: number): boolean => before > 0 && Math.abs(now - before) * 2 > before

/**
 * Finds the members for whom reading more months is worthwhile. A column with many suspects is seasonal or has new
 * rules and is skipped. `cache` is the cache entry of this wage sheet.
 */
export function* findSuspects(
  comparison: LastMonthComparison,
  rows: ReadonlySet<number>,
  places: ReadonlySet<number>,
  cache: ComparisonCache<MonthSimilarity>,
): CooperativeTask<SuspectedOutlier[]> {
  const all: SuspectedOutlier[] = []
  const yieldTimer = new YieldTimer()
  const people = comparison.lastMonth.getAmountsByMember()
  const reportedRows = cache.list('told of last month', rows)
  const { similarity } = cache
  const columnAt = new Map(similarity?.itemByColumn.map((item, column) => [item, column]))
  let previousAmounts: (Float64Array | undefined)[] | null = null
  for (const [item, { role, lastIndex }] of comparison.items.entries()) {
    if (lastIndex < 0 || places.has(item) || (!isNet(role) && (!isPayItem(role) || isTax(role)))) continue
    if (comparison.isHidden && !isNet(role)) continue
    const state = similarity?.state[columnAt.get(item) ?? -1]
    const { suspects: columnSuspects, comparedCount } = yield* cache.suspects.getOrComputeCooperatively(
      item,
      [state ?? {}, reportedRows],
      function* () {
        previousAmounts ??= comparison.rows.map((row, at) =>
          row.member_id === null || row.skipped || rows.has(at) ? undefined : people.get(row.member_id),
        )
        if (yieldTimer.shouldYield(previousAmounts.length * 2)) yield
        return findColumnSuspects(comparison, item, previousAmounts)
      },
    )
    if (isNet(role) || columnSuspects.length <= Math.max(3, comparedCount * 0.3)) all.push(...columnSuspects)
  }
  return all
}

function findColumnSuspects(
  comparison: LastMonthComparison,
  item: number,
  previousAmounts: readonly (Float64Array | undefined)[],
): ColumnSuspects {
  const { role, lastIndex } = comparison.items[item] ?? { role: 'ignore', lastIndex: -1 }
  const suspects: SuspectedOutlier[] = []
  let comparedCount = 0
  for (let at = 0; at < previousAmounts.length; at++) {
    const own = previousAmounts[at]?.[lastIndex] ?? 0
    const row = own === 0 ? undefined : comparison.rows[at]
    if (!row || row.unreadable.includes(item)) continue
    const was = comparison.toComparable(own)
    comparedCount += 1
    const now = row.amounts[item] ?? 0
    if (
      isNet(role)
        ? isNetOutlier(now, comparison.isHidden ? roundCoarsely(was) : was)
        : Math.abs(now - was) > Math.max(500 * fenPerYuan, Math.abs(was) / 2)
    )
      suspects.push({ row: at, item })
  }
  return { suspects, comparedCount }
}

/** Reports outliers. `earlier` returns a member's amounts of an item in the months before the last pay run. */
export function findOutlierIssues(
  comparison: LastMonthComparison,
  suspected: readonly SuspectedOutlier[],
  earlier: (member_id: string, item: string) => readonly number[],
): DetectedIssue[] {
  return suspected.flatMap(({ row: at, item }): DetectedIssue[] => {
    const row = comparison.rows[at]
    const column = comparison.items[item]
    const previous = comparison.getPrevious(at, item)
    if (!row?.member_id || !column || previous === undefined) return []
    const now = row.amounts[item] ?? 0
    if (comparison.isHidden) return createHiddenNetIssue(row, column.key, now, previous)
    const isOfNet = isNet(column.role)
    const before = [previous, ...earlier(row.member_id, isOfNet ? summaryItems.net : column.item)]
    const middle = median(before)
    if (isOfNet ? !isNetOutlier(now, middle) : !isOutlier(now, before)) return []
    const typicalText = before.length === 1 ? '' : `，此前 ${before.length} 个月通常在 ${formatFen(middle)} 左右`
    const message = isOfNet
      ? `实发 ${formatFen(now)}，上次 ${formatFen(previous)}${typicalText}，相差超过一半，请确认`
      : `「${column.label}」${formatFen(now)}，上次 ${formatFen(previous)}${typicalText}，相差很大，请确认是否多写或漏写了数字`
    const fix = ['accept', 'edit', 'skip'] as const
    return [
      {
        row: row.row,
        name: row.name,
        column: column.key,
        level: 'warning',
        kind: isOfNet ? 'net_outlier' : 'item_outlier',
        message,
        fix,
      },
    ]
  })
}

/**
 * Reports unusual net pay compared with a pay run that the user may not see, without the amount or a threshold that
 * would reveal it.
 */
function createHiddenNetIssue({ row, name }: ComparedRow, column: string, now: number, was: number): DetectedIssue[] {
  if (!isNetOutlier(now, roundCoarsely(was))) return []
  const message = `实发 ${formatFen(now)}，与此人此前在公司的实发相差很大，请确认${inaccessiblePayRunNote}`
  return [{ row, name, column, level: 'warning', kind: 'net_outlier', message, fix: ['accept', 'edit', 'skip'] }]
}
