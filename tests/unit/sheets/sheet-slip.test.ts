/** The default layout of a payslip, changes to it, and what the employee sees. */
import { describe, expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import type { Layout } from '../../../server/contract/sheets/sheet.ts'
import {
  applyLayoutChange,
  createDefaultLayout,
  type LayoutColumn,
  updateLayout,
} from '../../../server/modules/sheets/rules/default-layout.ts'
import { type PayslipFormula, renderPayslip } from '../../../server/modules/sheets/rules/render-payslip.ts'
import { parseTypedCell, type RowCell } from '../../../server/rules/amounts.ts'

const heads: [string, ColumnRole][] = [
  ['姓名', 'name'],
  ['手机号', 'mobile'],
  ['部门', 'department'],
  ['应发/基本工资', 'earning'],
  ['应发/奖金', 'earning'],
  ['应发合计', 'gross'],
  ['扣款/社保', 'deduction'],
  ['个税', 'tax'],
  ['实发工资', 'net'],
  ['公司社保', 'employer'],
  ['银行卡号', 'bank_account'],
  ['备注', 'info'],
]
const getColumns = (list: [string, ColumnRole][]): LayoutColumn[] =>
  list.map(([label, role], at) => ({ key: `c${at}`, col: String.fromCharCode(65 + at), label, path: label.split('/'), role }))
const columns = getColumns(heads)
const draw = (layout: Layout) => {
  const name = new Map<string | null, string>([
    [null, '·'],
    ...layout.groups.map((group) => [group.class_id, group.name] as const),
  ])
  return layout.sort_list.map((item) => `${name.get(item.class_id)} ${item.value}${item.status ? '' : '（隐）'}`)
}

describe('default layout of a batch', () => {
  it('groups columns by role and hides identity columns and the employer’s share', () => {
    expect(draw(createDefaultLayout(columns))).toEqual([
      '· 实发工资',
      '应发 基本工资',
      '应发 奖金',
      '应发 应发合计',
      '扣款 社保',
      '扣款 个税',
      '公司承担 公司社保（隐）',
      '其他 姓名（隐）',
      '其他 手机号（隐）',
      '其他 部门',
      '其他 银行卡号（隐）',
      '其他 备注',
    ])
  })
  it('hides what the sheet hides', () => {
    const layout = createDefaultLayout(columns.map((column) => ({ ...column, hidden: column.label === '备注' })))
    expect(layout.sort_list.find((item) => item.value === '备注')?.status).toBe(false)
  })
  it.each(['序号', ' No. ', '#', '行号'])('does not show the row number of the sheet: %j', (label) => {
    const visible = createDefaultLayout(getColumns([...heads, [label, 'info']])).sort_list.filter((item) => item.status)
    expect(visible.map((item) => item.key)).toEqual(
      createDefaultLayout(columns)
        .sort_list.filter((item) => item.status)
        .map((item) => item.key),
    )
  })
  it('follows a changed role and keeps the user’s other changes', () => {
    const current = applyLayoutChange(createDefaultLayout(columns), {
      sort_list: [
        { key: 'c7', value: '个人所得税', status: true },
        { key: 'c4', value: '奖金', status: false },
      ],
    })
    const after = columns.map((column) => (column.key === 'c11' ? { ...column, role: 'deduction' as const } : column))
    expect(draw(updateLayout(current, columns, after))).toEqual([
      '扣款 个人所得税',
      '应发 奖金（隐）',
      '· 实发工资',
      '应发 基本工资',
      '应发 应发合计',
      '扣款 社保',
      '扣款 备注',
      '公司承担 公司社保（隐）',
      '其他 姓名（隐）',
      '其他 手机号（隐）',
      '其他 部门',
      '其他 银行卡号（隐）',
    ])
  })
  it('refuses unknown columns and groups', () => {
    const layout = applyLayoutChange(createDefaultLayout(columns), {
      sort_list: [
        { key: 'c99', value: 'x', status: true },
        { key: 'c3', value: '底薪', status: true, class_id: 'nowhere', note: '按月' },
        { key: 'c3', value: '再次', status: true },
      ],
      hint: '保密',
    })
    expect(layout.sort_list).toHaveLength(columns.length)
    expect(layout.sort_list[0]).toEqual({ key: 'c3', value: '底薪', status: true, class_id: null, note: '按月' })
    expect(layout).toMatchObject({ hint: '保密', hide_empty: true, hide_zero: false })
  })
})

const row = (texts: Record<string, string>) => {
  const cells: Record<string, RowCell> = {}
  for (const [label, text] of Object.entries(texts)) {
    const column = columns.find((one) => one.label === label)
    const cell = column && parseTypedCell(text, column.role)
    if (column && cell) cells[column.key] = cell
  }
  return cells
}
const slip = (
  texts: Record<string, string>,
  change: Parameters<typeof applyLayoutChange>[1] = {},
  formula: PayslipFormula = null,
) =>
  renderPayslip({
    layout: applyLayoutChange(createDefaultLayout(columns), change),
    columns,
    formula,
    cells: row(texts),
    title: '十月工资',
    month: '2026-10',
    corp_name: '星河',
    name: '张三',
  })

describe('payslip', () => {
  const full = {
    姓名: '张三',
    '应发/基本工资': '8,000',
    '应发/奖金': '0',
    应发合计: '8,000.00',
    '扣款/社保': '800',
    个税: '',
    实发工资: '7200',
    公司社保: '2000',
    备注: '满勤',
  }
  it('shows the text of the sheet next to the fen, and the net pay separately', () => {
    const { net, groups, name } = slip(full)
    expect(net).toEqual({ label: '实发工资', fen: 720_000 })
    expect(name).toBe('张三')
    expect(
      groups.map((group) => [
        group.name,
        group.total_fen,
        ...group.cells.map((cell) => `${cell.label} ${cell.value} ${cell.fen}`),
      ]),
    ).toEqual([
      // The sheet's own subtotal is the sum of the lines, and no additional line.
      ['应发', 800_000, '基本工资 8,000 800000', '奖金 0 0'],
      // A single cell is no sum.
      ['扣款', null, '社保 800 80000'],
      ['其他', null, '备注 满勤 null'],
    ])
  })
  it('hides zeros and shows empty cells as configured', () => {
    expect(slip(full, { hide_zero: true }).groups[0]?.cells.map((cell) => cell.label)).toEqual(['基本工资'])
    expect(slip(full, { hide_empty: false }).groups[1]?.cells.map((cell) => `${cell.label}${cell.kind}`)).toEqual([
      '社保money',
      '个税empty',
    ])
  })
  it('formats a bare number as an amount once its column is an amount column', () => {
    const bare = { ...row(full), c4: { value: '300', kind: 'number' as const }, c11: { value: '3', kind: 'number' as const } }
    const { groups } = renderPayslip({
      layout: createDefaultLayout(columns),
      columns,
      formula: null,
      cells: bare,
      title: '',
      month: null,
      corp_name: '',
      name: '',
    })
    const kinds = groups.flatMap(({ cells }) => cells.map(({ label, kind, fen }) => `${label} ${kind} ${fen}`))
    expect(kinds).toEqual(expect.arrayContaining(['奖金 money 30000', '备注 number null']))
  })
  it('sums a group only where all its cells are amounts', () => {
    expect(slip({ ...full, 个税: '15.5' }).groups[1]?.total_fen).toBe(-81_550)
    expect(slip({ ...full, 个税: '见附件' }).groups[1]?.total_fen).toBeNull()
    expect(slip({ ...full, 应发合计: '' }).groups[0]?.total_fen).toBe(800_000)
  })
  it.each<[what: string, texts: Record<string, string>, sum_fen: number | null, lines: string[]]>([
    ['a subtotal that differs from its items stays an item', { 应发合计: '9000' }, null, ['基本工资', '奖金', '应发合计']],
    ['a subtotal alone is an item', { '应发/基本工资': '', '应发/奖金': '' }, null, ['应发合计']],
    ['one item and its subtotal become one item with a sum', { '应发/奖金': '' }, 800_000, ['基本工资']],
  ])('%s', (_, texts, sum_fen, lines) => {
    const group = slip({ ...full, ...texts }).groups[0]
    expect([group?.total_fen, group?.cells.map((cell) => cell.label)]).toEqual([sum_fen, lines])
  })
  const getMinus = (texts: Record<string, string>, formula: PayslipFormula = null) =>
    slip({ ...full, ...texts }, {}, formula).groups.flatMap((group) =>
      group.cells.filter((cell) => cell.is_deduction).map((cell) => cell.label),
    )
  it.each<[what: string, texts: Record<string, string>, formula: PayslipFormula, minus: string[]]>([
    ['a deduction has a minus sign', { 个税: '15.5' }, null, ['社保', '个税']],
    ['zero has no minus sign', { 个税: '0' }, null, ['社保']],
    ['a deduction written with its sign keeps it', { '扣款/社保': '-800' }, null, []],
    ['by the formula, where it names the column', { '扣款/社保': '-800' }, { plus: ['c3'], minus: ['c6'] }, ['社保']],
    ['a deduction that the formula adds is added', {}, { plus: ['c3', 'c6'], minus: [] }, []],
  ])('%s', (_, texts, formula, minus) => expect(getMinus(texts, formula)).toEqual(minus))

  it.each<[what: string, texts: Record<string, string>, sums: [gross: number, deduction: number] | null]>([
    ['gross less deductions', {}, [800_000, 80_000]],
    ['no deductions', { '扣款/社保': '', 实发工资: '8000' }, [800_000, 0]],
    ['without a gross pay in the sheet: the earnings', { 应发合计: '' }, [800_000, 80_000]],
    ['a gross pay without the later earnings', { 应发合计: '7000' }, [800_000, 80_000]],
    ['deductions with their own sign', { '扣款/社保': '-800' }, [800_000, 80_000]],
    ['a negative deduction', { '扣款/社保': '-800', 个税: '100', 实发工资: '7100' }, [800_000, 90_000]],
    ['no formula line where it does not add up', { 实发工资: '7000' }, null],
    ['no formula line without net pay', { 实发工资: '待定' }, null],
  ])('adds up visibly: %s', (_, texts, sums) => {
    const match = slip({ ...full, ...texts }).totals
    expect(match && [match.gross_fen, match.deduction_fen]).toEqual(sums)
  })
  it('uses the sheet’s sum of deductions where its items are hidden', () => {
    const more = getColumns([...heads, ['扣款合计', 'deduction']])
    const cells = {
      ...row({ ...full, 个税: '15.5', 实发工资: '7184.5' }),
      c12: { value: '815.5', kind: 'money' as const, fen: 81_550 },
    }
    const layout = applyLayoutChange(createDefaultLayout(more), {
      sort_list: ['c6', 'c7'].map((key) => ({ key, value: key, status: false })),
    })
    const visible = renderPayslip({
      layout,
      columns: more,
      formula: null,
      cells,
      title: '',
      month: null,
      corp_name: '',
      name: '',
    })
    expect(visible.totals).toEqual({ gross_fen: 800_000, deduction_fen: 81_550 })
    expect(visible.groups[1]).toMatchObject({ total_fen: null, cells: [{ label: '扣款合计', is_deduction: true }] })
  })
  it('shows no net pay that is hidden or no amount', () => {
    expect(slip(full, { sort_list: [{ key: 'c8', value: '到手', status: false }] }).net).toBeNull()
    expect(slip({ ...full, 实发工资: '待定' }).net).toBeNull()
  })
})
