/**
 * Verifies before sending that the items of a payslip add up to its own net pay. This is possible only where the
 * formula of the wage sheet was found: every earning and deduction must be in it, and everything in it must be an
 * earning or deduction.
 */
import { applySign, formatFen } from '../../../../contract/shared/money.ts'
import {
  isDeductionOrTax,
  isEarning,
  isGross,
  isInfo,
  isNet,
  isNetItem,
  isSubtotal,
} from '../../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { getRoundingTolerance } from '../../../../rules/rounding.ts'
import { getAmountSigns } from '../render-payslip.ts'
import { type CheckColumn, type Formula, isTrusted, type SubtotalColumn } from './amount-issues.ts'
import { type DetectedIssue, formatRowNumber } from './month-comparison.ts'

type SheetFormulas = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  readonly subtotals: readonly SubtotalColumn[]
}
/** The sum of a row's items and the result of the formula. */
export type PayslipSumDifference = { readonly lines_fen: number; readonly sum_fen: number }

const totalLabelPattern = /合计|小计|总|共计|[应实][发付得领]|到手|打款|到[账帐]|税[前后]|合計|小計|net|gross|total|計$/i
/** A sum that is not known to consist of its items, so that they cannot be verified. */
const isTotalColumn = ({ role, label }: CheckColumn): boolean =>
  isGross(role) || isSubtotal(role) || isNet(role) || (isInfo(role) && totalLabelPattern.test(label))

/** Returns the columns that net pay consists of, each with its sign; nested subtotals are resolved. */
function getLeafTerms({ formula, subtotals }: SheetFormulas): Map<string, 1 | -1> {
  const subtotalByKey = new Map(subtotals.filter(isTrusted).map((one) => [one.key, one]))
  const terms = new Map<string, 1 | -1>()
  const expand = (
    { plus, minus }: { readonly plus: readonly string[]; readonly minus: readonly string[] },
    sign: 1 | -1,
    above: readonly string[],
  ): void => {
    for (const [keys, termSign] of [
      [plus, sign],
      [minus, sign === 1 ? -1 : 1],
    ] as const)
      for (const key of keys) {
        const under = above.includes(key) ? undefined : subtotalByKey.get(key)
        if (under) expand(under, termSign, [...above, key])
        else terms.set(key, termSign)
      }
  }
  if (formula) expand(formula, 1, [])
  return terms
}

/** With fewer items, the wage sheet shows only some of its items and no sum can be verified. */
const minUnverifiedLines = 3

