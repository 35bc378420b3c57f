/**
 * Tax of a sheet beside the cumulative rule. Only what is certainly wrong is said. Exact is a sheet that carries the year's sums itself, and a person
 * whose year and deductions the company keeps; of anybody else what comes out without special additional deductions is the most that may be withheld.
 */
import { formatFen } from '../../../../contract/words/money.ts'
import type { TitleKind } from '../../../../contract/words/words.ts'
import type { Employment } from '../../../../rules/law/wages/employment.ts'
import type { KnownTaxYear } from '../../../../rules/law/wages/known-year.ts'
import { cumulativeTax, type Month, type WageMonth, withhold } from '../../../../rules/law/wages/withholding.ts'
import type { Found } from '../check/beside-last.ts'
import { type Figures, whole } from '../check/history.ts'
import type { Taxed } from '../check/problems.ts'

/** A yuan: somebody may have rounded. */
const tolerance = 100
/** The rule is of 2019. */
const since = '2019-01'

/** What was paid in a month in one kind of pay run. */
export type EarlierMonth = { readonly month: string; readonly kind: TitleKind; readonly figures: Figures }
/** What a person's year is computed from. `entered`: the month of entry, where the roster knows it. */
export type TaxYear = {
  readonly months: readonly EarlierMonth[]
  readonly entered: string | null
  /** What the company keeps of his tax, for each month in which the run may be paid. */
  readonly kept?: readonly KnownTaxYear[] | undefined
}
/** Null where nothing is certainly wrong. `column`: of the tax. */
export function taxProblem(row: Taxed, month: string, column: string, year: TaxYear | null): Found | null {
  if (month < since || row.apart) return null
  const known = row.cumulative || !year ? null : dueOf(row, month, year)
  const due = row.cumulative ? exact(row, row.cumulative, month) : known && besideDue(row, known)
  const message = row.cumulative || known ? due?.message : year && mostOf(row, month, year)
  if (!message) return null
  return {
    row: row.row,
    name: row.name,
    column,
    level: 'warning',
    kind: 'tax_mismatch',
    message,
    fix: ['accept', 'edit', 'skip'],
    ...(due && { computed_fen: due.computed_fen }),
  }
}

/** Figures of law are whole yuan. */
const yuan = (amount_fen: number) => formatFen(amount_fen).replace(/\.00$/, '')
const rateText = (rate_ppm: number) => `${rate_ppm / 10_000}%`
const lessQuick = (quick_fen: number) => (quick_fen ? ` − 速算扣除数 ${formatFen(quick_fen)}` : '')

function exact(
  { tax }: Taxed,
  { taxable, withheld, relief }: NonNullable<Taxed['cumulative']>,
  month: string,
): { message: string; computed_fen: number } | null {
  const { tax: full, rate_ppm, quick_fen } = cumulativeTax(Math.max(0, taxable), month)
  const due = Math.max(0, full - relief)
  const own = Math.max(0, due - withheld)
  // Some sheets count this month among what was withheld: then what was withheld is all that is due, and holds this month's tax.
  const isCounted = Math.abs(withheld - due) <= tolerance && tax - withheld <= tolerance
  if (Math.abs(tax - own) <= tolerance || isCounted) return null
  const less = relief ? ` − 减免 ${formatFen(relief)}` : ''
  const message = `按表里的累计数，个税应为 ${formatFen(own)}，写的是 ${formatFen(tax)}：累计应纳税所得额 ${formatFen(taxable)} × ${rateText(rate_ppm)}${lessQuick(quick_fen)}${less} − 已扣 ${formatFen(withheld)}；请核对`
  return { message, computed_fen: own }
}

/** The least and the most that may be due by one reading of when it is paid. */
type Due = { readonly low: number; readonly high: number; readonly of: WageMonth; readonly apart: number }
type Kept = { readonly wages: NonNullable<Taxed['wages']>; readonly row: Taxed; readonly month: string; readonly year: TaxYear }

/** Null: not known to the yuan by each reading of when the run is paid. */
function dueOf(row: Taxed, month: string, year: TaxYear): Due[] | null {
  const { wages } = row
  const { kept = [] } = year
  const isMixed = year.months.some((one) => one.month === month && one.kind !== 'monthly' && one.figures.has(row.member_id))
  if (!wages || row.gross === null || isMixed || kept.length === 0) return null
  const found = kept.flatMap((one) => {
    const due = dueIn({ wages, row, month, year }, one)
    return due ? [due] : []
  })
  return found.length === kept.length ? found : null
}

