/** The official deduction lists: the meaning of each cell, the member of a row, the resulting changes, and errors. */
import { describe, expect, it } from 'vitest'
import type { DeductionItem } from '../../../server/contract/tax/deductions.ts'
import { planImport } from '../../../server/modules/tax/deduction/import-plan.ts'
import { readDeductionLists } from '../../../server/spreadsheets/profiles/deduction/deduction.ts'
import { grid } from '../../support/files/grid.ts'

type Cells = (string | number | Date | null)[]
const sheet = (name: string, ...rows: Cells[]) => grid(rows, { name })
const who = ['工号', '*纳税人姓名', '*纳税人证件类型', '*纳税人证件号码']
const me = ['A01', '程清', '居民身份证', '110105199203151234']
const one = (name: string, head: Cells, row: Cells) =>
  readDeductionLists([sheet(name, [...who, ...head], [...me, ...row])]).rows[0]

describe('row of each list', () => {
  it.each<[string, Cells, Cells, Partial<DeductionItem>]>([
    [
      '子女教育',
      ['*子女姓名', '*身份证件号码', '*出生日期', '*当前受教育阶段', '教育终止时间', '*本人扣除比例'],
      ['程小明', '110105201609121234', '2016-09-12', '义务教育', '', '50%'],
      { kind: 'child_education', whose: '程小明', born: '2016-09-12', share: 'half', to: null },
    ],
    [
      '3岁以下婴幼儿照护',
      ['*子女姓名', '*出生日期', '*本人扣除比例'],
      ['程小红', new Date(Date.UTC(2024, 4, 3)), '100%'],
      { kind: 'infant_care', whose: '程小红', born: '2024-05-03', share: 'whole' },
    ],
    [
      '住房贷款利息',
      ['*首次还款日期', '*贷款期限(月数)', '*是否婚前各自首套贷款,且婚后分别扣除50%'],
      ['2020-06-15', '240', '是'],
      { kind: 'housing_loan', from: '2020-06', to: '2040-05', share: 'half' },
    ],
    [
      '住房租金',
      ['*主要工作城市', '*出租方姓名或名称', '*租赁期起', '*租赁期止'],
      ['广东省深圳市', '某公寓', '2026年1月', '2026-12'],
      { kind: 'housing_rent', whose: '某公寓', from: '2026-01', to: '2026-12', city_tier: 1 },
    ],
    [
      '住房租金',
      ['*主要工作城市', '*租赁期起', '月扣除金额'],
      ['常州市', '2026-01', 1100],
      { kind: 'housing_rent', from: '2026-01', city_tier: 2 },
    ],
    [
      '赡养老人',
      ['*是否独生子女', '本年度月扣除金额', '*被赡养人姓名', '*出生日期'],
      ['否', '1,200.00', '程父', '1958-01-02'],
      { kind: 'elderly', whose: '程父', born: '1958-01-02', only_child: false, amount_fen: 120_000 },
    ],
    [
      '继续教育',
      ['当前继续教育起始时间', '当前继续教育结束时间', '发证日期', '证书名称'],
      ['2025-09-01', '2028-06-30', '', ''],
      { kind: 'continuing_degree', from: '2025-09', to: '2028-06' },
    ],
    [
      '继续教育',
      ['当前继续教育起始时间', '发证日期', '证书名称'],
      ['', '2026-08-20', '注册会计师'],
      { kind: 'continuing_certificate', whose: '注册会计师', from: '2026-08' },
    ],
    [
      '大病医疗',
      ['扣除年度', '*患者姓名', '*个人负担金额'],
      ['2026', '程清', 32000],
      { kind: 'serious_illness', whose: '程清', from: '2026-01', amount_fen: 3_200_000 },
    ],
  ])('reads a row of list %s %#', (name, head, row, item) => {
    const match = one(name, head, row)
    expect(match?.errors).toEqual([])
    expect(match).toMatchObject({ sheet: name, row: 2, name: '程清', id_card: '110105199203151234', employee_no: 'A01' })
    expect(match?.item).toMatchObject(item)
  })

  it.each<[string, Cells, Cells, string, string]>([
    ['an invalid date', ['*子女姓名', '*出生日期'], ['小明', '2016-02-30'], 'F', '没有这一天'],
    ['a share of one third', ['*子女姓名', '*出生日期', '*本人扣除比例'], ['小明', '2016-02-03', '33%'], 'G', '100% 或 50%'],
    ['a city without a value', ['*主要工作城市', '*租赁期起'], ['常州市', '2026-01'], 'E', '从城市看不出扣除标准'],
    ['an invalid amount', ['*被赡养人姓名', '*是否独生子女', '本年度月扣除金额'], ['父', '否', '一半'], 'G', '不是金额'],
    ['a value that is neither true nor false', ['*被赡养人姓名', '*是否独生子女'], ['父', '不详'], 'F', '请填写「是」或「否」'],
  ])('reports %s with its cell', (_what, head, row, column, why) => {
    const match = one('表', head, row)
    expect(match?.item).toBeNull()
    expect(match?.errors[0]?.column).toBe(column)
    expect(match?.errors[0]?.reason).toContain(why)
  })
})

