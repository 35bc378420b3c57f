/** Questions about a sheet as a whole, as the issue page shows them: one table per kind. */
import { describe, expect, it } from 'vitest'
import { parseDeclaredTotals } from '../../../server/modules/sheets/rules/declared-totals.ts'
import { getGrid, getRead, type Input } from '../../support/clerk.ts'

type Case = [situation: string, given: Input, read: string[]]
const reads = (cases: Case[]) => it.each(cases)('%s', (_, provided, expected) => expect(getRead(provided)).toEqual(expected))
const three = `
  姓名 | 应发 | 社保 | 奖金 | 实发
  张三 | 8000 | 500  | 110  | 7500
  李四 | 9000 | 500  | 110  | 8500
  王五 | 7000 | 500  | 110  | 6500
`
const sum = '实发 = 应发 − 社保'
const before = { title: '十月工资', month: '2026-10' }

describe('文件上传过', () =>
  reads([
    [
      'the same file',
      { sheet: three, after: { same_file: { ...before, by: 'file' } } },
      ['请确认 文件上传过：整张表 这个文件已经上传过（十月工资 2026-10），请确认不是重复发放 → 接受'],
    ],
    [
      'the same in another file',
      { sheet: three, after: { same_file: { ...before, by: 'content' } } },
      ['请确认 文件上传过：整张表 每一格内容都与已上传的另一批相同（十月工资 2026-10），请确认不是重复发放 → 接受'],
    ],
    [
      'of a title without a month',
      { sheet: three, after: { same_file: { title: '年终奖', month: '', by: 'file' } } },
      ['请确认 文件上传过：整张表 这个文件已经上传过（年终奖），请确认不是重复发放 → 接受'],
    ],
    ['accepted', { sheet: three, accepted: { 0: ['same_file:'] }, after: { same_file: { ...before, by: 'file' } } }, []],
  ]))

describe('月份不一致', () =>
  reads([
    [
      'another month',
      { sheet: three, declared_month: '2026-09', title_month: '2026-10' },
      ['请确认 月份不一致：整张表 表里写的是 2026-09，这一批的月份是 2026-10；请确认没有传错表，或修改标题的月份 → 接受'],
    ],
    [
      'the same month of another year',
      { sheet: three, declared_month: '2025-10', title_month: '2026-10' },
      ['请确认 月份不一致：整张表 表里写的是 2025-10，这一批的月份是 2026-10；请确认没有传错表，或修改标题的月份 → 接受'],
    ],
    ['the same month', { sheet: three, declared_month: '2026-10', title_month: '2026-10' }, []],
    ['the sheet says none', { sheet: three, declared_month: null, title_month: '2026-10' }, []],
    ['the title has none', { sheet: three, declared_month: '2026-09', title_month: null }, []],
  ]))

describe('本月已发过', () =>
  reads([
    [
      'one of them',
      { sheet: three, already: ['李四'] },
      ['请确认 本月已发过：第 3 行 李四 同一标题、同一月份里已经给此人发过工资条，请确认是否重复 → 接受｜跳过此人'],
    ],
    ['accepted', { sheet: three, already: ['李四'], accepted: { 3: ['same_month:c0'] } }, []],
    ['his row is left out', { sheet: three, already: ['李四'], skipped: [3] }, []],
  ]))

describe('隐藏的行', () =>
  reads([
    [
      'in the middle',
      { sheet: three, hidden_rows: new Set([3]) },
      ['请确认 隐藏的行：第 3 行 李四 这一行在文件里是隐藏的，发送时会包括此人；请确认，或跳过这一行 → 接受｜跳过此人'],
    ],
    ['accepted', { sheet: three, hidden_rows: new Set([3]), accepted: { 3: ['hidden_row:c0'] } }, []],
    ['that is no row of people', { sheet: three, hidden_rows: new Set([1, 9]) }, []],
  ]))

