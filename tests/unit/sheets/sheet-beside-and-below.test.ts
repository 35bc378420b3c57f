/**
 * Two tables with different headers on one sheet, and months one below the other: no employee is paid twice or lost,
 * and both tables can be read.
 */
import { describe, expect, test } from 'vitest'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../../support/files/grid.ts'
import type { Layout } from '../../support/files/sheet-layouts.ts'
import { getCheck } from '../../support/sheets/checked.ts'
import { asExpected, getLines, getSheets, readLayout, storedOf } from '../../support/sheets/drawn.ts'
import { copied, getHead, getLeaves, indexOf, over } from '../../support/sheets/spoilt.ts'
import { staffAndLabour } from '../../support/sheets/tables.ts'

type Case = [what: string, sheet: string, expected: string]
const notify = (cases: readonly Case[]) =>
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )
const bonusComparison = `
  姓名 | 基本工资 | 实发工资 | | | 姓名 | 补发工资
  张三 | 5000 | 5000 | | | 张三 | 800
  李四 | 6000 | 6000 | | | 李四 | 900`
const getQuestions = (text: string, requested?: string[]) =>
  recognizeWorkbook(getSheets(text, {}), requested).recognition.questions

describe('two tables with different headers', () => {
  test('offers one or both tables with employees and pay', () => {
    const [requested, ...more] = getQuestions(staffAndLabour)
    expect(more).toEqual([])
    expect(requested).toMatchObject({ id: 'several_tables', must: true, suggested: 'one' })
    expect(requested?.choices.map(({ value }) => value)).toEqual(['one', 'all'])
    expect(requested?.message).toContain('它的表头不同，但姓名和实发对得上')
  })

  test('combines both with their own columns, sharing names and net pay whatever their labels', () => {
    const names = ['Sheet1', 'Sheet1 · 第 2 张表']
    const { recognition, grids } = recognizeWorkbook(getSheets(staffAndLabour, {}), names)
    expect(grids).toHaveLength(2)
    expect(recognition.questions).toEqual([])
    expect(recognition.people).toBe(4)
    expect(recognition.net_sum_fen).toBe(2_210_000)
    expect(recognition.columns.map(({ label, role }) => `${label}=${role}`).toSorted()).toEqual(
      [
        '姓名=name',
        '出勤天数=info',
        '日工资=info',
        '应发=gross',
        '实发工资=net',
        '基本工资=earning',
        '绩效=earning',
        '社保=deduction',
      ].toSorted(),
    )
    expect(getCheck(getSheets(staffAndLabour, {}), { requested: names }).issues.map(({ kind, row }) => `${kind} ${row}`)).toEqual(
      [],
    )
    expect(storedOf(staffAndLabour, {}, names)).toHaveLength(4)
  })

  test('reads each of two tables alone', () => {
    for (const [at, name] of ['Sheet1', 'Sheet1 · 第 2 张表'].entries()) {
      const { recognition } = recognizeWorkbook(getSheets(staffAndLabour, {}), [name])
      expect([recognition.people, recognition.net_sum_fen]).toEqual([2, [1_370_000, 840_000][at]])
      expect(recognition.questions).toEqual([])
    }
  })

  test('explains what to do for tables that cannot be combined, and accepts the explained fix', () => {
    const [requested] = getQuestions(bonusComparison)
    expect(requested?.choices.map(({ value }) => value)).toEqual(['one'])
    expect(requested?.message).toBe(
      '「Sheet1 · 第 2 张表」里另有 2 人，没有读入。它的表头不同，姓名和实发对不上，不能一起发：这次先发「Sheet1」，再把这个文件上传一次，在「选择工作表」里选「Sheet1 · 第 2 张表」单独发',
    )
    const { recognition } = recognizeWorkbook(getSheets(bonusComparison, {}), ['Sheet1 · 第 2 张表'])
    expect([recognition.kind, recognition.people]).toEqual(['wage', 2])
  })

  test('does not combine columns of one label with different roles', () => {
    const mixed = `
      姓名 | 应发工资 | 个税 | 税后工资
      张三 | 5000 | 100 | 4900
      李四 | 6000 | 200 | 5800

      姓名 | 课时费 | 代课费 | 税后工资 | 代扣房租 | 实发工资
      王五 | 100 | 50 | 150 | 20 | 130
      赵六 | 200 | 50 | 250 | 20 | 230`
    const [requested] = getQuestions(mixed)
    expect(requested?.choices.map(({ value }) => value)).toEqual(['one'])
    const names = recognizeWorkbook(getSheets(mixed, {})).recognition.sheets.map(({ name }) => name)
    expect(recognizeWorkbook(getSheets(mixed, {}), names).recognition).toMatchObject({ kind: 'not_a_wage_sheet', people: 0 })
  })
})

