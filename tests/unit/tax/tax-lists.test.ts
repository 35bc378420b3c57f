/** Lists of contribution bases and incomes: columns, cells, the member of a row, and what a row changes. */
import { describe, expect, it } from 'vitest'
import type { InsuranceEntry } from '../../../server/contract/tax/insurance.ts'
import { type InsuranceRow, isSameEntry, planInsuranceEntry } from '../../../server/modules/tax/insurance/import-plan.ts'
import type { SchemesByCity } from '../../../server/modules/tax/insurance/schemes.ts'
import { zeroAmounts } from '../../../server/modules/tax/rules/amounts.ts'
import { readListedIncome, sumSpecialAmounts } from '../../../server/modules/tax/rules/listed-income.ts'
import { type IdentifiedMember, matchRowStrictly } from '../../../server/modules/tax/rules/match-member.ts'
import type { InsuranceSchemeItem } from '../../../server/rules/law/insurance/scheme.ts'
import { readMemberAmountList } from '../../../server/spreadsheets/profiles/member-amounts/member-amounts.ts'
import { grid } from '../../support/files/grid.ts'

type Cells = (string | number | null)[]
const readBases = (...rows: Cells[]) => readMemberAmountList('bases', [grid(rows, { name: '基数' })])
const readIncomes = (...rows: Cells[]) => readMemberAmountList('incomes', [grid(rows, { name: '收入' })])

describe('cells of a list', () => {
  it.each<[Cells, Record<string, number>]>([
    [['社保缴费基数', '公积金基数'], { social: 800_000, housing_fund: 900_000 }],
    [['*养老保险缴费基数', '基本医疗保险基数'], { pension: 800_000, medical: 900_000 }],
    [['失业基数（元）', '工伤 基数'], { unemployment: 800_000, injury: 900_000 }],
    [['生育保险基数', '住房公积金缴存基数'], { maternity: 800_000, housing_fund: 900_000 }],
  ])('reads the columns %j', (head, fen) => {
    expect(readBases(['姓名', ...head], ['赵一', 8000, '9,000.00']).rows).toMatchObject([
      { name: '赵一', row: 2, fen, error: null },
    ])
  })

  it.each([
    ['7%', 70_000],
    [0.07, 70_000],
    [7, 70_000],
  ])('reads the rate %j', (text, ppm) => {
    expect(readBases(['姓名', '社保基数', '公积金比例'], ['赵一', 8000, text]).rows[0]?.housing_fund_ppm).toBe(ppm)
  })

  it('reads numbers of a member without their signs, and skips totals and notes', () => {
    const { rows, unread_columns, other_sheets } = readMemberAmountList('bases', [
      grid([['目录']], { name: '封面' }),
      grid(
        [
          ['2026 年基数'],
          ['序号', '姓名', '工号', '手机号', '身份证号', '社保基数', '岗位'],
          [1, '赵一', 'A01', '+86 199-0000-0001', '11010519920315123x', 8000, '会计'],
          [null, '合计', null, null, null, 8000, null],
          ['说明：按上年平均工资', null, null, null, null, null, null],
        ],
        { name: '基数' },
      ),
    ])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ row: 3, employee_no: 'A01', mobile: '19900000001', id_card: '11010519920315123X' })
    expect([unread_columns, other_sheets]).toEqual([['岗位'], ['封面']])
  })

  it.each<[string, Cells[], string]>([
    [
      'text for an amount',
      [
        ['姓名', '社保基数'],
        ['赵一', '八千'],
      ],
      'B2',
    ],
    [
      'a negative amount',
      [
        ['姓名', '社保基数'],
        ['赵一', -1],
      ],
      'B2',
    ],
    [
      'a missing name',
      [
        ['姓名', '社保基数'],
        [null, 8000],
      ],
      'A2',
    ],
    [
      'text for a rate',
      [
        ['姓名', '社保基数', '公积金比例'],
        ['赵一', 8000, '最低'],
      ],
      'C2',
    ],
  ])('names the cell with %s', (_what, rows, cell) => {
    expect(readBases(...rows).rows[0]?.error?.cell).toBe(cell)
  })

  it('refuses a file without bases, and one with two columns for the same base', () => {
    expect(readBases(['姓名', '基本工资'], ['赵一', 8000]).reason).toContain('没有找到缴费基数表')
    expect(readBases(['姓名', '社保基数']).reason).toContain('没有人员')
    expect(readBases(['姓名', '社保基数', '社保缴费基数'], ['赵一', 8000, 9000]).reason).toContain('只留一列')
  })

  it('reads the import file of the withholding client', () => {
    const head = ['工号', '*姓名', '*证件类型', '*证件号码', '本期收入', '基本养老保险费', '住房公积金', '累计子女教育']
    const read = readIncomes(head, ['A01', '赵一', '居民身份证', '110105199203151234', 12_000, 800, 600, 2000])
    expect(read.rows[0]?.fen).toEqual({ income: 1_200_000, pension: 80_000, housing_fund: 60_000 })
    expect(read.unread_columns).toEqual(['证件类型', '累计子女教育'])
  })
})

