/**
 * The relation of a sheet: the columns that add up to the net pay, proven by its rows. It decides what is an earning
 * and what is a deduction, regardless of the labels; a column outside of it is informational. If there are too few rows
 * to tell and a label contradicts, the user is asked.
 */
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import {
  isDeduction,
  isDeductionOrTax,
  isEarning,
  isGross,
  isInfo,
  isNet,
  isNetItem,
  isTax,
  isTotal,
  toPayItemOfSide,
} from '../../../contract/sheets/column-roles.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { findNumericSums } from './numeric-terms.ts'
import { suggestNetColumn } from './questions-column.ts'
import { findFormula, getCellFen, type Proof, type ProvenFormula, type ProvenSum } from './sums.ts'
import { findSubtotals, resolveGrossBySums, type Subtotal, type SummedTable, subtotalPattern } from './totals.ts'
import type { ColumnDraft } from './types.ts'

export interface NetRelation {
  formula: ProvenFormula | null
  subtotals: Subtotal[]
}

/**
 * Finds the relation of the columns and sets their roles. `earlierNets`: earlier net candidates that this one may be
 * derived from.
 */
export function resolveRelation(
  summed: SummedTable,
  earlierNets: readonly { readonly column: ColumnDraft; readonly formula: ProvenFormula | null }[] = [],
): NetRelation {
  const { grid, memberRows, columns } = summed
  resolveNumericTerms(summed)
  resolveGrossAfterTax(summed)
  const formula = findNetFormula(summed, earlierNets)
  const net = columns.find(({ role }) => isNet(role))
  if (formula && net && formula.holds === formula.of && formula.of > 1)
    Object.assign(net, { confidence: Math.max(net.confidence, 0.98), reason: `${net.reason}，每一行都等于相应各列之和` })
  const subtotals = findSubtotals(grid, memberRows, columns)
  resolveRolesByRelation(summed, { formula, subtotals })
  return { formula: formula && applySigns(summed, formula, subtotals), subtotals }
}

/** 应得合计 behind the tax, from which tax is deducted in every row: an intermediate result, not the gross pay. */
function resolveGrossAfterTax({ grid, memberRows, columns }: SummedTable): void {
  const gross = columns.find(({ role }) => isGross(role))
  const taxes = columns.filter(({ role, profile }) => isTax(role) && profile.amounts > 0)
  if (!gross || !columns.some(({ role }) => isNet(role)) || !taxes.some(({ index }) => index < gross.index)) return
  const sum = findSubtotals(grid, memberRows, columns).find(({ key }) => key === gross.key)
  if (sum?.proof !== 'all' || !taxes.some(({ key }) => sum.minus.includes(key))) return
  Object.assign(gross, {
    role: 'info',
    isAfterTax: true,
    confidence: 0.9,
    reason: `「${gross.label}」每一行都已经减去个税，不是应发`,
  })
}

/**
 * A payslip takes the sign of a line from the formula if it names the column. If a deduction group contains a refund
 * inside a sum, the formula names the items of the sum instead.
 */
function applySigns(
  { grid, memberRows, columns }: SummedTable,
  formula: ProvenFormula,
  subtotals: readonly Subtotal[],
): ProvenFormula {
  const leaves = getLeafTerms(formula, '', { subtotals, getLabel: () => '' })
  const direct = new Set([...formula.plus, ...formula.minus])
  const isReturned = ({ key, role, index }: ColumnDraft): boolean => {
    const sign = leaves.get(key)?.sign
    return (
      sign !== undefined &&
      isDeductionOrTax(role) &&
      !direct.has(key) &&
      memberRows.some((row) => sign * (getCellFen(grid, row, index) ?? 0) > 0)
    )
  }
  if (!columns.some(isReturned)) return formula
  const keys = (sign: 1 | -1) => [...leaves].flatMap(([key, leaf]) => (leaf.sign === sign ? [key] : []))
  const holds = Math.min(formula.holds, ...subtotals.filter(({ key }) => direct.has(key)).map(({ holds }) => holds))
  return { ...formula, plus: keys(1), minus: keys(-1), holds }
}