describe('号码与别人相同', () => {
  const head = '姓名 | 手机号 | 银行卡号 | 实发'
  const two = (zhang: string, li: string, more: Partial<Input> = {}): Input => ({
    sheet: `${head}\n张三 | ${zhang} | 5000\n李四 | ${li} | 5000`,
    ...more,
  })
  reads([
    [
      'a bank account',
      two('13800000000 | 6222 0200 0000 0001', '13800000001 | 6222020000000001'),
      [
        '请确认 号码与别人相同：第 2 行 张三（银行卡号 6222 0200 0000 0001） 第 2、3 行的银行卡号相同，却不是同一个人；请核对是否粘贴错了 → 修改单元格｜接受｜跳过此人',
        '请确认 号码与别人相同：第 3 行 李四（银行卡号 6222020000000001） 第 2、3 行的银行卡号相同，却不是同一个人；请核对是否粘贴错了 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'accepted of one: the other still asks',
      two('| 6222020000000001', '| 6222020000000001', { accepted: { 2: ['same_number:c2'] } }),
      [
        '请确认 号码与别人相同：第 3 行 李四（银行卡号 6222020000000001） 第 2、3 行的银行卡号相同，却不是同一个人；请核对是否粘贴错了 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'a phone that a couple shares',
      {
        sheet: '姓名 | 手机号 | 实发\n王芳 | 13800000001 | 5000\n王伟 | 138 0000 0001 | 5000',
        selected: { 2: '王芳', 3: '王伟' },
      },
      [
        '请确认 号码与别人相同：第 2 行 王芳（手机号 13800000001） 第 2、3 行的手机号相同，却不是同一个人；请核对是否粘贴错了 → 修改单元格｜接受｜跳过此人',
        '请确认 号码与别人相同：第 3 行 王伟（手机号 138 0000 0001） 第 2、3 行的手机号相同，却不是同一个人；请核对是否粘贴错了 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'the same person again: that is another problem',
      two('| 6222020000000001', '| 6222020000000002', { selected: { 3: '张三' }, skipped: [2] }),
      [],
    ],
    ['a word in its place', two('13800000000 | 现金', '13800000001 | 现金'), []],
    ['a short number is none', two('13800000000 | 12345', '13800000001 | 12345'), []],
    [
      'digits that were lost say nothing',
      two('13800000000 | 丢了末尾', '13800000001 | 丢了末尾', {
        accepted: { 2: ['damaged_number:c2'], 3: ['damaged_number:c2'] },
      }),
      [],
    ],
    ['one of them is left out', two('| 6222020000000001', '| 6222020000000001', { skipped: [3] }), []],
  ])
})

describe('合计行对不上', () => {
  const stated = (...amounts: [key: string, fen: number, within?: number][]) => ({
    row: 9,
    label: '合计',
    amounts: amounts.map(([key, fen, within = 0]) => ({ key, fen, tolerance: within })),
  })
  reads([
    ['as it ought to be', { sheet: three, declared: stated(['c1', 2_400_000], ['c4', 2_250_000]) }, []],
    [
      'a row is missing',
      { sheet: three, declared: stated(['c1', 3_000_000], ['c4', 2_800_000]) },
      [
        '请确认 合计行对不上：第 9 行 表里合计行的「应发」写的是 30,000.00，各行相加是 24,000.00，请核对是否漏行或改过数 → 接受',
        '请确认 合计行对不上：第 9 行 表里合计行的「实发」写的是 28,000.00，各行相加是 22,500.00，请核对是否漏行或改过数 → 接受',
      ],
    ],
    [
      'a fen',
      { sheet: three, declared: stated(['c4', 2_250_001]) },
      ['请确认 合计行对不上：第 9 行 表里合计行的「实发」写的是 22,500.01，各行相加是 22,500.00，请核对是否漏行或改过数 → 接受'],
    ],
    ['shown without decimals: half a yuan is within it', { sheet: three, declared: stated(['c4', 2_250_050, 50]) }, []],
    [
      'and a fen more is not',
      { sheet: three, declared: stated(['c4', 2_250_051, 50]) },
      ['请确认 合计行对不上：第 9 行 表里合计行的「实发」写的是 22,500.51，各行相加是 22,500.00，请核对是否漏行或改过数 → 接受'],
    ],
    [
      'everywhere: one question',
      { sheet: three, declared: stated(['c1', 1], ['c2', 1], ['c3', 1], ['c4', 1]) },
      [
        '请确认 合计行对不上：第 9 行 表里合计行有 4 列与各行相加不一致：「实发」写的是 0.01，各行相加是 22,500.00；另有「应发」「社保」「奖金」；请核对是否漏行 → 接受',
      ],
    ],
    [
      'one column accepted',
      { sheet: three, declared: stated(['c1', 1], ['c4', 1]), accepted: { 0: ['total_row_mismatch:c1'] } },
      ['请确认 合计行对不上：第 9 行 表里合计行的「实发」写的是 0.01，各行相加是 22,500.00，请核对是否漏行或改过数 → 接受'],
    ],
    ['a row left out here stands in the sheet', { sheet: three, declared: stated(['c4', 2_250_000]), skipped: [3] }, []],
    [
      'a row of another part does not',
      { sheet: three, declared: stated(['c4', 2_250_000]), isInTotals: (row) => row !== 3 },
      ['请确认 合计行对不上：第 9 行 表里合计行的「实发」写的是 22,500.00，各行相加是 14,000.00，请核对是否漏行或改过数 → 接受'],
    ],
    [
      'nobody kept the cells: the net pay alone',
      { sheet: three, totals_row: { row: 9, net_fen: 2_800_000, agrees: false } },
      ['请确认 合计行对不上：第 9 行 表里合计行的实发 28,000.00 与各行相加不一致，请核对 → 接受'],
    ],
    [
      'nor the net pay',
      { sheet: three, totals_row: { row: 9, net_fen: null, agrees: false } },
      ['请确认 合计行对不上：第 9 行 表里合计行的实发 与各行相加不一致，请核对 → 接受'],
    ],
    ['it says nothing', { sheet: three, totals_row: { row: 9, net_fen: null, agrees: null } }, []],
  ])
})

describe('declared totals', () => {
  const columns = getGrid('姓名 | 手机号 | 银行卡号 | 基本工资 | 奖金 | 应发 | 社保 | 个税 | 实发').columns
  const places = new Map(columns.map(({ key }, at) => [key, at]))
  const stated = (cells: string[], power: 0 | 3 | 4 = 0) =>
    parseDeclaredTotals(9, cells, { columns, places, powers: new Map(columns.map(({ key }) => [key, power])) })
  it('accepts a declared total shown without its decimals as the same', () => {
    expect(stated(['', '', '', '13', '12.5', '12.50']).amounts).toEqual([
      { key: 'c3', fen: 1_300, tolerance: 50 },
      { key: 'c4', fen: 1_250, tolerance: 5 },
      { key: 'c5', fen: 1_250, tolerance: 0 },
    ])
    expect(stated(['', '', '', '1.3'], 4).amounts).toEqual([{ key: 'c3', fen: 1_300_000, tolerance: 50_000 }])
  })
})

describe('实发对不上: whole sheet', () => {
  const off = three.replaceAll(/\d+$/gm, '7390')
  reads([
    [
      'it added up last time, nothing does now',
      { sheet: three, sumBefore: sum },
      ['必须处理 实发对不上：整张表 上次同样的表各项相加等于实发，这次大部分行都不等；可能有一列错位了，请核对后再继续 → 接受'],
    ],
    ['it added up last time and does now', { sheet: three, sumBefore: sum, sum }, []],
    ['last time two rows did: that is no rule', { sheet: three, sumBefore: `${sum}，2 行中 2 行` }, []],
    ['last time too few did', { sheet: three, sumBefore: `${sum}，9 行中 7 行` }, []],
    ['accepted', { sheet: three, sumBefore: sum, accepted: { 0: ['sum_mismatch:c4'] } }, []],
    [
      'another sum holds: two headings changed places',
      { sheet: three, sumBefore: '实发 = 应发 − 奖金', sum },
      [
        '必须处理 实发对不上：整张表 实发的算法和上次不同：按上次的算法，大部分行都不相等，换一种加减才相等；可能有两列的列名写反了，请核对表头和内容，确认无误才接受 → 接受',
      ],
    ],
    ['a column more', { sheet: three, sumBefore: '实发 = 应发', sum }, []],
    [
      'a new column in the place of an old one',
      { sheet: three, sumBefore: '实发 = 应发 − 奖金', sum, newColumns: new Set(['c2']) },
      [],
    ],
    [
      'rows that do not keep it are told one by one',
      { sheet: off, sumBefore: sum, sum: `${sum}，100 行中 97 行` },
      [
        '必须处理 实发对不上：第 2 行 张三（实发 7390） 各项相加得 7,500.00，「实发」写的是 7,390.00，相差 110.00 → 改为 7,500.00｜修改单元格｜接受｜跳过此人',
        '必须处理 实发对不上：第 3 行 李四（实发 7390） 各项相加得 8,500.00，「实发」写的是 7,390.00，相差 1,110.00 → 改为 8,500.00｜修改单元格｜接受｜跳过此人',
        '必须处理 实发对不上：第 4 行 王五（实发 7390） 各项相加得 6,500.00，「实发」写的是 7,390.00，相差 890.00 → 改为 6,500.00｜修改单元格｜接受｜跳过此人',
      ],
    ],
  ])
})