describe('member of a row', () => {
  const person = (id: string, name: string, employee_no = '', mobile = '', has_id_card = false): IdentifiedMember => ({
    id,
    name,
    employee_no,
    mobile,
    has_id_card,
  })
  const members = [
    person('1', '赵一', 'A01', '19900000001', true),
    person('2', '钱二', 'A02', '19900000002'),
    person('3', '孙三', 'A03', '19900000003'),
    person('4', '孙三', 'A04', '19900000004'),
    person('5', '李四'),
  ]
  const lookup = { members, findByIdCard: (text: string) => (text === '110105199203151234' ? members[0] : undefined) }
  const match = (row: { name: string; employee_no?: string; mobile?: string; id_card?: string }) => {
    const matched = matchRowStrictly({ employee_no: null, mobile: null, id_card: null, ...row }, lookup)
    return typeof matched === 'string' ? matched : matched.id
  }

  it.each([
    [{ name: '赵一' }, '1'],
    [{ name: '赵一', id_card: '110105199203151234' }, '1'],
    [{ name: '孙三', employee_no: 'A04' }, '4'],
    [{ name: '孙三', mobile: '19900000003' }, '3'],
    [{ name: '李四', employee_no: 'A99' }, '5'],
  ])('finds the member of %j', (row, id) => expect(match(row)).toBe(id))

  it.each([
    [{ name: '无名' }, /花名册里没有/],
    [{ name: '孙三' }, /几位同名/],
    [{ name: '赵一', employee_no: 'A02' }, /工号 A02 在花名册里是钱二的/],
    [{ name: '赵一', employee_no: 'B01' }, /工号与花名册里的 A01 不一致/],
    [{ name: '赵一', mobile: '19900000002' }, /手机号在花名册里是钱二的/],
    [{ name: '赵一', mobile: '19900000009' }, /手机号与花名册里的不一致/],
    [{ name: '赵一', id_card: '110105199203150000' }, /证件号与花名册里这位员工的不一致/],
    [{ name: '钱二', id_card: '110105199203151234' }, /不一致/],
  ])('names the conflict of %j', (row, reason) => expect(match(row)).toMatch(reason))
})

const item = (code: InsuranceSchemeItem['code'], floor: number, ceiling: number): InsuranceSchemeItem => ({
  code,
  base_key: code === 'housing_fund' ? 'housing_fund' : 'social',
  floor,
  ceiling,
  unit_fen: 1,
  mode: 'half_up',
  employee_fixed: 0,
  employer_fixed: 0,
  check: null,
  rates: code === 'housing_fund' ? { from_ppm: 50_000, to_ppm: 120_000 } : { employee_ppm: 80_000, employer_ppm: 160_000 },
})
const scheme = {
  id: 'scheme',
  city: '上海',
  valid_from: '2026-07',
  valid_to: null,
  document: '文件',
  written_from: '2026-07',
  items: [item('pension', 449_200, 2_000_000), item('medical', 600_000, 3_000_000), item('housing_fund', 269_000, 3_700_000)],
}
const schemes: SchemesByCity = new Map([['上海', [scheme]]])
const emptyRow: InsuranceRow = { fen: {}, city: null, housing_fund_ppm: null, supplementary_ppm: null }
const entry: InsuranceEntry = {
  from: '2026-07',
  insured: true,
  city: '上海',
  social_fen: 800_000,
  housing_fund_fen: null,
  housing_fund_ppm: 70_000,
  supplementary_ppm: null,
  not_enrolled: ['injury'],
}
const plan = (row: Partial<InsuranceRow>, stored: readonly InsuranceEntry[] = [entry], city = '上海') =>
  planInsuranceEntry({ ...emptyRow, ...row }, stored, { from: '2026-11', city, schemes })

