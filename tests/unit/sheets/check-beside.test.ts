/**
 * Amounts pasted, sorted or shifted in a sheet compared with last month's, and the complete issue text: row, columns,
 * example, buttons.
 */
import { describe, expect, it } from 'vitest'
import { getRead, getRoster, type Input } from '../../support/clerk.ts'
import { september } from '../../support/sheets/tables.ts'

const roster = getRoster('姓名\n赵一\n钱二\n孙三\n李四\n周五\n吴六\n郑七\n王八\n冯九\n陈十\n新来的人')
const columnMap = { 基本工资: 1, 加班费: 2, 养老保险: 3, 公积金: 4, 实发: 5 } as const
type Label = keyof typeof columnMap
const amounts: Label[] = ['基本工资', '加班费', '养老保险', '公积金', '实发']

const getLines = (sheet: string): string[][] =>
  sheet
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
const getSheet = (lines: string[][]): string => lines.map((line) => line.join(' | ')).join('\n')
/** October: overtime differs for everybody. Line 0 is the header, so line 3 is row 4 of the file. */
const october = getLines(september).map((line, at) =>
  at === 0 ? line : line.map((cell, column) => (column === columnMap.加班费 ? (33.3 * at).toFixed(2) : cell)),
)

/** Takes these columns of a line from another line. */
function accept(labels: Label[], from: (line: number) => number): string {
  const columns = labels.map((label) => columnMap[label])
  return getSheet(
    october.map((line, at) =>
      line.map((cell, column) => (columns.some((one) => one === column) ? (october[from(at)]?.[column] ?? '') : cell)),
    ),
  )
}
const swapped = (labels: Label[], one: number, other: number) =>
  accept(labels, (at) => (at === one ? other : at === other ? one : at))
const slipped = (labels: Label[], from: number, to: number, by: number) =>
  accept(labels, (at) => (at >= from && at <= to ? at + by : at))
const order = [0, 5, 1, 8, 3, 10, 2, 6, 9, 4, 7]
const sorted = (labels: Label[]) => accept(labels, (at) => order[at] ?? at)
const times = (labels: Label[], by: number) =>
  getSheet(
    october.map((line, at) =>
      line.map((cell, column) =>
        at > 0 && cell && labels.some((label) => columnMap[label] === column) ? (Number(cell) * by).toFixed(2) : cell,
      ),
    ),
  )

type Case = [situation: string, sheet: string, read: string[], more?: Partial<Input>]
const reads = (cases: Case[]) =>
  it.each(cases)('%s', (_, sheet, expected, more) =>
    expect(getRead({ roster, last: september, sheet, ...more })).toEqual(expected),
  )

describe('unusual amounts without an issue', () =>
  reads([
    ['an ordinary month', getSheet(october), []],
    ['a raise of five per cent for everybody', times(['基本工资'], 1.05), []],
    ['from top to bottom', getSheet([october[0] ?? [], ...october.slice(1).toReversed()]), []],
    ['overtime that was sorted: it varies every month', sorted(['加班费']), []],
    ['nobody was paid last time', getSheet(october), [], { last: '' }],
  ]))

