/**
 * Invariants of every wage, correction, table and step, tested with random values. The seed is in the title of each
 * group; `SEED=1 npx vitest run …` uses another, and fast-check prints the seed and path of a failure.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toFen } from '../../../server/contract/shared/money.ts'
import { toFraction } from '../../../server/rules/law/fraction.ts'
import { computeContributions } from '../../../server/rules/law/insurance/contributions.ts'
import { readSchemes } from '../../../server/rules/law/insurance/scheme.ts'
import { currentLaw, parseTaxTables } from '../../../server/rules/law/tables/law.ts'
import { computeSeparateBonusTax } from '../../../server/rules/law/wages/bonus.ts'
import type { Employment } from '../../../server/rules/law/wages/employment.ts'
import { computeWithholding, type WageMonth, type WageMonthInput } from '../../../server/rules/law/wages/withholding.ts'
import { computeCase } from '../../law/cases/run-case.ts'
import { applyCorrections, type MonthCorrection } from '../../law/wages/corrections.ts'
import { brokenLinks, wrongSteps } from './payroll/recheck.ts'

const seed = Number(process.env.SEED ?? 20_261_123)
const tried = { seed, numRuns: 200 }

const amount = fc.integer({ min: 0, max: 15_000_000 })
const small = fc.integer({ min: 0, max: 600_000 })
const paidMonth = fc.record({ income: amount, special: small, additional: small, reduction: fc.constantFrom(0, 0, 0, 15_000) })
const paidYear = fc
  .array(paidMonth, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((one, at): WageMonthInput => ({ month: at + 1, ...one })))
const employment: fc.Arbitrary<Employment> = fc.record({
  year: fc.integer({ min: 2021, max: 2030 }),
  hire_month: fc.constantFrom(null, null, '2026-01', '2026-05'),
  prior_year_under_60000: fc.boolean(),
})
const getSum = (months: readonly WageMonth[], read: (one: WageMonth) => number) => months.reduce((all, one) => all + read(one), 0)
/** The tax withheld up to each month. */
const withheldSoFar = (months: readonly WageMonth[]) => months.map(({ cum_withheld, tax }) => cum_withheld + tax)

