/** The annual reconciliation from the locked months: who owes, who gets a refund, and the better method for the bonus. */
import { describe, expect, it } from 'vitest'
import { defaultTaxYearProfile, zeroAmounts } from '../../../server/modules/tax/rules/amounts.ts'
import { computeMemberTax } from '../../../server/modules/tax/rules/member-tax.ts'
import {
  computeReconciliation,
  isReconciliationKind,
  type LockedMonth,
  noIncomeElsewhere,
  type Reconciliation,
} from '../../../server/modules/tax/rules/reconciliation.ts'
import { computeSettlement } from '../../../server/rules/law/income/settlement.ts'
import type { TaxAmounts } from '../../../server/rules/law/wages/amounts.ts'

const yuan = (amount: number) => Math.round(amount * 100)
/** Months of 2026 by their pay, one after the other. */
function locked(pays: Partial<TaxAmounts>[], hired: string | null = null, first = 1): LockedMonth[] {
  const before: LockedMonth[] = []
  for (const [at, pay] of pays.entries()) {
    const of = {
      year: 2026,
      hire_month: hired,
      leave_month: null,
      profile: defaultTaxYearProfile,
      additional_cumulative_fen: null,
      withheld_fen: null,
    }
    const existing = { deductions: null, insurance: null }
    const amounts = { ...zeroAmounts, ...pay }
    before.push({
      month: first + at,
      result: computeMemberTax({ ...of, ...existing, month: first + at, earlier_months: [...before], amounts }),
    })
  }
  return before
}
const same = (count: number, pay: Partial<TaxAmounts>) => Array.from({ length: count }, () => pay)
const ends = (months: LockedMonth[], elsewhere = noIncomeElsewhere): Reconciliation => {
  const match = computeReconciliation(2026, months, elsewhere)
  if (!match) throw new Error('no year')
  return match
}
const notify = ({ settlement, year }: Reconciliation) =>
  [year.wages, year.withheld, settlement.tax, settlement.due].map((fen) => fen / 100)

describe('result of a year', () => {
  it.each<[string, LockedMonth[], [wages: number, withheld: number, tax: number, due: number]]>([
    // (120,000 − 60,000) × 10% − 2,520 = 3,480.
    ['twelve equal months are withheld exactly', locked(same(12, { income_fen: yuan(10_000) })), [120_000, 3_480, 3_480, 0]],
    // July to December: withheld (60,000 − 30,000) × 3% = 900; of the year 60,000 − 60,000 nothing.
    ['hired in July', locked(same(6, { income_fen: yuan(10_000) }), '2026-07', 7), [60_000, 900, 0, -900]],
    // January 50,000: (50,000 − 5,000) × 10% − 2,520 = 1,980; then 4,000 a month: 94,000 − 60,000 = 34,000 × 3% = 1,020.
    [
      'one month with a high income',
      locked([{ income_fen: yuan(50_000) }, ...same(11, { income_fen: yuan(4_000) })]),
      [94_000, 1_980, 1_020, -960],
    ],
    [
      'exempt amounts are no income',
      locked(same(12, { income_fen: yuan(11_000), exempt_fen: yuan(1_000) })),
      [120_000, 3_480, 3_480, 0],
    ],
    ['insurance', locked(same(12, { income_fen: yuan(12_000), social_fen: yuan(2_000) })), [144_000, 3_480, 3_480, 0]],
  ])('%s', (_, months, expected) => expect(notify(ends(months))).toEqual(expected))

  it('returns a payment for an employee with too little withheld', () => {
    const months = locked(same(12, { income_fen: yuan(10_000) }))
    const last = months.at(-1)
    if (!last) throw new Error('no month')
    const short = [...months.slice(0, -1), { ...last, result: { ...last.result, withheld_fen: 0 } }]
    expect(ends(short).settlement.due).toBe(last.result.tax_fen)
  })
  it('returns no result without a month with an amount', () => expect(computeReconciliation(2026, [])).toBeNull())
  it('ends its steps with the tax due', () => {
    const { settlement } = ends(locked(same(6, { income_fen: yuan(10_000) }), '2026-07', 7))
    expect(settlement.steps.at(-1)).toMatchObject({ name: '应退税额', result: -90_000 })
  })
})

