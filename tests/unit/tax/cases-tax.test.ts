/** Payroll tax cases that public complaints asked for: workers of internet platforms (announcement 2025-16). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatStep } from '../../../server/rules/law/steps.ts'
import { findDifferences, runAllCases } from '../../law/cases/compare.ts'
import { computeCase } from '../../law/cases/run-case.ts'

type TaxCase = { name: string; input: Record<string, unknown>; expected: unknown }
const reported = JSON.parse(
  readFileSync(new URL('../../cases/bug-reports/23-tax-platform-worker.json', import.meta.url), 'utf8'),
) as TaxCase[]

type PaidMonth = { month: number; income: string; surtax?: string }
const withhold = (months: readonly PaidMonth[], input: Record<string, unknown> = {}) => {
  const { result } = computeCase({ kind: 'labor_cumulative', tax_year: 2026, person_type: 'platform_worker', months, ...input })
  return result as { months: readonly { tax: string; months_counted: number }[]; total_tax: string }
}
const paid = (...incomes: readonly string[]) => incomes.map((income, at) => ({ month: at + 1, income }))
const taxes = (months: readonly PaidMonth[], input?: Record<string, unknown>) =>
  withhold(months, input).months.map(({ tax }) => tax)

test.each(reported)('withholds $name as reported', ({ input, expected }) => {
  expect(findDifferences(expected, computeCase(input).result)).toEqual([])
})

describe('platform worker', () => {
  test.each<[string, readonly PaidMonth[], string[]]>([
    ['owes nothing up to 6,250 a month', paid('6250.00', '6250.00'), ['0.00', '0.00']],
    ['owes tax from the first yuan above it', paid('6300.00'), ['1.20']],
    ['uses the remaining deduction of an earlier month', paid('2000.00', '10000.00'), ['0.00', '0.00']],
    ['gets no tax refund in a weak month', paid('20000.00', '1000.00'), ['330.00', '0.00']],
    // 100,000 × 80 % − 15,000 = 65,000; 65,000 × 10 % − 2,520 = 3,980
    ['reaches higher brackets by the sum', paid('10000.00', '40000.00', '50000.00'), ['90.00', '810.00', '3080.00']],
    [
      'may be paid twice in a month, with one deduction',
      [
        { month: 1, income: '6000.00' },
        { month: 1, income: '4000.00' },
      ],
      ['0.00', '90.00'],
    ],
  ])('%s', (_, months, expected) => {
    expect(taxes(months)).toEqual(expected)
  })

  test('counts consecutive months from the first given month without a start', () => {
    const months = [
      { month: 4, income: '10000.00' },
      { month: 5, income: '10000.00' },
    ]
    expect(withhold(months).months.map(({ months_counted }) => months_counted)).toEqual([1, 2])
    expect(taxes(months)).toEqual(['90.00', '90.00'])
    expect(taxes(months, { start_month: 4 })).toEqual(['90.00', '90.00'])
  })

  const gap = '中断后不再是连续取得'
  test.each<[string, readonly PaidMonth[], Record<string, unknown>, string]>([
    ['a missing month', paid('10000.00', '10000.00').map((one) => ({ ...one, month: one.month * 2 })), {}, gap],
    ['a month without income', paid('10000.00', '0.00', '10000.00'), {}, gap],
    ['a start before the first month given', [{ month: 3, income: '10000.00' }], { start_month: 1 }, gap],
    ['a surtax', [{ month: 1, income: '10000.00', surtax: '1.00' }], {}, '平台从业人员没有附加税费'],
    ['a month before October 2025', [{ month: 9, income: '10000.00' }], { tax_year: 2025 }, '没有适用于 2025-09 的规定'],
  ])('refuses to calculate with %s, and states the reason', (_, months, input, message) => {
    expect(() => withhold(months, input)).toThrow(message)
  })

  test('starts the months of a platform worker in October 2025', () => {
    expect(taxes([{ month: 10, income: '10000.00' }], { tax_year: 2025 })).toEqual(['90.00'])
  })

  test('has steps that refer to the announcement', () => {
    const [first] = reported
    const { steps } = computeCase(first?.input ?? {})
    expect(steps.map(formatStep).join('\n')).toContain('国家税务总局公告2025年第16号第一条')
  })
})

test('counts interns and agents still from January without a start', () => {
  const input = { kind: 'labor_cumulative', tax_year: 2026, months: [{ month: 7, income: '50000.00' }] }
  const [match] = runAllCases([
    { name: 'intern', source: '', input: { ...input, person_type: 'intern' }, expected: { months: [{ months_counted: 7 }] } },
  ])
  expect(match?.passed).toBe(true)
})