describe(`wages (seed ${seed})`, () => {
  it('never lowers the tax as income rises within a year', () => {
    fc.assert(
      fc.property(employment, paidYear, fc.nat(11), fc.integer({ min: 1, max: 5_000_000 }), (person, months, at, more) => {
        const raised = months.map((one) => (one.month === at + 1 ? { ...one, income: (one.income ?? 0) + more } : one))
        const before = computeWithholding(person, months)
        const after = computeWithholding(person, raised)
        for (const [position, one] of after.entries()) expect(one.cum_tax).toBeGreaterThanOrEqual(before[position]?.cum_tax ?? 0)
        const [less, now] = [withheldSoFar(before), withheldSoFar(after)]
        for (const [position, sum] of now.entries()) expect(sum).toBeGreaterThanOrEqual(less[position] ?? 0)
      }),
      tried,
    )
  })

  it('a month paid in two payments equals the month paid at once', () => {
    fc.assert(
      fc.property(employment, paidYear, fc.nat(11), fc.integer({ min: 0, max: 100 }), (person, months, at, part) => {
        const split = months.flatMap((one) => {
          if (one.month !== at + 1) return [one]
          const first = Math.trunc(((one.income ?? 0) * part) / 100)
          return [
            { ...one, income: first },
            { month: one.month, income: (one.income ?? 0) - first },
          ]
        })
        const full = computeWithholding(person, months)
        const sections = computeWithholding(person, split)
        for (const one of full) {
          const own = sections.filter(({ month }) => month === one.month)
          const last = own.at(-1)
          expect(getSum(own, ({ tax }) => tax)).toBe(one.tax)
          expect([last?.sums, last?.cum_basic, last?.cum_tax, last?.credit, last?.months_counted]).toEqual([
            one.sums,
            one.cum_basic,
            one.cum_tax,
            one.credit,
            one.months_counted,
          ])
        }
      }),
      tried,
    )
  })

  it('does not depend on the order of corrections or of months', () => {
    const set = fc.oneof(
      fc.record({ income: amount }),
      fc.record({ special: small }),
      fc.record({ additional: small, reduction: fc.constantFrom(0, 10_000) }),
    )
    const corrections: fc.Arbitrary<MonthCorrection[]> = fc.uniqueArray(
      fc.record({ month: fc.integer({ min: 1, max: 12 }), set }),
      { maxLength: 5, selector: (one) => `${one.month} ${Object.keys(one.set).join()}` },
    )
    fc.assert(
      fc.property(paidYear, corrections, fc.infiniteStream(fc.nat()), (months, all, chance) => {
        const person = { year: 2026, hire_month: null }
        const key = new Map([...all, ...months].map((one) => [one, chance.next().value]))
        const byChance = <T extends object>(list: readonly T[]): T[] =>
          list.toSorted((a, b) => (key.get(a as never) ?? 0) - (key.get(b as never) ?? 0))
        expect(applyCorrections(person, byChance(months), byChance(all))).toEqual(applyCorrections(person, months, all))
      }),
      tried,
    )
  })

  it('makes every sum an integer of fen, and withheld tax less the credit equal to the tax due', () => {
    fc.assert(
      fc.property(employment, paidYear, (person, months) => {
        for (const one of computeWithholding(person, months)) {
          for (const value of [one.cum_taxable, one.cum_tax, one.tax, one.credit, one.cum_basic])
            expect(Number.isSafeInteger(value)).toBe(true)
          expect(one.cum_withheld + one.tax - one.credit).toBe(one.cum_tax)
          // Multiplies by a fraction of whole fen: rounded once, half up.
          const full = toFraction(one.cum_taxable).timesPpm(one.rate_ppm).minus(one.quick_fen).rounded()
          expect(one.cum_tax).toBe(Math.max(0, full - one.sums.reduction))
        }
      }),
      tried,
    )
  })

  it('gives every month steps that add up to it', () => {
    fc.assert(
      fc.property(employment, paidYear, (person, months) => {
        for (const one of computeWithholding(person, months)) {
          expect(wrongSteps(one.steps)).toEqual([])
          expect(brokenLinks(one.steps)).toEqual([])
          expect(one.steps.at(-1)?.result).toBe(one.tax)
          expect(one.steps.find(({ name }) => name === '累计应纳税所得额')?.result).toBe(one.cum_taxable)
        }
      }),
      tried,
    )
  })
})

describe(`insurance (seed ${seed})`, () => {
  const unit = fc.constantFrom('0.01', '0.1', '1', '10')
  const mode = fc.constantFrom('half_up', 'up', 'down')
  const rate = fc.integer({ min: 0, max: 5_000 }).map((sections) => `0.${String(sections * 100).padStart(6, '0')}`)
  it('makes totals the sums of the items, and keeps each item within one unit of its exact share', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(rate, rate, unit, mode), { minLength: 1, maxLength: 5 }), amount, (items, base) => {
        const codes = ['pension', 'medical', 'unemployment', 'injury', 'maternity']
        const [scheme] = readSchemes(
          [
            {
              city: '试',
              valid_from: '2026-01-01',
              items: items.map(([employee_rate, employer_rate, unit, mode], at) => ({
                code: codes[at],
                employee_rate,
                employer_rate,
                unit,
                mode,
                floor: '3000',
                ceiling: '30000',
              })),
            },
          ],
          'configs',
        )
        const insured = {
          month: '2026-03',
          bases: new Map([['social', base]]),
          housing_fund_ppm: null,
          supplementary_ppm: null,
          not_enrolled: [],
        }
        const match = computeContributions(scheme ? [scheme] : [], insured)
        if ('refused' in match || !scheme) throw new Error('no scheme')
        expect(match.employee_total).toBe(match.items.reduce((all, one) => all + one.employee, 0))
        expect(match.employer_total).toBe(match.items.reduce((all, one) => all + one.employer, 0))
        expect(wrongSteps(match.steps)).toEqual([])
        for (const [at, one] of match.items.entries()) {
          const item = scheme.items[at]
          if (!item || !('employee_ppm' in item.rates)) throw new Error('no item')
          expect(one.base).toBe(Math.min(3_000_000, Math.max(300_000, base)))
          expect(one.employee % item.unit_fen).toBe(0)
          const off = toFraction(one.employee).minus(toFraction(one.base).timesPpm(item.rates.employee_ppm))
          expect(off.exceeds(item.mode === 'down' ? 0 : item.unit_fen - (item.unit_fen > 1 ? 1 : 0))).toBe(false)
          expect(toFraction(item.mode === 'up' ? 0 : -item.unit_fen).exceeds(off)).toBe(false)
        }
      }),
      tried,
    )
  })
})

