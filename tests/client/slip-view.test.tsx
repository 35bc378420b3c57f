/** The payslip as rendered: amounts that add up, their signs, and what is hidden together with hidden amounts. */
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { Payslip } from '../../server/contract/payslips/payslip.ts'
import { maskAmounts } from '../../src/features/payslips/view/mask-amounts.ts'
import { PayslipView } from '../../src/features/payslips/view/slip-view.tsx'

type Cell = Payslip['groups'][number]['cells'][number]
const cell = (key: string, label: string, more: Partial<Cell>): Cell => ({
  key,
  label,
  value: '',
  kind: 'money',
  fen: null,
  is_deduction: false,
  note: '',
  ...more,
})
const slip: Payslip = {
  title: '十月工资',
  month: '2026-10',
  corp_name: '甲公司',
  name: '张三',
  net: { label: '实发工资', fen: 880_000 },
  totals: { gross_fen: 1_000_000, deduction_fen: 120_000 },
  groups: [
    { name: '应发', total_fen: 1_000_000, cells: [cell('c1', '基本工资', { fen: 1_000_000, value: '10000' })] },
    {
      name: '扣款',
      total_fen: -120_000,
      cells: [cell('c2', '社保', { fen: 120_000, value: '1200', is_deduction: true, note: '基数 6,326' })],
    },
    { name: '其他', total_fen: null, cells: [cell('c3', '备注', { kind: 'text', value: '10月补发 300 元' })] },
  ],
  hint: '如有疑问请于 2026-11-20 前提出，餐补每天15元',
}
const getText = (node: React.ReactElement) =>
  renderToStaticMarkup(node)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('payslip', () => {
  test('adds up visibly: gross less deductions is net, and deductions have a minus sign in the row and in the sum', () => {
    const text = getText(<PayslipView slip={slip} />)
    expect(text).toContain('应发 10,000.00 − 扣款 1,200.00 = 实发工资 8,800.00')
    expect(text).toContain('扣款 −1,200.00')
    expect(text).toContain('社保 基数 6,326 −1,200.00')
    expect(getText(<PayslipView slip={{ ...slip, totals: null }} />)).not.toContain('− 扣款')
  })
  test('keeps the number of the employee next to hidden amounts', () => {
    const groups = [{ name: '其他', total_fen: null, cells: [cell('c1', '工号', { kind: 'text', value: 'YS0007' })] }]
    expect(getText(<PayslipView slip={{ ...slip, groups }} hidden />)).toContain('工号 YS0007')
  })
  test('explains a change of the net pay, and no equal net pay', () => {
    const show = (net_fen: number) =>
      getText(<PayslipView slip={slip} last={{ month: '2026-09', net_fen }} onWhy={() => undefined} />)
    expect(show(870_000)).toContain('为什么')
    expect(show(880_000)).not.toContain('为什么')
  })
  test('shows when the payslip was provided', () => {
    expect(getText(<PayslipView slip={slip} issued="2026-11-05" />)).toContain('2026-11-05 发放')
    expect(getText(<PayslipView slip={slip} />)).not.toContain('发放')
  })
  test('shows no amount while amounts are hidden: not in sums, notes, remarks, the announcement or corrections', () => {
    const corrected = {
      at: '2026-11-06T02:00:00Z',
      reason: '补发 300 元',
      changes: [{ label: '社保', from: '1,100.00', to: '1,200.00' }],
    }
    const visible = getText(<PayslipView slip={slip} corrected={corrected} last={{ month: '2026-09', net_fen: 870_000 }} />)
    for (const amount of ['10,000', '1,200', '1,100', '6,326', '300', '15', '8,800']) expect(visible).toContain(amount)
    const text = getText(<PayslipView slip={slip} hidden corrected={corrected} last={{ month: '2026-09', net_fen: 870_000 }} />)
    expect(text.replaceAll('2026-11-20', '').replaceAll('2026-11-06', '').replaceAll('10月', '')).not.toMatch(/\d/)
    expect(text).toContain('2026-11-20')
  })
})

test.each([
  ['餐补每天15元', '餐补每天****元'],
  ['10月补发 1,200.50', '10月补发 ****'],
  ['¥500', '****'],
  ['2026-11-20 前', '2026-11-20 前'],
  ['出勤 21.5 天', '出勤 21.5 天'],
  ['没有数字', '没有数字'],
])('shows %j next to hidden amounts as %j', (text, hidden) => expect(maskAmounts(text)).toBe(hidden))
