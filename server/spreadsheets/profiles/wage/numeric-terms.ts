/**
 * Numbers under unknown labels: 保底 3500, 水电 40. Whole or constant numbers among others may be counts, so the label
 * alone does not make them amounts. If the net pay or a total adds up only with such a column, the rows prove that it
 * is one.
 */
import { isDeductionOrTax, isGross, isInfo, isNet } from '../../../contract/sheets/column-roles.ts'
import { shortAmountPattern } from '../../recognise/label-meaning.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { findFormula, getCellFen, type ProvenSum } from './sums.ts'
import { findSubtotals, type SummedTable } from './totals.ts'
import type { ColumnDraft } from './types.ts'

/** A sum that holds only with columns of unknown numbers. */
export interface NumericSum {
  target: ColumnDraft
  sum: ProvenSum
}

/** A larger number of unknown columns cannot be forgotten pay items. */
const maxNumbers = 20
/** In fewer rows a sum may hold by chance. */
const minRows = 3
const countPattern =
  /[天日时次率号序级岁人件个数分]$|天数|工时|时长|出勤|考勤|系数|比例|比率|倍|编号|年限|人数|数量|hours?|days?|rate|qty|count|\bfx\b|汇率/i

export const isUnknownNumber = ({
  role,
  isAmount,
  label,
  path,
  meaning,
  profile,
  isAlternative,
  isAside,
}: ColumnDraft): boolean => {
  const { amounts, filled, texts, dates, percents, errors, mobiles, id_cards, bank_cards, padded, counting, largest } = profile
  const leaf = normalizeHeader(path.at(-1) ?? '')
  const isUnknown = meaning.nature === 'unknown' || shortAmountPattern.test(leaf)
  return (
    isInfo(role) &&
    !isAmount &&
    label !== '' &&
    isUnknown &&
    !isAlternative &&
    !isAside &&
    !countPattern.test(leaf) &&
    largest > 0 &&
    amounts * 2 > filled &&
    texts * 4 <= filled &&
    dates + percents + errors + mobiles + id_cards + bank_cards + padded === 0 &&
    !counting
  )
}

/** `net`: the column that is paid, or that will probably be selected. */
export function findNumericSums(table: SummedTable, net: ColumnDraft | undefined): NumericSum[] {
  const { grid, memberRows, columns } = table
  const unknown = columns.filter(isUnknownNumber)
  const numbers = unknown.filter((column) => column !== net)
  if (unknown.length === 0 || unknown.length > maxNumbers || memberRows.length < 2) return []
  const matches = [
    ...(isNet(net?.role) ? findNetSum(table, net, numbers) : findLikelyNetSum(table, net, unknown)),
    ...findTotalSums(
      table,
      columns.filter((column) => column !== net),
      numbers,
    ),
  ]
  return matches.map(({ target, sum }) => {
    const terms = new Set([...sum.plus, ...sum.minus])
    const values = (column: ColumnDraft) => memberRows.map((row) => getCellFen(grid, row, column.index) ?? 0).join()
    // If two columns have the same amounts, the rows do not show which of them counts.
    const isAmbiguous = numbers.some(
      (used) =>
        terms.has(used.key) &&
        columns.some((other) => !terms.has(other.key) && other !== target && values(other) === values(used)),
    )
    return isAmbiguous || sum.of < minRows ? { target, sum: { ...sum, proof: 'weak' as const } } : { target, sum }
  })
}

const isFull = (sum: ProvenSum | null | undefined): boolean => sum?.proof === 'all'
const usesAny = (sum: ProvenSum, numbers: readonly ColumnDraft[]): boolean =>
  numbers.some(({ key }) => sum.plus.includes(key) || sum.minus.includes(key))

/**
 * Yields the unknown columns as amounts: first as informational, then by their position before or after the gross pay,
 * then all as earnings, then all as deductions.
 */
function* listVariants(columns: readonly ColumnDraft[], numbers: readonly ColumnDraft[]): Generator<ColumnDraft[]> {
  const gross = columns.find(({ role }) => isGross(role))
  const firstDeduction = columns.find(({ role, isAmount }) => isAmount && isDeductionOrTax(role))
  const border = gross?.index ?? firstDeduction?.index ?? Number.POSITIVE_INFINITY
  for (const getRole of [
    () => 'info' as const,
    ({ index }: ColumnDraft) => (index > border ? ('deduction' as const) : ('earning' as const)),
    () => 'earning' as const,
    () => 'deduction' as const,
  ])
    yield columns.map((column) => (numbers.includes(column) ? { ...column, isAmount: true, role: getRole(column) } : column))
}

/** With `mayBeExisting`, also returns a sum that known amounts alone satisfy. */
function findNetSum(
  { grid, memberRows, columns }: SummedTable,
  net: ColumnDraft,
  numbers: readonly ColumnDraft[],
  mayBeExisting = false,
): NumericSum[] {
  const asNet = columns.map((column) => (column === net ? { ...column, role: 'net' as const, isAmount: true } : column))
  const existing = findFormula(grid, memberRows, asNet)
  if (existing && isFull(existing)) return mayBeExisting ? [{ target: net, sum: existing }] : []
  let best: ProvenSum | null = null
  for (const variant of listVariants(asNet, numbers)) {
    const sum = findFormula(grid, memberRows, variant)
    if (!sum || !usesAny(sum, numbers) || (best && best.holds >= sum.holds)) continue
    best = sum
  }
  if (!best || (existing && best.holds <= existing.holds)) return []
  return [{ target: net, sum: best }]
}

/**
 * For a sheet without a certain net pay: finds the sum of the suggested column, or of the last unknown one, from the
 * columns before it.
 */
function findLikelyNetSum(table: SummedTable, suggested: ColumnDraft | undefined, unknown: readonly ColumnDraft[]): NumericSum[] {
  const last = unknown.at(-1)
  const indexByKey = new Map(table.columns.map(({ key, index }) => [key, index]))
  for (const target of [suggested, last]) {
    if (!target) continue
    const numbers = unknown.filter((column) => column !== target)
    const [match] = findNetSum(table, target, numbers, target === last)
    const isBefore = (key: string) => (indexByKey.get(key) ?? target.index) < target.index
    if (match && [...match.sum.plus, ...match.sum.minus].every(isBefore)) return [match]
  }
  return []
}

/** Finds the sums of declared totals that the known amounts do not satisfy. */
function findTotalSums(
  { grid, memberRows }: SummedTable,
  columns: readonly ColumnDraft[],
  numbers: readonly ColumnDraft[],
): NumericSum[] {
  const existing = findSubtotals(grid, memberRows, columns)
  const matches = new Map<ColumnDraft, ProvenSum>()
  for (const variant of listVariants(columns, numbers))
    for (const sum of findSubtotals(grid, memberRows, variant)) {
      const target = columns.find(({ key }) => key === sum.key)
      const before = existing.find(({ key }) => key === sum.key)
      if (!target || numbers.includes(target) || isFull(before) || !isFull(sum) || !usesAny(sum, numbers)) continue
      if (!matches.has(target)) matches.set(target, sum)
    }
  return [...matches].map(([target, sum]) => ({ target, sum }))
}
