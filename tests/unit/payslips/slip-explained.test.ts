/** Why a net pay differs: the sentences as a clerk would say them, and that they add up for any months. */
import { describe, expect, it } from 'vitest'
import type { Payslip } from '../../../server/contract/payslips/payslip.ts'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import {
  explainChanges,
  formatComparedMonth,
  getMonthItems,
  type MonthItems,
} from '../../../server/modules/payslips/employee/rules/explain-changes.ts'
import { trial } from '../../support/run/trial.ts'

const base = { label: '基本工资', fen: 800_000, role: 'earning' } as const
const month = (net_fen: number, items: MonthItems['items'], more: Partial<MonthItems> = {}): MonthItems => ({
  month: '2026-10',
  net_fen,
  items: [base, ...items],
  taxable_fen: null,
  ...more,
})
const september = (net_fen: number, items: MonthItems['items'], more: Partial<MonthItems> = {}) =>
  month(net_fen, items, { month: '2026-09', ...more })
const earned = (label: string, fen: number) => ({ label, fen, role: 'earning' }) as const
const off = (label: string, fen: number) => ({ label, fen: -fen, role: 'deduction' }) as const
const tax = (fen: number) => ({ label: '个税', fen: -fen, role: 'tax' }) as const

describe('one sentence per change', () => {
  it.each([
    ['no difference', month(1, []), september(1, []), []],
    [
      'more overtime',
      month(900_000, [earned('加班费', 100_000)]),
      september(850_000, [earned('加班费', 50_000)]),
      ['「加班费」比上月多 500.00 元（500.00 → 1,000.00）。'],
    ],
    ['a new item', month(830_000, [earned('高温补贴', 30_000)]), september(800_000, []), ['新增「高温补贴」300.00 元。']],
    [
      'a removed item',
      month(800_000, []),
      september(1_800_000, [earned('季度奖', 1_000_000)]),
      ['上月的「季度奖」10,000.00 元，这个月没有。'],
    ],
    [
      'an item of zero',
      month(830_000, [earned('餐补', 30_000)]),
      september(800_000, [earned('餐补', 0)]),
      ['新增「餐补」300.00 元。'],
    ],
    [
      'a higher deduction',
      month(710_000, [off('社保', 90_000)]),
      september(720_000, [off('社保', 80_000)]),
      ['「社保」比上月多扣 100.00 元（800.00 → 900.00）。'],
    ],
    ['a new deduction', month(795_000, [off('缺勤', 5_000)]), september(800_000, []), ['新增扣款「缺勤」50.00 元。']],
    [
      'a removed deduction',
      month(800_000, []),
      september(795_000, [off('缺勤', 5_000)]),
      ['上月扣的「缺勤」50.00 元，这个月没有。'],
    ],
    ['a tax refund', month(810_000, [tax(-10_000)]), september(800_000, []), ['「个税」退回 100.00 元。']],
    [
      'another tax bracket with its amounts',
      month(710_000, [tax(90_000)], { taxable_fen: 4_000_000 }),
      september(785_000, [tax(15_000)], { taxable_fen: 3_500_000 }),
      [
        '「个税」比上月多扣 750.00 元（150.00 → 900.00）：累计应纳税所得额 40,000.00 元，超过了 36,000.00 元，税率由 3% 升为 10%。',
      ],
    ],
    [
      'the same tax bracket',
      month(784_000, [tax(16_000)], { taxable_fen: 3_500_000 }),
      september(785_000, [tax(15_000)], { taxable_fen: 3_000_000 }),
      ['「个税」比上月多扣 10.00 元（150.00 → 160.00）。'],
    ],
    [
      'year-to-date sums of another year',
      month(785_000, [tax(15_000)], { month: '2027-01', taxable_fen: 500_000 }),
      month(700_000, [tax(100_000)], { month: '2026-12', taxable_fen: 15_000_000 }),
      ['「个税」比上月少扣 850.00 元（1,000.00 → 150.00）：新的一年从头累计，累计应纳税所得额 5,000.00 元，税率 3%。'],
    ],
    [
      'wages of December paid in January',
      month(785_000, [tax(15_000)], { month: '2026-12', taxable_fen: 500_000, taxedMonth: '2027-01' }),
      month(700_000, [tax(100_000)], { month: '2026-11', taxable_fen: 15_000_000, taxedMonth: '2026-12' }),
      ['「个税」比上月少扣 850.00 元（1,000.00 → 150.00）：新的一年从头累计，累计应纳税所得额 5,000.00 元，税率 3%。'],
    ],
    [
      'a difference that no item explains',
      month(790_000, []),
      september(800_000, []),
      ['没有在工资条上逐项列出的部分，合计比上月少 100.00 元。'],
    ],
    [
      'the largest change first, the unexplained one last',
      month(1_100_000, [earned('餐补', 1_000), earned('奖金', 200_000)]),
      september(800_000, []),
      ['新增「奖金」2,000.00 元。', '新增「餐补」10.00 元。', '没有在工资条上逐项列出的部分，合计比上月多 990.00 元。'],
    ],
  ])('%s', (_what, now, before, notified) => expect(explainChanges(now, before).map(({ text }) => text)).toEqual(notified))

  it.each([
    ['2026-10', '2026-09', '上月'],
    ['2027-01', '2026-12', '上月'],
    ['2026-10', '2026-08', '2026年8月'],
    ['2026-10', '2025-09', '2025年9月'],
  ])('for %s, %s is named %s', (now, before, word) => expect(formatComparedMonth(now, before)).toBe(word))
})

