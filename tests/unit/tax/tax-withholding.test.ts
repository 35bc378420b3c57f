/** Income tax of wages, month by month, as a payroll clerk would check it with a calculator. */
import { describe, expect, it } from 'vitest'
import { findBracket } from '../../../server/rules/law/bracket-tax.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import { defaultTaxSettings } from '../../../server/rules/law/settings.ts'
import { formatStep } from '../../../server/rules/law/steps.ts'
import { getDatedRow } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw } from '../../../server/rules/law/tables/law.ts'
import type { TaxBrackets } from '../../../server/rules/law/tables/readers.ts'
import { countEmploymentMonths, type Employment } from '../../../server/rules/law/wages/employment.ts'
import {
  computeWithholding,
  getDueOrRefund,
  type OpeningBalance,
  toOpeningBalance,
  type WageMonthInput,
} from '../../../server/rules/law/wages/withholding.ts'

const yuan = (amount: number) => Math.round(amount * 100)
const settled: Employment = { year: 2026, hire_month: null }
const taxes = (months: WageMonthInput[], employment = settled, opening?: OpeningBalance) =>
  computeWithholding(employment, months, { opening }).map(({ tax }) => tax / 100)
const same = (income: number, special: number, count: number, more: Partial<WageMonthInput> = {}): WageMonthInput[] =>
  Array.from({ length: count }, (_, at) => ({ month: at + 1, income: yuan(income), special: yuan(special), ...more }))

describe('monthly withholding', () => {
  it.each<[string, WageMonthInput[], number[]]>([
    ['below the basic deduction', same(4_500, 300, 3), [0, 0, 0]],
    ['the 3 % bracket', same(10_000, 1_000, 3), [120, 120, 120]],
    ['the 10 % bracket in the fourth month', same(20_000, 3_000, 4), [360, 360, 360, 1_200 * 4 - 2_520 - 1_080]],
    [
      'a month without pay, which still counts its 5,000',
      [{ month: 1, income: yuan(8_000) }, { month: 2 }, { month: 3, income: yuan(8_000) }],
      [90, 0, 0],
    ],
    [
      'earlier underpaid tax, which is withheld later',
      [
        { month: 1, income: yuan(10_000), withheld: 0 },
        { month: 2, income: yuan(10_000) },
      ],
      [150, 300],
    ],
  ])('%s', (_, months, expected) => expect(taxes(months)).toEqual(expected))

  it('lists the steps of monthly withholding', () => {
    const [month] = computeWithholding(settled, same(50_000, 5_000, 1, { additional: yuan(2_000) }))
    expect(month?.steps.map(formatStep)).toEqual([
      '累计减除费用 5,000.00 = 每月减除费用 5,000.00；依据：国家税务总局公告2018年第61号第六条',
      '累计应纳税所得额 38,000.00 = 累计收入 50,000.00 − 累计减除费用 5,000.00 − 累计专项扣除 5,000.00 − 累计专项附加扣除 2,000.00；依据：国家税务总局公告2018年第61号第六条',
      '累计应纳税额 1,280.00 = 累计应纳税所得额 38,000.00 × 10% − 速算扣除数 2,520.00；依据：国家税务总局公告2018年第61号第六条与附件预扣率表一',
      '本期应预扣预缴税额 1,280.00 = 累计应纳税额 1,280.00 − 累计已预扣预缴 0.00；依据：国家税务总局公告2018年第61号第六条',
    ])
  })

  it('continues from the values of the previous month', () => {
    const full = computeWithholding(settled, same(30_000, 3_000, 6))
    const third = full[2]
    expect(third && computeWithholding(settled, same(30_000, 3_000, 6).slice(3), { opening: toOpeningBalance(third) })).toEqual(
      full.slice(3),
    )
  })

  it('shows excess withholding as a credit, or as a negative amount if configured', () => {
    const [, second] = computeWithholding(settled, [{ month: 1, income: yuan(10_000) }, { month: 2 }])
    expect(second && [second.tax, second.credit, getDueOrRefund(second)]).toEqual([0, yuan(150), 0])
    expect(second && getDueOrRefund(second, { ...defaultTaxSettings, refund: 'negative' })).toBe(yuan(-150))
  })

  it.each<[string, Partial<Employment>, number, number]>([
    ['employed before this year', { hire_month: '2025-12' }, 1, 1],
    ['hired in June', { hire_month: '2026-06' }, 8, 3],
    ['a month before the hire', { hire_month: '2026-06' }, 5, 0],
    ['first wages of the year', { hire_month: '2026-07', first_income_of_year: true }, 7, 7],
    ['paid after leaving', { leave_month: '2026-05' }, 7, 5],
    ['an employee who left in another year', { leave_month: '2027-01' }, 7, 7],
  ])('counts months: %s', (_, employment, month, expected) =>
    expect(countEmploymentMonths({ ...settled, ...employment }, month, defaultTaxSettings)).toBe(expected),
  )

  it('starts mid-year with given year-to-date sums', () => {
    const opening = { through_month: 6, income: yuan(120_000), special: yuan(18_000), withheld: yuan(4_680) }
    expect(taxes([{ month: 7, income: yuan(20_000), special: yuan(3_000) }], settled, opening)).toEqual([1_200])
  })
})

describe('law tables', () => {
  it.each<[string, TaxBrackets]>([
    ['annual table', getDatedRow(currentLaw.annual_rates, '2026-10').value],
    ['monthly table', getDatedRow(currentLaw.monthly_rates, '2026-10').value],
    ['labour service table', getDatedRow(currentLaw.labor_rates, '2026-10').value],
  ])('raises rates and limits within %s, where both brackets agree at every limit', (_, levels) => {
    expect(levels.at(-1)?.up_to).toBeNull()
    for (const [at, level] of levels.entries()) {
      const before = levels[at - 1]
      if (!before) continue
      expect(level.rate_ppm).toBeGreaterThan(before.rate_ppm)
      const end = before.up_to ?? 0
      expect((end * level.rate_ppm) / 1e6 - level.quick_fen).toBe((end * before.rate_ppm) / 1e6 - before.quick_fen)
      expect(findBracket(levels, end)).toBe(before)
      expect(findBracket(levels, end + 1)).toBe(level)
    }
  })

  it('law tables have a document and a date in every row, and a month without a row is no zero', () => {
    for (const { rows } of Object.values(currentLaw))
      for (const row of rows) {
        expect(row.document).not.toBe('')
        expect(row.valid_from).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/)
        expect(row.valid_to === null || row.valid_to > row.valid_from).toBe(true)
      }
    expect(() => getDatedRow(currentLaw.annual_rates, '2018-12')).toThrow(LawError)
    expect(() => computeWithholding({ ...settled, year: 2018 }, same(10_000, 0, 1))).toThrow('没有适用于 2018-01 的规定')
  })
})
