/**
 * Columns that may be the net pay: 实发 and 最终实发, 税后工资 and 实际打款, 实发 and 实发取整. If two of them differ in any row, only the
 * user can tell which one is paid; the columns between them that add up determine the suggestion.
 */

import { formatFen } from '../../../contract/shared/money.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import {
  isDeductionOrTax,
  isEmployeeNo,
  isEmployerCost,
  isGross,
  isLastName,
  isName,
  isNet,
} from '../../../contract/sheets/column-roles.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import { getText } from '../../grid.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { type NetRelation, resolveRelation } from './net-relation.ts'
import { isEarlierPayment, isPartialPayment, isPaymentLabel, isPaymentMethod } from './sub-items.ts'
import { findSum, getCellFen, removeProof, type SumFormula } from './sums.ts'
import { toReadColumn } from './totals.ts'
import type { ColumnDraft, CombinedTable } from './types.ts'

/** The interpretation of a sheet with one of its columns as the net pay. */
export interface NetReading {
  net: string
  formula: SumFormula | null
  /** Column roles by key. */
  roles: Record<string, ColumnRole>
}

export interface NetReadings {
  /** The columns as interpreted with the suggested net pay, or with the selected one if there is no suggestion. */
  pool: CombinedTable
  relation: NetRelation
  readings: NetReading[]
  rivals: ColumnDraft[]
  suggested: ColumnDraft | null
  /** The chain if the net pay is another candidate plus the columns between. */
  chain: NetChain | null
}

interface NetChain {
  inner: ColumnDraft
  outer: ColumnDraft
  plus: ColumnDraft[]
  minus: ColumnDraft[]
}

/** Interprets the sheet with each column that may be the net pay. */
export function readNetCandidates(pool: CombinedTable): NetReadings {
  const first = pool.columns.find(({ role }) => isNet(role))
  const candidates = first ? findNetCandidates(pool, first) : []
  // The column taken as net pay may be a part of it.
  const net = candidates.find((column) => column === first) ?? candidates.at(-1)
  if (!net || (candidates.length === 1 && net === first))
    return { pool, relation: resolveRelation(pool), readings: [], rivals: [], suggested: null, chain: null }

  const read = new Map<ColumnDraft, { pool: CombinedTable; relation: NetRelation }>()
  for (const column of candidates) {
    const variant = withNet(pool, column, candidates)
    const earlier = [...read].map(([before, { relation }]) => ({
      column: variant.columns.find(({ key }) => key === before.key) ?? before,
      formula: relation.formula,
    }))
    read.set(column, { pool: variant, relation: resolveRelation(variant, earlier) })
  }
  const getFormula = (column: ColumnDraft) => read.get(column)?.relation.formula ?? null
  const chain = getLastChain(findChains(pool, candidates, getFormula))
  const last = candidates.at(-1)
  // The last candidate, if every row adds up to it and to no other.
  const only = last && candidates.every((column) => (getFormula(column)?.proof === 'all') === (column === last)) ? last : null
  // A label merged over two columns belongs to the first of them.
  const merged = candidates.every(({ label }) => label === net.label) ? net : null
  const suggested = chain?.outer ?? only ?? merged
  const selectedNet = suggested ?? net
  const rivals = candidates.filter((column) => column === selectedNet || !isIntermediate(column, selectedNet, chain))
  const selected = read.get(selectedNet) ?? { pool, relation: resolveRelation(pool) }
  const readings = rivals.flatMap((column) => {
    const one = read.get(column)
    return one ? [toNetReading(column, one)] : []
  })
  return rivals.length > 1
    ? { ...selected, readings, rivals, suggested, chain }
    : { ...selected, readings: [], rivals: [], suggested: null, chain: null }
}

const toNetReading = (
  { key }: ColumnDraft,
  { pool, relation: { formula, subtotals } }: { pool: CombinedTable; relation: NetRelation },
): NetReading => ({
  net: key,
  formula: formula && removeProof(formula),
  roles: Object.fromEntries(pool.columns.map((column) => [column.key, toReadColumn(column, subtotals).role])),
})