describe('explained items of a payslip', () => {
  const line = { kind: 'money', value: '', note: '', is_deduction: false } as const
  const visible: Payslip = {
    title: '工资',
    month: '2026-10',
    corp_name: '公司',
    name: '张伟',
    net: { label: '实发', fen: 700_000 },
    totals: null,
    hint: '',
    groups: [
      {
        name: '',
        total_fen: null,
        cells: [
          { ...line, key: 'c1', label: '基本 工资', fen: 800_000 },
          { ...line, key: 'c2', label: '应发合计', fen: 800_000 },
          { ...line, key: 'c3', label: '社保', fen: 100_000, is_deduction: true },
          { ...line, key: 'c4', label: '公司社保', fen: 300_000 },
          { ...line, key: 'c5', label: '累计应纳税所得额', fen: 50_000 },
          { ...line, key: 'c6', label: '备注', kind: 'text', value: '满勤', fen: null },
        ],
      },
    ],
  }
  const roles = new Map<string, ColumnRole>([
    ['c1', 'earning'],
    ['c2', 'gross'],
    ['c3', 'deduction'],
    ['c4', 'employer'],
    ['c5', 'info'],
  ])
  it('excludes sums and the employer’s share from explained items', () => {
    expect(getMonthItems(visible, roles)).toEqual({
      month: '2026-10',
      net_fen: 700_000,
      taxable_fen: 50_000,
      items: [
        { label: '基本工资', fen: 800_000, role: 'earning' },
        { label: '社保', fen: -100_000, role: 'deduction' },
      ],
    })
  })
  it('uses the gross pay in place of earnings that are not shown individually', () => {
    const { items } = getMonthItems(visible, new Map([...roles, ['c1', 'info']])) ?? { items: [] }
    expect(items.map(({ label, fen }) => [label, fen])).toEqual([
      ['应发合计', 800_000],
      ['社保', -100_000],
    ])
  })
  it('explains no items without a net pay', () => expect(getMonthItems({ ...visible, net: null }, roles)).toBeNull())
})

describe('explained amounts', () => {
  const labels = ['绩效', '加班费', '餐补', '社保', '公积金', '个税', '缺勤', '绩效', '补发']
  trial(
    'explained-pairs',
    'adds the explained amounts up to the difference of net pay, to the fen, for any two months',
    { full: 20_000, sample: 500, of: 'pairs of months', goal: '14' },
    ({ size, random }) => {
      const made = (): MonthItems => {
        const items = Array.from({ length: random.below(9) }, () => {
          const label = random.pick(labels)
          const fen = random.below(3) === 0 ? 0 : random.below(2_000_000) - 300_000
          return { label, fen, role: label === '个税' ? 'tax' : fen < 0 ? 'deduction' : 'earning' } as const
        })
        const sum = items.reduce((all, { fen }) => all + fen, 800_000)
        // A third of the sheets have hidden columns, or amounts that do not add up.
        const net_fen = random.below(3) === 0 ? sum + random.below(200_000) - 100_000 : sum
        return month(net_fen, items, {
          month: `2026-${String(1 + random.below(12)).padStart(2, '0')}`,
          taxable_fen: random.below(2) === 0 ? null : random.below(100_000_000),
        })
      }
      for (let at = 0; at < size; at += 1) {
        const [now, before] = [made(), made()]
        const lines = explainChanges(now, before)
        expect(lines.reduce((sum, { effect_fen }) => sum + effect_fen, 0)).toBe(now.net_fen - before.net_fen)
        expect(lines.filter(({ effect_fen, text }) => effect_fen === 0 || !/^.+。$/.test(text))).toEqual([])
        expect(explainChanges(now, { ...now, month: before.month })).toEqual([])
      }
    },
  )
})
