/** An open payslip: whether it is still valid, what has changed in it, and how long it stays open. */
import { describe, expect, test } from 'vitest'
import type { Payslip } from '../../server/contract/payslips/payslip.ts'
import { formatFen } from '../../server/contract/shared/money.ts'
import {
  comparePayslips,
  formatMinutes,
  formatRemainingTime,
  isPayslipStale,
} from '../../src/features/payslips/employee/open/compare-payslips.ts'
import { selectFirstThread } from '../../src/features/payslips/employee/open/feedback-subject.tsx'
import { formatIssuedAt } from '../../src/features/payslips/employee/open/format-issued-at.ts'

const visible = { version: 1, status: 'viewed', answer_unread: false }
const same = { ...visible, closed: false }
test.each([
  ['unchanged', same, false],
  ['viewed first elsewhere', { ...same, status: 'sent' }, false],
  ['corrected', { ...same, version: 2, status: 'sent' }, true],
  ['confirmed elsewhere or automatically', { ...same, status: 'confirmed' }, true],
  ['closed', { ...same, closed: true }, true],
  ['answered', { ...same, answer_unread: true }, true],
])('decides whether the shown payslip is outdated: %s', (_, viewed, stale) => expect(isPayslipStale(visible, viewed)).toBe(stale))

type Input = [label: string, fen: number | null, text?: string][]
const getSlip = (net_fen: number | null, cells: Input): Payslip => ({
  title: '十月工资',
  month: '2026-10',
  corp_name: '甲',
  name: '张三',
  net: net_fen === null ? null : { label: '实发工资', fen: net_fen },
  totals: null,
  groups: [
    {
      name: '应发',
      total_fen: null,
      cells: cells.map(([label, fen, text]) => ({
        key: `c${label.charCodeAt(0)}`,
        label,
        value: text ?? String(fen),
        kind: fen === null ? 'text' : 'money',
        fen,
        is_deduction: false,
        note: '',
      })),
    },
  ],
  hint: '',
})
describe('changes between two versions', () => {
  const before = getSlip(800_000, [
    ['基本', 800_000],
    ['备注', null, '满勤'],
  ])
  test.each<[what: string, after: Payslip, lines: string[]]>([
    ['nothing', before, []],
    [
      'an amount and its dependent amounts, the net pay first',
      getSlip(850_000, [
        ['基本', 850_000],
        ['备注', null, '满勤'],
      ]),
      ['实发工资 8,000.00→8,500.00', '基本 8,000.00→8,500.00'],
    ],
    [
      'a changed text',
      getSlip(800_000, [
        ['基本', 800_000],
        ['备注', null, '缺勤一天'],
      ]),
      ['备注 满勤→缺勤一天'],
    ],
    [
      'removed and added items',
      getSlip(800_000, [
        ['基本', 800_000],
        ['奖金', 100],
      ]),
      ['备注 满勤→', '奖金 →1.00'],
    ],
    [
      'a change of the net pay itself',
      getSlip(null, [
        ['基本', 800_000],
        ['备注', null, '满勤'],
      ]),
      ['实发工资 8,000.00→'],
    ],
  ])('%s', (_, after, lines) =>
    expect(comparePayslips(before, after, formatFen).map((one) => `${one.label} ${one.from}→${one.to}`)).toEqual(lines),
  )
  test('reports no change for the same amount in another format', () => {
    const after = getSlip(800_000, [
      ['基本', 800_000, '8,000.00'],
      ['备注', null, '满勤'],
    ])
    expect(comparePayslips(before, after, formatFen)).toEqual([])
  })
})

test.each([
  [5, '5 秒'],
  [60, '1 分 00 秒'],
  [125, '2 分 05 秒'],
  [3600, '1 小时 00 分'],
  [3725, '1 小时 02 分'],
  [86_400 * 2 + 3600, '2 天 1 小时'],
])('shows %i remaining seconds as %s', (seconds, text) => expect(formatRemainingTime(seconds)).toBe(text))
test.each([
  [1, '1 分钟'],
  [90, '90 分钟'],
  [120, '2 小时'],
  [43_200, '30 天'],
])('shows %i remaining minutes as %s', (minutes, text) => expect(formatMinutes(minutes)).toBe(text))

describe('thread that opens first', () => {
  const thread = (line: string | null, answer_unread = false, status: 'open' | 'answered' = 'open') => ({
    line,
    answer_unread,
    status,
  })
  test.each([
    ['a new one about the whole payslip', [], null],
    ['the only thread', [thread('c2', false, 'answered')], 'c2'],
    ['a thread without an answer before an answered one', [thread('c2', false, 'answered'), thread('c3')], 'c3'],
    ['the whole payslip', [thread(null), thread('c2')], null],
    ['an unread answer', [thread(null), thread('c2'), thread('c3', true)], 'c3'],
    ['the unread answer about the whole payslip', [thread(null, true), thread('c3', true)], null],
  ])('%s', (_, threads, line) => expect(selectFirstThread(threads)).toBe(line))
})

describe('time at which a list row was provided', () => {
  const line = (slip_id: string, title: string, sent_at: string | null, withdrawn_at: string | null = null) => ({
    slip_id,
    title,
    month: '2026-10',
    sent_at,
    withdrawn_at,
  })
  const morning = line('1', '十月工资', '2026-11-05T01:00:00Z')
  test.each([
    ['shows the day', morning, [morning], '2026-11-05 发放'],
    [
      'shows the minute next to a row of the same name and day',
      morning,
      [morning, line('2', '十月工资', '2026-11-05T08:30:00Z')],
      '2026-11-05 09:00 发放',
    ],
    [
      'shows the day next to a row of another day',
      morning,
      [morning, line('2', '十月工资', '2026-11-06T08:30:00Z')],
      '2026-11-05 发放',
    ],
    [
      'shows the day next to a row of another name',
      morning,
      [morning, line('2', '十月奖金', '2026-11-05T08:30:00Z')],
      '2026-11-05 发放',
    ],
    [
      'shows that the payslip was withdrawn, and when',
      line('1', '十月工资', '2026-11-05T01:00:00Z', '2026-11-07T01:00:00Z'),
      [],
      '公司已于 2026-11-07 撤回',
    ],
    ['shows the month where nothing was sent', line('1', '十月工资', null), [], '2026年10月'],
  ])('%s', (_, one, lines, text) => expect(formatIssuedAt(one, lines)).toBe(text))
})
