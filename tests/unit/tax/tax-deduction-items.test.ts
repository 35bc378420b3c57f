/** Deductions as entered: what is refused at which field, the monthly amount, and until when they count. */
import { describe, expect, it } from 'vitest'
import type { DeductionItem } from '../../../server/contract/tax/deductions.ts'
import { emptyDeduction } from '../../../server/contract/tax/kinds.ts'
import { getExpiry, isExpiring, toDeductionItemView } from '../../../server/modules/tax/deduction/expiry.ts'
import { normalizeItem, validateItem, validateItems } from '../../../server/modules/tax/deduction/items.ts'
import { computeMonthDeductions } from '../../../server/modules/tax/deduction/month.ts'

const item = (of: Partial<DeductionItem> & Pick<DeductionItem, 'kind'>): DeductionItem => ({ ...emptyDeduction, ...of })
const child = item({ kind: 'child_education', whose: '小明', born: '2016-09-12' })
const infant = item({ kind: 'infant_care', whose: '小红', born: '2024-05-03', share: 'half' })
const mother = item({ kind: 'elderly', whose: '母亲', born: '1960-03-08', only_child: true })
const father = item({ kind: 'elderly', whose: '父亲', born: '1958-01-02', amount_fen: 100_000 })
const loan = item({ kind: 'housing_loan', from: '2020-06' })
const rent = item({ kind: 'housing_rent', from: '2026-01', to: '2026-12', city_tier: 1 })
const degree = item({ kind: 'continuing_degree', from: '2026-03', to: '2028-06' })
const certificate = item({ kind: 'continuing_certificate', whose: '注册会计师', from: '2026-08' })
const illness = item({ kind: 'serious_illness', from: '2026-02', amount_fen: 3_000_000 })
const pension = item({ kind: 'personal_pension', from: '2026-01', to: '2026-12', amount_fen: 150_000 })

describe('single item', () => {
  it.each([child, infant, mother, father, loan, rent, degree, certificate, illness, pension])('accepts a valid $kind', (one) =>
    expect(validateItem(one, '2026-11')).toBeNull(),
  )
  it.each<[string, DeductionItem, string, string]>([
    ['a child without a birthday', { ...child, born: null }, 'born', '请填写孩子的出生日期'],
    ['a child not born yet', { ...child, born: '2026-12-01' }, 'born', '出生日期晚于本月，请核对'],
    ['rent without a start', { ...rent, from: null }, 'from', '请填写租赁开始的月份'],
    ['rent without a city', { ...rent, city_tier: null }, 'city_tier', '请选择工作城市的档次'],
    ['rent that ends before it starts', { ...rent, to: '2025-12' }, 'to', '结束月份早于开始月份，请核对'],
    ['a loan that ended before the law', { ...loan, from: '2015-01', to: '2018-12' }, 'to', '专项附加扣除从 2019年 1 月起才有'],
    ['a certificate of next month', { ...certificate, from: '2026-12' }, 'from', '发证月份晚于本月'],
    ['a share of zero', { ...father, amount_fen: 0 }, 'amount_fen', '请填写每月分摊的金额'],
    ['a share of more than half', { ...father, amount_fen: 150_001 }, 'amount_fen', '非独生子女每月最多分摊 1,500.00 元'],
    ['a pension of zero', { ...pension, amount_fen: 0 }, 'amount_fen', '请填写每月缴费的金额'],
    ['an illness without an amount', { ...illness, amount_fen: null }, 'amount_fen', '请填写个人负担的金额'],
  ])('%s', (_what, one, field, message) => {
    const error = validateItem(one, '2026-11')
    expect(error?.field).toBe(field)
    expect(error?.message).toContain(message)
  })
  it('does not store fields that its kind does not have', () => {
    expect(normalizeItem({ ...rent, born: '2000-01-01', share: 'half', amount_fen: 5, only_child: true })).toEqual(rent)
    expect(normalizeItem({ ...mother, amount_fen: 90_000 })).toEqual(mother)
  })
})

describe('combined items', () => {
  it('accepts any number of children and both parents', () =>
    expect(validateItems([child, { ...child, whose: '小刚' }, infant, mother, loan, degree, certificate], '2026-11')).toBeNull())
  it('refuses rent and loan in one year, also in the next', () => {
    expect(validateItems([loan, rent], '2026-11')).toEqual({
      at: 1,
      message: '2026 年度：住房贷款利息和住房租金在同一年度只能扣一项；请删去一项',
    })
    const next = { ...rent, from: '2027-01', to: null }
    expect(validateItems([loan, next], '2026-11')?.message).toContain('2027 年度')
    expect(validateItems([{ ...loan, to: '2025-12' }, rent], '2026-11')).toBeNull()
  })
  it('refuses the same item twice', () =>
    expect(validateItems([child, { ...child, whose: ' 小明' }], '2026-11')).toEqual({
      at: 1,
      message: '子女教育（ 小明）填写了两次，请删去一项',
    }))
})

