/**
 * Two hundred generated sheets per class: each is recognised correctly or leads to a question; none is wrong without a
 * question.
 */
import { describe, expect, test } from 'vitest'
import { createDefaultLayout } from '../../../server/modules/sheets/rules/default-layout.ts'
import { applyUnitPowers, getUnitPowers } from '../../../server/modules/sheets/rules/unit.ts'
import { parseTypedCell, type RowCell } from '../../../server/rules/amounts.ts'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { everyRow, grid, type Read } from '../../support/files/grid.ts'
import { Draw, drawSheet, type Outcome, printOutcomes, type RenderedColumn, someNames } from '../../support/sheets/variants.ts'

const probes = 200
const seed = 20_261_215

/** Returns the fen of each column as checked and shown, by row. */
function readFen(grids: ReturnType<typeof grid>[]): { understanding: Read; fen: Map<string, number>[] } {
  const { recognition, grids: read } = recognizeWorkbook(grids)
  const powers = getUnitPowers(recognition.columns, recognition.questions)
  const fen = everyRow(read, recognition).map(({ cells }) => {
    const own = Object.fromEntries(
      recognition.columns.flatMap(({ key, role }): [string, RowCell][] => {
        const cell = parseTypedCell(cells[key]?.value ?? '', role)
        return cell ? [[key, cell]] : []
      }),
    )
    return new Map(
      Object.entries(applyUnitPowers(own, powers)).flatMap(([key, cell]) => (cell.fen === undefined ? [] : [[key, cell.fen]])),
    )
  })
  return { understanding: recognition, fen }
}

const isRequestedAbout = ({ questions }: Read, key: string) =>
  questions.some((one) => one.must && (one.key === key || one.id === 'unit'))

// Columns under two and three header rows

type Kind = 'earning' | 'deduction' | 'employer' | 'count'
type Expected = { column: RenderedColumn; kind: Kind; factor: number }

const insurances = ['养老保险', '医疗保险', '失业保险', '住房公积金', '企业年金', '大病医疗'] as const
const payers = [
  ['单位', '个人'],
  ['公司', '个人'],
  ['单位部分', '个人部分'],
  ['企业缴纳', '个人缴纳'],
  ['公司承担', '个人承担'],
] as const
const workGroups = ['平时加班', '周末加班', '节假日加班', '夜班', '计件', '值班', '带班'] as const
const counts = ['小时', '天数', '次数', '时数', '分钟', '倍数', '系数', '数量', '工时', '小时数'] as const

