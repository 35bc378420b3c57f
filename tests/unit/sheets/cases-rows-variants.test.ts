/**
 * Two hundred ordinary sheets with footer rows: totals in many wordings, subtotals by department, signatures, counts,
 * differences, last month's totals. The employees and the net pay are exactly right, or the user is asked; a correct
 * total is never reported.
 */
import { describe, expect, it } from 'vitest'
import type { Grid, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { staff } from '../../support/check.ts'
import { grid } from '../../support/files/grid.ts'
import { type Random, seeded } from '../../support/random.ts'
import { getCheck } from '../../support/sheets/checked.ts'

const sheets = 200

const surnames = ['林', '欧阳', '周', '合', '共', '计', '苏', '高', '平', '汇', '阿', '万', '前', '差']
const inputNames = ['平', '欢', '青', '昭宁', '若谷', '叙白', '一', '国栋', '小纪', '月明', '丽娜', '三']
const departments = ['一部', '二部', '财务部', '高新店', '销售', '装配车间', '客服组']
const totalLabels = [
  '合计',
  '合 计',
  '合计：',
  '总计',
  '共计',
  '【合计】',
  '本月合计',
  '公司合计',
  '合计（大写）',
  '工资合计',
  '总合计',
  'Total',
  'TOTAL:',
  'Grand Total',
  '合計',
  '各部门合计',
]
const countLabels = (count: number) => [
  `共${count}人`,
  `共 ${count} 人`,
  `合计 ${count} 人`,
  `合计：${count}人`,
  `合计 ${count} 人（不含已撤回 2 人）`,
  `总计${count}人`,
  `共计${count}名`,
]
const otherMonthLabels = ['上月合计', '上月', '上月总计', '上个月实发合计', '上期合计', '去年同期', '9月合计']
const differenceLabels = ['差额', '差异', '与上月差额', '较上月增减', '环比增减', '增减额', '差额合计']
const statisticsLabels = ['平均', '人均工资', '最高', '最低', '平均值']
const signatures: readonly StoredValue[][] = [
  ['PREPARED BY'],
  ['Checked by', null, 'Approved by'],
  ['制表人'],
  ['制表人', '苏叙白', '审核人', '林一'],
  ['制表：苏某', '审核：', '批准：'],
  ['财务主管', null, '总经理'],
  ['制表日期', '2026年12月5日'],
  ['负责人签字'],
  ['审核', null, '会计', null, '出纳'],
  ['2026年12月5日'],
  ['以下空白'],
  ['备注', '本表含补发'],
  ['注：本表含补发'],
]

type Person = { readonly name: string; readonly department: string; readonly amounts: number[] }
type Sheet = { readonly grid: Grid; readonly people: readonly Person[]; readonly kinds: readonly string[] }

const fen = (yuan: number) => Math.round(yuan * 100)
const add = (rows: readonly (readonly number[])[]): number[] =>
  (rows[0] ?? []).map((_, at) => rows.reduce((all, row) => all + fen(row[at] ?? 0), 0) / 100)

function makePeople(random: Random): Person[] {
  const count = 3 + random.below(12)
  const units = random.shuffled(departments).slice(0, 1 + random.below(3))
  const decimals = random.chance(0.5)
  const names = new Set<string>()
  while (names.size < count) names.add(`${random.pick(surnames)}${random.pick(inputNames)}`)
  return [...names].map((name, at) => {
    const base = 3000 + random.below(9000) + (decimals ? random.below(100) / 100 : 0)
    const bonus = random.chance(0.3) ? 0 : random.below(2000)
    const deduction = 100 + random.below(900) + (decimals ? random.below(100) / 100 : 0)
    const net = (fen(base) + fen(bonus) - fen(deduction)) / 100
    return { name, department: units[Math.floor((at * units.length) / count)] ?? '', amounts: [base, bonus, deduction, net] }
  })
}

function makeSheet(seed: number): Sheet {
  const random = seeded(seed)
  const people = makePeople(random)
  const hasNumber = random.chance(0.5)
  const hasPhone = random.chance(0.5)
  const hasDepartment = random.chance(0.5)
  const hasRemark = random.chance(0.3)
  const lead = [...(hasNumber ? ['序号'] : []), ...(hasDepartment ? ['部门'] : []), '姓名', ...(hasPhone ? ['手机号'] : [])]
  const head: StoredValue[] = [...lead, '基本工资', '奖金', '扣款', '实发工资', ...(hasRemark ? ['备注'] : [])]
  const nameAt = lead.indexOf('姓名')
  const rows: StoredValue[][] = []
  if (random.chance(0.6)) rows.push([random.pick(['2026年10月工资表', '工资发放表', '十月份工资明细'])])
  const saysMonth = rows.length > 0 && String(rows[0]?.[0]).startsWith('2026')
  rows.push(head)
  const line = (word: string, amounts: readonly (number | null)[], at: number): StoredValue[] => {
    const cells: StoredValue[] = head.map(() => null)
    cells[at] = word
    amounts.forEach((amount, nth) => (cells[lead.length + nth] = amount))
    return cells
  }
  // The label of a total is in the name column or in the first column.
  const wordAt = random.pick([nameAt, 0])
  const kinds: string[] = []
  const all = people.map(({ amounts }) => amounts)
  const subtotals = random.pick(['none', 'named', 'worded', 'above'] as const)
  kinds.push(`subtotals ${subtotals}`)
  const units = [...new Set(people.map(({ department }) => department))]
  let nth = 0
  for (const unit of units) {
    const own = people.filter(({ department }) => department === unit)
    const sums = add(own.map(({ amounts }) => amounts))
    if (subtotals === 'above') rows.push(line(`${unit}小计`, sums, wordAt))
    for (const { name, amounts } of own) {
      nth += 1
      rows.push([
        ...(hasNumber ? [nth] : []),
        ...(hasDepartment ? [unit] : []),
        name,
        ...(hasPhone ? [String(13_799_999_999 + nth)] : []),
        ...amounts,
        ...(hasRemark && random.chance(0.2) ? ['含补发'] : []),
      ])
    }
    if (subtotals === 'worded')
      rows.push(line(random.pick([`${unit}小计`, `${unit}合计`, '小计', '本页小计', '部门小计']), sums, wordAt))
    if (subtotals === 'named') rows.push(line(unit, sums, nameAt))
  }
  const total = add(all)
  const before = total.map((amount) => (fen(amount) - 100_000) / 100)
  const change = total.map((amount, at) => (fen(amount) - fen(before[at] ?? 0)) / 100)
  const foot = (kind: string, chance: number, make: () => StoredValue[][]) => {
    if (!random.chance(chance)) return
    kinds.push(kind)
    rows.push(...make())
  }
  foot('total', 0.8, () => [line(random.pick(totalLabels), total, wordAt)])
  foot('count', 0.4, () => [
    line(random.pick(countLabels(people.length)), random.chance(0.5) ? [null, null, null, total[3] ?? 0] : total, wordAt),
  ])
  foot('number of people', 0.2, () => [line(random.pick(['人数', '合计人数', '发放人数', '总人数']), [people.length], wordAt)])
  foot('statistics', 0.2, () => [
    line(
      random.pick(statisticsLabels),
      total.map((one) => Math.round(one / people.length)),
      wordAt,
    ),
  ])
  const monthLabels =
    saysMonth || kinds.includes('total') ? otherMonthLabels : otherMonthLabels.filter((word) => !/\d/.test(word))
  foot('last month', 0.4, () => [line(random.pick(monthLabels), before, wordAt)])
  foot('difference', 0.4, () => [line(random.pick(differenceLabels), change, wordAt)])
  if (random.chance(0.4)) rows.push([])
  foot('signature', 0.7, () => [[...Array.from({ length: wordAt }, () => null), ...random.pick(signatures)]])
  return { grid: grid(rows), people, kinds }
}

/** The outcome of a sheet: the paid employees and their sum, and whether the user is asked about the difference. */
function judge({ grid: sheet, people }: Sheet): 'right' | 'asked' | 'silent wrong' {
  const { data_rows, net_sum_fen, unclaimed, kind } = recognizeWorkbook([sheet]).recognition
  const net = people.reduce((all, { amounts }) => all + fen(amounts[3] ?? 0), 0)
  const { issues } = getCheck([sheet], { roster: staff(people.map(({ name }) => name)) })
  const isRight = kind === 'wage' && data_rows.length === people.length && net_sum_fen === net
  const isRequested = unclaimed.length > 0 || issues.some(({ level }) => level === 'error')
  return isRequested ? 'asked' : isRight ? 'right' : 'silent wrong'
}

const totalsNotified = ({ grid: sheet }: Sheet): string[] =>
  getCheck([sheet]).issues.flatMap(({ kind, row, message }) =>
    kind === 'total_row_mismatch' || kind === 'subtotal_mismatch' ? [`row ${row} ${message}`] : [],
  )

describe('ordinary sheets with footer rows', () => {
  it(`reads all ${sheets} of them correctly or asks, and reports no total wrongly`, () => {
    const counts = new Map<string, { probes: number; right: number; asked: number; wrong: number }>()
    const wrong: string[] = []
    const requested: string[] = []
    for (let seed = 1; seed <= sheets; seed++) {
      const sheet = makeSheet(seed)
      const outcome = judge(sheet)
      for (const kind of ['all', ...sheet.kinds]) {
        const count = counts.get(kind) ?? { probes: 0, right: 0, asked: 0, wrong: 0 }
        count.probes += 1
        count[outcome === 'silent wrong' ? 'wrong' : outcome] += 1
        counts.set(kind, count)
      }
      if (outcome === 'silent wrong') wrong.push(`${seed}`)
      if (outcome === 'asked') requested.push(`${seed}`)
      // Where the user is asked which row is no employee, the adjacent totals may be reported as well.
      if (outcome === 'right') wrong.push(...totalsNotified(sheet).map((notified) => `${seed} ${notified}`))
    }
    const table = [...counts].map(
      ([kind, count]) => `${kind} | ${count.probes} | ${count.asked} | ${count.right} | ${count.wrong}`,
    )
    process.stdout.write(`kind | probes | asked | right | silent wrong\n${table.join('\n')}\n`)
    expect(wrong).toEqual([])
    // Ordinary wage sheets lead to almost no questions.
    expect(requested.length).toBeLessThanOrEqual(sheets * 0.02)
  })
})