describe('deduction file', () => {
  it('reads several lists, hints and sheets of other kinds from a deduction file', () => {
    const match = readDeductionLists([
      sheet('填表说明', ['请按实际情况填写']),
      sheet(
        '赡养老人',
        ['个人所得税专项附加扣除'],
        [...who, '*是否独生子女', '*被赡养人姓名'],
        [...me, '是', '程母'],
        ['', '合计'],
      ),
      sheet(
        '住房租金',
        [...who, '*租赁期起', '*主要工作城市'],
        [...me, '2026-01', '上海市'],
        ['', '李四', '', '', '2026-02', '上海市'],
      ),
    ])
    expect(match.rows.map(({ sheet: of, row, name }) => [of, row, name])).toEqual([
      ['赡养老人', 3, '程清'],
      ['住房租金', 2, '程清'],
      ['住房租金', 3, '李四'],
    ])
    expect(match).toMatchObject({ reason: null, other_sheets: ['填表说明'] })
  })
  it('refuses a deduction file without any list, and names the expected ones', () =>
    expect(readDeductionLists([sheet('工资', ['姓名', '实发工资'], ['程清', 8000])]).reason).toContain(
      '没有找到专项附加扣除的表',
    ))
  it('reports a deduction file with headers only', () =>
    expect(readDeductionLists([sheet('住房租金', [...who, '*租赁期起'])]).reason).toContain('表里只有表头'))
})

describe('import plan', () => {
  const people = [
    { id: 'p1', name: '程清', employee_no: 'A01', mobile: '13800000001' },
    { id: 'p2', name: '王伟', employee_no: 'A02', mobile: '13800000002' },
    { id: 'p3', name: '王伟', employee_no: 'A03', mobile: '13800000003' },
  ]
  const cards = new Map([['110105199203151234', people[0]]])
  const findExisting = (stored: DeductionItem[] = []) => ({
    members: people,
    findByIdCard: (text: string) => cards.get(text),
    getStored: (id: string) => (id === 'p1' ? stored : []),
    month: '2026-11',
  })
  const rent = (...rows: Cells[]) =>
    readDeductionLists([sheet('租金', [...who, '*租赁期起', '*主要工作城市', '租赁期止'], ...rows)]).rows
  const current = [...me, '2026-01', '上海', '']

  it('adds new items and changes nothing for the same ones', () => {
    const first = planImport(rent(current), findExisting())
    expect(first.rows).toMatchObject([{ what: 'new', kind: 'housing_rent', cell: null }])
    expect(first.changed).toHaveLength(1)
    const stored = [...(first.changed[0]?.items ?? [])]
    const again = planImport(rent(current), findExisting(stored))
    expect(again.rows).toMatchObject([{ what: 'same' }])
    expect(again.changed).toEqual([])
    const ended = planImport(rent([...me, '2026-01', '上海', '2026-12']), findExisting(stored))
    expect(ended.rows).toMatchObject([{ what: 'changed' }])
    expect(ended.changed[0]?.items).toMatchObject([{ to: '2026-12' }])
  })
  it.each<[string, Cells, string]>([
    ['nobody', ['', '赵六', '', '', '2026-01', '上海', ''], '花名册里没有这位员工'],
    ['one of two members with the same name', ['', '王伟', '', '', '2026-01', '上海', ''], '有几位同名的员工'],
    [
      "another member's ID card",
      ['', '王伟', '', '110105199203151234', '2026-01', '上海', ''],
      '姓名与花名册里这个证件号码的员工不一致',
    ],
  ])('reports %s at the name', (_what, row, why) => {
    const { rows, changed } = planImport(rent(row), findExisting())
    expect(rows[0]).toMatchObject({ what: 'fault', cell: 'B2' })
    expect(rows[0]?.reason).toContain(why)
    expect(changed).toEqual([])
  })
  it('distinguishes two members of one name by a number', () =>
    expect(planImport(rent(['A03', '王伟', '', '', '2026-01', '上海', '']), findExisting()).changed).toMatchObject([
      { member_id: 'p3' },
    ]))
  it('refuses mutually exclusive items as a whole without changing anything of that member', () => {
    const loan = readDeductionLists([sheet('贷款', [...who, '*首次还款日期'], [...me, '2020-06-01'])]).rows
    const { rows, changed } = planImport([...rent(current), ...loan], findExisting())
    expect(rows.map(({ what }) => what)).toEqual(['fault', 'fault'])
    expect(rows[0]?.reason).toContain('同一年度只能扣一项')
    expect(changed).toEqual([])
  })
})