/**
 * Uses the columns alone if every row satisfies the sum, otherwise starts from an earlier net candidate, whose terms
 * then replace it.
 */
function findNetFormula(
  { grid, memberRows, columns }: SummedTable,
  earlierNets: readonly { readonly column: ColumnDraft; readonly formula: ProvenFormula | null }[],
): ProvenFormula | null {
  let best = findFormula(grid, memberRows, columns)
  for (const { column, formula } of earlierNets) {
    if (best?.proof === 'all') break
    const match = findFormula(grid, memberRows, columns, column)
    if (!match?.plus.includes(column.key) || (best && best.holds >= match.holds && best.proof !== 'weak')) continue
    best = formula ? expandTerm(match, column.key, formula) : match
  }
  return best
}

function expandTerm(match: ProvenFormula, key: string, inner: ProvenFormula): ProvenFormula {
  const plus = [...inner.plus, ...match.plus.filter((one) => one !== key)]
  const minus = [...inner.minus, ...match.minus]
  const isTwice = new Set([...plus, ...minus]).size < plus.length + minus.length
  if (isTwice || inner.proof === 'weak') return match
  return { ...match, plus, minus, holds: Math.min(match.holds, inner.holds), proof: getWeakerProof(match.proof, inner.proof) }
}

const proofOrder: readonly Proof[] = ['weak', 'most', 'all']
const getWeakerProof = (one: Proof, other: Proof): Proof => (proofOrder.indexOf(one) < proofOrder.indexOf(other) ? one : other)

type LeafTerm = { readonly sign: 1 | -1; readonly proof: Proof; readonly total: string }

/** Returns the columns that a sum finally adds up, each with its sign; nested sums are expanded. */
function getLeafTerms(
  sum: ProvenSum,
  of: string,
  { subtotals, getLabel }: { readonly subtotals: readonly Subtotal[]; getLabel(key: string): string },
): Map<string, LeafTerm> {
  const sections = new Map(subtotals.map((one) => [one.key, one]))
  const leaves = new Map<string, LeafTerm>()
  const take = (one: ProvenSum, { sign, proof, total: label }: LeafTerm, above: readonly string[]): void => {
    for (const [keys, own] of [
      [one.plus, sign],
      [one.minus, sign === 1 ? -1 : 1],
    ] as const)
      for (const key of keys) {
        const leaf: LeafTerm = { sign: own, proof: getWeakerProof(proof, one.proof), total: label }
        const under = above.includes(key) ? undefined : sections.get(key)
        if (under) take(under, { ...leaf, total: getLabel(key) }, [...above, key])
        else if (!leaves.has(key)) leaves.set(key, leaf)
      }
  }
  take(sum, { sign: 1, proof: sum.proof, total: of }, [])
  return leaves
}

/** In this many rows it is not a typing error. */
const minRows = 2

class RoleResolver {
  readonly #summed: SummedTable
  readonly #byKey: ReadonlyMap<string, ColumnDraft>

  constructor(summed: SummedTable) {
    this.#summed = summed
    this.#byKey = new Map(summed.columns.map((column) => [column.key, column]))
  }

  column = (key: string): ColumnDraft | undefined => this.#byKey.get(key)

