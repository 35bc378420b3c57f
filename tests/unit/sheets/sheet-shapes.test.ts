/**
 * What is a header and what only looks like one, and shapes that are no plain table, in generated layouts. 200 per rule
 * in trials.
 */
import { describe } from 'vitest'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { grid } from '../../support/files/grid.ts'
import type { Layout } from '../../support/files/sheet-layouts.ts'
import type { Random } from '../../support/random.ts'
import {
  everybody,
  getGrid,
  getHead,
  getLeaves,
  indexOf,
  over,
  recognize,
  withColumns,
  withLines,
  wrongIn,
} from '../../support/sheets/spoilt.ts'

/** Details of an employee in a form, as pairs. */
const aboutSomebody: StoredValue[][] = [
  ['部门', '财务部'],
  ['岗位', '会计'],
  ['性别', '女'],
  ['学历', '本科'],
  ['籍贯', '浙江杭州'],
  ['民族', '汉'],
  ['职称', '中级'],
  ['年龄', '三十'],
]
const titles = [
  '2026年10月工资表',
  '某某科技有限公司',
  '十月工资明细表',
  '奖金发放明细表',
  '2026年10月奖金',
  '工资汇总表（含社保）',
  '北京某某劳务派遣有限责任公司',
  '薪酬发放表',
]

/** Pay terms, each the full label of a column. */
const sums =
  '基本工资 岗位工资 绩效工资 加班工资 奖金 全勤奖 交通补贴 餐补 住房补贴 高温补贴 工龄工资 津贴 提成 年终奖 应发工资 养老保险 医疗保险 失业保险 住房公积金 社保 公积金 个税 个人所得税 扣款 罚款 借支 水电费 应扣合计 实发工资 实发合计'.split(
    ' ',
  )

/** The employees of a layout in one row each, as input for another shape. */
function getPeople(one: Layout): { labels: string[]; people: StoredValue[][]; name: number } {
  const head = one.rows[getLeaves(one)] ?? []
  const left = head.findIndex((cell) => cell !== null)
  const people = one.truth.people.map((row) => head.slice(left).map((_, at) => one.rows[row - 1]?.[left + at] ?? null))
  return { labels: head.slice(left).map(String), people, name: indexOf(one.truth.identity.name ?? '') - left }
}

/** Compares employees and amounts, regardless of the column order. */
function differing(one: Layout, other: StoredValue[][], labels: ReadonlySet<string>): string | null {
  const format = (list: readonly Map<string, string>[]) =>
    list
      .map((texts) =>
        [...texts]
          .filter(([label]) => label === '?' || labels.has(label.replace(/[\s+:：]/g, '')))
          .map(([label, text]) => `${label.replace(/[\s+:：]/g, '')} ${text}`)
          .toSorted()
          .join(),
      )
      .toSorted()
  const [ours, theirs] = [format(everybody([getGrid(one)])), format(everybody([grid(other)]))]
  const missing = ours.filter((person) => !theirs.includes(person))
  return ours.length === theirs.length && missing.length === 0 ? null : `${missing[0]} is not in ${theirs.length}: ${theirs[0]}`
}

describe('header in any layout', () => {
  over('rules-titles', 'reads lines with a year, a month or a company above the header as no labels', {}, (one, random) => {
    const line = (): StoredValue[] => random.shuffled(titles).slice(0, 1 + random.below(5))
    const lines = Array.from({ length: 1 + random.below(3) }, line)
    return wrongIn(withLines(one, random.chance(0.5) ? getHead(one) : 0, lines))
  })

  over('rules-neighbours', 'tries the neighbours of the best header if that contains no name', {}, (one, random) => {
    const labels = random.shuffled(sums).slice(0, 24 + random.below(6))
    const block: StoredValue[][] = [labels, labels.map(() => 1_000 + random.below(90_000))]
    if (random.chance(0.5)) block.push([])
    return wrongIn(withLines(one, getHead(one), block))
  })

  over('rules-days', 'treats days above columns as attendance', {}, (one, random) => {
    // The period is some days, or the whole month.
    const isFull = random.chance(0.5)
    const first = isFull ? 1 : 1 + random.below(20)
    const kinds: ((day: number) => StoredValue)[] = [
      (day) => day,
      (day) => `${day}日`,
      (day) => `${day}号`,
      (day) => `10月${day}日`,
      (day) => `10/${day}`,
      (day) => `2026-10-${String(day).padStart(2, '0')}`,
      (day) => new Date(Date.UTC(2026, 9, day)),
      (day) => `${random.pick(['周', '星期'])}${'日一二三四五六'[day % 7]}`,
    ]
    const label = random.pick(kinds)
    const count = isFull ? 28 + random.below(4) : 3 + random.below(7)
    const marks: StoredValue[] = random.pick([
      [8, 7.5, 0, 4],
      [1, 0.5, 0, 1],
      ['√', '√', '病', null],
      // Minutes and pieces, which are large enough to be amounts.
      [480, 450, 0, 510],
      [1_260, 980.5, 0, 1_100],
    ])
    const labels = Array.from({ length: count }, (_, at) => label(first + at))
    // The sum is next to the name; under a one-row header also among the amounts, right before them.
    const isAmong = one.truth.header_rows.length === 1 && random.chance(0.7)
    const at = isAmong ? indexOf(one.truth.gross) : indexOf(one.truth.identity.name ?? '') + 1
    const spoilt = withColumns(one, at, labels, () => random.pick(marks))
    const match = recognize(spoilt)
    const wrong = wrongIn(spoilt, match)
    if (wrong !== null) return `${labels[0]}: ${wrong}`
    const days = match.columns.filter(({ col }) => indexOf(col) >= at && indexOf(col) < at + count)
    const paid = days.find(({ role, kind }) => role !== 'info' || kind === 'money')
    return paid === undefined ? null : `${labels[0]}: ${paid.label} is ${paid.role} ${paid.kind}`
  })
})

