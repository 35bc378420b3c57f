/** Sheets with several amounts that may be the net pay: the rows prove which one is paid, or the user is asked. */
import { describe, expect, test } from 'vitest'
import { findMonths } from '../../../server/rules/months.ts'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { getBulkFixes } from '../../../src/features/sheets/check/issue-fixes.ts'
import { grid, type Read, read } from '../../support/files/grid.ts'
import { getCheck } from '../../support/sheets/checked.ts'

const getRoles = ({ columns }: Read) => Object.fromEntries(columns.map(({ path, role }) => [path.at(-1), role]))
const netQuestion = ({ questions }: Read) => questions.find(({ kind }) => kind === 'net')
const getKey = ({ columns }: Read, label: string) => columns.find(({ path }) => path.at(-1) === label)?.key
const names = ['晁景行', '芮月白', '蔺思齐', '鄢清和', '郜望舒']
const round = (amount: number) => Math.round(amount * 100) / 100

/** 核定奖金 − 单独计税 = 税后奖金; half of it, or another share, was paid before. */
function bonusSheet(paidNow: string, { half = false, after = '税后奖金', before = '春节前已付' } = {}): StoredValue[][] {
  const rows = names.map((name, at): StoredValue[] => {
    const bonus = 24_000 + at * 3_000
    const tax = round(bonus * 0.03)
    const paid = half ? round((bonus - tax) / 2) : 5_000 + at * 321.5
    return [name, bonus, tax, bonus - tax, paid, round(bonus - tax - paid)]
  })
  return [['姓名', '核定奖金', '单独计税', after, before, paidNow], ...rows]
}

describe('payment next to an earlier one', () => {
  test.each([
    '本次支付',
    '本次实付',
    '本次发放',
    '本次支付金额',
    '此次发放',
    '支付金额',
    '发放金额',
    '打款金额',
    '到账金额',
    '应付',
    '应付金额',
    '实发',
  ])('asks whether %s or 税后奖金 is paid, and suggests the remaining amount', (label) => {
    for (const half of [false, true]) {
      const match = read(bonusSheet(label, { half }))
      const requested = netQuestion(match)
      expect(requested).toMatchObject({ must: true, suggested: `net:${getKey(match, label)}` })
      expect(requested?.choices.map(({ label: choice }) => choice)).toEqual([
        expect.stringContaining('「税后奖金」，如'),
        expect.stringContaining(`「${label}」，如`),
      ])
      expect(getRoles(match)).toMatchObject({ [label]: 'net', 春节前已付: 'deduction', 税后奖金: 'info' })
      expect(match.formula).toMatchObject({ holds: 5, of: 5 })
    }
  })
  test('asks without a suggestion where nothing adds up', () => {
    const rows = bonusSheet('本次支付').map((row, at) => (at === 0 ? row : [...row.slice(0, 5), 3_000 + at * at * 17.31]))
    expect(netQuestion(read(rows))).toMatchObject({ must: true, suggested: '' })
  })
  test('does not ask where both are equal in every row', () => {
    const rows = bonusSheet('本次支付').map(([name, bonus, tax, after], at) => [
      name,
      bonus,
      tax,
      after,
      at === 0 ? '本次支付' : after,
    ])
    expect(netQuestion(read(rows as StoredValue[][]))).toBeUndefined()
  })
})

/** 底薪 + 岗位津贴 + a share − insurance − fund − tax = a subtotal; − 中旬已预支 = the amount paid to the card. */
function hotelSheet(
  subtotal: string,
  { share = '服务费分成', paid = '月底打卡数', advance = '中旬已预支' } = {},
): StoredValue[][] {
  const rows = names.map((name, at): StoredValue[] => {
    const items = [4_200 + at * 130, 600, 318.5 + at * 7, 462.3, 336, at % 3 ? round(12.45 * at) : 0]
    const [base = 0, post = 0, fee = 0, ...accepted] = items
    const due = round(base + post + fee - accepted.reduce((sum, one) => sum + one, 0))
    const before = [1_500, 0, 2_000, 1_000, 0][at] ?? 0
    return [name, ...items, due, before, round(due - before)]
  })
  return [['姓名', '底薪', '岗位津贴', share, '三险', '房积金', '所得税', subtotal, advance, paid], ...rows]
}
const hotelRoles = {
  底薪: 'earning',
  岗位津贴: 'earning',
  三险: 'deduction',
  所得税: 'tax',
  中旬已预支: 'deduction',
  月底打卡数: 'net',
}

