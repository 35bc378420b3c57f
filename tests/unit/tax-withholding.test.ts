/** Income tax of wages, month by month, as a payroll clerk would check it with a calculator; and every published case where the folder of cases is there. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseFen } from '../../server/contract/money.ts'
import { bonusApart } from '../../server/rules/law/bonus.ts'
import { rowFor } from '../../server/rules/law/dated.ts'
import { annualRates, basicDeduction, type Level, levelOf, monthlyRates, separateBonus } from '../../server/rules/law/rates.ts'
import {
  correct,
  type Employment,
  type Month,
  monthsCounted,
  type Opening,
  withhold,
} from '../../server/rules/law/withholding.ts'

const yuan = (amount: number) => Math.round(amount * 100)
const settled: Employment = { year: 2026, hired: null }
const taxes = (months: Month[], employment = settled, opening?: Opening) =>
  withhold(employment, months, opening).map(({ tax }) => tax / 100)
const same = (income: number, special: number, count: number, more: Partial<Month> = {}): Month[] =>
  Array.from({ length: count }, (_, at) => ({ month: at + 1, income: yuan(income), special: yuan(special), ...more }))

describe('withheld month by month', () => {
  it.each<[string, Month[], number[]]>([
    ['below the basic deduction', same(4_500, 300, 3), [0, 0, 0]],
    ['three per cent', same(10_000, 1_000, 3), [120, 120, 120]],
    ['into ten per cent in the fourth month', same(20_000, 3_000, 4), [360, 360, 360, 1_200 * 4 - 2_520 - 1_080]],
    [
      'a month without pay still counts its 5,000',
      [{ month: 1, income: yuan(8_000) }, { month: 2 }, { month: 3, income: yuan(8_000) }],
      [90, 0, 0],
    ],
    [
      'what was withheld too little comes after',
      [
        { month: 1, income: yuan(10_000), withheld: 0 },
        { month: 2, income: yuan(10_000) },
      ],
      [150, 300],
    ],
  ])('%s', (_, months, expected) => expect(taxes(months)).toEqual(expected))

  it('tells its steps', () => {
    expect(withhold(settled, same(50_000, 5_000, 1, { additional: yuan(2_000) }))).toEqual([
      {
        month: 1,
        months_counted: 1,
        month_basic: yuan(5_000),
        cum_income: yuan(50_000),
        cum_basic: yuan(5_000),
        cum_taxable: yuan(38_000),
        rate_ppm: 100_000,
        quick_fen: yuan(2_520),
        cum_tax: yuan(1_280),
        cum_withheld: 0,
        tax: yuan(1_280),
        credit: 0,
      },
    ])
  })

  it.each<[string, Partial<Employment>, number, number]>([
    ['employed before this year', { hired: '2025-12' }, 1, 1],
    ['hired in June', { hired: '2026-06' }, 8, 3],
    ['before the hire', { hired: '2026-06' }, 5, 0],
    ['first wages of the year', { hired: '2026-07', first_income_of_year: true }, 7, 7],
    ['paid after leaving', { left: '2026-05' }, 7, 5],
    ['left in another year', { left: '2027-01' }, 7, 7],
  ])('months counted: %s', (_, employment, month, expected) =>
    expect(monthsCounted({ ...settled, ...employment }, month)).toBe(expected),
  )

  it('begins in mid-year where the sums so far are given', () => {
    const opening = { through_month: 6, income: yuan(120_000), special: yuan(18_000), withheld: yuan(4_680) }
    expect(taxes([{ month: 7, income: yuan(20_000), special: yuan(3_000) }], settled, opening)).toEqual([1_200])
  })
})

describe('the tables of law', () => {
  it.each<[string, readonly Level[]]>([
    ['of a year', rowFor(annualRates, '2026-10').value],
    ['of a month', rowFor(monthlyRates, '2026-10').value],
  ])('%s: rates and ends rise, and at every end both levels ask for the same', (_, levels) => {
    expect(levels.at(-1)?.up_to).toBeNull()
    for (const [at, level] of levels.entries()) {
      const before = levels[at - 1]
      if (!before) continue
      expect(level.rate_ppm).toBeGreaterThan(before.rate_ppm)
      const end = before.up_to ?? 0
      expect((end * level.rate_ppm) / 1e6 - level.quick_fen).toBe((end * before.rate_ppm) / 1e6 - before.quick_fen)
      expect(levelOf(levels, end)).toBe(before)
      expect(levelOf(levels, end + 1)).toBe(level)
    }
  })

  it('every row names its document and is dated; a month without a row is no zero', () => {
    for (const row of [...annualRates, ...monthlyRates, ...basicDeduction, ...separateBonus]) {
      expect(row.document).not.toBe('')
      expect(row.valid_from).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/)
      expect(row.valid_to === null || row.valid_to > row.valid_from).toBe(true)
    }
    expect(() => rowFor(annualRates, '2018-12')).toThrow(RangeError)
    expect(() => withhold({ ...settled, year: 2018 }, same(10_000, 0, 1))).toThrow(RangeError)
  })
})

type Case = {
  name: string
  input: {
    kind: string
    tax_year: number
    employee: { hire: string; leave?: string; first_income_of_year?: boolean; prior_year_under_60000?: boolean }
    opening?: Record<string, string | number>
    months: Record<string, string | number | { amount: string; method: string }>[]
    corrections?: { month: number; set: Record<string, string> }[]
    amount: string
    pay_date: string
    used_this_year: boolean
  }
  expected: Record<string, unknown>
}
const file = new URL('../../../shared/payroll/examples.json', import.meta.url)
const cases = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Case[]) : []
const fenOf = (text: unknown) => parseFen(String(text ?? '0')) ?? 0
const money = (fen: number) => (fen / 100).toFixed(2)
const rate = (ppm: number) => (ppm / 1e6).toFixed(2)

const employmentOf = ({ tax_year, employee }: Case['input']): Employment => ({
  year: tax_year,
  hired: employee.hire.slice(0, 7),
  left: employee.leave?.slice(0, 7),
  first_income_of_year: employee.first_income_of_year,
  prior_year_under_60000: employee.prior_year_under_60000,
})
function monthOf(one: Case['input']['months'][number]): Month {
  const bonus = one.bonus as { amount: string; method: string } | undefined
  const given = (field: string) => (field in one ? fenOf(one[field]) : undefined)
  const known = {
    income: fenOf(one.income) + (bonus?.method === 'merged' ? fenOf(bonus.amount) : 0),
    exempt: given('exempt'),
    special: given('special'),
    additional: given('additional'),
    other: given('other'),
    donation: given('donation'),
    reduction: given('tax_reduction'),
    withheld: given('actual_withheld'),
  }
  return {
    month: Number(one.month),
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as object),
  }
}
function openingOf(one: Case['input']['opening']): Opening | undefined {
  if (!one) return undefined
  const of = (field: string) => fenOf(one[`cum_${field}`])
  return {
    through_month: Number(one.through_month),
    income: of('income'),
    exempt: of('exempt'),
    special: of('special'),
    additional: of('additional'),
    other: of('other'),
    donation: of('donation'),
    reduction: of('reduction'),
    withheld: of('withheld'),
  }
}

describe.skipIf(cases.length === 0)('published and computed cases', () => {
  const of = (kind: string) => cases.filter(({ input }) => input.kind === kind).map((one) => [one.name, one] as const)

  it.each(of('salary_series'))('%s', (_, { input, expected }) => {
    const steps = withhold(employmentOf(input), input.months.map(monthOf), openingOf(input.opening))
    const apart = input.months.map(({ month, bonus }) => {
      const given = bonus as { amount: string; method: string } | undefined
      if (given?.method !== 'separate') return null
      const found = bonusApart(fenOf(given.amount), `${input.tax_year}-${String(month).padStart(2, '0')}`, false)
      return found.allowed ? found.tax : null
    })
    const answer = {
      months: steps.map((step, at) => ({
        month: step.month,
        months_counted: step.months_counted,
        cum_income: money(step.cum_income),
        cum_basic: money(step.cum_basic),
        cum_taxable: money(step.cum_taxable),
        rate: rate(step.rate_ppm),
        quick: money(step.quick_fen),
        cum_tax: money(step.cum_tax),
        tax: money(step.tax),
        credit: money(step.credit),
        ...(apart[at] === null ? {} : { bonus_tax: money(apart[at] ?? 0) }),
      })),
      total_tax: money(steps.reduce((all, step) => all + step.tax, 0)),
      total_bonus_tax: money(apart.reduce<number>((all, tax) => all + (tax ?? 0), 0)),
    }
    expect(answer).toMatchObject(expected)
  })

  it.each(of('salary_correction'))('%s', (_, { input, expected }) => {
    const corrections = (input.corrections ?? []).map(({ month, set }) => ({ ...monthOf(set as never), month }))
    const { original, corrected } = correct(employmentOf(input), input.months.map(monthOf), corrections)
    const difference = corrected.map((step, at) => step.tax - (original[at]?.tax ?? 0))
    expect({
      original_tax: original.map(({ tax }) => money(tax)),
      corrected_tax: corrected.map(({ tax }) => money(tax)),
      difference: difference.map(money),
      total_difference: money(difference.reduce((a, b) => a + b, 0)),
      final_credit: money(corrected.at(-1)?.credit ?? 0),
    }).toEqual(expected)
  })

  it.each(of('annual_bonus'))('%s', (_, { input, expected }) => {
    const found = bonusApart(fenOf(input.amount), input.pay_date.slice(0, 7), input.used_this_year)
    const { rate_ppm, quick_fen, tax, net } = found.allowed ? found : { rate_ppm: 0, quick_fen: 0, tax: 0, net: 0 }
    expect(
      found.allowed ? { allowed: true, rate: rate(rate_ppm), quick: money(quick_fen), tax: money(tax), net: money(net) } : found,
    ).toEqual(expected)
  })
})
