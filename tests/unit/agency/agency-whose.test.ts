/** To which company a row of a sheet with several companies belongs: only an exact name decides. */
import { describe, expect, it } from 'vitest'
import {
  findCompanyColumn,
  findForeignRow,
  matchCompany,
  type ServedCompany,
} from '../../../server/modules/agency/rules/company-match.ts'

const links: ServedCompany[] = [
  { corp_id: 'a', name: '甲（上海）贸易有限公司', isOpen: true },
  { corp_id: 'b', name: '乙物流有限公司', isOpen: true },
  { corp_id: 'c', name: '同名公司', isOpen: true },
  { corp_id: 'd', name: '同名公司', isOpen: true },
  { corp_id: 'e', name: '到期公司', isOpen: false },
  { corp_id: null, name: '未答复公司', isOpen: false },
]

describe('company name in a row', () => {
  it.each([
    ['甲（上海）贸易有限公司', 'a', null],
    [' 甲(上海) 贸易有限公司', 'a', null],
    ['甲贸易', null, 'unknown'],
    ['甲（北京）贸易有限公司', null, 'unknown'],
    ['乙物流', null, 'unknown'],
    ['同名公司', null, 'several'],
    ['到期公司', null, 'closed'],
    ['未答复公司', null, 'closed'],
    ['　', null, 'nameless'],
  ] as const)('matches the company name 「%s」: %s %s', (label, corp_id, why) => {
    expect(matchCompany(label, links)).toEqual({ corp_id, reason: why })
  })
})

describe('company column', () => {
  const column = (key: string, label: string, role = 'info') => ({ key, label, role })
  const row = (...values: string[]) => ({ cells: Object.fromEntries(values.map((value, at) => [`c${at}`, { value }])) })
  const columns = [column('c0', '姓名', 'name'), column('c1', '公司'), column('c2', '结算主体')]
  it('selects the column in which most rows name a linked company, whatever its label', () => {
    const rows = [row('乙物流有限公司', '总部', '乙物流有限公司'), row('王', '乙物流有限公司', '乙物流有限公司')]
    expect(findCompanyColumn(columns, rows, links)?.key).toBe('c2')
  })
  it('falls back to a column with a company label and never selects one with employee names', () => {
    expect(findCompanyColumn(columns, [row('王', '甲', '')], links)?.key).toBe('c1')
    expect(findCompanyColumn(columns.slice(0, 1), [row('乙物流有限公司')], links)).toBeNull()
    expect(findCompanyColumn([column('c0', '单位养老保险')], [row('100')], links)).toBeNull()
  })
})

describe('sheet assigned to one company by its name', () => {
  const links = [
    { corp_id: 'a', name: '甲（上海）公司', isOpen: true },
    { corp_id: 'b', name: '乙公司', isOpen: false },
  ]
  const table = (role: string, ...values: string[]) => ({
    columns: [{ key: 'c1', label: '用工单位', role }],
    rows: values.map((value, at) => ({ row: at + 2, cells: { c1: { value } } })),
  })
  it.each([
    ["the company's own name in any spelling", '甲（上海）公司', table('text', '甲(上海)公司', ''), null],
    ['names of unrelated companies', '甲（上海）公司', table('text', '别家公司', '前厅'), null],
    [
      'the name of another linked company',
      '甲（上海）公司',
      table('text', '甲（上海）公司', '乙 公司'),
      { row: 3, says: '乙 公司' },
    ],
    ['the name of an employee', '甲（上海）公司', table('name', '乙公司'), null],
    ['a sheet without a company name', '十月', table('text', '乙公司'), null],
  ])('%s', (_, sheet, provided, match) => {
    expect(findForeignRow(sheet, provided, links)).toEqual(match)
  })
})
