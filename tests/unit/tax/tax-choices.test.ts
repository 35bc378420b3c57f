/**
 * Where tax offices differ: each setting in both ways (tax-rules §16); the traps of a bonus; the year of all employees
 * at once.
 */
import { describe, expect, it } from 'vitest'
import { computeSettlement, type SettlementInput } from '../../../server/rules/law/income/settlement.ts'
import { computeContributions } from '../../../server/rules/law/insurance/contributions.ts'
import { readSchemes } from '../../../server/rules/law/insurance/scheme.ts'
import { defaultTaxSettings, type TaxSettings } from '../../../server/rules/law/settings.ts'
import { formatStep } from '../../../server/rules/law/steps.ts'
import type { Employment } from '../../../server/rules/law/wages/employment.ts'
import { computeWithholding, type WageMonthInput } from '../../../server/rules/law/wages/withholding.ts'
import { computePayslip, type PayslipInput } from '../../law/payslip.ts'
import { findBonusTraps } from '../../law/wages/bonus.ts'

const yuan = (amount: number) => Math.round(amount * 100)
const paid = (...months: [number, number][]): WageMonthInput[] =>
  months.map(([month, income]) => ({ month, income: yuan(income) }))
const taxes = (employment: Employment, months: WageMonthInput[], settings: Partial<TaxSettings> = {}) =>
  computeWithholding(employment, months, { settings: { ...defaultTaxSettings, ...settings } }).map(({ tax }) => tax / 100)

describe('wages', () => {
  const again: Employment = { year: 2026, earlier: [{ hire_month: null, leave_month: '2026-02' }], hire_month: '2026-05' }
  const months = paid([1, 10_000], [2, 10_000], [5, 10_000], [6, 10_000])
  it('counts a rehire within the year as one cumulation without the months between, or as a new start', () => {
    // With one cumulation: 3 and 4 months of 5,000. With a new start: 1 and 2 months without the earlier ones.
    expect(taxes(again, months)).toEqual([150, 150, 150, 150])
    expect(computeWithholding(again, months).map((one) => one.months_counted)).toEqual([1, 2, 3, 4])
    const retry = computeWithholding(again, months, { settings: { ...defaultTaxSettings, rehired: 'start_again' } })
    expect(retry.map((one) => [one.months_counted, one.cum_income / 100])).toEqual([
      [1, 10_000],
      [2, 20_000],
      [1, 10_000],
      [2, 20_000],
    ])
  })
  it('counts a month once in which an employee left and was rehired', () => {
    const same: Employment = { year: 2026, earlier: [{ hire_month: null, leave_month: '2026-03' }], hire_month: '2026-03' }
    expect(computeWithholding(same, paid([4, 1])).map((one) => one.months_counted)).toEqual([4])
  })
  it('grants no further 5,000 for pay after leaving, or as if still employed', () => {
    const left: Employment = { year: 2026, hire_month: null, leave_month: '2026-02' }
    expect(taxes(left, paid([2, 20_000], [3, 10_000]))).toEqual([300, 300])
    expect(taxes(left, paid([2, 20_000], [3, 10_000]), { after_leaving: 'counts_on' })).toEqual([300, 150])
  })
  it('applies the relief as entered, or a province’s share up to its yearly limit, for entitled employees', () => {
    const person: Employment = { year: 2026, hire_month: null, disabled: true }
    const half = { disability_relief: { rate_ppm: 500_000, year_fen: yuan(200) } } as const
    expect(taxes(person, paid([1, 15_000], [2, 15_000]))).toEqual([300, 300])
    // Half of 300; of 600, no more than 200.
    expect(taxes(person, paid([1, 15_000], [2, 15_000]), half)).toEqual([150, 250])
    expect(taxes({ ...person, disabled: false }, paid([1, 15_000]), half)).toEqual([300])
  })
})

const city = {
  city: '试市',
  valid_from: '2026-01-01',
  document: '试',
  items: [{ code: 'medical', employee_rate: '0.02', employer_rate: '0.1', employee_fixed: '3.00' }],
}
const slip = (more: Partial<PayslipInput> = {}): PayslipInput => ({
  month: '2026-01',
  employment: { year: 2026, hire_month: null },
  resident: true,
  earnings: [{ name: '工资', amount: yuan(15_000), taxable: true }],
  insured: {
    bases: new Map([['social', yuan(10_000.49)]]),
    housing_fund_ppm: null,
    supplementary_ppm: null,
    not_enrolled: [],
  },
  schemes: readSchemes([city], 'configs'),
  exempt: 0,
  additional: 0,
  other: 0,
  donation: 0,
  reduction: 0,
  after_tax_add: 0,
  after_tax_deduct: 0,
  ...more,
})
const getTax = (input: PayslipInput, settings: Partial<TaxSettings> = {}) => {
  const match = computePayslip(input, { ...defaultTaxSettings, ...settings })
  return 'refused' in match ? match.refused : match.tax / 100
}

