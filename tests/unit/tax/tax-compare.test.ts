/**
 * The result file of the official withholding client: the meaning of each cell, and differences from what is computed
 * here.
 */
import { describe, expect, it } from 'vitest'
import { defaultTaxYearProfile, type MemberTaxResult, zeroAmounts } from '../../../server/modules/tax/rules/amounts.ts'
import {
  compareBonus,
  compareWages,
  explainDifference,
  getIncomeItem,
} from '../../../server/modules/tax/rules/compare-withholding.ts'
import { matchRowToMember } from '../../../server/modules/tax/rules/match-member.ts'
import { computeMemberTax } from '../../../server/modules/tax/rules/member-tax.ts'
import { readWithholdingResult } from '../../../server/spreadsheets/profiles/withheld/withheld.ts'
import { grid } from '../../support/files/grid.ts'

type Cells = Record<string, string | number>
/** January of 2026: 20,000 with 2,000 of insurance and 1,500 of deductions: (20,000 − 5,000 − 2,000 − 1,500) × 3% = 345. */
const right: Cells = {
  工号: 'A01',
  姓名: '程清',
  证件号码: '110105199203151234',
  税款所属期起: '2026-01-01',
  所得项目: '正常工资薪金',
  本期收入: 20_000,
  本期基本养老保险费: 1_600,
  本期住房公积金: '400.00',
  累计收入额: '20,000.00',
  累计减除费用: 5_000,
  累计专项扣除: 2_000,
  累计赡养老人: 1_500,
  累计应纳税所得额: 11_500,
  税率: '3%',
  速算扣除数: 0,
  累计应纳税额: 345,
  累计减免税额: '',
  累计应扣缴税额: 345,
  已缴税额: '--',
  '应补(退)税额': 345,
}
const getSheet = (...rows: Cells[]) => {
  const head = Object.keys(Object.assign({}, ...rows))
  return grid([head, ...rows.map((row) => head.map((label) => row[label] ?? ''))], { name: '综合所得' })
}
const getRow = (change: Cells = {}) => {
  const [row] = readWithholdingResult([getSheet({ ...right, ...change })]).rows
  if (!row) throw new Error('no row')
  return row
}
const deductions = {
  cumulative: {
    child_education: 0,
    infant_care: 0,
    continuing_education: 0,
    housing_loan: 0,
    housing_rent: 0,
    elderly: 150_000,
    personal_pension: 0,
  },
  additional_cumulative: 150_000,
  steps: [],
  refused: null,
}
const amounts = { ...zeroAmounts, income_fen: 2_000_000, pension_fen: 160_000, housing_fund_fen: 40_000 }
const ours = (change: Partial<typeof amounts> = {}): MemberTaxResult =>
  computeMemberTax({
    year: 2026,
    month: 1,
    hire_month: null,
    leave_month: null,
    profile: defaultTaxYearProfile,
    earlier_months: [],
    amounts: { ...amounts, ...change },
    additional_cumulative_fen: null,
    withheld_fen: null,
    deductions,
    insurance: null,
  })

describe('result file', () => {
  it('reads a row of the result file cell by cell', () =>
    expect(getRow()).toEqual({
      sheet: '综合所得',
      row: 2,
      name: '程清',
      id_card: '110105199203151234',
      employee_no: 'A01',
      month: '2026-01',
      item: '正常工资薪金',
      fen: {
        income: 2_000_000,
        pension: 160_000,
        housing_fund: 40_000,
        cum_income: 2_000_000,
        cum_basic: 500_000,
        cum_special: 200_000,
        elderly: 150_000,
        cum_taxable: 1_150_000,
        quick: 0,
        full_tax: 34_500,
        cum_tax: 34_500,
        due: 34_500,
      },
      rate_ppm: 30_000,
      error: null,
    }))
  it.each([
    ['3%', 30_000],
    ['3', 30_000],
    ['0.03', 30_000],
    [0.1, 100_000],
    [45, 450_000],
    ['', null],
  ])('reads a rate written as %s', (rate, ppm) => expect(getRow({ 税率: rate }).rate_ppm).toBe(ppm))
  it.each<[string, Cells, string]>([
    ['an invalid amount', { 累计收入额: '见附表' }, '不是金额，请核对'],
    ['an invalid rate', { 税率: '无' }, '不是税率，请核对'],
    ['an invalid date', { 税款所属期起: '本月' }, expect.anything() as unknown as string],
  ])('reports %s with its cell', (_, change, why) => expect(getRow(change).error).toMatchObject({ reason: why }))
  it.each<[string, Cells[], RegExp]>([
    ['an import file, which contains no result', [{ 姓名: '程清', 本期收入: 1 }], /这不是扣缴端的税款计算结果/],
    ['a file with a header only', [{ 姓名: '合计', 本期收入: 1, '应补(退)税额': 1 }], /只有表头/],
  ])('%s', (_, rows, reason) => expect(readWithholdingResult([getSheet(...rows)]).reason).toMatch(reason))
  it('accepts names of older versions and refuses a sheet of another kind', () => {
    const old = { 姓名: '程清', 本期收入: 1, 累计已预缴税额: 2, '累计应补(退)税额': 3, 累计住房租金支出扣除: 4 }
    const read = readWithholdingResult([getSheet(old), grid([['说明']], { name: '填表说明' })])
    expect(read.rows[0]?.fen).toEqual({ income: 100, cum_withheld: 200, due: 300, housing_rent: 400 })
    expect(read.other_sheets).toEqual(['填表说明'])
  })
})