describe('两人金额疑似互换', () =>
  reads([
    [
      'whole rows: told once, at the upper one',
      swapped(amounts, 3, 7),
      [
        '必须处理 两人金额疑似互换：第 4 行 孙三 「孙三」（第 4 行）和「郑七」（第 8 行）的金额疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受 → 换回｜接受｜跳过此人',
      ],
    ],
    [
      'the upper one is left out: told at the other, and nothing to change back',
      swapped(amounts, 3, 7),
      [
        '必须处理 两人金额疑似互换：第 8 行 郑七 「郑七」（第 8 行）的金额更像是「孙三」（第 4 行）上月的，与本人上月的不同，可能错行；请核对，确认无误才接受 → 接受｜跳过此人',
      ],
      { skipped: [4] },
    ],
    [
      'two whose fixed figures are the same: what differs is told',
      swapped(amounts, 1, 5),
      [
        '必须处理 两人金额疑似互换：第 2 行 赵一（实发 7175.6） 「赵一」（第 2 行）和「周五」（第 6 行）的「实发」疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受 → 换回｜接受｜跳过此人',
      ],
    ],
    ['accepted at the upper one', swapped(amounts, 3, 7), [], { accepted: { 4: ['swapped_rows:'] } }],
    [
      'one column: it is named, and its cell',
      swapped(['公积金'], 2, 9),
      [
        '必须处理 两人金额疑似互换：第 3 行 钱二（公积金 520） 「钱二」（第 3 行）和「冯九」（第 10 行）的「公积金」疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受 → 换回｜接受｜跳过此人',
      ],
    ],
    [
      'accepted for another column it is still asked',
      swapped(['公积金'], 2, 9),
      [
        '必须处理 两人金额疑似互换：第 3 行 钱二（公积金 520） 「钱二」（第 3 行）和「冯九」（第 10 行）的「公积金」疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受 → 换回｜接受｜跳过此人',
      ],
      { accepted: { 3: ['swapped_rows:c3'] } },
    ],
    [
      'of somebody who is not in this sheet: nobody is named',
      getSheet(
        october.filter((_, at) => at !== 7).map((line) => (line[0] === '孙三' ? ['孙三', ...(october[7] ?? []).slice(1)] : line)),
      ),
      [
        '必须处理 两人金额疑似互换：第 4 行 孙三 「孙三」（第 4 行）的金额与本人上月的不同，更像是另一位这次不在表里的人的，可能错行了；请核对，确认无误才接受 → 接受｜跳过此人',
      ],
    ],
    [
      'beside what others of the company paid: no amount, and why',
      swapped(amounts, 3, 7),
      [
        '必须处理 两人金额疑似互换：第 4 行 孙三 「孙三」（第 4 行）和「郑七」（第 8 行）的金额疑似互换：两人本月金额分别与对方上月接近；请核对，确认无误才接受（与公司此前发过的工资比对，那次不由您经手，不显示金额） → 换回｜接受｜跳过此人',
      ],
      { last: '', others: september },
    ],
  ]))