describe(`tables (seed ${seed})`, () => {
  type Row = { valid_from: string; valid_to: string | null; value: Record<string, unknown> }
  const text = readFileSync(new URL('../../../server/rules/law/tables/figures.json', import.meta.url), 'utf8')
  /** The table with a new year: a higher basic deduction and other brackets from 2029 on. */
  const later = () => {
    const book = JSON.parse(text) as Record<string, Row[]>
    for (const name of ['basic_deduction', 'annual_rates', 'monthly_rates']) {
      const last = book[name]?.at(-1)
      if (!last) throw new Error(`no table ${name}`)
      last.valid_to = '2028-12'
      book[name]?.push({ ...structuredClone(last), valid_from: '2029-01', valid_to: null })
    }
    const [basic] = book.basic_deduction?.slice(-1) ?? []
    if (basic) basic.value = { month: '6000', year: '72000' }
    return parseTaxTables(book)
  }
  it('changes with a new row only the months it applies to', () => {
    const law = later()
    fc.assert(
      fc.property(employment, paidYear, (person, months) => {
        const [now, then] = [computeWithholding(person, months), computeWithholding(person, months, { law })]
        if (person.year < 2029) expect(then).toEqual(now)
        else expect(then.every((one, at) => one.cum_basic > (now[at]?.cum_basic ?? 0) || one.months_counted === 0)).toBe(true)
        const bonus = months[0]?.income ?? 0
        expect(computeSeparateBonusTax(bonus, '2027-12', false, law)).toEqual(
          computeSeparateBonusTax(bonus, '2027-12', false, currentLaw),
        )
      }),
      tried,
    )
  })
})