function dueIn({ wages, row, month, year }: Kept, known: KnownTaxYear): Due | null {
  const { additional, pension, insurance, employment, before } = known
  const extra = paidIn(year, row.member_id, month)
  const apart = extra.withheld ?? 0
  const now: Month = {
    month: monthNumber(known.month),
    income: wages.income + (extra.income ?? 0),
    exempt: wages.exempt,
    special: (wages.special ?? insurance) + (extra.special ?? 0),
    additional,
    other: wages.other + pension,
    donation: wages.donation,
    reduction: wages.reduction,
  }
  const due = (months: readonly Month[]) => withhold(employment, [...months, now], { opening: before }).at(-1)
  if (known.is_closed) {
    const of = due([])
    return of ? { low: Math.max(0, of.tax - apart), high: Math.max(0, of.tax - apart), of, apart } : null
  }
  const slips = wages.is_plain && wages.income === row.gross ? slipsBefore(year, row.member_id, month, known) : null
  const [least, most] = slips ? [due(slips), due(withDecember(slips, now))] : []
  if (!slips || !least || !most) return null
  const isWhole = slips.length === 0 || slips[0]?.income !== undefined
  return { low: Math.max(0, least.tax - apart), high: Math.max(0, (isWhole ? least : most).tax - apart), of: least, apart }
}

/** Months of the year before this one by their slips; a December that is not here, paid in January, has no income. Null: one is missing. */
function slipsBefore(
  year: TaxYear,
  member_id: string,
  month: string,
  { month: paid, employment, before }: KnownTaxYear,
): Month[] | null {
  const { hired, year: of } = employment
  const late = paid === month ? 0 : 1
  const entered = hired?.slice(0, 4) === String(of) ? monthNumber(hired) + late : 1
  const found: Month[] = []
  for (let at = Math.max(entered, (before?.through_month ?? 0) + 1); at < monthNumber(paid); at++) {
    const isDecember = at - late === 0
    const { hasWages, ...figures } = paidIn(year, member_id, isDecember ? monthText(of - 1, 12) : monthText(of, at - late))
    if (hasWages) found.push({ month: at, ...figures })
    else if (isDecember) found.push({ month: at })
    else return null
  }
  return found
}
/** A December that is not here taken for the best paid month. */
function withDecember(slips: readonly Month[], now: Month): Month[] {
  const room = (one: Month) => (one.income ?? 0) - (one.special ?? 0)
  const best = [...slips, now].reduce((a, b) => (room(b) > room(a) ? b : a))
  return slips.map((one) => (one.income === undefined ? { ...one, income: best.income, special: best.special } : one))
}

function besideDue({ tax }: Taxed, dues: readonly Due[]): { message: string; computed_fen: number } | null {
  // Some sheets write what is taken off below zero.
  const isWithin = (amount: number) => dues.some(({ low, high }) => amount >= low - tolerance && amount <= high + tolerance)
  if (isWithin(tax) || isWithin(-tax)) return null
  const away = ({ low, high }: Due) => Math.min(Math.abs(tax - low), Math.abs(tax - high))
  const nearest = dues.reduce((a, b) => (away(b) < away(a) ? b : a))
  const { low, high, of, apart } = nearest
  const own = tax < low ? low : high
  return { computed_fen: own, message: keptSaid(tax, own, of, apart) }
}

function keptSaid(tax: number, own: number, { month, sums, cum_basic, cum_taxable, ...of }: WageMonth, apart: number): string {
  const off: string[] = []
  const take = (what: string, amount_fen: number) => {
    if (amount_fen !== 0) off.push(`${what} ${formatFen(amount_fen)}`)
  }
  take('免税收入', sums.exempt)
  take('减除费用', cum_basic)
  take('专项扣除', sums.special)
  take('专项附加扣除', sums.additional)
  take('其他扣除', sums.other)
  take('捐赠', sums.donation)
  const relief = sums.reduction === 0 ? '' : ` − 减免 ${formatFen(sums.reduction)}`
  const steps = `${month === 1 ? '1 月' : `截至 ${month} 月累计`}收入 ${formatFen(sums.income)}，减 ${off.join('、')}，余 ${formatFen(cum_taxable)} × ${rateText(of.rate_ppm)}${lessQuick(of.quick_fen)}${relief} − 已扣 ${formatFen(of.cum_withheld + apart)}`
  return `个税${tax < own ? '少了' : '多了'}：按本年累计和已登记的专项附加扣除应为 ${formatFen(own)}，写的是 ${formatFen(tax)}：${steps}；请核对`
}

