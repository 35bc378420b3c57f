/** Insurance as entered: neighbouring schemes, bases over the months, and the contributions of both sides. */
import { describe, expect, it } from 'vitest'
import type { InsuranceEntry, SchemeItemView, SchemeTemplate } from '../../../server/contract/tax/insurance.ts'
import { normalizeEntries, validateEntries } from '../../../server/modules/tax/insurance/entries.ts'
import { computeMonthInsurance, findEntry } from '../../../server/modules/tax/insurance/month.ts'
import { findSchemePlacement, validateScheme } from '../../../server/modules/tax/insurance/scheme-rules.ts'
import { toLawScheme, toSchemeItemView } from '../../../server/modules/tax/insurance/schemes.ts'
import { publishedSchemes } from '../../../server/rules/law/insurance/cities.ts'
import type { InsuranceScheme } from '../../../server/rules/law/insurance/scheme.ts'

const published = publishedSchemes.map((one, at) => ({
  ...toLawScheme({ ...one, items: one.items.map(toSchemeItemView) }),
  id: `s${at}`,
}))
const schemes = Map.groupBy(published, ({ city }) => city)
const entry: InsuranceEntry = {
  from: '2025-07',
  insured: true,
  city: '上海',
  social_fen: 2_000_000,
  housing_fund_fen: null,
  housing_fund_ppm: 70_000,
  supplementary_ppm: null,
  not_enrolled: [],
}

describe('insurance scheme', () => {
  it('stores and reads a scheme as published', () => {
    const figures = ({ city, valid_from, valid_to, document, items }: InsuranceScheme) => ({
      city,
      valid_from,
      valid_to,
      document,
      items,
    })
    expect(published.map(figures)).toEqual(publishedSchemes.map(figures))
  })
  const pension: SchemeItemView = {
    code: 'pension',
    floor_fen: 500_000,
    ceiling_fen: 2_500_000,
    employee_ppm: 80_000,
    employer_ppm: 160_000,
    from_ppm: null,
    to_ppm: null,
    employee_fixed_fen: 0,
    employer_fixed_fen: 0,
    unit_fen: 1,
    mode: 'half_up',
    check: null,
  }
  const fund: SchemeItemView = {
    ...pension,
    code: 'housing_fund',
    employee_ppm: null,
    employer_ppm: null,
    from_ppm: 50_000,
    to_ppm: 120_000,
  }
  const scheme: SchemeTemplate = { city: '某市', valid_from: '2026-07', valid_to: null, document: '通知', items: [pension, fund] }
  it('accepts a valid scheme', () => expect(validateScheme(scheme)).toBeNull())
  it.each<[string, Partial<SchemeTemplate>, string, string]>([
    ['an end before the start', { valid_to: '2026-06' }, 'valid_to', '结束月份早于开始月份'],
    ['a duplicate item', { items: [pension, pension] }, 'items.1.code', '养老保险写了两次'],
    ['a ceiling below the floor', { items: [{ ...pension, ceiling_fen: 1 }] }, 'items.0.ceiling_fen', '基数上限低于下限'],
    ['a rate range of a pension', { items: [{ ...pension, from_ppm: 1, to_ppm: 2 }] }, 'items.0.from_ppm', '只有公积金可以'],
    ['an incomplete rate range', { items: [{ ...fund, to_ppm: null }] }, 'items.0.to_ppm', '请填写最高比例'],
    ['an inverted rate range', { items: [{ ...fund, to_ppm: 1 }] }, 'items.0.to_ppm', '最高比例低于最低比例'],
    ['a missing rate', { items: [{ ...pension, employer_ppm: null }] }, 'items.0.employer_ppm', '养老保险：请填写单位比例'],
  ])('%s', (_what, change, field, message) => {
    const error = validateScheme({ ...scheme, ...change })
    expect(error?.field).toBe(field)
    expect(error?.message).toContain(message)
  })
})

describe('neighbouring schemes', () => {
  const one = { id: 'a', city: '上海', valid_from: '2025-07', valid_to: null, used_through: null }
  const next = { city: '上海', valid_from: '2026-07', valid_to: null }
  it('ends an open scheme the month before the next', () => expect(findSchemePlacement(next, [one])).toEqual({ ends: one }))
  it('ignores another city', () => expect(findSchemePlacement({ ...next, city: '北京' }, [one])).toEqual({ ends: null }))
  it.each([
    ['a scheme for the same months', { ...one, valid_from: '2026-07' }, next],
    ['a later scheme', { ...one, valid_from: '2026-10' }, next],
    ['a scheme with an end', { ...one, valid_to: '2026-08' }, next],
  ])('reports a conflict of schemes: %s', (_what, other, requested) =>
    expect(findSchemePlacement(requested, [other])).toMatchObject({
      field: 'valid_from',
      message: expect.stringContaining('月份重叠'),
    }),
  )
  it('keeps locked months with their scheme', () =>
    expect(findSchemePlacement(next, [{ ...one, used_through: '2026-08' }])).toMatchObject({
      message: '已锁定的 2026-08 个税用的是 2025-07 起的方案；新方案最早从它的下一个月开始',
    }))
})

