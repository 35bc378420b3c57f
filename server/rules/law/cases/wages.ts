/** Cases of wages: a year month by month, its corrections, the annual bonus. */
import { sum } from '../../../contract/words/money.ts'
import { StrictFields } from '../read.ts'
import { type Bonus, bonusApart, compareBonus } from '../wages/bonus.ts'
import { correct, type MonthCorrection } from '../wages/corrections.ts'
import { monthOf } from '../wages/employment.ts'
import { type Month, type WageMonth, withhold } from '../wages/withholding.ts'
import { type BonusPaid, bonusIn, openingOf, residentOf } from './employee.ts'
import { type CaseAnswer, flag, level, money, monthsOfYear, refusedAs, years } from './words.ts'

type PaidMonth = { readonly month: Month; readonly bonus: BonusPaid | undefined }
function monthIn(value: unknown, place: string): PaidMonth {
  const of = new StrictFields(value, place)
  const bonus = bonusIn(of)
  const merged = bonus?.method === 'merged' ? bonus.amount : 0
  const month: Month = {
    month: of.whole('month', monthsOfYear),
    income: of.money('income', 0) + merged,
    exempt: of.money('exempt', 0),
    special: of.money('special', 0),
    additional: of.money('additional', 0),
    other: of.money('other', 0),
    donation: of.money('donation', 0),
    reduction: of.money('tax_reduction', 0),
    withheld: of.has('actual_withheld') ? of.money('actual_withheld') : undefined,
  }
  of.close()
  return { month, bonus }
}
const inOrder = (months: readonly PaidMonth[]): PaidMonth[] => months.toSorted((a, b) => a.month.month - b.month.month)

const monthAnswer = (one: WageMonth) => ({
  month: one.month,
  months_counted: one.months_counted,
  cum_income: money(one.cum_income),
  cum_basic: money(one.cum_basic),
  cum_taxable: money(one.cum_taxable),
  ...level(one),
  cum_tax: money(one.cum_tax),
  tax: money(one.tax),
  credit: money(one.credit),
})

/** A bonus taxed apart in each of these months; once a year. Null: none in the month. */
function bonusesOf(months: readonly PaidMonth[], year: number): (Bonus | null)[] {
  let used = false
  return months.map(({ month, bonus }) => {
    if (bonus?.method !== 'separate') return null
    const found = bonusApart(bonus.amount, monthOf(year, month.month), used)
    used = true
    return found
  })
}

export function salarySeries(of: StrictFields): CaseAnswer {
  const year = of.whole('tax_year', years)
  const employment = residentOf(of.inside('employee'), year)
  const opening = openingOf(of)
  const months = inOrder(of.list('months', monthIn))
  of.close()
  const bonuses = bonusesOf(months, year)
  const refused = bonuses.find((one) => one !== null && !one.allowed)
  if (refused && !refused.allowed) return refusedAs(refused.reason)
  const found = withhold(
    employment,
    months.map(({ month }) => month),
    { opening },
  )
  const taxes = bonuses.map((one) => (one?.allowed ? one.tax : null))
  return {
    result: {
      months: found.map((one, at) => {
        const tax = taxes[at]
        return tax === null || tax === undefined ? monthAnswer(one) : { ...monthAnswer(one), bonus_tax: money(tax) }
      }),
      total_tax: money(sum(found.map(({ tax }) => tax))),
      total_bonus_tax: money(sum(taxes.map((tax) => tax ?? 0))),
    },
    steps: found.flatMap(({ steps }, at) => {
      const bonus = bonuses[at]
      return bonus?.allowed ? [...steps, ...bonus.steps] : steps
    }),
  }
}

/** What a correction sets, over what the month said: a field that it does not name stays. */
function corrected(raw: unknown, set: StrictFields, month: number, place: string): PaidMonth {
  const before: object = typeof raw === 'object' && raw !== null ? raw : { month }
  const changes = Object.fromEntries(set.names().map((name) => [name, set.raw(name)]))
  return monthIn({ ...before, ...changes, month }, place)
}

export function salaryCorrection(of: StrictFields): CaseAnswer {
  const year = of.whole('tax_year', years)
  const employment = residentOf(of.inside('employee'), year)
  const opening = openingOf(of)
  const months = inOrder(of.list('months', monthIn))
  const raw = of.list('months', (one) => one)
  const sets = of.list('corrections', (value, place) => {
    const one = new StrictFields(value, place)
    const found = { month: one.whole('month', monthsOfYear), set: one.inside('set') }
    one.close()
    return found
  })
  of.close()
  const corrections = sets.map(({ month, set }): MonthCorrection => {
    const own = raw.find((one) => new StrictFields(one, 'months').raw('month') === month)
    const before = months.find((one) => one.month.month === month)?.month
    const after = corrected(own, set, month, set.place).month
    // Only what changes is a correction: two of one month may each change a field of their own.
    const fields = Object.entries(after).filter(
      ([name, value]) => name !== 'month' && value !== new Map<string, unknown>(Object.entries(before ?? {})).get(name),
    )
    return { month, set: Object.fromEntries(fields) }
  })
  const found = correct(
    employment,
    months.map(({ month }) => month),
    corrections,
    { opening },
  )
  return {
    result: {
      original_tax: found.original.map(({ tax }) => money(tax)),
      corrected_tax: found.corrected.map(({ tax }) => money(tax)),
      difference: found.difference.map(money),
      total_difference: money(found.total_difference),
      final_credit: money(found.final_credit),
      months: found.corrected.map(monthAnswer),
    },
    steps: [...found.corrected.flatMap(({ steps }) => steps), ...found.steps],
  }
}

export const bonusAnswer = (found: Bonus): CaseAnswer =>
  found.allowed
    ? { result: { allowed: true, ...level(found), tax: money(found.tax), net: money(found.net) }, steps: found.steps }
    : { result: { allowed: false, reason: found.reason }, steps: [] }

export function annualBonus(of: StrictFields): CaseAnswer {
  const amount = of.money('amount', 0)
  const method = of.choice('method', ['separate', 'merged'], 'separate')
  const month = of.has('pay_date') ? of.month('pay_date') : null
  const used = flag(of, 'used_this_year')
  of.close()
  // Merged it is part of the month's wages, whose tax is no matter of the bonus alone.
  if (method === 'merged') return { result: { allowed: true, method }, steps: [] }
  return bonusAnswer(bonusApart(amount, month, used))
}

export function bonusCompare(of: StrictFields): CaseAnswer {
  const year = {
    income: of.money('annual_income', 0),
    special: of.money('annual_special', 0),
    additional: of.money('annual_additional', 0),
    other: of.money('annual_other', 0),
  }
  const bonus = of.money('bonus', 0)
  const month = of.has('pay_date') ? of.month('pay_date') : of.has('tax_year') ? `${of.whole('tax_year', years)}-12` : null
  of.close()
  const { separate, merged, difference, better, steps } = compareBonus(year, bonus, month)
  return {
    result: {
      separate: { salary_tax: money(separate.salary_tax), bonus_tax: money(separate.bonus_tax), total: money(separate.total) },
      merged: { total: money(merged.total) },
      difference: money(difference),
      better,
    },
    steps,
  }
}