const monthNumber = (month: string) => Number(month.slice(5))
const monthText = (year: number, month: number) => `${year}-${String(month).padStart(2, '0')}`

/** What was paid in a month, all kinds of pay runs together; only what was withheld from wages is known to belong to the year's sum. */
function paidIn({ months }: TaxYear, member_id: string, month: string): Omit<Month, 'month'> & { hasWages: boolean } {
  const own = months.filter((one) => one.month === month && one.figures.has(member_id))
  const sum = (item: string, of: readonly EarlierMonth[]) => of.reduce((all, { figures }) => all + figures.of(member_id, item), 0)
  const wages = own.filter(({ kind }) => kind === 'monthly')
  return {
    hasWages: wages.length > 0,
    income: own.reduce((all, { figures }) => all + (figures.of(member_id, whole.gross) || figures.of(member_id, whole.net)), 0),
    special: sum(whole.special, own),
    withheld: sum(whole.tax, wages),
  }
}

/** The most that may be withheld, told where more was. Null where the year is not known without a gap. */
function mostOf({ member_id, gross, tax, special }: Taxed, month: string, year: TaxYear): string | null {
  if (gross === null || tax <= tolerance) return null
  const number = monthNumber(month)
  const of = Number(month.slice(0, 4))
  const entered = year.entered?.slice(0, 4) === String(of) ? year.entered.slice(0, 7) : null
  const first = entered ? monthNumber(entered) : 1
  if (first > number) return null
  const before: Month[] = []
  for (let at = first; at < number; at++) {
    const { hasWages, ...paid } = paidIn(year, member_id, monthText(of, at))
    if (!hasWages) return null
    before.push({ month: at, ...paid })
  }
  const extra = paidIn(year, member_id, month)
  const now: Month = { month: number, income: gross + (extra.income ?? 0), special: special + (extra.special ?? 0) }
  const employment: Employment = { year: of, hired: entered }
  const own = withhold(employment, [...before, now]).at(-1)
  if (!own || tax - own.tax <= tolerance) return null
  // Pay of a month is often paid in the next one, and the tax year is that of payment: then December belongs to this year's sums.
  const late = paidLate(year, member_id, employment, [...before, now])
  if (tax - late <= tolerance) return null
  return said(tax, own, number, first)
}

/** What is due of the last of these months where each was paid in the month after it. */
function paidLate(year: TaxYear, member_id: string, { year: of, hired }: Employment, months: readonly Month[]): number {
  const due = (employment: Employment, paid: readonly Month[]) => withhold(employment, paid).at(-1)?.tax ?? 0
  const now = months.at(-1)
  if (now?.month === 12) return due({ year: of + 1, hired: null }, [{ ...now, month: 1 }])
  const later = months.map((one): Month => ({ ...one, month: one.month + 1 }))
  if (hired) return due({ year: of, hired }, later)
  const { hasWages, ...december } = paidIn(year, member_id, monthText(of - 1, 12))
  const room = (one: Omit<Month, 'month'>) => (one.income ?? 0) - (one.special ?? 0)
  // A December that is not here is taken for the best paid month, as the rule itself would have taxed it.
  const best = months.reduce((a, b) => (room(b) > room(a) ? b : a))
  const first: Month = hasWages ? { month: 1, ...december } : { month: 1, income: best.income, special: best.special }
  return due({ year: of, hired }, [first, ...later])
}

function said(tax: number, step: WageMonth, month: number, first: number): string {
  const span = first === month ? `${month} 月` : `${first}–${month} 月`
  const less = step.cum_income - step.cum_basic - step.cum_taxable
  const insurance = less > 0 ? `、社保公积金 ${formatFen(less)}` : ''
  return `个税 ${formatFen(tax)} 多于按累计预扣法最多能扣的 ${formatFen(step.tax)}：${span}收入 ${formatFen(step.cum_income)}，减 ${yuan(step.month_basic)} × ${step.months_counted} 个月${insurance}，余 ${formatFen(step.cum_taxable)} × ${rateText(step.rate_ppm)}${lessQuick(step.quick_fen)} − 已扣 ${formatFen(step.cum_withheld)}（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受`
}
