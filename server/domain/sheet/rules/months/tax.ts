/**
 * Tax of a sheet beside the cumulative rule. Only what is certainly wrong is said: special additional deductions are not on a wage sheet,
 * so what comes out without them is the most that may be withheld; exact is only a sheet that carries the year's sums itself.
 */
import { formatFen } from '../../../../contract/money.ts'
import type { TitleKind } from '../../../../contract/words.ts'
import type { Employment } from '../../../../rules/law/wages/employment.ts'
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
export type TaxYear = { readonly months: readonly EarlierMonth[]; readonly entered: string | null }

/** Null where nothing is certainly wrong. `column`: of the tax. */
export function taxProblem(row: Taxed, month: string, column: string, year: TaxYear | null): Found | null {
  if (month < since || row.apart) return null
  const due = row.cumulative && exact(row, row.cumulative, month)
  const message = row.cumulative ? due?.message : year && mostOf(row, month, year)
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
