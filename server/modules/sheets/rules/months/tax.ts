/**
 * Compares the tax of a wage sheet with cumulative withholding and reports only what is certainly wrong. The result is
 * exact if the wage sheet contains the cumulative amounts itself, or if the company stores the employee's year and
 * deductions; for all others, the tax without special additional deductions is the maximum that may be withheld.
 */
import { formatFen } from '../../../../contract/shared/money.ts'
import type { TitleKind } from '../../../../contract/shared/schemas.ts'
import type { Employment } from '../../../../rules/law/wages/employment.ts'
import type { TaxYearToDate } from '../../../../rules/law/wages/tax-year-to-date.ts'
import {
  computeCumulativeTax,
  computeWithholding,
  type WageMonth,
  type WageMonthInput,
} from '../../../../rules/law/wages/withholding.ts'
import { type MemberAmounts, summaryItems } from '../check/member-amounts.ts'
import type { DetectedIssue } from '../check/month-comparison.ts'
import type { TaxedRow } from '../check/sheet-check.ts'

/** The tolerance of one yuan allows for rounding. */
const toleranceFen = 100
/** Cumulative withholding was introduced in 2019. */
const firstMonth = '2019-01'

/** Amounts paid in a month in one kind of pay run. */
export type EarlierMonth = { readonly month: string; readonly kind: TitleKind; readonly amounts: MemberAmounts }
/** The data from which a member's tax year is computed. `entryMonth`: month of entry, where the roster has it. */
export type TaxYear = {
  readonly months: readonly EarlierMonth[]
  readonly entryMonth: string | null
  /** The company's stored tax data of the member, for each month in which the pay run may be paid. */
  readonly storedYears?: readonly TaxYearToDate[] | undefined
}
/** Returns null where nothing is certainly wrong. `column`: the tax column. */
export function findTaxIssue(row: TaxedRow, month: string, column: string, year: TaxYear | null): DetectedIssue | null {
  if (month < firstMonth || row.hasSeparateBonus) return null
  const dueRanges = row.cumulative || !year ? null : computeDueRanges(row, month, year)
  const due = row.cumulative ? checkCumulativeTax(row, row.cumulative, month) : dueRanges && checkDueRanges(row, dueRanges)
  const message = row.cumulative || dueRanges ? due?.message : year && getExcessTaxMessage(row, month, year)
  if (!message) return null
  return {
    row: row.row,
    name: row.name,
    column,
    level: 'warning',
    kind: 'tax_mismatch',
    message,
    fix: ['accept', 'edit', 'skip'],
    ...(due && { expected_fen: due.expected_fen }),
  }
}

/** Statutory amounts are whole yuan. */
const formatRoundedYuan = (amount_fen: number) => formatFen(amount_fen).replace(/\.00$/, '')
const formatRate = (rate_ppm: number) => `${rate_ppm / 10_000}%`
const formatQuickDeduction = (quick_fen: number) => (quick_fen ? ` − 速算扣除数 ${formatFen(quick_fen)}` : '')

function checkCumulativeTax(
  { tax }: TaxedRow,
  { taxable, withheld, relief }: NonNullable<TaxedRow['cumulative']>,
  month: string,
): { message: string; expected_fen: number } | null {
  const { tax: full, rate_ppm, quick_fen } = computeCumulativeTax(Math.max(0, taxable), month)
  const due = Math.max(0, full - relief)
  const own = Math.max(0, due - withheld)
  // Some wage sheets include the current month in the amount already withheld: then it equals the total due and
  // contains this month's tax.
  const isCounted = Math.abs(withheld - due) <= toleranceFen && tax - withheld <= toleranceFen
  if (Math.abs(tax - own) <= toleranceFen || isCounted) return null
  const less = relief ? ` − 减免 ${formatFen(relief)}` : ''
  const message = `按表里的累计数，个税应为 ${formatFen(own)}，写的是 ${formatFen(tax)}：累计应纳税所得额 ${formatFen(taxable)} × ${formatRate(rate_ppm)}${formatQuickDeduction(quick_fen)}${less} − 已扣 ${formatFen(withheld)}；请核对`
  return { message, expected_fen: own }
}

/** Minimum and maximum tax due for one assumption about the payment month. */
type TaxDueRange = { readonly min: number; readonly max: number; readonly wageMonth: WageMonth; readonly otherWithheld: number }
type TaxContext = {
  readonly wages: NonNullable<TaxedRow['wages']>
  readonly row: TaxedRow
  readonly month: string
  readonly year: TaxYear
}

/** Returns null if the tax is not known to the yuan for every possible payment month. */
function computeDueRanges(row: TaxedRow, month: string, year: TaxYear): TaxDueRange[] | null {
  const { wages } = row
  const { storedYears = [] } = year
  const isMixed = year.months.some((one) => one.month === month && one.kind !== 'monthly' && one.amounts.has(row.member_id))
  if (!wages || row.gross === null || isMixed || storedYears.length === 0) return null
  const ranges = storedYears.flatMap((one) => {
    const due = computeDueRange({ wages, row, month, year }, one)
    return due ? [due] : []
  })
  return ranges.length === storedYears.length ? ranges : null
}

