/** Tax compared with cumulative withholding, as the issue page shows it. */
import { describe, expect, it } from 'vitest'
import { formatFen } from '../../../server/contract/shared/money.ts'
import type { TitleKind } from '../../../server/contract/shared/schemas.ts'
import type { CheckColumn } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import { MemberAmounts, summaryItems } from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import type { TaxedRow } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { type EarlierMonth, findTaxIssue } from '../../../server/modules/sheets/rules/months/tax.ts'
import { createTaxReader, type TaxableWages } from '../../../server/modules/sheets/rules/tax-columns.ts'
import type { RowCell } from '../../../server/rules/amounts.ts'
import type { TaxYearToDate } from '../../../server/rules/law/wages/tax-year-to-date.ts'
import { asRead, getGrid } from '../../support/clerk.ts'

describe('个税对不上', () => {
  const yuan = (amount: number) => Math.round(amount * 100)
  const notify = (match: ReturnType<typeof findTaxIssue>, { tax }: TaxedRow): string | null =>
    match && asRead({ ...match, id: '', candidates: [], fix: [...match.fix] }, getGrid(`姓名 | 个税\n张三 | ${formatFen(tax)}`))
  const getWages = (income: number, special: number, more: Partial<TaxableWages> = {}): TaxableWages => {
    const none = { exempt: 0, other: 0, donation: 0, reduction: 0, is_plain: true }
    return { ...none, income: yuan(income), special: yuan(special), ...more }
  }
  type Paid = [gross: number, tax: number, special: number]
  const getMonths = (year: number, from: number, paid: Paid[], kind: TitleKind = 'monthly'): EarlierMonth[] =>
    paid.map(([gross, tax, special], at) => {
      const figures = new MemberAmounts()
      figures.add('p0', figures.addItems([summaryItems.gross, summaryItems.tax, summaryItems.special]), [
        yuan(gross),
        yuan(tax),
        yuan(special),
      ])
      return { month: `${year}-${String(from + at).padStart(2, '0')}`, kind, amounts: figures }
    })
  const row = (gross: number, tax: number, special: number, more: Partial<TaxedRow> = {}): TaxedRow => ({
    row: 2,
    name: '张三',
    member_id: 'p0',
    gross: yuan(gross),
    tax: yuan(tax),
    special: yuan(special),
    hasSeparateBonus: false,
    cumulative: null,
    wages: getWages(gross, special),
    ...more,
  })
  const same = (count: number): Paid[] => Array.from({ length: count }, () => [20_000, 360, 3_000])

  it.each<[string, TaxedRow, string, EarlierMonth[], string | null, string | null]>([
    ['the third month by the rule', row(20_000, 360, 3_000), '2026-03', getMonths(2026, 1, same(2)), null, null],
    [
      'less tax than computed, because there may be special additional deductions',
      row(20_000, 0, 3_000),
      '2026-03',
      getMonths(2026, 1, same(2)),
      null,
      null,
    ],
    [
      'an extra zero',
      row(20_000, 3_600, 3_000),
      '2026-03',
      getMonths(2026, 1, same(2)),
      null,
      '请确认 个税对不上：第 2 行 张三（个税 3,600.00） 个税 3,600.00 多于按累计预扣法最多能扣的 360.00：1–3 月收入 60,000.00，减 5,000 × 3 个月、社保公积金 9,000.00，余 36,000.00 × 3% − 已扣 720.00（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受 → 修改单元格｜接受｜跳过此人',
    ],
    ['a difference of one yuan is rounding', row(10_000, 151, 0), '2026-01', [], '2026-01-05', null],
    ['a gap in the year, so nothing is certain', row(20_000, 3_600, 3_000), '2026-04', getMonths(2026, 1, same(2)), null, null],
    [
      'months since the month of entry',
      row(20_000, 3_600, 3_000),
      '2026-04',
      getMonths(2026, 3, same(1)),
      '2026-03-09',
      '请确认 个税对不上：第 2 行 张三（个税 3,600.00） 个税 3,600.00 多于按累计预扣法最多能扣的 360.00：3–4 月收入 40,000.00，减 5,000 × 2 个月、社保公积金 6,000.00，余 24,000.00 × 3% − 已扣 360.00（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受 → 修改单元格｜接受｜跳过此人',
    ],
    [
      'into the 10 % bracket',
      row(20_000, 1_200, 3_000),
      '2026-05',
      getMonths(2026, 1, [...same(3), [20_000, 1_200, 3_000]]),
      null,
      null,
    ],
    [
      'into the 10 % bracket one month earlier: December was paid in January',
      row(20_000, 1_080, 3_000),
      '2026-03',
      [...getMonths(2025, 12, same(1)), ...getMonths(2026, 1, same(2))],
      null,
      null,
    ],
    [
      'earlier underpaid tax may be caught up',
      row(20_000, 720, 3_000),
      '2026-02',
      getMonths(2026, 1, [[20_000, 0, 3_000]]),
      null,
      null,
    ],
    [
      'an annual bonus increases the maximum',
      row(20_000, 3_360, 3_000),
      '2026-02',
      [...getMonths(2026, 1, same(1)), ...getMonths(2026, 1, [[40_000, 0, 0]], 'bonus')],
      null,
      null,
    ],
    [
      'a bonus taxed separately on the same sheet',
      row(20_000, 3_600, 3_000, { hasSeparateBonus: true }),
      '2026-03',
      getMonths(2026, 1, same(2)),
      null,
      null,
    ],
    [
      'January starts a new year',
      row(20_000, 36_000, 3_000),
      '2026-01',
      [],
      null,
      '请确认 个税对不上：第 2 行 张三（个税 36,000.00） 个税 36,000.00 多于按累计预扣法最多能扣的 360.00：1 月收入 20,000.00，减 5,000 × 1 个月、社保公积金 3,000.00，余 12,000.00 × 3% − 已扣 0.00（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受 → 修改单元格｜接受｜跳过此人',
    ],
    ['a month before the rule applied', row(20_000, 36_000, 3_000), '2018-12', [], null, null],
    [
      'a bonus in December’s sheet with a complete year',
      row(20_000, 2_400, 3_000),
      '2026-12',
      getMonths(2026, 1, [...same(3), ...Array.from({ length: 8 }, (): Paid => [20_000, 1_200, 3_000])]),
      null,
      '请确认 个税对不上：第 2 行 张三（个税 2,400.00） 个税 2,400.00 多于按累计预扣法最多能扣的 1,200.00：1–12 月收入 240,000.00，减 5,000 × 12 个月、社保公积金 36,000.00，余 144,000.00 × 10% − 速算扣除数 2,520.00 − 已扣 10,680.00（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受 → 修改单元格｜接受｜跳过此人',
    ],
    ['no income, so nothing to compute', row(20_000, 3_600, 0, { gross: null }), '2026-01', [], null, null],
    ['hired after this month: the roster has another employment', row(20_000, 3_600, 3_000), '2026-03', [], '2026-05-01', null],
    [
      'an employee hired last year counts from January',
      row(20_000, 3_600, 3_000),
      '2026-01',
      [],
      '2025-05-01',
      '请确认 个税对不上：第 2 行 张三（个税 3,600.00） 个税 3,600.00 多于按累计预扣法最多能扣的 360.00：1 月收入 20,000.00，减 5,000 × 1 个月、社保公积金 3,000.00，余 12,000.00 × 3% − 已扣 0.00（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受 → 修改单元格｜接受｜跳过此人',
    ],
    [
      'a fen more than one yuan',
      row(10_000, 151.01, 0),
      '2026-01',
      [],
      '2026-01-05',
      '请确认 个税对不上：第 2 行 张三（个税 151.01） 个税 151.01 多于按累计预扣法最多能扣的 150.00：1 月收入 10,000.00，减 5,000 × 1 个月，余 5,000.00 × 3% − 已扣 0.00（未减专项附加扣除）；请核对，劳务报酬等不按此计算的请接受 → 修改单元格｜接受｜跳过此人',
    ],
  ])('computes the maximum tax that may be withheld: %s', (_, one, month, months, entered, read) =>
    expect(notify(findTaxIssue(one, month, 'c1', { months, entryMonth: entered }), one)).toBe(read),
  )

  const closed = (month: number, more: Partial<TaxYearToDate> = {}): TaxYearToDate => ({
    month: `2026-${String(month).padStart(2, '0')}`,
    employment: { year: 2026, hire_month: null },
    // 20,000 a month with 3,000 of insurance and 2,000 of additional deductions.
    opening: {
      through_month: month - 1,
      income: yuan(20_000 * (month - 1)),
      special: yuan(3_000 * (month - 1)),
      additional: yuan(2_000 * (month - 1)),
      withheld: yuan(300 * (month - 1)),
    },
    is_closed: true,
    additional: yuan(2_000),
    pension: 0,
    insurance: 0,
    ...more,
  })
  const slips = (month: number, more: Partial<TaxYearToDate> = {}): TaxYearToDate =>
    closed(month, { opening: undefined, is_closed: false, additional: yuan(2_000 * month), ...more })
  const withheld = (tax: number, count: number): Paid[] => Array.from({ length: count }, () => [20_000, tax, 3_000])
  const little =
    '请确认 个税对不上：第 2 行 张三（个税 0.00） 个税少了：按本年累计和已登记的专项附加扣除应为 300.00，写的是 0.00：截至 3 月累计收入 60,000.00，减 减除费用 15,000.00、专项扣除 9,000.00、专项附加扣除 6,000.00，余 30,000.00 × 3% − 已扣 600.00；请核对 → 改为 300.00｜修改单元格｜接受｜跳过此人'
  it.each<[string, TaxedRow, EarlierMonth[], TaxYearToDate[], string | null]>([
    ["equal to the year's computation", row(20_000, 300, 3_000), [], [closed(3)], null],
    ['too little tax', row(20_000, 0, 3_000), [], [closed(3)], little],
    [
      'too much, though possible without deductions',
      row(20_000, 360, 3_000),
      [],
      [closed(3)],
      '请确认 个税对不上：第 2 行 张三（个税 360.00） 个税多了：按本年累计和已登记的专项附加扣除应为 300.00，写的是 360.00：截至 3 月累计收入 60,000.00，减 减除费用 15,000.00、专项扣除 9,000.00、专项附加扣除 6,000.00，余 30,000.00 × 3% − 已扣 600.00；请核对 → 改为 300.00｜修改单元格｜接受｜跳过此人',
    ],
    ['a difference of one yuan is rounding', row(20_000, 299, 3_000), [], [closed(3)], null],
    ['written as a negative deduction', row(20_000, -300, 3_000), [], [closed(3)], null],
    [
      'correct for the next month, in which it may be paid',
      row(20_000, 165, 3_000),
      [],
      [closed(3), closed(4, { additional: yuan(6_500) })],
      null,
    ],
    [
      'correct for neither this month nor the next',
      row(20_000, 0, 3_000),
      [],
      [closed(3), closed(4, { additional: yuan(6_500) })],
      expect.stringContaining('应为 165.00'),
    ],
    [
      'withheld by another pay run of the month',
      row(10_000, 0, 0),
      getMonths(2026, 3, [[10_000, 300, 3_000]]),
      [closed(3)],
      null,
    ],
    [
      'a bonus pay run of the month with an unknown tax method',
      row(20_000, 0, 3_000),
      getMonths(2026, 3, [[9_000, 300, 0]], 'bonus'),
      [closed(3)],
      null,
    ],
    [
      'insurance from the scheme',
      row(20_000, 300, 0, { wages: getWages(20_000, 0, { special: null }) }),
      [],
      [closed(3, { insurance: yuan(3_000) })],
      null,
    ],
    ['a personal pension of the month', row(20_000, 270, 3_000), [], [closed(3, { pension: yuan(1_000) })], null],
    [
      'an annuity on the sheet',
      row(20_000, 288, 3_000, { wages: getWages(20_000, 3_000, { other: yuan(400), is_plain: false }) }),
      [],
      [closed(3)],
      null,
    ],
    [
      'a repayment is no income',
      row(20_500, 300, 3_000, { wages: getWages(20_000, 3_000, { is_plain: false }) }),
      [],
      [closed(3)],
      null,
    ],
    [
      "by payslips, equal to the year's computation",
      row(20_000, 300, 3_000),
      getMonths(2026, 1, withheld(300, 2)),
      [slips(3)],
      null,
    ],
    ['by payslips, too little', row(20_000, 0, 3_000), getMonths(2026, 1, withheld(300, 2)), [slips(3)], little],
    [
      'by payslips, caught up',
      row(20_000, 600, 3_000),
      getMonths(2026, 1, [...withheld(300, 1), ...withheld(0, 1)]),
      [slips(3)],
      null,
    ],
    ['by payslips, one of which is missing', row(20_000, 0, 3_000), getMonths(2026, 1, withheld(300, 1)), [slips(3)], null],
    [
      'by payslips that pay more than wages',
      row(20_000, 0, 3_000, { wages: getWages(20_000, 3_000, { is_plain: false }) }),
      getMonths(2026, 1, withheld(300, 2)),
      [slips(3)],
      null,
    ],
    [
      'hired within the year',
      row(20_000, 300, 3_000),
      [],
      [slips(3, { employment: { year: 2026, hire_month: '2026-03' }, additional: yuan(2_000) })],
      null,
    ],
  ])('checks with stored year and deductions: %s', (_, one, months, stored, read) =>
    expect(notify(findTaxIssue(one, '2026-03', 'c1', { months, entryMonth: null, storedYears: stored }), one)).toEqual(read),
  )
  it.each<[string, number, EarlierMonth[], boolean]>([
    ['a missing December: from zero to the best paid month', 300, getMonths(2026, 1, withheld(300, 2)), true],
    ['less than without a December', 0, getMonths(2026, 1, withheld(300, 2)), false],
    ['with the stored December', 580, [...getMonths(2025, 12, withheld(300, 1)), ...getMonths(2026, 1, withheld(300, 2))], true],
    [
      'with the stored December, too little',
      200,
      [...getMonths(2025, 12, withheld(300, 1)), ...getMonths(2026, 1, withheld(300, 2))],
      false,
    ],
  ])('computes tax paid in the next month: %s', (_, tax, months, isRight) => {
    const match = findTaxIssue(row(20_000, tax, 3_000), '2026-03', 'c1', { months, entryMonth: null, storedYears: [slips(4)] })
    expect(match === null).toBe(isRight)
  })

  it.each<[string, number, NonNullable<TaxedRow['cumulative']>, string | null]>([
    ['right', 360, { taxable: yuan(24_000), withheld: yuan(360), relief: 0 }, null],
    [
      'no tax withheld',
      0,
      { taxable: yuan(24_000), withheld: yuan(360), relief: 0 },
      '请确认 个税对不上：第 2 行 张三（个税 0.00） 按表里的累计数，个税应为 360.00，写的是 0.00：累计应纳税所得额 24,000.00 × 3% − 已扣 360.00；请核对 → 改为 360.00｜修改单元格｜接受｜跳过此人',
    ],
    ['the 10 % bracket', 1_200, { taxable: yuan(48_000), withheld: yuan(1_080), relief: 0 }, null],
    ['withheld amounts that include this month', 360, { taxable: yuan(24_000), withheld: yuan(720), relief: 0 }, null],
    ['relief', 180, { taxable: yuan(24_000), withheld: yuan(360), relief: yuan(180) }, null],
    [
      'forgotten special additional deductions',
      360,
      { taxable: yuan(24_000), withheld: yuan(360), relief: yuan(180) },
      '请确认 个税对不上：第 2 行 张三（个税 360.00） 按表里的累计数，个税应为 180.00，写的是 360.00：累计应纳税所得额 24,000.00 × 3% − 减免 180.00 − 已扣 360.00；请核对 → 改为 180.00｜修改单元格｜接受｜跳过此人',
    ],
    [
      'the 10 % bracket with a forgotten quick deduction',
      3_720,
      { taxable: yuan(48_000), withheld: yuan(1_080), relief: 0 },
      '请确认 个税对不上：第 2 行 张三（个税 3,720.00） 按表里的累计数，个税应为 1,200.00，写的是 3,720.00：累计应纳税所得额 48,000.00 × 10% − 速算扣除数 2,520.00 − 已扣 1,080.00；请核对 → 改为 1,200.00｜修改单元格｜接受｜跳过此人',
    ],
    [
      'nothing is due below zero',
      12,
      { taxable: yuan(-400), withheld: 0, relief: 0 },
      '请确认 个税对不上：第 2 行 张三（个税 12.00） 按表里的累计数，个税应为 0.00，写的是 12.00：累计应纳税所得额 −400.00 × 3% − 已扣 0.00；请核对 → 改为 0.00｜修改单元格｜接受｜跳过此人',
    ],
    ['a difference of one yuan is rounding', 361, { taxable: yuan(24_000), withheld: yuan(360), relief: 0 }, null],
    ['overpaid: nothing is refunded', 0, { taxable: yuan(10_000), withheld: yuan(360), relief: 0 }, null],
  ])('computes exactly where the sheet has the year-to-date sums: %s', (_, tax, cumulative, message) => {
    const one = row(20_000, tax, 3_000, { cumulative })
    expect(notify(findTaxIssue(one, '2026-02', 'c1', null), one)).toBe(message)
  })
})