describe('整列错行', () =>
  reads([
    [
      'down by one: what stands above',
      slipped(amounts, 4, 10, -1),
      [
        '必须处理 整列错行：第 5 行 李四 第 5–11 行的金额整体错位：每一行都更像是上方相邻一行的人上月的数，例如「李四」这一行更像是「孙三」的；请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
    ],
    [
      'up by one: what stands below',
      slipped(amounts, 2, 8, 1),
      [
        '必须处理 整列错行：第 3 行 钱二 第 3–9 行的金额整体错位：每一行都更像是下方相邻一行的人上月的数，例如「钱二」这一行更像是「孙三」的；请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
    ],
    [
      'by two: how many is said',
      slipped(amounts, 3, 8, 2),
      [
        '必须处理 整列错行：第 4 行 孙三 第 4–9 行的金额整体错位：每一行都更像是下方第 2 行的人上月的数，例如「孙三」这一行更像是「周五」的；请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
    ],
    [
      'the first of them is left out: the next one is the example',
      slipped(amounts, 4, 10, -1),
      [
        '必须处理 整列错行：第 6 行 周五 第 6–11 行的金额整体错位：每一行都更像是上方相邻一行的人上月的数，例如「周五」这一行更像是「李四」的；请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
      { skipped: [5] },
    ],
    [
      'two columns by as much are one mistake',
      slipped(['养老保险', '公积金'], 3, 8, -1),
      [
        '必须处理 整列错行：第 4 行 孙三（养老保险 608.2） 第 4–9 行的「养老保险」「公积金」整体错位：每一行都更像是上方相邻一行的人上月的数，例如「孙三」这一行更像是「钱二」的；请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
    ],
    [
      'one column by two',
      slipped(['养老保险'], 2, 7, 2),
      [
        '必须处理 整列错行：第 3 行 钱二（养老保险 768） 第 3–8 行的「养老保险」整体错位：每一行都更像是下方第 2 行的人上月的数，例如「钱二」这一行更像是「李四」的；请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
    ],
    ['accepted', slipped(['养老保险'], 2, 7, 2), [], { accepted: { 3: ['shifted_rows:c3'] } }],
    [
      'one column was sorted without the names',
      sorted(['公积金']),
      [
        '必须处理 整列错行：第 3 行 钱二（公积金 400） 「公积金」和姓名对不上：9 人与本人上月的相差很大，有的多、有的少，合计却差不多，像是换了顺序（第 3 行「钱二」、第 4 行「孙三」、第 5 行「李四」）；请核对是否错行，确认无误才接受 → 接受',
      ],
    ],
    [
      'all amounts were: one question of the whole sheet',
      sorted(amounts),
      [
        '必须处理 整列错行：第 3 行 钱二 整张表的金额和姓名对不上：9 人的「基本工资」「养老保险」「公积金」与本人上月的相差很大，像是换了顺序（第 3 行「钱二」、第 4 行「孙三」、第 5 行「李四」）；可能只给一部分列排了序，请在表里对齐后重新上传，确认无误才接受 → 接受',
      ],
    ],
  ]))

describe('金额单位变了', () => {
  const format = (what: string, by: string, level: '必须处理' | '请确认') =>
    `${level} 金额单位变了：整张表 ${what}几乎每个人都${by}，金额单位可能变了；请核对，确认无误才接受 → ${level === '请确认' ? '接受' : '接受'}`
  reads([
    ['twice as much', times(['基本工资'], 2), []],
    ['ten times, perhaps meant', times(['基本工资'], 10), [format('「基本工资」', '是上次的 10 倍', '请确认')]],
    ['a tenth', times(['基本工资'], 0.1), [format('「基本工资」', '只有上次的 1/10', '请确认')]],
    ['fen', times(['基本工资'], 100), [format('「基本工资」', '是上次的 100 倍（元与分）', '必须处理')]],
    ['from fen', times(['基本工资'], 0.01), [format('「基本工资」', '只有上次的 1/100', '必须处理')]],
    ['a thousandth', times(['基本工资'], 0.001), [format('「基本工资」', '只有上次的 1/1,000', '必须处理')]],
    ['a thousand times', times(['基本工资'], 1_000), [format('「基本工资」', '是上次的 1,000 倍（元与千元）', '必须处理')]],
    ['ten thousand times', times(['基本工资'], 10_000), [format('「基本工资」', '是上次的 10,000 倍（元与万元）', '必须处理')]],
    ['a hundred thousand times is no unit', times(['公积金'], 100_000), []],
    [
      'the net pay: nobody is asked about one by one',
      times(['实发'], 100),
      [format('「实发」', '是上次的 100 倍（元与分）', '必须处理')],
    ],
    [
      'columns in one unit are one question, the net pay first',
      times(['基本工资', '养老保险', '公积金', '实发'], 100),
      [format('「实发」「基本工资」「养老保险」等 4 列', '是上次的 100 倍（元与分）', '必须处理')],
    ],
    [
      'columns in two units are two questions',
      times(['养老保险'], 100).replaceAll(
        /\| (\d+) \| ([\d.]+)$/gm,
        (_, fund: string, net: string) => `| ${Number(fund) * 10} | ${net}`,
      ),
      [format('「养老保险」', '是上次的 100 倍（元与分）', '必须处理'), format('「公积金」', '是上次的 10 倍', '请确认')],
    ],
  ])
})

describe('与上月一模一样', () => {
  const same = getSheet(getLines(september))
  reads([
    ['one is left out: the others were not all', same, [], { skipped: [5] }],
    ['and somebody new', `${same}\n新来的人 | 5000 | | 300 | 200 | 4500`, []],
    [
      'a column is new, though it is empty',
      getSheet(getLines(september).map((line, at) => [...line, at === 0 ? '补贴' : ''])),
      [],
    ],
    [
      'a column is gone',
      getSheet(getLines(september).map((line) => line.filter((_, at) => at !== columnMap.加班费))),
      ['请确认 与上月一模一样：整张表 10 个人的每一项金额都与上次完全相同，可能误传了上次的表；请确认 → 接受'],
    ],
    ['of others of the company: nobody may know that he met every figure', same, [], { last: '', others: september }],
  ])
})

describe('列的内容换了位置', () => {
  const exchanged = getSheet(october).replace('养老保险 | 公积金', '公积金 | 养老保险')
  const moved = (label: string, from: string, more = '') =>
    `必须处理 列的内容换了位置：整张表 「${label}」这一列里是上次「${from}」的数（10 人中有 10 人相同），可能整列放错了位置；请核对表头和内容，确认无误才接受${more} → 接受`
  reads([
    ['two headings changed places', exchanged, [moved('公积金', '养老保险'), moved('养老保险', '公积金')]],
    [
      'beside what others of the company paid',
      exchanged,
      [moved('公积金', '养老保险', unseen()), moved('养老保险', '公积金', unseen())],
      { last: '', others: september },
    ],
    ['one of two is accepted', exchanged, [moved('养老保险', '公积金')], { accepted: { 0: ['column_moved:c3'] } }],
    [
      'under a heading whose own column is gone',
      getSheet(october.map((line) => line.filter((_, at) => at !== columnMap.养老保险))).replace('公积金', '养老保险'),
      [moved('养老保险', '公积金')],
    ],
  ])
})
function unseen(): string {
  return '（与公司此前发过的工资比对，那次不由您经手，不显示金额）'
}