function computeDueRange({ wages, row, month, year }: TaxContext, storedYear: TaxYearToDate): TaxDueRange | null {
  const { additional, pension, insurance, employment, opening } = storedYear
  const otherPay = sumPaidInMonth(year, row.member_id, month)
  const otherWithheld = otherPay.withheld ?? 0
  const now: WageMonthInput = {
    month: getMonthNumber(storedYear.month),
    income: wages.income + (otherPay.income ?? 0),
    exempt: wages.exempt,
    special: (wages.special ?? insurance) + (otherPay.special ?? 0),
    additional,
    other: wages.other + pension,
    donation: wages.donation,
    reduction: wages.reduction,
  }
  const due = (months: readonly WageMonthInput[]) => computeWithholding(employment, [...months, now], { opening }).at(-1)
  if (storedYear.is_closed) {
    const of = due([])
    return of
      ? {
          min: Math.max(0, of.tax - otherWithheld),
          max: Math.max(0, of.tax - otherWithheld),
          wageMonth: of,
          otherWithheld,
        }
      : null
  }
  const previousMonths =
    wages.is_plain && wages.income === row.gross ? getPreviousMonths(year, row.member_id, month, storedYear) : null
  const [least, most] = previousMonths ? [due(previousMonths), due(estimateDecember(previousMonths, now))] : []
  if (!previousMonths || !least || !most) return null
  const isComplete = previousMonths.length === 0 || previousMonths[0]?.income !== undefined
  return {
    min: Math.max(0, least.tax - otherWithheld),
    max: Math.max(0, (isComplete ? least : most).tax - otherWithheld),
    wageMonth: least,
    otherWithheld,
  }
}

/** Returns the earlier months of the year from payslips (December paid in January: no income). Null if one is missing. */
function getPreviousMonths(
  year: TaxYear,
  member_id: string,
  month: string,
  { month: paid, employment, opening }: TaxYearToDate,
): WageMonthInput[] | null {
  const { hire_month, year: of } = employment
  const paymentDelay = paid === month ? 0 : 1
  const entered = hire_month?.slice(0, 4) === String(of) ? getMonthNumber(hire_month) + paymentDelay : 1
  const months: WageMonthInput[] = []
  for (let at = Math.max(entered, (opening?.through_month ?? 0) + 1); at < getMonthNumber(paid); at++) {
    const isDecember = at - paymentDelay === 0
    const { hasWages, ...figures } = sumPaidInMonth(
      year,
      member_id,
      isDecember ? formatMonth(of - 1, 12) : formatMonth(of, at - paymentDelay),
    )
    if (hasWages) months.push({ month: at, ...figures })
    else if (isDecember) months.push({ month: at })
    else return null
  }
  return months
}
/** Estimates a missing December by the best paid month. */
function estimateDecember(slips: readonly WageMonthInput[], now: WageMonthInput): WageMonthInput[] {
  const room = (one: WageMonthInput) => (one.income ?? 0) - (one.special ?? 0)
  const best = [...slips, now].reduce((a, b) => (room(b) > room(a) ? b : a))
  return slips.map((one) => (one.income === undefined ? { ...one, income: best.income, special: best.special } : one))
}

function checkDueRanges({ tax }: TaxedRow, dues: readonly TaxDueRange[]): { message: string; expected_fen: number } | null {
  // Some wage sheets write deductions as negative amounts.
  const isWithin = (amount: number) => dues.some(({ min, max }) => amount >= min - toleranceFen && amount <= max + toleranceFen)
  if (isWithin(tax) || isWithin(-tax)) return null
  const getDistance = ({ min, max }: TaxDueRange) => Math.min(Math.abs(tax - min), Math.abs(tax - max))
  const nearest = dues.reduce((a, b) => (getDistance(b) < getDistance(a) ? b : a))
  const { min, max, wageMonth, otherWithheld } = nearest
  const own = tax < min ? min : max
  return { expected_fen: own, message: formatTaxDifference(tax, own, wageMonth, otherWithheld) }
}

function formatTaxDifference(
  tax: number,
  own: number,
  { month, sums, cum_basic, cum_taxable, ...of }: WageMonth,
  otherWithheld: number,
): string {
  const items: string[] = []
  const addItem = (what: string, amount_fen: number) => {
    if (amount_fen !== 0) items.push(`${what} ${formatFen(amount_fen)}`)
  }
  addItem('免税收入', sums.exempt)
  addItem('减除费用', cum_basic)
  addItem('专项扣除', sums.special)
  addItem('专项附加扣除', sums.additional)
  addItem('其他扣除', sums.other)
  addItem('捐赠', sums.donation)
  const relief = sums.reduction === 0 ? '' : ` − 减免 ${formatFen(sums.reduction)}`
  const steps = `${month === 1 ? '1 月' : `截至 ${month} 月累计`}收入 ${formatFen(sums.income)}，减 ${items.join('、')}，余 ${formatFen(cum_taxable)} × ${formatRate(of.rate_ppm)}${formatQuickDeduction(of.quick_fen)}${relief} − 已扣 ${formatFen(of.cum_withheld + otherWithheld)}`
  return `个税${tax < own ? '少了' : '多了'}：按本年累计和已登记的专项附加扣除应为 ${formatFen(own)}，写的是 ${formatFen(tax)}：${steps}；请核对`
}