describe('exemption: up to 400 yuan, or any amount owed with an income of at most 120,000 (2023-32 art. 1)', () => {
  it.each<[string, { wages: number; bonus?: number; withheld?: number }, isFree: boolean]>([
    // 50,000 × 10% − 2,520 = 2,480.
    ['wages below the limit', { wages: 110_000 }, true],
    ['wages equal to the limit', { wages: 120_000 }, true],
    ['wages above the limit', { wages: 120_001 }, false],
    ['with a bonus above the limit, though taxed separately', { wages: 100_000, bonus: 100_000 }, false],
    // 140,000 × 10% − 2,520 = 11,480.
    ['a higher income, 400 owed', { wages: 200_000, withheld: 11_080 }, true],
    ['more income, one fen more owed', { wages: 200_000, withheld: 11_079.99 }, false],
    ['no tax owed', { wages: 110_000, withheld: 3_000 }, false],
  ])('%s', (_, { wages, bonus = 0, withheld = 0 }, isFree) => {
    const nothing = { labor: [], special: 0, additional: 0, other: 0, donation: 0, reduction: 0, illnesses: [] }
    const of = { ...nothing, year: 2026, wages: yuan(wages), bonus: yuan(bonus), withheld: yuan(withheld) }
    expect(computeSettlement(of).payment_exempt).toBe(isFree)
  })
})

describe('income from elsewhere', () => {
  const half = locked(same(6, { income_fen: yuan(10_000) }), '2026-07', 7)
  it.each<[string, Partial<typeof noIncomeElsewhere>, number]>([
    // 120,000 − 60,000 = 60,000 × 10% − 2,520 = 3,480, less 900.
    ['income from another employer', { wages: yuan(60_000) }, 2_580],
    ['another employer that withheld tax', { wages: yuan(60_000), withheld: yuan(3_000) }, -420],
    ['another employer that withheld tax and paid insurance', { wages: yuan(60_000), special: yuan(10_000) }, 1_580],
    // 80% of 30,000 × 3% = 720, less 900.
    ['income from a fee', { labor: yuan(30_000) }, -180],
    ['medical expenses of an illness', { wages: yuan(60_000), illness: yuan(25_000) }, 1_580],
    ['deductions unknown to the employer', { wages: yuan(60_000), additional: yuan(24_000) }, 180],
  ])('%s', (_, had, due) => expect(ends(half, { ...noIncomeElsewhere, ...had }).settlement.due / 100).toBe(due))
})

describe('better bonus method for all employees at once', () => {
  const paid = (income: number, bonus: number) =>
    ends(locked([...same(11, { income_fen: yuan(income) }), { income_fen: yuan(income), bonus_fen: yuan(bonus) }]))
  it.each<[string, Reconciliation, string, number]>([
    // Wages use no deduction up: (36,000 + 36,000 − 60,000) × 3% = 360 compared with 1,080.
    ['low wages, which are better merged', paid(3_000, 36_000), 'merged', -720],
    // 20,000 a month: 180,000 × 20% − 16,920 = 19,080 and 1,080 compared with 216,000 × 20% − 16,920 = 26,280.
    ['high wages, which are better separate', paid(20_000, 36_000), 'separate', 0],
    ['the same by either method', paid(5_000, 36_000), 'same', 0],
    ['a fen above a bracket', paid(5_000, 36_000.01), 'merged', -2_310],
  ])('%s', (_, end, better, due) => {
    expect([end.settlement.better, Math.round(end.settlement.due / 100)]).toEqual([better, due])
    expect(isReconciliationKind('other_way', end)).toBe(better === 'merged')
  })
  it.each<[string, Reconciliation, ReturnType<typeof isReconciliationKind>[]]>([
    ['gets a refund', paid(3_000, 36_000), [false, true, false, true]],
    ['owes nothing', paid(20_000, 36_000), [false, false, true, false]],
  ])('classifies an employee who %s', (_, end, expected) =>
    expect((['owes', 'back', 'even', 'other_way'] as const).map((kind) => isReconciliationKind(kind, end))).toEqual(expected),
  )
})