  /** Counts the members with an amount and with a negative one. */
  countSigns({ index }: ColumnDraft): { nonZero: number; negative: number } {
    let nonZero = 0
    let negative = 0
    for (const row of this.#summed.memberRows) {
      const fen = getCellFen(this.#summed.grid, row, index)
      if (!fen) continue
      nonZero += 1
      if (fen < 0) negative += 1
    }
    return { nonZero, negative }
  }

  /** Returns the role of a column that a sum adds or subtracts. A negative amount that is added is a deduction. */
  getRole({ sign }: LeafTerm, column: ColumnDraft): ColumnRole {
    const { nonZero, negative } = this.countSigns(column)
    // Zeros add up regardless of their sign.
    if (nonZero === 0) return column.role
    const isDeducted = sign === -1 || negative === nonZero || (isDeductionOrTax(column.role) && negative * 2 > nonZero)
    return toPayItemOfSide(column.role, isDeducted ? 'deducts' : 'adds')
  }

  /**
   * The rows take precedence over the label if they are conclusive; otherwise a question is asked, with their result as
   * the suggestion.
   */
  assignRole(column: ColumnDraft, role: ColumnRole, proof: Proof, why: string, unsure = 0.85): void {
    if (column.role === role) {
      // Sums prove the side of an unlabelled amount but not its meaning, so a question is asked.
      if (column.confidence < 0.9 && proof === 'all' && column.label !== '')
        Object.assign(column, { confidence: 0.9, reason: `${column.reason}，${why}` })
      return
    }
    const { nonZero } = this.countSigns(column)
    const isSure = proof === 'all' && (nonZero >= minRows || column.confidence < unsure)
    if (column.label === '' && isInfo(role)) return
    if (column.label === '') return void Object.assign(column, { role, isAmount: true, reason: `${column.reason}，${why}` })
    const change = { role, isAmount: true, confidence: isSure ? 0.9 : 0.5, reason: `${column.reason}，但${why}` }
    Object.assign(column, change, isSure ? {} : { dispute: why })
  }
}

/**
 * Numbers under unknown labels get the role that the sums prove. If the net pay is still to be answered, the sum of the
 * suggested column settles its other terms as well, so that the relation is found after the answer.
 */
function resolveNumericTerms(summed: SummedTable): void {
  const settling = new RoleResolver(summed)
  const stated = summed.columns.find(({ role }) => isNet(role))
  const net = stated ?? suggestNetColumn(summed)
  for (const { target, sum } of findNumericSums(summed, net)) {
    // A sum of amounts is an amount, which the user may select as the net pay.
    if (!target.isAmount && sum.proof === 'all') Object.assign(target, { isAmount: true, kind: 'money' })
    const takes = !isGross(target.role) && !isNet(target.role) && /扣|deduct/i.test(target.label)
    for (const [keys, sign] of [
      [sum.plus, takes ? -1 : 1],
      [sum.minus, takes ? 1 : -1],
    ] as const)
      for (const key of keys) {
        const column = settling.column(key)
        if (!column || isGross(column.role) || (column.isAmount && (stated || isInfo(column.role)))) continue
        const rows = sum.holds === sum.of ? '每一行' : `${sum.of} 行里有 ${sum.holds} 行`
        const why = `${rows}都${sign === 1 ? '加' : '减'}在「${target.label}」里`
        settling.assignRole(column, settling.getRole({ sign, proof: sum.proof, total: target.label }, column), sum.proof, why)
        column.kind = 'money'
      }
  }
}

/** Derives column roles from the sums that hold. */
function resolveRolesByRelation(summed: SummedTable, { formula, subtotals }: NetRelation): void {
  const { columns } = summed
  const settling = new RoleResolver(summed)
  const net = settling.column(formula?.net ?? '')
  const getLabel = (key: string) => settling.column(key)?.label ?? ''
  const leaves = formula && net ? getLeafTerms(formula, net.label, { subtotals, getLabel }) : new Map<string, LeafTerm>()
  excludeDoubleCounted(settling, subtotals)
  // A total with unknown terms may contain columns of its side; the net pay excludes the others.
  const wholes = [...leaves].flatMap(([key, leaf]) => {
    const column = settling.column(key)
    return column && isUnexpandedSum(column, columns, leaves) ? [{ column, sign: leaf.sign }] : []
  })
  for (const [key, leaf] of leaves) {
    const column = settling.column(key)
    if (!column || wholes.some((full) => full.column === column) || isGross(column.role)) continue
    settling.assignRole(
      column,
      settling.getRole(leaf, column),
      leaf.proof,
      `每一行都${leaf.sign === 1 ? '加' : '减'}在「${leaf.total}」里`,
    )
  }
  for (const subtotal of subtotals)
    if (!formula || !containsTerm(formula, subtotal.key, subtotals)) resolveUnsureTerms(settling, subtotal)
  if (formula && net && formula.net === net.key && isNet(net.role))
    for (const column of columns) {
      if (!isNetItem(column.role) || !column.isAmount || leaves.has(column.key) || column.isAlternative) continue
      if (settling.countSigns(column).nonZero === 0 || wholes.some((full) => canContain(full, column, net))) continue
      settling.assignRole(column, 'info', formula.proof, `「${net.label}」每一行都不含它`, 0.7)
    }
  resolveGrossBySums(summed, subtotals)
}

/** Returns whether a term is itself a sum that was not expanded. */
function isUnexpandedSum(column: ColumnDraft, columns: readonly ColumnDraft[], leaves: ReadonlyMap<string, LeafTerm>): boolean {
  const isLabeledTotal = isTotal(column.meaning.role)
  if (isGross(column.role) || column.isAlternative || (isLabeledTotal && isInfo(column.role))) return true
  if (!isInfo(column.role)) return false
  if (column.meaning.possibleNet || subtotalPattern.test(normalizeHeader(column.path.at(-1) ?? ''))) return true
  return columns.some(
    (other) => other.index < column.index && isEarning(other.role) && !leaves.has(other.key) && other.profile.amounts > 0,
  )
}

/** The terms of a total of earnings come before the net pay; a total of deductions may be on either side of its terms. */
function canContain(
  { column, sign }: { readonly column: ColumnDraft; readonly sign: 1 | -1 },
  item: ColumnDraft,
  net: ColumnDraft,
): boolean {
  if (item.path.length > 1 && getGroupPath(item) === getGroupPath(column)) return true
  if (sign === -1) return isDeductionOrTax(item.role)
  return item.index < column.index || (isEarning(item.role) && item.index < net.index)
}
const getGroupPath = ({ path }: ColumnDraft): string => path.slice(0, -1).join('/')

const containsTerm = (sum: ProvenSum, key: string, subtotals: readonly Subtotal[], above: readonly string[] = []): boolean =>
  [...sum.plus, ...sum.minus].some((one) => {
    if (one === key) return true
    const under = above.includes(one) ? undefined : subtotals.find((subtotal) => subtotal.key === one)
    return under !== undefined && containsTerm(under, key, subtotals, [...above, one])
  })

/** A sum counts once: its items are used and not the adjacent sum. */
function excludeDoubleCounted(settling: RoleResolver, subtotals: readonly Subtotal[]): void {
  for (const { key, proof } of subtotals) {
    const target = settling.column(key)
    if (target && proof === 'all' && (isEarning(target.role) || isDeduction(target.role)) && target.confidence < 0.9)
      Object.assign(target, { role: 'info', confidence: 0.9, reason: `「${target.label}」每一行都等于相应各列之和` })
  }
}

/**
 * Resolves the terms of a sum that the net pay does not lead to: they belong to its side unless their labels certainly
 * say otherwise.
 */
function resolveUnsureTerms(settling: RoleResolver, subtotal: Subtotal): void {
  const target = settling.column(subtotal.key)
  if (!target || subtotal.proof !== 'all') return
  const takes = !isGross(target.role) && /扣|deduct|控除|공제|khấu trừ|удерж/i.test(target.label)
  for (const [keys, sign] of [
    [subtotal.plus, takes ? -1 : 1],
    [subtotal.minus, takes ? 1 : -1],
  ] as const)
    for (const key of keys) {
      const column = settling.column(key)
      if (!column?.isAmount || column.confidence >= 0.85 || (!isEarning(column.role) && !isDeduction(column.role))) continue
      const role = settling.getRole({ sign, proof: subtotal.proof, total: target.label }, column)
      settling.assignRole(column, role, subtotal.proof, `每一行都计入「${target.label}」`)
    }
}