const getMonthNumber = (month: string) => Number(month.slice(5))
const formatMonth = (year: number, month: number) => `${year}-${String(month).padStart(2, '0')}`

/** Sums what was paid in a month in all pay runs; only tax withheld from wages certainly belongs to the year's amount. */
function sumPaidInMonth(
  { months }: TaxYear,
  member_id: string,
  month: string,
): Omit<WageMonthInput, 'month'> & { hasWages: boolean } {
  const memberMonths = months.filter((one) => one.month === month && one.amounts.has(member_id))
  const sum = (item: string, of: readonly EarlierMonth[]) =>
    of.reduce((all, { amounts }) => all + amounts.getAmount(member_id, item), 0)
  const wages = memberMonths.filter(({ kind }) => kind === 'monthly')
  return {
    hasWages: wages.length > 0,
    income: memberMonths.reduce(
      (all, { amounts }) =>
        all + (amounts.getAmount(member_id, summaryItems.gross) || amounts.getAmount(member_id, summaryItems.net)),
      0,
    ),
    special: sum(summaryItems.special, memberMonths),
    withheld: sum(summaryItems.tax, wages),
  }
}

/** Returns a message if more than the maximum was withheld. Null where it was not, or where the year is incomplete. */
function getExcessTaxMessage({ member_id, gross, tax, special }: TaxedRow, month: string, year: TaxYear): string | null {
  if (gross === null || tax <= toleranceFen) return null
  const number = getMonthNumber(month)
  const of = Number(month.slice(0, 4))
  const entered = year.entryMonth?.slice(0, 4) === String(of) ? year.entryMonth.slice(0, 7) : null
  const first = entered ? getMonthNumber(entered) : 1
  if (first > number) return null
  const before: WageMonthInput[] = []
  for (let at = first; at < number; at++) {
    const { hasWages, ...paid } = sumPaidInMonth(year, member_id, formatMonth(of, at))
    if (!hasWages) return null
    before.push({ month: at, ...paid })
  }
  const otherPay = sumPaidInMonth(year, member_id, month)
  const now: WageMonthInput = {
    month: number,
    income: gross + (otherPay.income ?? 0),
    special: special + (otherPay.special ?? 0),
  }
  const employment: Employment = { year: of, hire_month: entered }
  const own = computeWithholding(employment, [...before, now]).at(-1)
  if (!own || tax - own.tax <= toleranceFen) return null
  // Wages are often paid in the following month, and the tax year is that of payment: then December belongs to this
  // year.
  const delayedTax = computeDelayedTax(year, member_id, employment, [...before, now])
  if (tax - delayedTax <= toleranceFen) return null
  return formatExcessTax(tax, own, number, first)
}

/** Computes the tax due for the last of these months if each was paid in the following month. */
function computeDelayedTax(
  year: TaxYear,
  member_id: string,
  { year: of, hire_month }: Employment,
  months: readonly WageMonthInput[],
): number {
  const due = (employment: Employment, paid: readonly WageMonthInput[]) => computeWithholding(employment, paid).at(-1)?.tax ?? 0
  const now = months.at(-1)
  if (now?.month === 12) return due({ year: of + 1, hire_month: null }, [{ ...now, month: 1 }])
  const later = months.map((one): WageMonthInput => ({ ...one, month: one.month + 1 }))
  if (hire_month) return due({ year: of, hire_month }, later)
  const { hasWages, ...december } = sumPaidInMonth(year, member_id, formatMonth(of - 1, 12))
  const room = (one: Omit<WageMonthInput, 'month'>) => (one.income ?? 0) - (one.special ?? 0)
  // A missing December is estimated by the best paid month, taxed by the regular rule.
  const best = months.reduce((a, b) => (room(b) > room(a) ? b : a))
  const first: WageMonthInput = hasWages ? { month: 1, ...december } : { month: 1, income: best.income, special: best.special }
  return due({ year: of, hire_month }, [first, ...later])
}

function formatExcessTax(tax: number, step: WageMonth, month: number, first: number): string {
  const span = first === month ? `${month} 月` : `${first}–${month} 月`
  const less = step.cum_income - step.cum_basic - step.cum_taxable
  const insurance = less > 0 ? `、社保公积金 ${formatFen(less)}` : ''
  return `个税 ${formatFen(tax)} 多于按累计预扣法最多能扣的 ${formatFen(step.tax)}：${span}收入 ${formatFen(step.cum_income)}，减 ${formatRoundedYuan(step.month_basic)} × ${step.months_counted} 个月${insurance}，余 ${formatFen(step.cum_taxable)} × ${formatRate(step.rate_ppm)}${formatQuickDeduction(step.quick_fen)} − 已扣 ${formatFen(step.cum_withheld)}（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受`
}
