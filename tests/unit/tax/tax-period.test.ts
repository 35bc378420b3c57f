/**
 * A tax period as values: several payments in one month, the data of the sheet, issues before locking, and the row of
 * the export file.
 */
import { describe, expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import { createTaxAmountsReader } from '../../../server/modules/sheets/rules/months/tax-amounts.ts'
import {
  defaultTaxYearProfile,
  getEffectiveAmounts,
  type MemberTaxResult,
  mergeAmounts,
  toBonusAmounts,
  zeroAmounts,
} from '../../../server/modules/tax/rules/amounts.ts'
import { type CheckedMember, findTaxIssues } from '../../../server/modules/tax/rules/check.ts'
import { buildDeclarationRow, findLayout } from '../../../server/modules/tax/rules/declaration.ts'
import { computeMemberTax, getWageSteps, type MemberMonth } from '../../../server/modules/tax/rules/member-tax.ts'
import { deriveTaxYearToDate, type TaxYearContext } from '../../../server/modules/tax/rules/tax-year-to-date.ts'

const month = (options: Partial<MemberMonth> = {}): MemberMonth => ({
  year: 2026,
  month: 1,
  hire_month: null,
  leave_month: null,
  profile: defaultTaxYearProfile,
  earlier_months: [],
  amounts: { ...zeroAmounts, income_fen: 1_000_000 },
  additional_cumulative_fen: null,
  withheld_fen: null,
  deductions: null,
  insurance: null,
  ...options,
})
const findExisting = (additional_cumulative: number, personal_pension = 0) => ({
  cumulative: {
    child_education: additional_cumulative,
    infant_care: 0,
    continuing_education: 0,
    housing_loan: 0,
    housing_rent: 0,
    elderly: 0,
    personal_pension,
  },
  additional_cumulative,
  steps: ['子女教育'],
  refused: null,
})
const scheme = {
  scheme_id: 's',
  special: { pension: 80_000, medical: 20_000, unemployment: 5_000, housing_fund: 70_000 },
  steps: ['上海'],
}
const zeros = { exempt_fen: 0, special_fen: 0, additional_fen: 0, other_fen: 0, donation_fen: 0, reduction_fen: 0 }
/** January, February …, each continuing from the previous ones. */
function year(months: Partial<MemberMonth>[]): MemberTaxResult[] {
  const done: MemberTaxResult[] = []
  for (const [at, options] of months.entries())
    done.push(
      computeMemberTax(
        month({ month: at + 1, earlier_months: done.map((result, position) => ({ month: position + 1, result })), ...options }),
      ),
    )
  return done
}

describe('a member’s month', () => {
  it.each<[string, Partial<MemberMonth>, number]>([
    ['10,000 a month: (10,000 − 5,000) × 3%', {}, 15_000],
    [
      "less the employee's insurance entered for the month",
      { amounts: { ...zeroAmounts, income_fen: 1_000_000, pension_fen: 100_000 } },
      12_000,
    ],
    ['otherwise less the insurance of the scheme', { insurance: scheme }, 9_750],
    [
      'the month takes precedence over the scheme',
      { insurance: scheme, amounts: { ...zeroAmounts, income_fen: 1_000_000, pension_fen: 0 } },
      15_000,
    ],
    ['a scheme without a result deducts nothing', { insurance: { refused: '没有方案' } }, 15_000],
    ['less the deductions', { deductions: findExisting(200_000) }, 9_000],
    [
      'an imported sum takes precedence over the deductions',
      { deductions: findExisting(200_000), additional_cumulative_fen: 300_000 },
      6_000,
    ],
    ['refused deductions count nothing', { deductions: { ...findExisting(200_000), refused: '没有确认' } }, 15_000],
    ['a personal pension counts among the other deductions', { deductions: findExisting(0, 100_000) }, 12_000],
    ['no basic deduction for an employee hired after the month', { hire_month: '2026-03' }, 30_000],
  ])('%s', (_what, options, tax_fen) => {
    const match = computeMemberTax(month(options))
    expect([match.refused, match.tax_fen, match.withheld_fen]).toEqual([null, tax_fen, tax_fen])
  })

  it('deducts once: a month uses the year-to-date sum less what earlier months used', () => {
    const matches = year([
      { deductions: findExisting(0) },
      { deductions: findExisting(600_000) },
      { deductions: findExisting(800_000) },
    ])
    expect(matches.map(({ used }) => used.additional)).toEqual([0, 600_000, 200_000])
    expect(matches.map(({ tax_fen, credit_fen }) => [tax_fen, credit_fen])).toEqual([
      [15_000, 0],
      [0, 3_000],
      [6_000, 0],
    ])
  })
  it('continues next month from what was actually withheld', () => {
    const matches = year([{ withheld_fen: 5_000 }, {}])
    expect(matches.map(({ tax_fen, withheld_fen }) => [tax_fen, withheld_fen])).toEqual([
      [15_000, 5_000],
      [25_000, 25_000],
    ])
  })
  it('replaces the months covered by an opening balance', () => {
    const opening = {
      through_month: 1,
      income_fen: 1_000_000,
      exempt_fen: 0,
      special_fen: 0,
      additional_fen: 0,
      other_fen: 0,
      donation_fen: 0,
      reduction_fen: 0,
      withheld_fen: 15_000,
    }
    const [january] = year([{}])
    const options = { month: 2, profile: { ...defaultTaxYearProfile, opening } }
    const alone = computeMemberTax(month(options))
    const comparison = computeMemberTax(month({ ...options, earlier_months: january ? [{ month: 1, result: january }] : [] }))
    expect([alone.tax_fen, comparison.tax_fen]).toEqual([15_000, 15_000])
  })
  it.each<[string, Partial<MemberMonth>, string]>([
    [
      'both flags at once',
      { profile: { ...defaultTaxYearProfile, first_income_of_year: true, prior_year_under_60000: true } },
      '不能同时适用；请只选一项',
    ],
    ['a year without tax law', { year: 2017 }, '没有适用于 2017-01 的规定'],
    ['left before the hire', { hire_month: '2026-05', leave_month: '2026-03' }, '早于入职月份'],
    ['a bonus after the policy has expired', { year: 2028, amounts: { ...zeroAmounts, bonus_fen: 100 } }, '已经到期'],
  ])("refuses to compute a member's month with a reason: %s", (_what, options, why) => {
    const match = computeMemberTax(month(options))
    expect(match.refused).toContain(why)
    expect([match.figures, match.tax_fen, getWageSteps(match)]).toEqual([null, 0, []])
  })
  it('refuses a second bonus of the year, whatever else the month contains', () => {
    const bonus = { amounts: { ...zeroAmounts, bonus_fen: 3_600_000 } }
    const [first, second] = year([bonus, bonus])
    expect([first?.bonus?.tax_fen, second?.refused]).toEqual([108_000, expect.stringContaining('已经用过一次')])
  })
  it('contains the steps of its stored amounts', () => {
    const steps = getWageSteps(computeMemberTax(month({ deductions: findExisting(200_000) })))
    expect(steps.length).toBe(4)
    expect(steps.at(-1)).toContain('本期应预扣预缴税额 90.00 = 累计应纳税额 90.00 − 累计已预扣预缴 0.00')
    expect(steps.every((step) => step.includes('；依据：'))).toBe(true)
  })
})

describe('certain year-to-date values before a sheet of the month', () => {
  const [january] = year([{}]).map((result) => ({ month: 1, result }))
  const getStatus = (options: Partial<TaxYearContext> = {}): TaxYearContext => ({
    month: '2026-02',
    hire_month: null,
    leave_month: null,
    locked_months: [1],
    last_locked: january ?? null,
    profile: defaultTaxYearProfile,
    entered: null,
    deductions: null,
    insurance: null,
    ...options,
  })
  const notified = {
    ...defaultTaxYearProfile,
    opening: { through_month: 1, income_fen: 900_000, ...zeros, withheld_fen: 12_000 },
  }
  it.each<[string, Partial<TaxYearContext>, object | null]>([
    [
      'the months are locked',
      {},
      { is_closed: true, additional: 0, opening: { through_month: 1, income: 1_000_000, withheld: 15_000 } },
    ],
    [
      'with the amounts of the deductions',
      { deductions: findExisting(400_000, 10_000) },
      { additional: 400_000, pension: 10_000 },
    ],
    ['with the amounts entered for the month', { entered: 300_000, deductions: findExisting(400_000) }, { additional: 300_000 }],
    [
      'unconfirmed deductions are unknown',
      { deductions: { ...findExisting(400_000), refused: '还没有确认' } },
      { additional: 0 },
    ],
    [
      'January is open, and deductions are known: payslips provide the rest',
      { locked_months: [], last_locked: null, deductions: findExisting(400_000) },
      { is_closed: false, opening: undefined, additional: 400_000 },
    ],
    ['January is open, and nothing is entered', { locked_months: [], last_locked: null }, null],
    ['January was refused', { last_locked: { month: 1, result: null } }, null],
    ['the employee is in no locked month, and nothing is entered', { last_locked: null }, null],
    [
      'the employee is in no locked month, and the deductions are known',
      { last_locked: null, deductions: findExisting(400_000) },
      { is_closed: true, opening: { income: 0, withheld: 0 }, additional: 400_000 },
    ],
    [
      'hired this month',
      { hire_month: '2026-02', locked_months: [], last_locked: null, deductions: findExisting(200_000) },
      { is_closed: true, additional: 200_000 },
    ],
    [
      'started here in mid-year',
      { profile: notified, locked_months: [], last_locked: null },
      { is_closed: true, opening: { income: 900_000, withheld: 12_000 } },
    ],
    [
      'the opening balance contains the month itself',
      { profile: { ...notified, opening: { ...notified.opening, through_month: 2 } } },
      null,
    ],
    ['insurance of the scheme', { insurance: scheme }, { insurance: 175_000 }],
  ])('%s', (_, options, expected) => {
    const match = deriveTaxYearToDate(getStatus(options))
    if (expected === null) expect(match).toBeNull()
    else expect(match).toMatchObject(expected)
  })
  it('returns none for an employee whose earlier deductions are not entered here', () => {
    const [first] = year([{ deductions: findExisting(200_000) }])
    expect(deriveTaxYearToDate(getStatus({ last_locked: { month: 1, result: first ?? null } }))).toBeNull()
  })
})

describe('several payments of a month', () => {
  it('adds several payments of a month, and one without insurance does not change it', () => {
    const wages = { ...zeroAmounts, income_fen: 100, pension_fen: 8, social_fen: 3 }
    expect(mergeAmounts([wages, { ...zeroAmounts, income_fen: 50 }])).toEqual({ ...wages, income_fen: 150 })
    expect(mergeAmounts([])).toEqual(zeroAmounts)
  })
  it('uses an entered value in place of the one from the sheet', () => {
    const accepted = [{ batch_id: 'b', way: 'wages' as const, amounts: { ...zeroAmounts, income_fen: 1 }, tax_fen: null }]
    expect(getEffectiveAmounts({ accepted, own: null }).income_fen).toBe(1)
    expect(getEffectiveAmounts({ accepted, own: { ...zeroAmounts, income_fen: 2 } }).income_fen).toBe(2)
  })
  it('counts all of a bonus batch as bonus', () =>
    expect(toBonusAmounts({ ...zeroAmounts, income_fen: 70, bonus_fen: 30, pension_fen: 8 })).toEqual({
      ...zeroAmounts,
      bonus_fen: 100,
    }))
})

describe('tax data of a sheet', () => {
  type Column = [label: string, role: ColumnRole, fen: number]
  function read(all: Column[], minus: string[] = []) {
    const columns = all.map(([label, role], at) => ({ key: `c${at}`, label, role }))
    const leaves = new Set(minus.map((label) => `c${all.findIndex(([one]) => one === label)}`))
    const reader = createTaxAmountsReader(columns, leaves)
    return reader?.(
      Object.fromEntries(all.map(([, , fen], at) => [`c${at}`, { value: String(fen / 100), kind: 'money' as const, fen }])),
    )
  }
  const gross: Column = ['应发合计', 'gross', 1_000_000]
  it.each<[string, Column[], string[], object]>([
    [
      'employee insurance by its items, and the tax',
      [
        gross,
        ['社保/养老保险', 'deduction', 8],
        ['医疗保险(个人)', 'deduction', 2],
        ['失业', 'deduction', 1],
        ['公积金', 'deduction', 7],
        ['个税', 'tax', 5],
      ],
      [],
      {
        income_fen: 1_000_000,
        pension_fen: 8,
        medical_fen: 2,
        unemployment_fen: 1,
        housing_fund_fen: 7,
        social_fen: 0,
        tax_fen: 5,
      },
    ],
    ['deductions may have a minus sign', [gross, ['养老保险', 'deduction', -8]], [], { pension_fen: 8 }],
    [
      "the employer's share, bases and year-to-date sums are excluded",
      [gross, ['单位养老保险', 'deduction', 16], ['养老基数', 'info', 100], ['累计养老保险', 'deduction', 80]],
      [],
      { pension_fen: null },
    ],
    ['insurance as one sum', [gross, ['社保个人部分', 'deduction', 11]], [], { social_fen: 11, pension_fen: null }],
    [
      'a sum in addition to its items is not counted again',
      [gross, ['社保合计', 'deduction', 11], ['养老', 'deduction', 8]],
      [],
      { social_fen: 0, pension_fen: 8 },
    ],
    [
      'commercial and private insurance count as other deductions',
      [gross, ['商业健康险', 'deduction', 20], ['企业年金', 'deduction', 4], ['个人养老金', 'deduction', 9]],
      [],
      { health_fen: 20, annuity_fen: 4, pension_fen: null },
    ],
    ['a repayment is no income', [gross, ['报销款', 'earning', 30_000]], [], { income_fen: 970_000 }],
    ['leave that reduces the net pay', [gross, ['事假扣款', 'deduction', 50_000]], ['事假扣款'], { income_fen: 950_000 }],
    [
      'leave that already reduced gross',
      [gross, ['事假扣款', 'deduction', 50_000], ['个税', 'tax', 1]],
      ['个税'],
      { income_fen: 1_000_000 },
    ],
    [
      'earnings where there is no gross',
      [
        ['基本工资', 'earning', 500],
        ['奖金', 'earning', 300],
        ['旷工扣款', 'deduction', 100],
      ],
      [],
      { income_fen: 700 },
    ],
    [
      'a bonus with a separate tax is separate',
      [gross, ['年终奖', 'earning', 400_000], ['年终奖个税', 'tax', 12_000], ['个税', 'tax', 5]],
      [],
      { income_fen: 600_000, bonus_fen: 400_000, tax_fen: 5 },
    ],
    [
      'any other bonus is wage of the month',
      [gross, ['年终奖', 'earning', 400_000], ['个税', 'tax', 5]],
      [],
      { income_fen: 1_000_000, bonus_fen: 0 },
    ],
    ['without a tax column the tax is unknown', [gross], [], { tax_fen: null }],
  ])('%s', (_what, columns, minus, amounts) => expect(read(columns, minus)).toMatchObject(amounts))
  it('reads no tax data without gross and earnings', () => expect(read([['实发', 'net', 1]])).toBeUndefined())
})

describe('issues before a month is locked', () => {
  const result = computeMemberTax(month({ month: 2 }))
  const accepted = [{ batch_id: 'b', way: 'wages' as const, amounts: { ...zeroAmounts, income_fen: 1_000_000 }, tax_fen: null }]
  const fine: CheckedMember = {
    member_id: 'm',
    name: '赵一',
    has_card: true,
    hire_month: '2020-03',
    leave_month: null,
    imported: accepted,
    is_manual: false,
    amounts: { ...zeroAmounts, income_fen: 1_000_000 },
    sheet_tax_fen: null,
    result,
    current_income: new Map([['b', accepted[0] ?? never()]]),
    covered_month_count: 1,
    first_income_of_year: false,
    prior_year_under_60000: false,
    deductions: null,
    insurance: null,
    last_income_fen: 1_000_000,
  }
  const kinds = (options: Partial<CheckedMember>) =>
    findTaxIssues({ ...fine, ...options }, { month: '2026-02', has_previous: true }).map(({ kind }) => kind)
  it.each<[string, Partial<CheckedMember>, string[]]>([
    ['nothing', {}, []],
    ['a member whose month is not computed', { result: null }, ['not_computed']],
    ['a question without an answer', { result: { ...result, refused: '没有规定', figures: null } }, ['refused']],
    ['a wage sheet that withheld a fen less', { sheet_tax_fen: result.tax_fen - 1 }, ['tax_differs']],
    ['a wage sheet that withheld the same', { sheet_tax_fen: result.tax_fen }, []],
    ['no ID card', { has_card: false }, ['no_card']],
    ['no entry date', { hire_month: null }, ['no_entry']],
    ['hired later', { hire_month: '2026-03' }, ['entry_after']],
    ['terminated before', { leave_month: '2026-01' }, ['paid_after_leaving']],
    ['a missing month of the year', { covered_month_count: 0 }, ['months_gap']],
    ['hired this month, so no month is missing', { covered_month_count: 0, hire_month: '2026-02' }, []],
    ['first wage of the year, employed for long', { first_income_of_year: true }, ['first_income_here']],
    ['60,000 without a previous year here', { prior_year_under_60000: true, hire_month: '2026-01' }, ['under_60000_unproven']],
    ['60,000 with a previous year here', { prior_year_under_60000: true }, []],
    ['the payslip was withdrawn', { current_income: new Map() }, ['slip_gone']],
    ['the pay run is not visible to the user', { current_income: null }, []],
    [
      'the payslip was corrected',
      { current_income: new Map([['b', { ...(accepted[0] ?? never()), tax_fen: 5 }]]) },
      ['slip_differs'],
    ],
    [
      'another amount entered than on the payslip',
      { is_manual: true, amounts: { ...zeroAmounts, income_fen: 900_000 } },
      ['by_hand'],
    ],
    [
      'less than half of last month',
      { amounts: { ...zeroAmounts, income_fen: 499_999 }, last_income_fen: 1_000_000 },
      ['income_fell'],
    ],
    ['exactly half of last month', { amounts: { ...zeroAmounts, income_fen: 500_000 }, last_income_fen: 1_000_000 }, []],
    ['new, though employed for long', { last_income_fen: null }, ['new_person']],
    ['new, and hired this month', { last_income_fen: null, hire_month: '2026-02', covered_month_count: 0 }, []],
    ['insurance as one sum', { result: { ...result, special: { ...result.special, social: 5 } } }, ['not_split']],
    ['insurance that differs from the scheme', { insurance: scheme }, ['insurance_differs']],
    ['a member without a scheme', { insurance: { refused: '没有方案' } }, ['insurance_refused']],
    ['deductions that do not count', { deductions: { ...findExisting(0), refused: '没有确认' } }, ['deduction_refused']],
  ])('%s', (_what, options, expected) => expect(kinds(options)).toEqual(expected))
  it('states both amounts, the calculation and the direction', () => {
    const [match] = findTaxIssues({ ...fine, sheet_tax_fen: 20_000 }, { month: '2026-02', has_previous: true })
    expect(match).toMatchObject({ computed_fen: result.tax_fen, declared_fen: 20_000, level: 'warning' })
    expect(match?.message).toMatch(
      /工资表扣了 200\.00，按累计预扣法应扣 0\.00（累计应纳税所得额 0\.00 × 3% − 已预扣 0\.00），多扣 200\.00；请核对/,
    )
  })
})

describe('row of the export file', () => {
  const of = {
    name: '赵一',
    month: '2026-02',
    employee_no: '007',
    mobile: '13900000000',
    id_card: '11010519900307451X',
    entry_on: '2026-01-05',
    left_on: null,
    amounts: { ...zeroAmounts, income_fen: 1_000_000, bonus_fen: 3_600_000 },
    result: computeMemberTax(month({ deductions: findExisting(200_000), insurance: scheme })),
    profile: defaultTaxYearProfile,
  }
  it.each([
    ['33', 33],
    ['29', 29],
    ['28', 28],
    ['24', 24],
  ])('writes wages in %s columns, each under its name', (name, count) => {
    const layout = findLayout('wages', name)
    const line = buildDeclarationRow('wages', layout, of)
    const at = (column: string) => line[layout.columns.indexOf(column)]
    expect([layout.columns.length, line.length]).toEqual([count, count])
    expect([at('本期收入'), at('基本养老保险费'), at('住房公积金'), at('累计子女教育'), at('累计赡养老人')]).toEqual([
      { fen: 1_000_000 },
      { fen: 80_000 },
      { fen: 70_000 },
      { fen: 200_000 },
      null,
    ])
    expect(at('*证件号码')).toBe('11010519900307451X')
    if (name === '33') expect([at('所得期间起'), at('所得期间止')]).toEqual(['2026-02-01', '2026-02-28'])
  })
  it('writes a bonus, and the member with what the ID number shows', () => {
    expect(buildDeclarationRow('bonus', findLayout('bonus'), of)[4]).toEqual({ fen: 3_600_000 })
    const { columns } = findLayout('people')
    const line = buildDeclarationRow('people', findLayout('people'), of)
    const at = (column: string) => line[columns.indexOf(column)]
    expect([columns.length, at('*性别'), at('*出生日期'), at('*任职受雇从业类型'), at('离职日期')]).toEqual([
      51,
      '男',
      '1990-03-07',
      '雇员',
      null,
    ])
  })
  it('leaves the cells empty without an ID card', () =>
    expect(buildDeclarationRow('wages', findLayout('wages'), { ...of, id_card: null }).slice(2, 4)).toEqual([null, null]))
  it.each([
    ['H12345678', '港澳居民来往内地通行证'],
    ['810000199003071237', '港澳居民居住证'],
    ['12345678', '台湾居民来往大陆通行证'],
    ['911124199003071238', '外国人永久居留身份证'],
    // Chinese or foreign: the client asks which.
    ['EJ1234567', null],
  ])('declares %s as %s', (id_card, kind) =>
    expect(buildDeclarationRow('wages', findLayout('wages'), { ...of, id_card }).slice(2, 4)).toEqual([kind, id_card]),
  )
})

function never(): never {
  throw new Error('it is there')
}