const all = [child, infant, mother, loan, degree, certificate, illness, pension]
const context = { hire_month: null, leave_month: null }
describe('month of deductions', () => {
  const match = computeMonthDeductions({ items: all, confirmed_year: 2026 }, '2026-08', context)
  it('returns deductions year to date in the columns of the declaration', () => {
    expect(match.refused).toBeNull()
    expect(match.cumulative).toEqual({
      child_education: 1_600_000,
      infant_care: 800_000,
      // Six months of a degree, and one certificate.
      continuing_education: 240_000 + 360_000,
      housing_loan: 800_000,
      housing_rent: 0,
      elderly: 2_400_000,
      // 1,500 a month end at the yearly limit.
      personal_pension: 1_200_000,
    })
    expect(match.additional_cumulative).toBe(1_600_000 + 800_000 + 600_000 + 800_000 + 2_400_000)
  })
  it('returns steps that name documents', () => {
    expect(match.steps.length).toBeGreaterThan(5)
    for (const step of match.steps) expect(step).toMatch(/；依据：.*(?:国发|国家税务总局|财政部)/)
  })
  it('begins with the month of hire and ends with the month of leaving', () => {
    const stored = { items: [mother], confirmed_year: 2026 }
    expect(computeMonthDeductions(stored, '2026-08', { hire_month: '2026-05', leave_month: null }).additional_cumulative).toBe(
      4 * 300_000,
    )
    expect(
      computeMonthDeductions(stored, '2026-08', { hire_month: '2026-05', leave_month: '2026-06' }).additional_cumulative,
    ).toBe(2 * 300_000)
  })
  it('counts nothing of an unconfirmed year and states that', () => {
    const next = computeMonthDeductions({ items: all, confirmed_year: 2026 }, '2027-01', context)
    expect(next.additional_cumulative).toBe(0)
    expect(next.refused).toBe('还没有确认 2027 年度的专项附加扣除；确认以后才扣除')
    expect(computeMonthDeductions({ items: all, confirmed_year: 2027 }, '2027-01', context).refused).toBeNull()
  })
  it('counts nothing of mutually exclusive items and states why', () =>
    expect(computeMonthDeductions({ items: [loan, rent], confirmed_year: 2026 }, '2026-08', context)).toMatchObject({
      additional_cumulative: 0,
      refused: '住房贷款利息和住房租金在同一年度只能扣一项；请删去一项',
    }))
  it('refuses a year without such a deduction instead of computing without it', () =>
    expect(
      computeMonthDeductions({ items: [{ ...infant, born: '2020-05-03' }], confirmed_year: 2021 }, '2021-05', context).refused,
    ).toContain('还没有3岁以下婴幼儿照护扣除'))
})

describe('end of an item', () => {
  it.each<[string, DeductionItem, string | null, number | null]>([
    ['an infant until the month before the third birthday', { ...infant, born: '2023-12-20' }, '2026-11-30', 10],
    ['rent until the end of its last month', rent, '2026-12-31', 41],
    ['a degree for at most 48 months', { ...degree, from: '2023-01', to: null }, '2026-12-31', 41],
    ['a parent without an end', mother, null, null],
    ['a child whose education has no end yet', child, null, null],
    ['an expired item', { ...rent, to: '2026-10' }, '2026-10-31', -20],
  ])('%s', (_what, one, last_day, days_left) => expect(getExpiry(one, '2026-11-20')).toMatchObject({ last_day, days_left }))
  it('announces the end of an item sixty days before', () => {
    expect(isExpiring(getExpiry(rent, '2026-11-01'))).toBe(true)
    expect(isExpiring(getExpiry(rent, '2026-10-31'))).toBe(false)
    expect(isExpiring(getExpiry({ ...rent, to: '2026-10' }, '2026-11-01'))).toBe(false)
  })
  it.each<[string, DeductionItem, string, number | null]>([
    ['counts', mother, 'counts', 300_000],
    ["half of a child's deduction", infant, 'counts', 100_000],
    ['an item that has not begun', { ...rent, from: '2027-01', to: null }, 'before', 0],
    ['over', { ...rent, to: '2026-10' }, 'over', 0],
    ['only in the annual reconciliation', illness, 'settlement', null],
  ])('%s', (_what, one, at, month_fen) =>
    expect(toDeductionItemView(one, '2026-11-20')).toMatchObject({ period_state: at, month_fen }),
  )
})