function drawHeaderSheet(draw: Draw): { columns: RenderedColumn[]; expected: Expected[]; people: number } {
  const people = draw.integer(2, 8)
  const amounts = (from: number, to: number): StoredValue[] =>
    Array.from({ length: people }, () => (draw.chance(0.08) ? null : draw.integer(from * 100, to * 100) / 100))
  const expected: Expected[] = []
  const add = (path: string[], kind: Kind, cells: StoredValue[]) => {
    const factor = kind === 'earning' ? 1 : kind === 'deduction' ? -1 : 0
    expected.push({ column: { path, cells }, kind, factor })
  }
  add([draw.pick(['基本工资', '岗位工资', '底薪'])], 'earning', amounts(4_000, 9_000))
  if (draw.chance(0.8))
    for (const group of draw.shuffle(workGroups).slice(0, draw.integer(1, 3))) {
      const measures = draw.shuffle(counts).slice(0, draw.integer(1, 2))
      const leaves: (() => void)[] = [
        ...measures.map(
          (leaf) => () =>
            add(
              [group, leaf],
              'count',
              Array.from({ length: people }, () => draw.integer(0, 60) / 2),
            ),
        ),
        () => add([group, draw.pick(['金额', '工资', '补贴'])], 'earning', amounts(50, 900)),
      ]
      for (const put of draw.chance(0.7) ? leaves : draw.shuffle(leaves)) put()
    }
  const isPayerOver = draw.chance(0.4)
  const pair = draw.pick<readonly [string, string]>(payers)
  const kinds = draw.shuffle(insurances).slice(0, draw.integer(1, 4))
  const shares = draw.chance(0.85) ? ([...pair] as const) : ([pair[1]] as const)
  const withBase = draw.chance(0.25)
  const share = (insurance: string, payer: string) => {
    const path = isPayerOver ? [payer, insurance] : [insurance, payer]
    const kind = payer === pair[1] ? 'deduction' : 'employer'
    if (!withBase) return add(path, kind, amounts(50, 900))
    add(
      [...path, draw.pick(['基数', '比例'])],
      'count',
      Array.from({ length: people }, () => draw.integer(3_000, 9_000)),
    )
    add([...path, '金额'], kind, amounts(50, 900))
  }
  if (isPayerOver) for (const payer of shares) for (const insurance of kinds) share(insurance, payer)
  else for (const insurance of kinds) for (const payer of shares) share(insurance, payer)
  const net = Array.from({ length: people }, (_, person) => {
    const fen = expected.reduce(
      (sum, { column, factor }) => sum + factor * Math.round(Number(column.cells[person] ?? 0) * 100),
      0,
    )
    return fen / 100
  })
  const columns: RenderedColumn[] = [
    ...(draw.chance(0.5) ? [{ path: ['序号'], cells: Array.from({ length: people }, (_, at) => at + 1) }] : []),
    { path: ['姓名'], cells: someNames.slice(0, people) },
    { path: ['工号'], cells: Array.from({ length: people }, (_, at) => `G${100 + at}`) },
    ...expected.map(({ column }) => column),
    { path: [draw.pick(['实发工资', '实发', '实发合计'])], cells: net },
  ]
  return { columns, expected, people }
}

function judgeHeader(draw: Draw): Outcome {
  const { columns, expected, people } = drawHeaderSheet(draw)
  const { rows, merges } = drawSheet(columns, draw.chance(0.4) ? [['2026年11月工资表']] : [])
  // Some users write the group over its first column without merging cells.
  const { recognition } = recognizeWorkbook([grid(rows, draw.chance(0.8) ? { merges } : {})])
  if (recognition.data_rows.length !== people) return 'silent wrong'
  const lines = new Map(createDefaultLayout(recognition.columns).sort_list.map(({ key, value }) => [key, value]))
  if (new Set(lines.values()).size < lines.size) return 'silent wrong'
  let outcome: Outcome = 'right'
  for (const { column, kind } of expected) {
    const read = recognition.columns.find(({ key }) => key === `c${columns.indexOf(column)}`)
    const isRight = kind === 'count' ? read?.role === 'info' : read?.role === kind
    // The payment side or the count must be stated in the payslip line itself.
    if (isRight) continue
    if (!recognition.questions.some(({ key }) => key === read?.key)) return 'silent wrong'
    outcome = 'asked'
  }
  const hasFormula = recognition.formula !== null && recognition.formula.holds === recognition.formula.of
  return hasFormula || people === 1 ? outcome : recognition.questions.some(({ must }) => must) ? 'asked' : 'silent wrong'
}

// Units per column

const factors = { 元: 1, 千元: 1_000, 万元: 10_000 } as const
type Unit = keyof typeof factors

const written = (label: string, unit: Unit | null, draw: Draw): string[] => {
  if (unit === null) return [label]
  const form = draw.integer(0, 5)
  if (form === 0) return [`${label}(${unit})`]
  if (form === 1) return [`${label}/${unit}`]
  if (form === 2) return [`${label}（单位：${unit}）`]
  if (form === 3) return [label, unit]
  return [`${label}（${unit}）`]
}