describe('monthly contributions', () => {
  it('follows the scheme item by item, in the columns of the declaration', () => {
    const match = computeMonthInsurance(entry, '2025-12', schemes)
    if (!match || 'refused' in match) throw new Error('not reckoned')
    expect(match.items.map(({ code, base, employee, employer }) => [code, base, employee, employer])).toEqual([
      ['pension', 2_000_000, 160_000, 320_000],
      ['medical', 2_000_000, 40_000, 180_000],
      ['unemployment', 2_000_000, 10_000, 10_000],
      ['injury', 2_000_000, 0, 4_000],
      ['housing_fund', 2_000_000, 140_000, 140_000],
    ])
    expect(match.special).toEqual({ pension: 160_000, medical: 40_000, unemployment: 10_000, housing_fund: 140_000 })
    expect([match.employee_total, match.employer_total]).toEqual([350_000, 654_000])
    expect(match.steps.at(-2)).toContain('个人合计 3,500.00 =')
  })
  it('uses a separate base for the housing fund where one was entered', () => {
    const match = computeMonthInsurance({ ...entry, housing_fund_fen: 1_500_000 }, '2025-12', schemes)
    expect(match).toMatchObject({ special: { pension: 160_000, housing_fund: 105_000 } })
  })
  it('counts the three yuan of Beijing as medical insurance', () => {
    const match = computeMonthInsurance({ ...entry, city: '北京', housing_fund_ppm: null }, '2025-12', schemes)
    expect(match).toMatchObject({ special: { medical: 40_300, housing_fund: 0 } })
  })
  it.each([
    ['a city without a scheme', { ...entry, city: '杭州' }, '2025-12', '还没有「杭州」的参保方案'],
    ['a month without a scheme', entry, '2020-01', '没有适用于 2020-01 的参保方案'],
    ['a rate out of range', { ...entry, housing_fund_ppm: 120_000 }, '2025-12', '住房公积金的比例不在上海方案的范围内'],
  ])('refuses contributions for %s instead of computing without it', (_what, one, month, message) =>
    expect(computeMonthInsurance(one, month, schemes)).toMatchObject({ refused: expect.stringContaining(message) }),
  )
  it('returns zero for an uninsured member, without a minimum', () =>
    expect(computeMonthInsurance({ ...entry, insured: false }, '2025-12', schemes)).toBeNull())
})

describe('bases over several months', () => {
  const later = { ...entry, from: '2026-07', social_fen: 2_500_000 }
  it.each([
    ['2025-06', null],
    ['2025-07', 2_000_000],
    ['2026-06', 2_000_000],
    ['2026-07', 2_500_000],
    ['2027-01', 2_500_000],
  ])('%s', (month, social_fen) => expect(findEntry({ entries: [later, entry] }, month)?.social_fen ?? null).toBe(social_fen))
  it('stores bases by their months, without amounts of uninsured members', () =>
    expect(normalizeEntries([{ ...later, insured: false }, entry]).map(({ from, social_fen }) => [from, social_fen])).toEqual([
      ['2025-07', 2_000_000],
      ['2026-07', 0],
    ]))
  it.each<[string, InsuranceEntry[], string, string]>([
    ['a duplicate month', [entry, { ...later, from: '2025-07' }], 'entries.1.from', '从 2025-07 起的基数填写了两次'],
    ['a missing city', [{ ...entry, city: '' }], 'entries.0.city', '请选择参保城市'],
    ['a city without a scheme', [{ ...entry, city: '杭州' }], 'entries.0.city', '还没有「杭州」的参保方案'],
    ['a missing base', [{ ...entry, social_fen: 0 }], 'entries.0.social_fen', '请填写社保缴费基数'],
    ['a rate out of range', [{ ...entry, housing_fund_ppm: 80_000 }], 'entries.0.housing_fund_ppm', '比例不在上海方案的范围内'],
    ['a scheme that begins later', [{ ...entry, from: '2024-01', housing_fund_ppm: 1 }], 'entries.0.housing_fund_ppm', '范围内'],
  ])('%s', (_what, entries, field, message) => {
    const error = validateEntries(entries, schemes)
    expect(error?.field).toBe(field)
    expect(error?.message).toContain(message)
  })
  it('does not report the input for a month before any scheme', () =>
    expect(validateEntries([{ ...entry, from: '2024-01' }, later], schemes)).toBeNull())
})
