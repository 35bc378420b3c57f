/**
 * Columns that are sums of others: their roles, their position on a payslip, and that nothing counts twice. Also the
 * choice between two identity columns.
 */
import { describe, expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import { toPayItems } from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import { createDefaultLayout, getSubtotalSide } from '../../../server/modules/sheets/rules/default-layout.ts'
import { renderPayslip } from '../../../server/modules/sheets/rules/render-payslip.ts'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../../support/files/grid.ts'

const getSheet = (header: string[], rows: StoredValue[][]) =>
  recognizeWorkbook([grid([['2026年10月工资表'], header, ...rows])]).recognition
const rolesIn = (header: string[], rows: StoredValue[][]) =>
  Object.fromEntries(getSheet(header, rows).columns.map(({ label, role }) => [label, role]))
const names = ['赵一', '钱二', '孙三', '李四', '周五']
const pay = names.map((name, at): StoredValue[] => {
  const [base, bonus, fund, tax] = [6000 + at * 310, 500 + at * 20, 400 + at * 11, 30 + at * 7]
  return [name, base, bonus, base + bonus, fund, tax, fund + tax, base + bonus - fund - tax]
})
const head = ['姓名', '基本工资', '奖金', '应发合计', '社保', '个税', '扣款合计', '实发工资']

describe('column that is the sum of others', () => {
  it('recognises a subtotal by its name or because every row proves it', () => {
    expect(rolesIn(head, pay)).toMatchObject({ 应发合计: 'gross', 扣款合计: 'subtotal', 实发工资: 'net', 社保: 'deduction' })
    const plain = ['姓名', '基本工资', '奖金', '应发合计', '社保', '个税', '五险一金及个税小计', '实发工资']
    expect(rolesIn(plain, pay)).toMatchObject({ 五险一金及个税小计: 'subtotal' })
  })
  it('updates on a correction only the subtotal of that column, not another sum that holds by chance', () => {
    // One earning, and the same deduction for everybody: 扣款合计 is 社保, and also 基本工资 + 社保 − 应发合计.
    const rows = names.map((name, at): StoredValue[] => [name, 6000 + at * 310, 6000 + at * 310, 400, 400, 5600 + at * 310])
    const { subtotals, columns, formula } = getSheet(['姓名', '基本工资', '应发合计', '社保', '扣款合计', '实发工资'], rows)
    const label = (key: string) => columns.find((column) => column.key === key)?.label
    const messages = [...subtotals, ...(formula ? [{ ...formula, key: formula.net }] : [])]
    expect(messages.map(({ key, plus, minus }) => [label(key), plus.map(label), minus.map(label)])).toEqual([
      ['应发合计', ['基本工资'], []],
      ['扣款合计', ['社保'], []],
      ['实发工资', ['应发合计'], ['扣款合计']],
    ])
  })
  it('does not treat a base or a year-to-date sum as a subtotal', () => {
    const rows = pay.map((row, at) => [...row, 80_000 + at, 5000])
    expect(rolesIn([...head, '累计收入合计', '社保基数'], rows)).toMatchObject({ 累计收入合计: 'info', 社保基数: 'info' })
  })
  it('does not count a subtotal as a separate item when months are compared', () => {
    const columns = getSheet(head, pay).columns
    expect(toPayItems(columns).map(({ column }) => column.label)).toEqual([
      '基本工资',
      '奖金',
      '应发合计',
      '社保',
      '个税',
      '实发工资',
    ])
  })

  it.each([
    ['扣款合计', 'deduction'],
    ['代扣小计', 'deduction'],
    ['五险一金合计', 'deduction'],
    ['公司承担合计', 'employer'],
    ['单位缴纳小计', 'employer'],
    ['津贴小计', 'earning'],
    ['加班费合计', 'earning'],
  ])('assigns the subtotal %s to %s', (name, side) => expect(getSubtotalSide(name)).toBe(side))

  const columns = (list: [string, ColumnRole][]) =>
    list.map(([label, role], at) => ({ key: `c${at}`, col: 'A', label, path: [label], role }))
  const getSlip = (list: [string, ColumnRole, number][]) => {
    const all = columns(list.map(([label, role]) => [label, role]))
    return renderPayslip({
      layout: createDefaultLayout(all),
      columns: all,
      formula: null,
      cells: Object.fromEntries(
        list.map(([, , yuan], at) => [`c${at}`, { value: String(yuan), kind: 'money' as const, fen: yuan * 100 }]),
      ),
      title: '十月',
      month: '2026-10',
      corp_name: '云杉',
      name: '赵一',
    })
  }
  it('shows a subtotal as the sum of its group on a payslip, not as an additional item', () => {
    const slip = getSlip([
      ['基本工资', 'earning', 6000],
      ['奖金', 'earning', 500],
      ['应发合计', 'gross', 6500],
      ['社保', 'deduction', 400],
      ['个税', 'tax', 30],
      ['扣款合计', 'subtotal', 430],
      ['公司承担合计', 'subtotal', 900],
      ['实发工资', 'net', 6070],
    ])
    expect(slip.groups.map(({ name, total_fen, cells }) => [name, total_fen, cells.map(({ label }) => label)])).toEqual([
      ['应发', 650_000, ['基本工资', '奖金']],
      ['扣款', -43_000, ['社保', '个税']],
    ])
    expect(slip.totals).toEqual({ gross_fen: 650_000, deduction_fen: 43_000 })
  })
  it('keeps a subtotal visible where it differs from its items', () => {
    const slip = getSlip([
      ['基本工资', 'earning', 6500],
      ['社保', 'deduction', 400],
      ['扣款合计', 'subtotal', 480],
      ['实发工资', 'net', 6020],
    ])
    expect(slip.groups[1]?.cells.map(({ label, is_deduction }) => [label, is_deduction])).toEqual([
      ['社保', true],
      ['扣款合计', true],
    ])
    expect(slip.totals).toEqual({ gross_fen: 650_000, deduction_fen: 48_000 })
  })
})

describe('identity columns', () => {
  const request = (header: string[], extra: readonly StoredValue[][]) => {
    const { questions, columns } = getSheet(
      header,
      pay.map((row, at) => [...row, ...(extra[at] ?? [])]),
    )
    const getName = (value: string) => {
      const [word = '', key = ''] = value.split(':')
      return `${word} ${columns.find((column) => column.key === key)?.label ?? key}`.trim()
    }
    return questions.map(({ kind, must, choices, suggested }) => [
      kind,
      must,
      choices.map(({ value }) => getName(value)),
      getName(suggested),
    ])
  }
  const phone = (at: number) => `1380000000${at}`
  it('asks about two different phones in a row, and identifies the member by the selected one', () => {
    expect(
      request(
        [...head, '手机号', '联系电话'],
        names.map((_, at) => [phone(at), `1390000000${at}`]),
      ),
    ).toEqual([['who', true, ['mobile 手机号', 'mobile 联系电话', 'info 手机号'], 'mobile 手机号']])
  })
  it('asks no question about equal values or a clearly labelled number', () => {
    expect(
      request(
        [...head, '手机号', '联系电话', '工号'],
        names.map((_, at) => [phone(at), phone(at), `A0${at}`]),
      ),
    ).toEqual([])
  })
  it('asks an optional question about a guessed employee number where a phone identifies the member', () => {
    const codes = names.map((_, at) => [`KX10${at}`])
    expect(request([...head, '用户id'], codes)).toEqual([['role', true, ['employee_no', 'info', 'ignore'], 'employee_no']])
    expect(
      request(
        [...head, '用户id', '手机号'],
        codes.map((row, at) => [...row, phone(at)]),
      ),
    ).toEqual([['role', false, ['employee_no', 'info', 'ignore'], 'employee_no']])
  })
  it('lets the user select one of two candidate columns', () => {
    expect(
      request(
        [...head, '用户id', 'code'],
        names.map((_, at) => [`KX10${at}`, `ZZ77${at}`]),
      ),
    ).toEqual([['who', true, ['employee_no 用户id', 'employee_no code', 'info 用户id'], 'employee_no 用户id']])
  })
})