describe('subtotal after the deductions', () => {
  test.each(['税后应得', '税后工资', '应得合计', '应发小计'])('treats %s as a subtotal and not as the gross pay', (label) => {
    const match = read(hotelSheet(label))
    expect(getRoles(match)).toMatchObject({ ...hotelRoles, 服务费分成: 'earning' })
    expect(['info', 'subtotal']).toContain(getRoles(match)[label])
    if (label.startsWith('税后')) expect(netQuestion(match)?.suggested).toBe(`net:${getKey(match, '月底打卡数')}`)
    expect(getCheck([grid(hotelSheet(label))]).issues.filter(({ level }) => level === 'error')).toEqual([])
  })
  test.each(['服务费分成', '服务费', '管理费奖励'])('reads %s as an earning, because every row adds it', (share) => {
    expect(getRoles(read(hotelSheet('应得合计', { share })))[share]).toBe('earning')
  })
  test('sends no payslip where the subtotal counts as gross and does not add up', () => {
    const rows = hotelSheet('应发合计').map((row, at) =>
      at === 0 ? row : row.map((cell, column) => (column === 3 ? Number(cell) * at : cell)),
    )
    expect(getCheck([grid(rows)]).issues.map(({ kind }) => kind)).toContain('slip_mismatch')
  })
  test('keeps a gross pay from which only absence was deducted', () => {
    const rows: StoredValue[][] = names.map((name, at) => {
      const [base, bonus, absence, tax] = [5_000 + at * 111, 300 + at * at * 7, at * 50, 20 + at * 3]
      return [name, base, bonus, absence, base + bonus - absence, tax, base + bonus - absence - tax]
    })
    const match = read([['姓名', '基本工资', '奖金', '请假扣款', '应发合计', '个税', '实发工资'], ...rows])
    expect(getRoles(match)).toMatchObject({ 应发合计: 'gross', 请假扣款: 'deduction', 实发工资: 'net' })
    expect(match.questions).toEqual([])
  })
})

/** 金额 + 高温费 − 水电 = the last column; two employees have two rows each. */
function pieceSheet(last: string): StoredValue[][] {
  const rows = names.flatMap((name, at): StoredValue[][] =>
    (at % 2 ? [1, 2] : [1]).map((line) => {
      const amount = round((900 + at * 31 + line * 120) * (line === 1 ? 2.4 : 1.35))
      const [heat, water] = line === 1 ? [180, round(36.8 + at)] : [0, 0]
      return [name, line === 1 ? '分拣' : '贴标', amount, heat, water, round(amount + heat - water)]
    }),
  )
  return [['姓名', '工序', '计件金额', '高温费', '水电', last], ...rows]
}

describe('net pay without a recognisable label', () => {
  test.each(['所得', '本月所得', '拿到', '合计', '本人的'])(
    'offers or selects %s, which is the sum of the others, and no item',
    (last) => {
      const match = read(pieceSheet(last))
      const key = getKey(match, last)
      const requested = netQuestion(match)
      if (requested) {
        expect(requested.suggested).toBe(`net:${key}`)
        expect(requested.choices.map(({ value }) => value)).toContain(`net:${key}`)
      } else expect(match.net_column).toBe(key)
    },
  )
  test('suggests no item as the net pay', () => {
    const rows = names.map((name, at): StoredValue[] => [name, 4_000 + at * 91, 300 + at * 17, 180])
    expect(netQuestion(read([['姓名', '计件工资', '餐补', '高温费'], ...rows]))).toMatchObject({ must: true, suggested: '' })
  })
  test('combines the rows of one name before skipping one of them', () => {
    const { issues: problems } = getCheck([grid(pieceSheet('实发'))])
    const twice = problems.filter(({ kind }) => kind === 'duplicate_person')
    expect(twice.map(({ fix }) => fix[0])).toEqual(['combine', 'match', 'combine', 'match'])
    const issues = twice.map((one, at) => ({ ...one, id: String(at), candidates: [] })) as unknown as Parameters<
      typeof getBulkFixes
    >[1]
    const group = { kind: 'duplicate_person', level: 'error', count: twice.length } as const
    const [first] = getBulkFixes(group, issues, true)
    expect(first).toMatchObject({ fix: 'combine', count: 2, actions: [{ problem_id: '0' }, { problem_id: '2' }] })
  })
})

describe('month named as the last one', () => {
  test.each([
    ['2026年11月10日发放上月工资', '2026-10'],
    ['2027年1月15日发放上个月工资', '2026-12'],
    ['11月代发上月份工资', '-10'],
    ['2026年11月工资', '2026-11'],
    ['2026年11月工资（含补上月工资）', '2026-11'],
  ])('reads %s as %s', (title, month) => expect(findMonths(title, undefined)).toEqual([month]))
})