describe('differences', () => {
  it.each<[string, Cells, Partial<typeof amounts>, [string, number, number][], string]>([
    ['nothing', {}, {}, [], '计算结果不同'],
    ['an income of the month', { 本期收入: 21_000 }, {}, [['income', 2_000_000, 2_100_000]], '本期收入不同'],
    ['insurance', { 本期住房公积金: 500 }, {}, [['housing_fund', 40_000, 50_000]], '本期社保公积金不同'],
    ['deductions', { 累计赡养老人: 3_000 }, {}, [['cum_additional', 150_000, 300_000]], '累计专项附加扣除不同'],
    ['the basic deduction', { 累计减除费用: 10_000 }, {}, [['cum_basic', 500_000, 1_000_000]], '累计减除费用不同'],
    ['an earlier month', { 累计收入额: 30_000 }, {}, [['cum_income', 2_000_000, 3_000_000]], '以前月份的累计数不同'],
    [
      'the paid amount',
      { 已缴税额: 5, '应补(退)税额': 340 },
      {},
      [
        ['cum_withheld', 0, 500],
        ['due', 34_500, 34_000],
      ],
      '累计已缴税额不同',
    ],
    ['relief', { 累计减免税额: 5 }, {}, [['cum_reduction', 0, 500]], '累计减免税额不同'],
    ['a difference of the result only', { 税率: '10%' }, {}, [['rate', 30_000, 100_000]], '计算结果不同'],
    [
      'the first cause, which is reported',
      { 本期收入: 1, 累计赡养老人: 1 },
      {},
      [
        ['income', 2_000_000, 100],
        ['cum_additional', 150_000, 100],
      ],
      '本期收入不同',
    ],
    [
      'insurance that is stored as one sum',
      {},
      { pension_fen: null, housing_fund_fen: null, social_fen: 210_000 } as never,
      [['special', 210_000, 200_000]],
      '本期社保公积金不同',
    ],
  ])('%s', (_, cells, change, fields, cause) => {
    const matches = compareWages(ours(change), getRow(cells)).filter(
      ({ field }) => fields.length === 0 || fields.some(([of]) => of === field),
    )
    expect(matches.map((one) => [one.field, one.computed, one.declared])).toEqual(fields)
    expect(explainDifference(matches)).toContain(cause)
  })
  it('treats a negative taxable income as zero and a credit as the client’s refund', () => {
    const matches = compareWages(
      ours({ income_fen: 100_000 }),
      getRow({
        本期收入: 1_000,
        累计收入额: 1_000,
        累计应纳税所得额: -7_500,
        累计应纳税额: 0,
        累计应扣缴税额: 0,
        '应补(退)税额': 0,
      }),
    )
    expect(matches).toEqual([])
  })
  it('compares a bonus by separate lines', () => {
    const result = ours({ bonus_fen: 3_600_000 })
    const line = getRow({ 所得项目: '全年一次性奖金收入', 本期收入: 36_000, '应补(退)税额': 1_080 })
    expect(getIncomeItem(line)).toBe('bonus')
    expect(compareBonus({ ...amounts, bonus_fen: 3_600_000 }, result, line)).toEqual([])
    expect(compareBonus({ ...amounts, bonus_fen: 3_600_100 }, result, line)).toEqual([
      { field: 'bonus', computed: 3_600_100, declared: 3_600_000 },
    ])
  })
  it.each([
    ['', 'wages'],
    ['正常工资薪金', 'wages'],
    ['全年一次性奖金收入', 'bonus'],
    ['一般劳务报酬所得', 'other'],
  ])('maps 所得项目 %s', (item, kind) => expect(getIncomeItem({ item })).toBe(kind))
})

describe('member of a row', () => {
  const one = { id: '1', name: '程清', employee_no: 'A01', mobile: '13900000001' }
  const two = { id: '2', name: '程清', employee_no: '', mobile: '13900000002' }
  const row = { name: '程 清', id_card: null, employee_no: null }
  it.each<[string, object, (typeof one)[], string]>([
    ['the only member of the name', {}, [one], '1'],
    ['two members of the name', {}, [one, two], '同名'],
    ['a member matched by the number', { employee_no: 'A01' }, [one, two], '1'],
    ['by the ID card', { id_card: 'X' }, [one, two], '2'],
    ['the ID card of another member', { id_card: 'X', name: '钱二' }, [one, two], '不一致'],
    ['nobody', { name: '钱二' }, [one], '没有这位员工'],
  ])('%s', (_, change, people, who) => {
    const match = matchRowToMember(
      { ...row, ...change },
      { members: people, findByIdCard: (card) => (card === 'X' ? two : undefined) },
    )
    expect(typeof match === 'string' ? match : match.id).toContain(who)
  })
})
