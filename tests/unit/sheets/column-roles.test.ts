/** The table of column roles, and a role from the header to the payslip, the check and the charts: 工会费. */
import { describe, expect, it } from 'vitest'
import {
  type ColumnRole,
  columnRoleNames,
  columnRoles,
  getGeneralRole,
  toPayItemOfSide,
} from '../../../server/contract/sheets/column-roles.ts'
import type { Layout } from '../../../server/contract/sheets/sheet.ts'
import { createComponentReader } from '../../../server/modules/reports/rules/pay-components.ts'
import { PayslipSumCheck } from '../../../server/modules/sheets/rules/check/payslip-sum-check.ts'
import { toColumnMapping } from '../../../server/modules/sheets/rules/column-mapping.ts'
import { createDefaultLayout } from '../../../server/modules/sheets/rules/default-layout.ts'
import { applyMapping } from '../../../server/modules/sheets/rules/mapping-match.ts'
import { renderPayslip } from '../../../server/modules/sheets/rules/render-payslip.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { wageLabels } from '../../../server/spreadsheets/recognise/label-meaning.ts'
import { everyRow } from '../../support/files/grid.ts'
import { getSheets } from '../../support/sheets/drawn.ts'

describe('table of column roles', () => {
  it('keeps a precise role on its proven side and generalizes it on the other', () => {
    const sides = columnRoleNames.filter((role) => columnRoles[role].amount === 'item')
    for (const role of sides)
      expect([toPayItemOfSide(role, 'adds'), toPayItemOfSide(role, 'deducts')]).toEqual([
        columnRoles[role].side === 'adds' ? role : 'earning',
        columnRoles[role].side === 'deducts' ? role : 'deduction',
      ])
    expect(toPayItemOfSide('gross', 'adds')).toBe('earning')
  })
  it.each(columnRoleNames)('gives %s a side where it counts, and a group on the payslip where it is shown', (role) => {
    const { amount, group, side } = columnRoles[role]
    expect(amount === 'item').toBe(side !== 'none' && role !== 'gross')
    expect(group === null).toBe(role === 'net')
    if (amount === 'none') expect(group).toBe('other')
    else expect(group).not.toBe('other')
  })
  it.each(columnRoleNames)('lets %s refine only a role that means the same in every sum', (role) => {
    const { side, amount, group } = columnRoles[role]
    expect(columnRoles[getGeneralRole(role)]).toMatchObject({ side, amount, group })
  })
})