function judgeUnits(draw: Draw): Outcome {
  const people = draw.integer(1, 8)
  const big = draw.pick<Unit>(['万元', '万元', '千元'])
  const isUniform = draw.chance(0.25)
  const isSilentNet = draw.chance(0.3)
  const labels = draw.shuffle(['基本工资', '奖金', '绩效工资', '岗位津贴', '加班费']).slice(0, draw.integer(2, 4))
  const minus = draw.shuffle(['社保', '个税', '扣款']).slice(0, draw.integer(1, 3))
  const getUnit = (isFirst: boolean): Unit | null =>
    isUniform ? big : isFirst || draw.chance(0.4) ? big : draw.pick<Unit | null>(['元', null, null])
  const items = [
    ...labels.map((label, at) => ({ label, sign: 1, unit: getUnit(at === 0), low: 1_000, high: 9_000 })),
    ...minus.map((label) => ({
      label,
      sign: -1,
      unit: isUniform ? big : draw.pick<Unit | null>(['元', null]),
      low: 0,
      high: 900,
    })),
  ]
  const yuan = items.map(({ low, high }) =>
    Array.from({ length: people }, () => (draw.chance(0.1) ? 0 : draw.integer(low, high) * (draw.chance(0.5) ? 1 : 10) * 1)),
  )
  const isBroken = draw.chance(0.15)
  const net = Array.from(
    { length: people },
    (_, person) =>
      items.reduce((sum, { sign }, at) => sum + sign * (yuan[at]?.[person] ?? 0), 0) + (isBroken && person === 0 ? 37 : 0),
  )
  const netUnit: Unit | null = isUniform ? big : isSilentNet ? null : draw.pick<Unit>(['元', '元', big])
  const inUnits = (values: readonly number[], unit: Unit | null) => values.map((value) => value / factors[unit ?? '元'])
  const columns: RenderedColumn[] = [
    { path: ['姓名'], cells: someNames.slice(0, people) },
    { path: ['手机号'], cells: Array.from({ length: people }, (_, at) => `1991111000${at}`) },
    ...items.map(({ label, unit }, at) => ({ path: written(label, unit, draw), cells: inUnits(yuan[at] ?? [], unit) })),
    { path: written('实发工资', netUnit, draw), cells: inUnits(net, netUnit) },
  ]
  const { rows, merges } = drawSheet(columns, draw.chance(0.3) ? [['2026年11月工资表']] : [])
  const { understanding, fen } = readFen([grid(rows, { merges })])
  if (understanding.data_rows.length !== people) return 'silent wrong'
  const truth = [...yuan, net]
  let outcome: Outcome = understanding.questions.some(({ must, kind }) => must && kind === 'unit') ? 'asked' : 'right'
  truth.forEach((values, at) => {
    const key = `c${at + 2}`
    values.forEach((value, person) => {
      if ((fen[person]?.get(key) ?? 0) === Math.round(value * 100)) return
      outcome = isRequestedAbout(understanding, key) && outcome !== 'silent wrong' ? 'asked' : 'silent wrong'
    })
  })
  return outcome
}

describe('generated headers and units', () => {
  test('gives columns under two and three header rows distinct names and the right side', () => {
    const draw = new Draw(seed)
    const outcomes = Array.from({ length: probes }, () => judgeHeader(draw))
    printOutcomes('two-row headers', outcomes)
    expect(outcomes.filter((outcome) => outcome === 'silent wrong')).toEqual([])
    expect(outcomes.filter((outcome) => outcome === 'right').length).toBeGreaterThanOrEqual(probes * 0.95)
  })

  test('converts columns in different units or asks about them', () => {
    const draw = new Draw(seed + 1)
    const outcomes = Array.from({ length: probes }, () => judgeUnits(draw))
    printOutcomes('units per column', outcomes)
    expect(outcomes.filter((outcome) => outcome === 'silent wrong')).toEqual([])
    expect(outcomes.filter((outcome) => outcome === 'right').length).toBeGreaterThanOrEqual(probes * 0.4)
  })
})