/** Returns the same table with another net pay. */
function withNet(pool: CombinedTable, net: ColumnDraft, candidates: readonly ColumnDraft[]): CombinedTable {
  const columns = pool.columns.map((column): ColumnDraft => {
    const { isAlternative, ...own } = { ...column }
    if (column === net)
      return { ...own, role: 'net', confidence: Math.max(column.meaning.confidence, 0.8), reason: column.meaning.reason }
    // 应付 behind 税后奖金 is not the gross pay, whichever of them is paid.
    if (isNet(column.role) || (isGross(column.role) && candidates.includes(column)))
      return { ...own, role: 'info', isAlternative: true, reason: `${column.reason}，实发已用「${net.label}」列` }
    return isAlternative ? { ...own, isAlternative } : own
  })
  return { ...pool, columns }
}

/**
 * Returns the net pay and the columns with the same meaning that differ from it in any row; parts that add up to it are
 * not candidates.
 */
function findNetCandidates({ grid, memberRows, columns }: CombinedTable, net: ColumnDraft): ColumnDraft[] {
  const fen = (row: number, column: ColumnDraft) => getCellFen(grid, row, column.index) ?? 0
  const differs = (column: ColumnDraft) => memberRows.some((row) => fen(row, column) !== fen(row, net))
  const isNetAmount = ({ isAmount, meaning, profile }: ColumnDraft) => isAmount && isNet(meaning.role) && profile.amounts > 0
  const labeled = columns.filter(
    (column) =>
      column !== net &&
      ((isNetAmount(column) && column.meaning.confidence >= minConfidence) || isPaymentBehindNet(column, net, columns)) &&
      differs(column),
  )
  const partColumns = columns.filter(
    (column) => labeled.includes(column) || ((isPaymentMethod(column) || isPartialPayment(column)) && column.profile.amounts > 0),
  )
  const usedTerms = new Set<ColumnDraft>()
  for (const total of [net, ...labeled]) {
    const others = [...partColumns, ...(total === net ? [] : [net])].filter((part) => part !== total).slice(0, maxTerms)
    const sections = findTotalTerms(memberRows, others, (row, one) => fen(row, one ?? total))
    // 税后奖金, then 节前已付 and 本次支付: the last is the remainder to be paid now, and a candidate besides the total.
    const isRemainder = (part: ColumnDraft) => (part === net || labeled.includes(part)) && part.index > total.index
    if (sections.some(isEarlierPayment) && sections.some(isRemainder)) continue
    for (const part of sections) {
      usedTerms.add(part)
      Object.assign(part, {
        ...(part !== net && { role: 'info', isAlternative: true }),
        confidence: 0.85,
        reason: `「${part.label}」是「${total.label}」的一部分`,
      })
    }
  }
  return [...labeled, net].filter((column) => !usedTerms.has(column)).toSorted((a, b) => a.index - b.index)
}
const minConfidence = 0.8

/** 发放金额 behind 实发, and 应付 behind 税后奖金 or behind an earlier payment: the label alone may also mean the gross pay. */
function isPaymentBehindNet(column: ColumnDraft, net: ColumnDraft, columns: readonly ColumnDraft[]): boolean {
  const { isAmount, meaning, path, profile, index } = column
  if (!isAmount || profile.amounts === 0 || index < net.index || !isPaymentLabel(path)) return false
  if (!isGross(meaning.role)) return true
  const isBetween = (one: ColumnDraft) => one.index > net.index && one.index < index
  return (
    normalizeHeader(net.path.at(-1) ?? '').startsWith('税后') || columns.some((one) => isEarlierPayment(one) && isBetween(one))
  )
}
const maxTerms = 6

/** Returns the columns that together make up the total in every row. */
function findTotalTerms(
  people: readonly number[],
  columns: readonly ColumnDraft[],
  getFen: (row: number, part?: ColumnDraft) => number,
): ColumnDraft[] {
  for (let selected = 1; selected < 1 << columns.length; selected++) {
    const some = columns.filter((_, at) => (selected >> at) & 1)
    const addsUp = (row: number) => some.reduce((sum, part) => sum + getFen(row, part), 0) === getFen(row)
    if (some.length > 1 && people.every(addsUp)) return some
  }
  return []
}