describe('months one below the other', () => {
  const byColumn = `
    月份 | 姓名 | 基本工资 | 奖金 | 实发工资
    2026年9月 | 吴磊 | 8000 | 100 | 8100
    2026年9月 | 郑爽 | 9000 | 200 | 9200
    2026年10月 | 吴磊 | 8000 | 300 | 8300
    2026年10月 | 郑爽 | 9000 | 400 | 9400`
  const last = '必答 several_tables→one\n实发 17700\n月份 2026-10'
  notify([
    ['by a column', byColumn, `人员 4 5\n${last}`],
    [
      'named once a block, with totals of each',
      `月份 | 姓名 | 基本工资 | 实发工资
       2026-09 | 吴磊 | 8100 | 8100
        | 郑爽 | 9200 | 9200
        | 合计 | 17300 | 17300
       2026-10 | 吴磊 | 8300 | 8300
        | 郑爽 | 9400 | 9400
        | 合计 | 17700 | 17700`,
      `人员 5 6\n合计 7 相符\n${last}`,
    ],
    [
      'one total of all months is of none',
      `${byColumn}
       合计 | | 34000 | 1000 | 35000`,
      `人员 4 5\n合计 无\n${last}`,
    ],
    [
      'people sorted by name',
      `月份 | 姓名 | 实发工资
       202609 | 吴磊 | 8100
       202610 | 吴磊 | 8300
       202609 | 郑爽 | 9200
       202610 | 郑爽 | 9400`,
      `人员 3 5\n${last}`,
    ],
    [
      'by a title over each block, with the header again',
      `2026年9月工资表
       姓名 | 基本工资 | 实发工资
       吴磊 | 8100 | 8100
       郑爽 | 9200 | 9200
       2026年10月工资表
       姓名 | 基本工资 | 实发工资
       吴磊 | 8300 | 8300
       郑爽 | 9400 | 9400`,
      `表头 2\n人员 7 8\n${last}`,
    ],
    [
      'by a title without the header, in the column of names',
      `2026年9月
       姓名 | 基本工资 | 实发工资
       吴磊 | 8100 | 8100
       郑爽 | 9200 | 9200
       2026年10月
       吴磊 | 8300 | 8300
       郑爽 | 9400 | 9400`,
      `人员 6 7\n${last}`,
    ],
    [
      'an amount of nobody stays with its month',
      `月份 | 姓名 | 基本工资 | 实发工资
       2026年9月 | 吴磊 | 8100 | 8100
       2026年9月 | 郑爽 | 9200 | 9200
       2026年10月 | 吴磊 | 8300 | 8300
       2026年10月 | 郑爽 | 9400 | 9400
       2026年10月 | 1024 | 5000 | 5000`,
      `人员 4 5\n归谁 6\n必答 several_tables→one`,
    ],
    [
      'other people in each month are one list',
      `月份 | 姓名 | 实发工资
       2026年9月 | 吴磊 | 8100
       2026年9月 | 郑爽 | 9200
       2026年10月 | 王五 | 8300
       2026年10月 | 赵六 | 9400`,
      '人员 2 3 4 5\n必答',
    ],
    [
      'one person over many months is his own list',
      `月份 | 姓名 | 实发工资
       2026年8月 | 吴磊 | 8100
       2026年9月 | 吴磊 | 9200
       2026年10月 | 吴磊 | 8300`,
      '人员 2 3 4\n必答',
    ],
    [
      'slips with the same title over each are one month',
      `2026年10月工资条
       姓名 | 基本工资 | 实发工资
       吴磊 | 8100 | 8100
       2026年10月工资条
       姓名 | 基本工资 | 实发工资
       郑爽 | 9200 | 9200`,
      '人员 3 6\n必答\n实发 17300',
    ],
  ])

  test('states which month is read and how to read another, and reads both', () => {
    const [requested] = getQuestions(byColumn)
    expect(requested?.message).toContain('「Sheet1 · 2026年9月」里另有 2 人，没有读入，因为是别的月份')
    expect(requested?.choices).toEqual([
      { value: 'one', label: '只发「Sheet1 · 2026年10月」' },
      { value: 'all', label: '一起发' },
    ])
    const september = recognizeWorkbook(getSheets(byColumn, {}), ['Sheet1 · 2026年9月']).recognition
    expect([september.data_rows, september.says.month, september.questions]).toEqual([[2, 3], '2026-09', []])
    const both = recognizeWorkbook(getSheets(byColumn, {}), ['Sheet1 · 2026年9月', 'Sheet1 · 2026年10月']).recognition
    expect([both.net_sum_fen, both.says.month]).toEqual([3_500_000, null])
    // A request for the sheet by its own name returns its last month.
    expect(recognizeWorkbook(getSheets(byColumn, {}), ['Sheet1']).recognition.data_rows).toEqual([4, 5])
  })
})