describe('union fee', () => {
  it.each<[header: string, role: ColumnRole]>([
    ['工会费', 'union_fee'],
    ['工会会费', 'union_fee'],
    ['代扣工会费', 'union_fee'],
    ['扣工会费', 'union_fee'],
    ['工会费扣款', 'union_fee'],
    ['工会费（元）', 'union_fee'],
    ['2026年工会会员会费', 'union_fee'],
    ['個人工會費', 'union_fee'],
    ['工会费(个人)', 'union_fee'],
    ['扣款/工会费', 'union_fee'],
    ['工会费/个人', 'union_fee'],
    ['Union dues', 'union_fee'],
    // Paid by the employer, or by nobody known.
    ['工会经费', 'employer'],
    ['工会经费(单位)', 'employer'],
    ['计提工会经费', 'employer'],
    ['公司承担工会费', 'employer'],
    ['工会费(单位)', 'employer'],
    ['工会费/公司', 'employer'],
    ['会费', 'deduction'],
    ['工会福利', 'earning'],
    ['工会费返还', 'earning'],
    ['工会费基数', 'info'],
    ['扣款合计(含工会费)', 'info'],
  ])('reads %s as %s', (header, role) => {
    expect(wageLabels.getMeaning(header.split('/')).role).toBe(role)
  })

  const wages = `
    姓名 | 工号 | 基本工资 | 绩效工资 | 应发合计 | 养老保险 | 代扣工会费 | 个税 | 实发工资 | 工会经费
    张三 | A01 | 8000 | 2000.5 | 10000.5 | 640 | 20 | 120 | 9220.5 | 200.01
    李四 | A02 | 7000 | 1000 | 8000 | 560 | 15 | 60 | 7365 | 160
    王五 | A03 | 9000 | 1500 | 10500 | 720 | 21 | 130 | 9629 | 210
    赵六 | A04 | 6000 | 900 | 6900 | 480 | 13.8 | 0 | 6406.2 | 138`
  const { recognition, grids } = recognizeWorkbook(getSheets(wages, {}))
  const { columns, formula, subtotals } = recognition
  const [first] = everyRow(grids, recognition)
  const cells = first?.cells ?? {}
  const fee = columns.find(({ role }) => role === 'union_fee')
  const render = (layout: Layout, read: readonly { key: string; label: string; role: ColumnRole }[] = columns) =>
    renderPayslip({
      layout,
      columns: read,
      formula,
      cells,
      title: '10月工资',
      month: '2026-10',
      corp_name: '甲公司',
      name: '张三',
    })
  const expected = {
    net: { label: '实发工资', fen: 922_050 },
    totals: { gross_fen: 1_000_050, deduction_fen: 78_000 },
  }
  const expectedGroup = {
    name: '扣款',
    total_fen: -78_000,
    cells: [
      { label: '养老保险', fen: 64_000, is_deduction: true },
      { label: '代扣工会费', fen: 2_000, is_deduction: true },
      { label: '个税', fen: 12_000, is_deduction: true },
    ],
  }

  it('is subtracted in the formula that the rows prove', () => {
    expect(fee?.label).toBe('代扣工会费')
    expect(formula).toMatchObject({ holds: 4, of: 4 })
    expect(formula?.minus).toContain(fee?.key)
    expect(columns.find(({ label }) => label === '工会经费')?.role).toBe('employer')
  })

  it('is expected in the formula, so that two rows prove it', () => {
    const few = `
      姓名 | 基本工资 | 绩效工资 | 养老保险 | 工会费 | 个税 | 实发工资
      张三 | 8000 | 2000.5 | 640 | 20 | 120 | 9220.5
      李四 | 7000 | 1000 | 560 | 15 | 60 | 7365`
    const read = recognizeWorkbook(getSheets(few, {})).recognition
    expect(read.formula).toMatchObject({ holds: 2, of: 2 })
    expect(read.formula?.minus).toContain(read.columns.find(({ role }) => role === 'union_fee')?.key)
  })

  it('stands among the deductions of the payslip, with a minus and in their sum', () => {
    const payslip = render(createDefaultLayout(columns))
    expect(payslip).toMatchObject(expected)
    expect(payslip.groups.find(({ name }) => name === '扣款')).toMatchObject(expectedGroup)
    expect(payslip.groups.flatMap((group) => group.cells).map(({ label }) => label)).not.toContain('工会经费')
  })

  it.each([true, false])('lets the check of the lines agree with net pay only if it is subtracted: %s', (isSubtracted) => {
    const minus = formula?.minus.filter((key) => isSubtracted || key !== fee?.key) ?? []
    const check = new PayslipSumCheck({
      columns,
      formula: formula && { ...formula, plus: columns.flatMap(({ key, role }) => (role === 'earning' ? [key] : [])), minus },
      subtotals: [],
    })
    expect(check.read(cells)).toEqual(isSubtracted ? null : { lines_fen: 922_050, sum_fen: 924_050 })
  })

  it('counts as another deduction in the charts', () => {
    const read = createComponentReader({ columns, formula, subtotals })
    expect(read({ cells, net_fen: 922_050, gross_fen: 1_000_050 })).toMatchObject({ other: 2_000, social: 64_000, tax: 12_000 })
  })

  it.each<[lastMonth: ColumnRole, group: string]>([
    ['union_fee', '扣款'],
    ['deduction', '扣款'],
  ])('keeps its place and becomes precise when last month’s sheet called it %s', (lastMonth, group) => {
    const before = columns.map((column) => (column === fee ? { ...column, role: lastMonth } : column))
    const saved = toColumnMapping(
      { columns: before, formula: formula && { ...formula, by: 'found' }, questions: [] },
      createDefaultLayout(before),
    )
    const roles = Object.fromEntries(columns.map(({ key, role }) => [key, role]))
    const now = {
      columns: [...columns],
      formula: formula && { ...formula, by: 'found' as const },
      questions: [],
      totals_row: null,
    }
    const { sheet, layout, added, missing } = applyMapping({ ...now, read: { ...now, roles } }, saved)
    expect({ added, missing, questions: sheet.questions }).toEqual({ added: [], missing: [], questions: [] })
    expect(sheet.columns.find(({ key }) => key === fee?.key)?.role).toBe('union_fee')
    const payslip = render(layout, sheet.columns)
    expect(payslip).toMatchObject(expected)
    expect(payslip.groups.find(({ name }) => name === group)).toMatchObject(expectedGroup)
  })
})