const afterTaxPattern = /^税后(?:工资|薪资|收入|合计|金额)?$/
const netLabelPattern = /^(?:本月)?实[发付领得](?:工资|薪资|合计|金额|数|额)?$/
/** 税后工资, then deductions, then 实发工资: an intermediate result if every row leads to the final one. */
const isIntermediate = (column: ColumnDraft, net: ColumnDraft, chain: NetChain | null): boolean => {
  const leaf = (one: ColumnDraft) => normalizeHeader(one.path.at(-1) ?? '')
  const isBetween = chain !== null && chain.inner === column && chain.outer === net && chain.plus.length === 0
  return isBetween && afterTaxPattern.test(leaf(column)) && netLabelPattern.test(leaf(net))
}

/** Finds candidates that equal another one plus or minus the columns between, in every row. */
function findChains(
  { grid, memberRows, columns }: CombinedTable,
  received: readonly ColumnDraft[],
  getFormula: (column: ColumnDraft) => SumFormula | null,
): NetChain[] {
  return received.flatMap((inner) =>
    received.flatMap((outer): NetChain[] => {
      if (outer.index <= inner.index) return []
      const formula = getFormula(inner)
      const own = new Set([...(formula?.plus ?? []), ...(formula?.minus ?? [])])
      const items = columns.filter(
        (column) =>
          column.isAmount &&
          !own.has(column.key) &&
          !received.includes(column) &&
          !column.isAlternative &&
          !isEmployerCost(column.role) &&
          column.profile.amounts > 0,
      )
      const between = items.filter(({ index }) => index > inner.index && index < outer.index)
      const behind = items.filter(({ index }) => index > inner.index)
      const takes = ({ role, profile }: ColumnDraft) => isDeductionOrTax(role) && profile.negatives * 2 <= profile.amounts
      const guesses = [between, behind].flatMap((list) =>
        [takes, () => false, () => true].map(
          (isOff) => new Map([[inner, 1], ...list.map((item) => [item, isOff(item) ? -1 : 1] as const)]),
        ),
      )
      const match = findSum(grid, memberRows, outer, [inner, ...behind], guesses, { most: 200, may_be_one: false })
      if (match?.proof !== 'all' || !match.plus.includes(inner.key)) return []
      const named = (keys: readonly string[]) => behind.filter(({ key }) => keys.includes(key))
      return [{ inner, outer, plus: named(match.plus), minus: named(match.minus) }]
    }),
  )
}

/** Returns the chain that no other one follows. */
const getLastChain = (chains: readonly NetChain[]): NetChain | null =>
  chains.toSorted((a, b) => b.outer.index - a.outer.index)[0] ?? null

/** Asks which candidate is paid, with an example row in which they differ. */
export function createReceivedQuestion({ pool, rivals, suggested, chain }: NetReadings): Question[] {
  const { grid, memberRows, columns } = pool
  if (rivals.length < 2) return []
  const fen = (row: number, column: ColumnDraft) => getCellFen(grid, row, column.index) ?? 0
  const split = (row: number) => new Set(rivals.map((column) => fen(row, column))).size
  const example = memberRows.toSorted((a, b) => split(b) - split(a) || a - b)[0] ?? 0
  const name = [isName, isLastName, isEmployeeNo].flatMap((matches) => columns.find(({ role }) => matches(role)) ?? [])[0]
  const who = name ? getText(grid, example, name.index).trim() : ''
  const amount = (column: ColumnDraft) => formatFen(fen(example, column))
  const sum = chain && formatChain(chain)
  return [
    {
      id: 'net',
      kind: 'net',
      must: true,
      message: `${rivals.map(({ quote }) => quote).join('和')}都像实发，金额不同${sum ? `；每一行都是${sum}` : ''}。发给员工的是哪一列？`,
      key: null,
      rows: [pool.getRowNumber(example)],
      choices: rivals.map((column) => ({
        value: `net:${column.key}`,
        label: `${column.quote}，如${who} ${amount(column)}`,
      })),
      suggested: suggested ? `net:${suggested.key}` : '',
      answer: null,
    },
  ]
}

/** 「最终实发数」=「实发数」+「春节福利」−「借款扣回」 */
function formatChain({ inner, outer, plus, minus }: NetChain): string {
  const terms = [...plus.map((one) => `+${one.quote}`), ...minus.map((one) => `−${one.quote}`)]
  return `${outer.quote}=${inner.quote}${terms.slice(0, 4).join('')}${terms.length > 4 ? '…' : ''}`
}