export class PayslipSumCheck {
  readonly #sheet: SheetFormulas
  readonly #terms: ReadonlyMap<string, 1 | -1>
  readonly #items: readonly CheckColumn[]
  readonly #signs: ReturnType<typeof getAmountSigns>
  readonly #isExisting: boolean
  /** Whether the wage sheet has a formula for net pay; otherwise rows whose items do not add up are counted. */
  readonly #unverified: {
    readonly net: string | undefined
    readonly isVerified: boolean
    rows: number
    readonly unequal: number[]
  }
  readonly #grossAndLines: readonly CheckColumn[]
  readonly #isOfUnknownGross: boolean
  readonly #differences: { readonly row: number; readonly match: PayslipSumDifference }[] = []

  constructor(sheet: SheetFormulas) {
    const { columns, formula } = sheet
    const net = columns.find(({ role }) => isNet(role))
    this.#sheet = sheet
    this.#terms = getLeafTerms(sheet)
    this.#items = columns.filter(({ role }) => isNetItem(role))
    this.#signs = getAmountSigns({ layout: { sort_list: [] }, columns, formula })
    const isOfNet = formula !== null && formula.net === net?.key && isTrusted(formula)
    const totals = columns.filter((one) => this.#terms.has(one.key) && isTotalColumn(one))
    this.#isExisting = isOfNet && totals.length === 0
    // A deduction that is on the payslip and not in the formula was already subtracted within gross, which then is not
    // the full gross.
    const isAcceptedInside = ({ key, role }: CheckColumn) => isDeductionOrTax(role) && !this.#terms.has(key)
    this.#isOfUnknownGross =
      isOfNet &&
      totals.length > 0 &&
      totals.every(({ role }) => isGross(role)) &&
      this.#items.some(({ role }) => isEarning(role)) &&
      this.#items.some(isAcceptedInside)
    this.#grossAndLines = columns.filter((column) => isGross(column.role) || isNetItem(column.role))
    const isVerified = formula?.net === net?.key || this.#grossAndLines.length < minUnverifiedLines
    this.#unverified = { net: net?.key, isVerified, rows: 0, unequal: [] }
  }

  /**
   * For a wage sheet without a formula, whether the items, or gross and deductions, add up to net pay; null where it
   * cannot be decided.
   */
  isSumEqual(cells: RowCells): boolean | null {
    const { net, isVerified } = this.#unverified
    const net_fen = net && !isVerified ? parseCellAmount(cells[net]).fen : null
    if (net_fen === null) return null
    const amounts = this.#grossAndLines.map((column) => ({ column, ...parseCellAmount(cells[column.key]) }))
    if (amounts.some(({ error }) => error)) return null
    const getSum = (isCounted: (role: CheckColumn['role']) => boolean) =>
      amounts.reduce(
        (sum, { column, fen }) =>
          isCounted(column.role) ? sum + applySign(fen ?? 0, this.#signs.get(column.key) ?? 'own') : sum,
        0,
      )
    const isNear = (sum: number) => Math.abs(sum - net_fen) <= getRoundingTolerance(amounts.length)
    return isNear(getSum((role) => !isGross(role))) || isNear(getSum((role) => !isEarning(role)))
  }

  /** Returns null where they agree or where it cannot be decided. */
  read(cells: RowCells): PayslipSumDifference | null {
    const { formula } = this.#sheet
    if (!(this.#isExisting || this.#isOfUnknownGross) || !formula || parseCellAmount(cells[formula.net]).fen === null) return null
    let sum_fen = 0
    for (const [key, sign] of this.#terms) {
      const { fen, error } = parseCellAmount(cells[key])
      if (error) return null
      sum_fen += sign * (fen ?? 0)
    }
    let lines_fen = 0
    for (const { key } of this.#items) {
      const { fen, error } = parseCellAmount(cells[key])
      // A cell that is no amount is a separate issue; until it is corrected, the sum cannot be checked.
      if (error) return null
      lines_fen += applySign(fen ?? 0, this.#signs.get(key) ?? 'own')
    }
    return Math.abs(lines_fen - sum_fen) <= getRoundingTolerance(this.#items.length) ? null : { lines_fen, sum_fen }
  }

  add(row: number, match: PayslipSumDifference | null, isEqual: boolean | null): void {
    if (match) this.#differences.push({ row, match })
    if (isEqual === null) return
    this.#unverified.rows += 1
    if (!isEqual) this.#unverified.unequal.push(row)
  }

  /** The columns that gross consists of are unknown, while the items on the payslip are known. */
  #toGrossIssue(): DetectedIssue {
    const gross = this.#sheet.columns.find(({ key, role }) => isGross(role) && this.#terms.has(key))
    const accepted = this.#items
      .filter(({ key, role }) => !isEarning(role) && !this.#terms.has(key))
      .map(({ label }) => `「${label}」`)
    const message = `「${gross?.label}」不等于工资条上各应发项相加，${accepted.slice(0, 3).join('')}也没有从它减去；请回到识别，核对「${gross?.label}」和这些列的用途：已经减过扣款的合计请改为「小计」`
    return { row: 0, name: '', column: null, level: 'error', kind: 'slip_mismatch', message, fix: [] }
  }

  /**
   * Returns one issue for the whole wage sheet, because the cause is a column role. `isPartial`: rows are still to be
   * combined and add up to net pay only together.
   */
  listIssues(isPartial: boolean): DetectedIssue[] {
    const [first] = this.#differences
    if (!first) return isPartial ? [] : this.#unverifiedProblems()
    if (this.#isOfUnknownGross) return [this.#toGrossIssue()]
    const outside = this.#items.filter(({ key }) => !this.#terms.has(key)).map(({ label }) => `「${label}」`)
    const inside = this.#sheet.columns
      .filter((one) => this.#terms.has(one.key) && !isNetItem(one.role))
      .map(({ label }) => `「${label}」`)
    const todo = [
      ...(outside.length > 0 ? [`${outside.slice(0, 3).join('')}没有算进实发，请把用途改为「说明」`] : []),
      ...(inside.length > 0 ? [`${inside.slice(0, 3).join('')}算进了实发，请把用途改为「应发项」或「扣款项」`] : []),
    ]
    const where = `第 ${formatRowNumber(first.row)} 行${this.#differences.length > 1 ? `等 ${this.#differences.length} 行` : ''}`
    const { lines_fen, sum_fen } = first.match
    const message = `${where}工资条上各项相加得 ${formatFen(lines_fen)}，实发的算式得 ${formatFen(sum_fen)}；${todo.join('；') || '请核对各列的用途'}`
    return [{ row: 0, name: '', column: null, level: 'error', kind: 'slip_mismatch', message, fix: [] }]
  }

  /** Reports that the rows cannot be verified, with the columns that no item counts. */
  #unverifiedProblems(): DetectedIssue[] {
    const { rows, unequal } = this.#unverified
    const [first] = unequal
    if (first === undefined || unequal.length * 2 <= rows) return []
    const left = this.#sheet.columns.flatMap(({ role, kind, label }) =>
      isInfo(role) && (kind === 'money' || kind === 'number') ? [`「${label}」`] : [],
    )
    // If no uncounted amount is left, the wage sheet shows only some of its items.
    if (left.length === 0) return []
    const columns = `${left.slice(0, 5).join('')}${left.length > 5 ? `等 ${left.length} 列` : ''}`
    const where = `第 ${formatRowNumber(first)} 行${unequal.length > 1 ? `等 ${unequal.length} 行` : ''}`
    const message = `找不到实发的算式，无法逐行核算：${where}工资条上各项相加不等于实发。没有算进去的数字列有${columns}；请核对它们的用途，确认无误才接受`
    return [{ row: 0, name: '', column: null, level: 'warning', kind: 'slip_mismatch', message, fix: ['accept'] }]
  }
}