describe('other shapes with any employees', () => {
  const table = { body: 'plain', header: 'one row' } as const
  /** 姓名 张三 部门 财务 / 基本工资 5000 奖金 100: this many pairs per row, the name first. */
  const getForm = (
    labels: readonly string[],
    person: readonly StoredValue[],
    name: number,
    width: number,
    colon: string,
  ): StoredValue[][] => {
    const order = [name, ...[...labels.keys()].filter((at) => at !== name)]
    const pairs = order.map((at): StoredValue[] => [`${labels[at]}${colon}`, person[at] ?? null])
    return Array.from({ length: Math.ceil(pairs.length / width) }, (_, row) => pairs.slice(row * width, (row + 1) * width).flat())
  }
  const render = (one: Layout, random: Random) => {
    const { labels, people, name } = getPeople(one)
    const width = 1 + random.below(4)
    const colon = random.pick(['', '', '：', ':'])
    return { labels, name, forms: people.map((person) => getForm(labels, person, name, width, colon)), width }
  }

  over('rules-form', 'treats alternating labels and values as a form of one employee and no header', table, (one, random) => {
    const { forms, width } = render(one, random)
    const form = forms[random.below(forms.length)] ?? []
    const title: StoredValue[][] = random.chance(0.5) ? [[random.pick(titles)], ...(random.chance(0.5) ? [[]] : [])] : []
    const match = recognize({ rows: [...title, ...form], merges: [] })
    const isMessage = match.kind === 'not_a_wage_sheet' && match.reason?.includes('一个人的工资条')
    return isMessage
      ? null
      : `${width} pairs a row: ${match.kind} ${match.reason}, header ${match.header.rows}, people ${match.data_rows}`
  })

  over('rules-form-alone', 'treats a form about one person without pay as no header', {}, (_, random) => {
    const pairs = random.shuffled(aboutSomebody).slice(0, 3 + random.below(6))
    const width = 2 + random.below(2)
    const all: StoredValue[][] = [['姓名', '王经理'], ...pairs]
    const rows = Array.from({ length: Math.ceil(all.length / width) }, (_one, at) =>
      all.slice(at * width, (at + 1) * width).flat(),
    )
    const match = recognize({ rows, merges: [] })
    return match.kind === 'not_a_wage_sheet' ? null : `${match.kind}, header ${match.header.rows}`
  })

  over(
    'rules-header-again',
    'reports a header that is repeated over every payslip',
    (seed) => ({ body: seed % 2 ? 'slips' : 'spaced slips' }),
    (one) => {
      const head = new Set(one.truth.header_rows.map((row) => one.rows[row - 1]?.join('|')))
      const again = one.rows.flatMap((cells, at) =>
        head.has(cells.join('|')) && !one.truth.header_rows.includes(at + 1) ? [at + 1] : [],
      )
      const { ignored } = recognize(one)
      const other = again.filter((row) => !ignored.some((it) => it.row === row && it.why === '重复的表头'))
      return other.length === 0 ? null : `rows ${other} are called otherwise`
    },
  )

  over('rules-forms', 'reads forms one below the other as one row per employee, with every amount', table, (one, random) => {
    const { labels, forms, width } = render(one, random)
    const between: StoredValue[][] = random.pick([[], [[]], [[], []]])
    const title: StoredValue[][] = random.chance(0.5) ? [[random.pick(titles)]] : []
    const rows = [...title, ...forms.flatMap((form) => [...form, ...between])]
    const requested = new Set(labels.map((label) => label.replace(/\s/g, '')))
    const wrong = differing(one, rows, requested)
    return wrong === null ? null : `${width} pairs a row: ${wrong}`
  })

  over('rules-long', 'combines one line per item of each employee into one row per employee', table, (one, random) => {
    const { labels, people, name } = getPeople(one)
    const gross = indexOf(one.truth.gross)
    const left = indexOf(one.truth.identity.name ?? '') - name
    // The range from the first amount to the net pay, behind the identity columns.
    const first = gross - left - 3
    const last = indexOf(one.truth.net) - left
    const who = [...labels.keys()].filter((at) => at < first)
    const items = [...labels.keys()].filter((at) => at >= first && at <= last)
    const head = [
      ...who.map((at) => labels[at] ?? ''),
      random.pick(['项目', '工资项目', '科目', '薪资项目']),
      random.pick(['金额', '工资金额', '数额']),
    ]
    const getLine = (person: readonly StoredValue[], item: number): StoredValue[] => [
      ...who.map((at) => person[at] ?? null),
      labels[item] ?? '',
      person[item] ?? null,
    ]
    const lines = random.chance(0.5)
      ? people.flatMap((person) => items.map((item) => getLine(person, item)))
      : items.flatMap((item) => people.map((person) => getLine(person, item)))
    const title: StoredValue[][] = random.chance(0.5) ? [[random.pick(titles)]] : []
    const requested = new Set([...who.slice(0), ...items].map((at) => (labels[at] ?? '').replace(/\s/g, '')))
    return differing(one, [...title, head, ...lines], requested)
  })
})
