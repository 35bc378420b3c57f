/**
 * Invariants of every wage: laws of cumulative withholding, tested with wages of all sizes; and a bonus at each edge of
 * its table.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultTaxSettings } from '../../../server/rules/law/settings.ts'
import { getDatedRow } from '../../../server/rules/law/tables/dated-table.ts'
import { computeSeparateBonusTax } from '../../../server/rules/law/wages/bonus.ts'
import { countEmploymentMonths, type Employment } from '../../../server/rules/law/wages/employment.ts'
import { computeCumulativeTax, computeWithholding, type WageMonthInput } from '../../../server/rules/law/wages/withholding.ts'
import { applyCorrections } from '../../law/wages/corrections.ts'

const seeded = { seed: 20_261_122, numRuns: 300 }
const settled: Employment = { year: 2026, hire_month: null }
const yuan = (amount: number) => Math.round(amount * 100)
const fen = fc.integer({ min: 0, max: 20_000_000 })
const year = fc.array(fc.record({ income: fen, special: fc.integer({ min: 0, max: 500_000 }) }), { minLength: 1, maxLength: 12 })
const getMonths = (paid: { income: number; special: number }[]): WageMonthInput[] =>
  paid.map((one, at) => ({ month: at + 1, ...one }))

describe('every year', () => {
  it('never computes negative tax or tax above the income', () => {
    fc.assert(
      fc.property(year, (paid) => {
        for (const { tax, cum_tax, cum_income } of computeWithholding(settled, getMonths(paid))) {
          expect(tax).toBeGreaterThanOrEqual(0)
          expect(cum_tax).toBeLessThanOrEqual(cum_income * 0.45)
        }
      }),
      seeded,
    )
  })
  it('keeps withheld tax plus the credit equal to the tax due so far', () => {
    fc.assert(
      fc.property(year, (paid) => {
        for (const { tax, cum_tax, cum_withheld, credit } of computeWithholding(settled, getMonths(paid)))
          expect(cum_withheld + tax - credit).toBe(cum_tax)
      }),
      seeded,
    )
  })
  it('one more fen of income never leaves one fen less', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200_000_000 }), fc.integer({ min: 1, max: 100 }), (taxable, more) => {
        const rise = computeCumulativeTax(taxable + more, '2026-10').tax - computeCumulativeTax(taxable, '2026-10').tax
        expect(rise).toBeGreaterThanOrEqual(0)
        expect(rise).toBeLessThanOrEqual(more)
      }),
      seeded,
    )
  })
  it('continues a mid-year start with year-to-date sums as if started in January', () => {
    fc.assert(
      fc.property(year, fc.nat(11), (paid, cut) => {
        const months = getMonths(paid)
        const full = computeWithholding(settled, months)
        const before = months.slice(0, cut)
        const sum = (read: (one: WageMonthInput) => number | undefined) => before.reduce((all, one) => all + (read(one) ?? 0), 0)
        const opening = {
          through_month: cut,
          income: sum((one) => one.income),
          special: sum((one) => one.special),
          withheld: full.slice(0, cut).reduce((all, { tax }) => all + tax, 0),
        }
        expect(computeWithholding(settled, months.slice(cut), { opening })).toEqual(full.slice(cut))
      }),
      seeded,
    )
  })
  it('changes nothing by a correction without a change, and no month before a corrected one', () => {
    fc.assert(
      fc.property(year, fc.integer({ min: 1, max: 12 }), fen, (paid, month, income) => {
        const months = getMonths(paid)
        const same = applyCorrections(settled, months, [])
        expect(same.corrected).toEqual(same.original)
        const { original, corrected } = applyCorrections(settled, months, [{ month, set: { income } }])
        const before = (all: readonly { month: number }[]) => all.filter((one) => one.month < month)
        expect(before(corrected)).toEqual(before(original))
      }),
      seeded,
    )
  })
})

describe('counted months', () => {
  it.each<[string, Partial<Employment>, number, number]>([
    ['hired in January', { hire_month: '2026-01' }, 1, 1],
    ['the full month of hire', { hire_month: '2026-12' }, 12, 1],
    ['hired next year', { hire_month: '2027-01' }, 12, 0],
    ['left in the month of hire', { hire_month: '2026-03', leave_month: '2026-03' }, 8, 1],
    ['left before the hire: another employment', { hire_month: '2026-06', leave_month: '2026-03' }, 8, 0],
    // A payment after leaving adds no basic deduction, and a new year is no new employment.
    ['left last year and paid now', { leave_month: '2025-12' }, 3, 0],
    ['first wages in December', { hire_month: '2026-12', first_income_of_year: true }, 12, 12],
  ])('%s', (_, employment, month, count) =>
    expect(countEmploymentMonths({ ...settled, ...employment }, month, defaultTaxSettings)).toBe(count),
  )

  it('grants the full deduction from January on for an income of at most 60,000 in the previous year, whatever the hire month', () => {
    const [january] = computeWithholding({ ...settled, hire_month: '2026-01', prior_year_under_60000: true }, [
      { month: 1, income: yuan(60_000) },
    ])
    expect(january).toMatchObject({ cum_basic: yuan(60_000), cum_taxable: 0, tax: 0 })
    const [more] = computeWithholding({ ...settled, prior_year_under_60000: true }, [{ month: 1, income: yuan(60_000.01) }])
    expect(more).toMatchObject({ cum_taxable: 1, tax: 0 })
  })
})

describe('annual tax at the edges of its table', () => {
  it.each([
    [0, 0],
    [0.16, 0],
    [0.17, 0.01],
    [36_000, 1_080],
    [36_000.01, 1_080],
    [36_000.05, 1_080.01],
    [144_000, 11_880],
    [144_000.03, 11_880.01],
    [300_000, 43_080],
    [420_000, 73_080],
    [660_000, 145_080],
    [960_000, 250_080],
    [960_000.02, 250_080.01],
    [2_000_000, 718_080],
  ])('computes for %f yuan taxable: %f', (taxable, tax) =>
    expect(computeCumulativeTax(yuan(taxable), '2026-10').tax).toBe(yuan(tax)),
  )
})

describe('separately taxed bonus', () => {
  it.each<[number, string, boolean, string]>([
    [0, '2026-01', false, '0.00 tax, 0.00 kept'],
    [36_000, '2026-01', false, '1080.00 tax, 34920.00 kept'],
    // The known trap: one more fen costs 2,310.
    [36_000.01, '2026-01', false, '3390.00 tax, 32610.01 kept'],
    [144_000, '2026-01', false, '14190.00 tax, 129810.00 kept'],
    [144_000.01, '2026-01', false, '27390.00 tax, 116610.01 kept'],
    [300_000, '2026-01', false, '58590.00 tax, 241410.00 kept'],
    [420_000, '2026-01', false, '102340.00 tax, 317660.00 kept'],
    [660_000, '2026-01', false, '193590.00 tax, 466410.00 kept'],
    [960_000, '2026-01', false, '328840.00 tax, 631160.00 kept'],
    [960_000.01, '2026-01', false, '416840.00 tax, 543160.01 kept'],
    [36_000, '2027-12', false, '1080.00 tax, 34920.00 kept'],
    [36_000, '2028-01', false, 'policy_expired'],
    [36_000, '2018-12', false, 'policy_expired'],
    [36_000, '2026-01', true, 'already_used_this_year'],
    [36_000, '2028-01', true, 'policy_expired'],
  ])('taxes %f yuan of bonus in %s (used %s): %s', (amount, month, used, expected) => {
    const match = computeSeparateBonusTax(yuan(amount), month, used)
    const money = (fen: number) => (fen / 100).toFixed(2)
    expect(match.allowed ? `${money(match.tax)} tax, ${money(match.net)} kept` : match.reason).toBe(expected)
  })
})

describe('dated rows', () => {
  const rows = [
    { valid_from: '2019-01', valid_to: '2024-06', document: 'a', value: 1 },
    { valid_from: '2024-07', valid_to: null, document: 'b', value: 2 },
  ]
  it.each([
    ['2019-01', 1],
    ['2024-06', 1],
    ['2024-07', 2],
    ['2099-12', 2],
  ])('selects in %s row %i', (month, value) => expect(getDatedRow({ name: '试', rows }, month).value).toBe(value))
  it('fails before the first row', () =>
    expect(() => getDatedRow({ name: '试', rows }, '2018-12')).toThrow(
      '「试」：没有适用于 2018-12 的规定（已录入：2019-01 至 2024-06、2024-07 至 今）；请先录入该月份的规定和出处',
    ))
})
