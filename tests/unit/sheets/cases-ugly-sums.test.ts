/**
 * Sheets with unknown labels: integers and constants that the rows prove to be pay, sides decided by a group and the
 * rows, and unit rows.
 */
import { describe, expect, test } from 'vitest'
import { createFormulaCounter, getFormulaCandidates, selectFormula } from '../../../server/modules/sheets/rules/formula-fit.ts'
import { parseTypedCell } from '../../../server/rules/amounts.ts'
import type { Merge, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { everyRow, grid, type Read } from '../../support/files/grid.ts'
import { getCheck } from '../../support/sheets/checked.ts'

const names = ['林昭宁', '周叙白', '何知微', '蔺月白', '郜清和', '羿望舒', '逄知远']
type Row = StoredValue[]
const sheet = (head: Row[], row: (at: number) => Row, { people = names.length, merges = [] as Merge[] } = {}) =>
  grid([...head, ...names.slice(0, people).map((name, at) => [name, ...row(at)])], { merges })
const getRead = (one: ReturnType<typeof grid>): Read => recognizeWorkbook([one]).recognition
const getRoles = ({ columns }: Read) => Object.fromEntries(columns.map(({ path, label, role }) => [path.at(-1) ?? label, role]))
const getKinds = ({ columns }: Read) => Object.fromEntries(columns.map(({ label, kind }) => [label, kind]))
const slipIssues = (one: ReturnType<typeof grid>) => getCheck([one]).issues.filter(({ kind }) => kind === 'slip_mismatch')
const across = (row: number, left: number, right: number): Merge => ({ top: row, bottom: row, left, right })

/** The formula after `key` was answered as the net pay. */
function formulaWithNet(one: ReturnType<typeof grid>, label: string) {
  const { recognition, grids } = recognizeWorkbook([one])
  const { columns } = recognition
  const key = columns.find(({ path }) => path.at(-1) === label)?.key
  const after = columns.map((column) => (column.key === key ? { ...column, role: 'net' as const } : column))
  const rows = everyRow(grids, recognition).map(({ cells }) =>
    Object.fromEntries(
      columns.flatMap(({ key: own }) => {
        const cell = parseTypedCell(cells[own]?.value ?? '', 'earning')
        return cell ? [[own, cell] as const] : []
      }),
    ),
  )
  const candidates = getFormulaCandidates(null, columns, after).map((sum) => {
    const counter = createFormulaCounter(sum)
    for (const cells of rows) counter.add(cells)
    return { ...sum, ...counter.result() }
  })
  return selectFormula(null, candidates)
}

describe('integers or constants under unknown labels', () => {
  test('treats unknown amounts as earnings where the gross pay adds up only with them', () => {
    const one = sheet([['姓名', '保底', '佣金', '车补', '应得总额', '社保扣', '实得合计']], (at) => {
      const commission = 2100 + at * 913.25
      return [3500, commission, 500, 4000 + commission, 498.2, 4000 + commission - 498.2]
    })
    expect(getRoles(getRead(one))).toMatchObject({ 保底: 'earning', 应得总额: 'gross' })
    expect(getKinds(getRead(one))).toMatchObject({ 保底: 'money' })
    expect(getRead(one).questions).toEqual([])
    expect(getCheck([one]).issues).toEqual([])
  })
  test('treats unknown amounts as deductions where the net pay is less by them', () => {
    const one = sheet([['姓名', '基本工资', '奖金', '社保', '水电', '实发工资']], (at) => {
      const [base, bonus, utilities] = [6000 + at * 310, 200 * at, 40 + at * 3]
      return [base, bonus, 420.5, utilities, base + bonus - 420.5 - utilities]
    })
    expect(getRoles(getRead(one))).toMatchObject({ 水电: 'deduction' })
    expect(getRead(one).formula).toMatchObject({ holds: 7, of: 7 })
  })
  test.each([
    ['岗贝', 'earning'],
    ['杂支', 'deduction'],
  ])('determines the side of unknown amounts from the rows: %s is %s', (label, role) => {
    const one = sheet([['姓名', label, '基本工资', '社保', '实发工资']], (at) => {
      const [base, unknown] = [6000 + at * 310.1, 300]
      return [unknown, base, 420.5, base - 420.5 + (role === 'earning' ? unknown : -unknown)]
    })
    expect(getRoles(getRead(one))).toMatchObject({ [label]: role })
  })
  test('asks about unknown amounts where another column has the same values', () => {
    const one = sheet([['姓名', '甲项', '乙项', '基本工资', '社保', '实发工资']], (at) => [
      300,
      300,
      6000 + at * 310.1,
      420.5,
      6000 + at * 310.1 - 120.5,
    ])
    expect(getRead(one).questions).toMatchObject([{ kind: 'role', must: true }])
  })
  test('keeps plain numbers where the rows add up without them, or they are days or numbers of an employee', () => {
    const one = sheet([['姓名', '工位', '出勤天数', '星标', '基本工资', '社保', '实发工资']], (at) => [
      100 + at,
      22,
      5,
      6000 + at * 310,
      420.5,
      6000 + at * 310 - 420.5,
    ])
    expect(getRoles(getRead(one))).toMatchObject({ 工位: 'info', 出勤天数: 'info', 星标: 'info' })
    expect(getRead(one).questions).toEqual([])
  })
  test('finds unknown amounts under a three-row header with negative deductions before the net pay is answered', () => {
    const head: Row[] = [
      ['姓名', '出勤部分', null, null, null, '全勤', '扣项', null, '本月合计'],
      [null, '正班', null, '加班', null, null, '饭钱', '打碎', null],
      [null, '天', '钱', '时', '钱', null, null, null, null],
    ]
    const merges = [across(0, 1, 4), across(1, 1, 2), across(1, 3, 4), across(0, 6, 7)]
    for (const column of [0, 5, 8]) merges.push({ top: 0, bottom: 2, left: column, right: column })
    for (const column of [6, 7]) merges.push({ top: 1, bottom: 2, left: column, right: column })
    const one = sheet(
      head,
      (at) => {
        const [days, hours, full, broken] = [24 + (at % 3), 8 + at * 2.5, at % 2 ? 200 : 0, at === 3 ? -45.5 : 0]
        return [days, days * 150, hours, hours * 22, full, -days * 8, broken, days * 142 + hours * 22 + full + broken]
      },
      { merges },
    )
    const { columns, questions } = getRead(one)
    expect(columns.find(({ label }) => label.endsWith('正班 / 钱'))).toMatchObject({ role: 'earning', kind: 'money' })
    expect(questions).toMatchObject([{ kind: 'net', suggested: 'net:c8' }])
    expect(formulaWithNet(one, '本月合计')).toMatchObject({ holds: 7, of: 7 })
  })
  test('offers the sum of unknown amounts as a possible net pay', () => {
    const one = sheet([['姓名', '计件工资', '高温费', '水电', '结余']], (at) => {
      const [piece, heat, utilities] = [2160.4 + at * 74.3, 180, 36 + at * at]
      return [piece, heat, utilities, piece + heat - utilities]
    })
    const { questions, columns } = getRead(one)
    expect(getRoles({ columns } as Read)).toMatchObject({ 水电: 'deduction' })
    expect(questions.find(({ kind }) => kind === 'net')).toMatchObject({ suggested: 'net:c4' })
  })
})

describe('group over items', () => {
  const head: Row[] = [
    ['基本信息', '应得', null, null, '应减', null, '净额'],
    ['姓名', '月薪折算', '夜班补', '餐费补', '社保', '缺勤折减', '划卡'],
  ]
  const merges = [across(0, 1, 3), across(0, 4, 5)]
  const one = sheet(
    head,
    (at) => {
      const [base, night, meals, absent] = [9000.3 + at * 337, 62.07 * (at % 3), 388.5 + at, 51.7 * (at % 2)]
      const net = base + night + meals - 946.8 - absent
      return [base, night, meals, 946.8, absent, at === 4 ? net + 100 : net]
    },
    { merges },
  )
  test('decides the side of an allowance whose label is that of a deduction', () => {
    expect(getRoles(getRead(one))).toMatchObject({ 餐费补: 'earning', 缺勤折减: 'deduction' })
  })
  test('finds a net pay that is 100 too high when the net pay is answered', () => {
    expect(formulaWithNet(one, '划卡')).toMatchObject({ holds: 6, of: 7 })
  })
  test('does not treat a group named like the gross pay as a total over its items', () => {
    const strips = sheet(
      [
        ['姓名', '应领部分', null, null, '代扣部分', '应领工资', '实领工资'],
        [null, '底薪', '岗贴', '夜值', '社保', null, null],
      ],
      (at) => [2800 + at * 45, 200, 30 * at, 402.1, 3000 + at * 75, 2597.9 + at * 75],
      { merges: [across(0, 1, 3), ...[0, 5, 6].map((column) => ({ top: 0, bottom: 1, left: column, right: column }))] },
    )
    expect(getRoles(getRead(strips))).toMatchObject({ 底薪: 'earning', 岗贴: 'earning', 夜值: 'earning', 应领工资: 'gross' })
    expect(getCheck([strips]).issues).toEqual([])
  })
})

describe('sheet without a formula', () => {
  const wrong = (at: number): number => [731, 12, 455, 90, 618, 233, 377][at] ?? 0
  const one = sheet([['姓名', '星标', '基本工资', '奖金', '社保', '实发工资']], (at) => [
    5 + at * at,
    6000 + at * 310,
    200,
    420.5,
    5779.5 + at * 310 + wrong(at),
  ])
  test('warns once that rows cannot be verified, naming the excluded numbers', () => {
    const issues = slipIssues(one)
    expect(issues).toMatchObject([{ row: 0, level: 'warning', fix: ['accept'] }])
    expect(issues[0]?.message).toContain('「星标」')
  })
  test('shows no warning after it was accepted', () => {
    expect(getCheck([one], { accepted: ['slip_mismatch:'] }).issues).toEqual([])
  })
  test('shows no warning where gross less deductions is the net pay', () => {
    const plain = sheet([['姓名', '基本工资', '应发工资', '社保', '实发工资']], (at) => [
      5000,
      6000 + at * 310,
      420.5,
      5579.5 + at * 310,
    ])
    expect(slipIssues(plain)).toEqual([])
  })
})

describe('row of units below the header', () => {
  const rows = (scale: number) => (at: number) => {
    const [base, commission] = [6000 + at * 250, 3500 + at * 1234]
    return [22, base, commission / scale, 100.5, base + commission - 100.5]
  }
  test.each([
    [[null, '天', '元', '元', '元/月', '元'], 1],
    [['单位', '天', '元', '元', '元', '元'], 1],
    [[null, '天', '元', '万元', '元/月', '元'], 10_000],
    [[null, '(天)', '(元)', '(万元)', '(元)', '(元)'], 10_000],
    [[null, '天', '元', '万', '元', '元'], 10_000],
    [[null, '天', '元', '千元', '元', '元'], 1000],
  ])('reads a row of units as no employee, and reports columns in thousands: %j', (units, scale) => {
    const one = sheet([['姓名', '出勤', '基本工资', '产值提成', '社保', '实发工资'], units], rows(scale))
    const { people, unclaimed, questions, formula } = getRead(one)
    expect({ people, unclaimed }).toEqual({ people: 7, unclaimed: [] })
    expect(formula).toMatchObject({ holds: 7, of: 7 })
    expect(questions).toMatchObject(
      scale === 1 ? [] : [{ kind: 'unit', key: 'c3', suggested: scale === 1000 ? 'thousand' : 'wan' }],
    )
    expect(getCheck([one]).issues).toEqual([])
  })
})