describe('payslips', () => {
  it('deducts three yuan of medical insurance on payslips, or not', () => {
    // 200.01 + 3.00 of 15,000.00: 3 % of 9,796.99 or 9,799.99.
    expect(getTax(slip())).toBe(293.91)
    expect(getTax(slip(), { fixed_medical: 'not_deductible' })).toBe(294)
  })
  it('deducts a non-resident’s own insurance, or not', () => {
    expect(getTax(slip({ resident: false }))).toBe(790)
    expect(getTax(slip({ resident: false }), { nonresident_insurance: 'deducted' })).toBe(769.7)
  })
  it('uses a base as declared or in whole yuan, and default rounding of amounts where the city names none', () => {
    const [scheme] = readSchemes([city], 'configs')
    const of = { month: '2026-01', ...slip().insured, bases: new Map([['social', yuan(10_000.5)]]) }
    const insured = { housing_fund_ppm: null, supplementary_ppm: null, not_enrolled: [], ...of }
    const base = (settings: TaxSettings) => {
      const match = computeContributions(scheme ? [scheme] : [], insured, settings)
      return 'refused' in match ? match.refused : match.items.map((one) => [one.base / 100, one.employee / 100])
    }
    expect(base(defaultTaxSettings)).toEqual([[10_000.5, 203.01]])
    expect(base({ ...defaultTaxSettings, insurance_base: 'whole_yuan' })).toEqual([[10_001, 203.02]])
    const up = readSchemes([city], 'configs', { ...defaultTaxSettings, insurance_rounding: { unit_fen: 100, mode: 'up' } })
    const match = computeContributions(up, insured)
    expect('refused' in match ? match.refused : match.items[0]?.employee).toBe(yuan(204))
  })
  it('exempts a local transport or phone subsidy as entered, or taxes it', () => {
    const phone = { name: '通讯补贴', amount: yuan(500), taxable: true, local_subsidy: true }
    const of = slip({ insured: null, earnings: [...slip().earnings, phone] })
    expect(getTax(of)).toBe(300)
    expect(getTax(of, { local_subsidies: 'taxed' })).toBe(315)
  })
  it('taxes a thirteenth month as wages, or separately like the annual bonus', () => {
    const of = slip({ insured: null, bonus: { amount: yuan(30_000), method: null, used: false } })
    // 10 % of 40,000 less 2,520; or 300 and 900.
    expect(getTax(of)).toBe(1_480)
    expect(getTax(of, { thirteenth_month: 'separate' })).toBe(1_200)
    const used = slip({ insured: null, bonus: { amount: yuan(30_000), method: null, used: true } })
    expect(getTax(used, { thirteenth_month: 'separate' })).toBe('already_used_this_year')
  })
  it('lists the components of a payslip down to the net', () => {
    const match = computePayslip(slip())
    const steps = 'refused' in match ? [] : match.steps.map(formatStep)
    expect(steps.filter((text) => text.startsWith('实发'))).toEqual([
      '实发 14,503.08 = 应发 15,000.00 − 医疗保险（个人） 203.01 − 个人所得税 293.91 + 税后加项 0.00 − 税后扣项 0.00；依据：薪函的默认做法（法律未定，可设置）计算顺序、国家税务总局公告2018年第61号第六条',
    ])
  })
})

describe('bonus zones in which a fen more yields less', () => {
  it('derives the zones and the cost of the first fen from the table', () => {
    expect(
      findBonusTraps('2026-01').map(({ end_fen, to_fen, costs_fen }) => [end_fen / 100, to_fen / 100, costs_fen / 100]),
    ).toEqual([
      [36_000, 38_566.66, 2_309.99],
      [144_000, 160_499.99, 13_199.99],
      [300_000, 318_333.32, 13_749.99],
      [420_000, 447_499.99, 19_249.99],
      [660_000, 706_538.45, 30_249.99],
      [960_000, 1_119_999.99, 87_999.99],
    ])
  })
})

describe('bonus of all employees at once', () => {
  const year = (wages: number, bonus: number): SettlementInput => ({
    year: 2026,
    wages: yuan(wages),
    labor: [],
    special: 0,
    additional: 0,
    other: 0,
    donation: 0,
    reduction: 0,
    illnesses: [],
    bonus: yuan(bonus),
    withheld: 0,
  })
  it('finds the better bonus method for each employee', () => {
    const inputs: [string, SettlementInput][] = [
      ['低薪', year(50_000, 20_000)],
      ['高薪', year(400_000, 36_000)],
      ['一样', year(80_000, 10_000)],
      ['没有奖金', year(80_000, 0)],
      ['到期以后', { ...year(400_000, 36_000), year: 2028 }],
    ]
    const matches = inputs.map(([name, input]) => [name, computeSettlement(input)] as const)
    expect(matches.map(([name, one]) => [name, one.better, one.tax / 100])).toEqual([
      ['低薪', 'merged', 300],
      ['高薪', 'separate', 53_080 + 1_080],
      ['一样', 'same', 900],
      ['没有奖金', 'merged', 600],
      ['到期以后', 'merged', 376_000 * 0.25 - 31_920],
    ])
  })
})