describe('tax inputs of a row', () => {
  it('deducts the employee insurance that reduces the net pay once', () => {
    const named = (label: string, at: number, role: CheckColumn['role']): CheckColumn => ({ key: `c${at}`, label, role })
    const wide = [
      named('应发', 0, 'gross'),
      named('养老保险', 1, 'deduction'),
      named('公积金', 2, 'deduction'),
      named('社保公积金合计', 3, 'deduction'),
      named('公司养老保险', 4, 'employer'),
      named('累计应纳税所得额', 5, 'info'),
      named('累计已预缴税额', 6, 'info'),
      named('个税', 7, 'tax'),
      named('实发', 8, 'net'),
    ]
    const cells: Record<string, RowCell> = {}
    ;['10000', '800', '700', '1500', '1600', '3500', '60', '45', '8455'].forEach((value, at) => {
      cells[`c${at}`] = { value, kind: 'number' }
    })
    const subtotals = [{ key: 'c3', plus: ['c1', 'c2'], minus: [], holds: 3, of: 3 }]
    const read = (formula: { plus: string[]; minus: string[] } | null) =>
      createTaxReader({ columns: wide, formula, subtotals })?.(cells)
    expect(read({ plus: ['c0'], minus: ['c3', 'c7'] })).toEqual({
      gross: 1_000_000,
      tax: 4_500,
      special: 150_000,
      hasSeparateBonus: false,
      cumulative: { taxable: 350_000, withheld: 6_000, relief: 0 },
      wages: { income: 1_000_000, exempt: 0, special: 150_000, other: 0, donation: 0, reduction: 0, is_plain: true },
    })
    // Without a formula the sum and its parts cannot be distinguished: the largest is certainly deducted.
    expect(read(null)?.special).toBe(150_000)
    expect(read({ plus: ['c0'], minus: ['c7'] })?.special).toBe(0)
    expect(createTaxReader({ columns: wide.slice(1), formula: null, subtotals: [] })).toBeNull()
  })
})