describe('contribution base of a row', () => {
  it.each<[string, InsuranceRow['fen'], number]>([
    ['one base', { social: 900_000 }, 900_000],
    ['equal bases', { pension: 900_000, medical: 900_000 }, 900_000],
    ['a base below both floors', { pension: 449_200, medical: 600_000 }, 449_200],
    ['a base above one ceiling', { pension: 2_000_000, medical: 2_500_000 }, 2_500_000],
    ['a declared base and its limits', { social: 300_000, pension: 449_200, medical: 600_000 }, 300_000],
  ])('is read from %s', (_what, fen, social_fen) => expect(plan({ fen })).toMatchObject({ entry: { social_fen } }))

  it('keeps what the row does not state, and earlier months', () => {
    expect(plan({ fen: { housing_fund: 700_000 } })).toMatchObject({
      before: entry,
      entry: { ...entry, from: '2026-11', housing_fund_fen: 700_000 },
      entries: [entry, { from: '2026-11' }],
    })
    expect(plan({ fen: { social: 900_000 }, housing_fund_ppm: 50_000 }, [])).toMatchObject({
      before: null,
      entry: { city: '上海', housing_fund_fen: null, housing_fund_ppm: 50_000, not_enrolled: [] },
    })
  })

  it.each<[string, Partial<InsuranceRow>, readonly InsuranceEntry[] | undefined, string | undefined, RegExp]>([
    [
      'bases that no single one explains',
      { fen: { pension: 700_000, medical: 900_000 } },
      undefined,
      undefined,
      /养老保险 7,000.00、医疗保险 9,000.00/,
    ],
    ['zero', { fen: { social: 0 } }, undefined, undefined, /不能是 0/],
    ['no base for a new member', { fen: { housing_fund: 700_000 }, housing_fund_ppm: 70_000 }, [], undefined, /没有社保基数/],
    ['no city', { fen: { social: 900_000 } }, [], '', /没有参保城市/],
    ['a city without scheme', { fen: { social: 900_000 }, city: '昆明' }, [], undefined, /还没有「昆明」的参保方案/],
    ['another city', { fen: { social: 900_000 }, city: '北京' }, undefined, undefined, /参保城市是上海，表里是北京/],
    ['a fund without rate', { fen: { social: 900_000, housing_fund: 900_000 } }, [], undefined, /没有比例/],
    ['a rate out of range', { fen: { social: 900_000 }, housing_fund_ppm: 200_000 }, undefined, undefined, /比例不在/],
    [
      'a later adjustment',
      { fen: { social: 900_000 } },
      [entry, { ...entry, from: '2026-12' }],
      undefined,
      /2026-12 起已有另一次调整/,
    ],
    ['an uninsured member', { fen: { social: 900_000 } }, [{ ...entry, insured: false }], undefined, /没有参保/],
  ])('is refused for %s', (_what, row, stored, city, reason) => expect(plan(row, stored, city)).toMatch(reason))

  it('is the same where the fund states the base that it had anyway', () => {
    const next = plan({ fen: { social: 800_000, housing_fund: 800_000 } })
    expect(typeof next !== 'string' && isSameEntry(entry, next.entry)).toBe(true)
  })
})

describe('income of a row', () => {
  const before = { ...zeroAmounts, income_fen: 1_000_000, pension_fen: 80_000, annuity_fen: 5_000 }
  it('replaces the columns of the file and keeps the others', () => {
    expect(readListedIncome({ fen: { income: 1_100_000 } }, ['income', 'pension'], before)).toEqual({
      ...before,
      income_fen: 1_100_000,
      pension_fen: null,
    })
  })
  it('sums what is stated of insurance and fund, and leaves it to the scheme where nothing is', () => {
    expect(sumSpecialAmounts(before)).toBe(80_000)
    expect(sumSpecialAmounts({ ...before, social_fen: 30_000, pension_fen: null })).toBe(30_000)
    expect(sumSpecialAmounts(zeroAmounts)).toBeNull()
  })
  it('refuses rows without income, and insurance stated twice', () => {
    expect(readListedIncome({ fen: {} }, ['income'], null)).toContain('没有收入')
    expect(readListedIncome({ fen: { income: 1, social: 1 } }, ['income', 'social'], before)).toContain('会扣两次')
  })
})