describe('any layout', () => {
  /** The table again below itself, a month later and with every net pay a yuan higher. */
  const twice = (one: Layout, title: (month: number) => StoredValue[] | null, hasHeader: boolean) => {
    const rows = copied(one).slice(getHead(one))
    const heads = rows.slice(0, getLeaves(one) - getHead(one) + 1)
    const body = one.truth.people.map((row) => copied(one)[row - 1] ?? [])
    const block = (month: number) => [
      ...(title(month) ? [title(month) ?? []] : []),
      ...(hasHeader || month === 9 ? heads : []),
      ...body,
    ]
    return [...block(9), ...block(10)]
  }
  const choice = { body: 'plain', header: 'one row' } as const
  const judged = (one: Layout, rows: StoredValue[][]) => {
    const match = recognizeWorkbook([grid(rows)]).recognition
    const count = one.truth.people.length
    const last = match.data_rows.at(-1)
    const isRequested = match.questions.some(
      ({ kind, must, choices }) => kind === 'several_tables' && must && choices.length === 2,
    )
    const all = recognizeWorkbook(
      [grid(rows)],
      match.sheets.map(({ name }) => name),
    ).recognition
    const messages = [match.data_rows.length, last, match.net_sum_fen, match.says.month, isRequested, all.data_rows.length]
    const ought = [count, rows.length, one.truth.net_sum_fen, '2026-10', true, 2 * count]
    return JSON.stringify(messages) === JSON.stringify(ought) ? null : `${messages} instead of ${ought}`
  }

  over(
    'rules-months-titled',
    'reads the last of several months under their titles, asks about the others, and offers both',
    choice,
    (one, random) => {
      const title = (month: number): StoredValue[] =>
        random.pick([
          [`2026年${month}月工资表`],
          [`某公司2026年${month}月份工资发放明细`],
          [`2026年${month}月`],
          [null, `工资条（2026-${String(month).padStart(2, '0')}）`],
        ])
      return judged(one, twice(one, title, random.chance(0.6)))
    },
  )

  over('rules-months-column', 'reads months in a column', choice, (one, random) => {
    const rows = twice(one, () => null, random.chance(0.5))
    const label = one.rows[getLeaves(one)] ?? []
    const labelTexts = random.pick([
      (month: number): StoredValue => `2026年${month}月`,
      (month: number): StoredValue => 202_600 + month,
      (month: number): StoredValue => new Date(Date.UTC(2026, month - 1, 1)),
      (month: number): StoredValue => `2026-${String(month).padStart(2, '0')}`,
    ])
    const left = label.findIndex((cell) => cell !== null)
    const name = indexOf(one.truth.identity.name ?? '')
    let viewed = 0
    const dated = rows.map((cells) => {
      const isHead = cells[name] === label[name]
      const value = isHead
        ? random.pick(['月份', '所属月份', '工资月份'])
        : labelTexts(viewed++ < one.truth.people.length ? 9 : 10)
      return [...cells.slice(0, left), value, ...cells.slice(left)]
    })
    // The header counts as one label, regardless of how often it occurs.
    const word = dated[0]?.[left]
    return judged(
      one,
      dated.map((cells) => (cells[name + 1] === label[name] ? cells.with(left, word) : cells)),
    )
  })

  over(
    'rules-joined',
    'asks about another header under the table with names and pay, and loses nobody when combining',
    choice,
    (one, random) => {
      const rows = copied(one).slice(getHead(one), one.truth.people.at(-1))
      const people = 2 + random.below(4)
      const labels = [
        random.pick(['姓名', '员工姓名']),
        '出勤天数',
        '课时费',
        '代课费',
        '高温补贴',
        random.pick(['实发', '实发金额', '实领金额']),
      ]
      const lines = Array.from({ length: people }, (_, at): StoredValue[] => [
        `孙${'一二三四五六'[at]}丙`,
        20,
        300,
        40 + at,
        10,
        350 + at,
      ])
      const sheet = [...rows, [], labels, ...lines]
      const match = recognizeWorkbook([grid(sheet)]).recognition
      const requested = match.questions.find(({ kind }) => kind === 'several_tables')
      if (!requested?.choices.some(({ value }) => value === 'all')) return `not asked: ${requested?.message}`
      const all = recognizeWorkbook(
        [grid(sheet)],
        match.sheets.map(({ name }) => name),
      ).recognition
      const sum = one.truth.net_sum_fen + lines.reduce((total, cells) => total + Number(cells[5]) * 100, 0)
      const messages = [all.data_rows.length, all.net_sum_fen, all.columns.filter(({ role }) => role === 'net').length]
      const ought = [one.truth.people.length + people, sum, 1]
      const must = all.questions.filter((question) => question.must)
      return JSON.stringify(messages) === JSON.stringify(ought) && must.length === 0
        ? null
        : `${messages} instead of ${ought}, ${must.map(({ message }) => message)}`
    },
  )
})