describe(`every kind (seed ${seed})`, () => {
  const money = fc
    .integer({ min: 0, max: 200_000_000 })
    .map((value) => `${Math.trunc(value / 100)}.${String(value % 100).padStart(2, '0')}`)
  const below = fc
    .integer({ min: 0, max: 3_000_000 })
    .map((value) => `${Math.trunc(value / 100)}.${String(value % 100).padStart(2, '0')}`)
  const item = fc.constantFrom('labor', 'royalty', 'manuscript')
  const of = (kind: string, fields: Record<string, fc.Arbitrary<unknown>>) => fc.record({ kind: fc.constant(kind), ...fields })
  const month = fc.integer({ min: 1, max: 12 })
  const months = (field: string) =>
    fc.uniqueArray(fc.record({ month, [field]: below }), { minLength: 1, maxLength: 12, selector: (one) => one.month })
  const inputs = fc.oneof(
    of('annual_bonus', { amount: money, pay_date: fc.constant('2026-01-20') }),
    of('bonus_compare', { annual_income: money, annual_special: below, bonus: money }),
    of('labor_once', { item, income: money }),
    of('labor_month', {
      payments: fc.array(fc.record({ project: fc.constantFrom('甲', '乙'), item, amount: below }), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
    of('labor_cumulative', {
      person_type: fc.constant('insurance_agent'),
      tax_year: fc.constant(2026),
      start_month: month,
      months: months('income'),
    }),
    of('severance', { amount: money, local_avg_annual_wage: below, contributions: below }),
    of('early_retirement', { amount: money, years: fc.integer({ min: 1, max: 15 }) }),
    of('internal_retirement', { amount: money, months: fc.integer({ min: 1, max: 180 }), wage: below }),
    of('nonresident_salary', { income: money, exempt: below }),
    of('nonresident_bonus', { amount: money }),
    of('nonresident_labor', { item, income: money }),
    of('nonresident_year', { months: fc.array(below, { minLength: 1, maxLength: 12 }) }),
    of('nonresident_sourcing', {
      month_wage: fc.constant('30000.01'),
      paid_in_china: below.map((one) => (Number(one) > 30_000 ? '30000.01' : one)),
      days_in_china: fc.integer({ min: 0, max: 31 }),
      days_in_month: fc.constant(31),
      stay: fc.constantFrom('le90', '90_183', 'ge183'),
      executive: fc.boolean(),
    }),
    of('no_domicile_six_years', {
      month_wage: below,
      bonus: below,
      paid_in_china_share: fc.constantFrom('0', '0.3', '0.5', '1'),
      days_in_china: fc.integer({ min: 0, max: 31 }),
      days_in_month: fc.constant(31),
      six_years_full: fc.boolean(),
      bonus_merged: fc.boolean(),
    }),
    of('annuity_withdrawal', { amount: money, mode: fc.constantFrom('monthly', 'quarterly', 'annual', 'lump_sum') }),
    of('personal_pension_withdrawal', { amount: money }),
    of('personal_pension_saving', { paid: below, annual_taxable_before: money }),
    of('equity_incentive', {
      year: fc.constant(2026),
      items: fc.array(
        fc.record({
          type: fc.constant('option'),
          shares: fc.integer({ min: 1, max: 99_999 }).map(String),
          market: fc.constantFrom('3.1234', '15.5'),
          exercise: fc.constantFrom('2.9', '5'),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    of('equity_deferred_transfer', { shares: fc.constantFrom('333', '1000.5'), transfer_price: below, cost: below }),
    of('expat_allowance_choice', { annual_taxable_before: money, allowance: below, special_additional: below }),
    of('housing_fund_tax_cap', {
      base: money,
      employee_rate: fc.constantFrom('0.05', '0.12'),
      employer_rate: fc.constantFrom('0.07', '0.12'),
      unit: fc.constantFrom('0.01', '1'),
      city_avg_month_wage: below,
    }),
    of('annuity_cap', { employee_contribution: below, wage_base: below, city_avg_month_wage: below }),
    of('personal_pension', { months: months('paid') }),
    of('health_insurance', { months: months('paid') }),
    of('donation_cap', { donated: below, taxable_before: money, in_full: fc.boolean() }),
    of('annual_settlement', {
      tax_year: fc.constant(2026),
      wages: money,
      labor: fc.array(fc.record({ item, income: below }), { maxLength: 3 }),
      special: below,
      illnesses: fc.array(money, { maxLength: 2 }),
      bonus: fc.oneof(fc.constant('0.00'), money),
      withheld: below,
    }),
  )
  it('produces steps that add up', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { result, steps } = computeCase(input)
        expect(steps.length).toBeGreaterThan(0)
        expect(wrongSteps(steps)).toEqual([])
        const tax = 'total_tax' in result ? result.total_tax : (result.tax ?? null)
        if (typeof tax === 'string') expect(tax).toMatch(/^\d+\.\d\d$/)
      }),
      { ...tried, numRuns: 1_500 },
    )
  })
  it('never taxes a higher single amount less', () => {
    const alone = fc.constantFrom(
      (amount: string) => ({ kind: 'labor_once', item: 'labor', income: amount }),
      (amount: string) => ({ kind: 'severance', amount, local_avg_annual_wage: '50000.00' }),
      (amount: string) => ({ kind: 'early_retirement', amount, years: 3 }),
      (amount: string) => ({ kind: 'nonresident_salary', income: amount }),
      (amount: string) => ({ kind: 'nonresident_bonus', amount }),
      (amount: string) => ({ kind: 'annuity_withdrawal', mode: 'quarterly', amount }),
    )
    const getFen = (text: unknown) => toFen(Number(String(text).replace('.', '')))
    fc.assert(
      fc.property(alone, amount, amount, (kind, one, more) => {
        const getTax = (value: number) =>
          getFen(computeCase(kind(`${Math.trunc(value / 100)}.${String(value % 100).padStart(2, '0')}`)).result.tax)
        expect(getTax(one + more)).toBeGreaterThanOrEqual(getTax(one))
      }),
      tried,
    )
  })
})
