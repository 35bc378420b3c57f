/**
 * Which column is the net pay, and which columns add up to it: the files of complaints, and two hundred generated
 * sheets per class.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Layout } from '../../../server/contract/sheets/sheet.ts'
import { createComponentReader } from '../../../server/modules/reports/rules/pay-components.ts'
import { applyAnswers, type SheetSetup } from '../../../server/modules/sheets/mapping/answers.ts'
import type { RecognizedSheet } from '../../../server/modules/sheets/recognition.ts'
import { toColumnMapping } from '../../../server/modules/sheets/rules/column-mapping.ts'
import { createDefaultLayout } from '../../../server/modules/sheets/rules/default-layout.ts'
import { applyMapping } from '../../../server/modules/sheets/rules/mapping-match.ts'
import { createTaxAmountsReader } from '../../../server/modules/sheets/rules/months/tax-amounts.ts'
import { renderPayslip } from '../../../server/modules/sheets/rules/render-payslip.ts'
import { getAdditionsToGross, getLeafDeductions } from '../../../server/modules/sheets/rules/tax-columns.ts'
import type { Grid, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { everyRow, grid, type Read } from '../../support/files/grid.ts'
import { getCheck } from '../../support/sheets/checked.ts'
import { Draw, drawSheet, type Outcome, printOutcomes, type RenderedColumn, someNames } from '../../support/sheets/variants.ts'

const folder = new URL('../../cases/', import.meta.url)
async function getGrids(beginning: string): Promise<Grid[]> {
  const set = /^w\d/.test(beginning) ? 'wage-sheets-and-rosters/' : 'bug-reports/'
  const name = readdirSync(new URL(set, folder)).find((one) => one.startsWith(beginning))
  return readGrids(readFileSync(new URL(`${set}${name}`, folder)))
}
const getRead = async (beginning: string): Promise<Read> => recognizeWorkbook(await getGrids(beginning)).recognition
const getRoles = ({ columns }: Pick<Read, 'columns'>) => Object.fromEntries(columns.map(({ label, role }) => [label, role]))
const netQuestion = ({ questions }: Read) => questions.find(({ kind }) => kind === 'net')

/** The setup as stored at the upload. */
function getSetup(read: Read): SheetSetup {
  const by = 'found' as const
  const formula = read.formula && { ...read.formula, by }
  const { questions, totals_row, subtotals } = read
  const roles = Object.fromEntries(read.columns.map(({ key, role }) => [key, role]))
  const net_readings = read.net_readings.map((one) => ({ ...one, formula: one.formula && { ...one.formula, by } }))
  const recognized: RecognizedSheet = {
    ...read,
    rows: read.data_rows.length,
    formula,
    questions,
    subtotals,
    remembered: null,
    expected: null,
    read: { formula, questions, totals_row, roles, net_readings },
  }
  return { recognition: recognized, layout: createDefaultLayout(read.columns) }
}

/** The payslip of the first employee, and what tax and charts take from it. */
function paidTo(
  grids: readonly Grid[],
  { recognition, layout }: { recognition: RecognizedSheet; layout: Layout },
  rows: ReturnType<typeof everyRow>,
) {
  const cells = rows[0]?.cells ?? {}
  const { columns, formula, subtotals } = recognition
  const slip = renderPayslip({ layout, columns, formula, cells, title: '', month: null, corp_name: '', name: '' })
  const income = createTaxAmountsReader(
    columns,
    getLeafDeductions(recognition),
    getAdditionsToGross(recognition),
  )?.(cells).income_fen
  const figure = (role: string) => {
    const key = columns.find((column) => column.role === role)?.key
    return (key === undefined ? undefined : cells[key]?.fen) ?? null
  }
  const sections = createComponentReader({ columns, formula, subtotals })({
    cells,
    net_fen: figure('net'),
    gross_fen: figure('gross'),
  })
  return { slip, income, sections, grids }
}

describe('two columns that may be the net pay', () => {
  test.each([
    ['w01', '最终实发数', '「最终实发数」=「实发数」+「春节福利」−「借款扣回」', ['5,280.00', '4,480.00']],
    ['w27', '实发取整', '「实发取整」=「实发」+「尾数」', ['5,280.37', '5,280.00']],
    ['26-', '实际打款', '「实际打款」=「税后工资」+「报销」', ['7,750.00', '8,070.00']],
  ])('suggests the later total and shows an example row of each in %s', async (file, label, sum, amounts) => {
    const read = await getRead(file)
    const requested = netQuestion(read)
    expect(requested?.must).toBe(true)
    expect(requested?.suggested).toBe(`net:${read.columns.find((column) => column.label === label)?.key}`)
    expect(requested?.message).toContain(sum)
    for (const [at, amount] of amounts.entries()) expect(requested?.choices[at]?.label).toContain(amount)
  })
  test('does not ask about 税后工资 as a step to 实发工资 where only deductions stand between', () => {
    const head = ['姓名', '基本工资', '社保', '税后工资', '罚款', '实发工资']
    const match = recognizeWorkbook([
      grid([
        head,
        ['林昭宁', 8000, 500, 7500, 100, 7400],
        ['周叙白', 8100, 510, 7590, 0, 7590],
        ['何知微', 8200, 520, 7680, 50, 7630],
      ]),
    ]).recognition
    expect(match.questions).toEqual([])
    expect(getRoles(match)).toMatchObject({ 税后工资: 'info', 罚款: 'deduction', 实发工资: 'net' })
  })
  test('suggests no net column where nothing adds up', async () => {
    expect(netQuestion(await getRead('w02'))).toMatchObject({ must: true, suggested: '' })
  })
  test('reads the columns behind the inner net according to the answer, in both directions', async () => {
    const read = await getRead('w01')
    const inner = applyAnswers(getSetup(read), [{ id: 'net', value: 'net:c7' }])
    expect(getRoles(inner.recognition)).toMatchObject({ 实发数: 'net', 春节福利: 'info', 借款扣回: 'info', 最终实发数: 'info' })
    expect(inner.recognition.formula?.net).toBe('c7')
    const outer = applyAnswers(inner, [{ id: 'net', value: 'net:c10' }])
    expect(getRoles(outer.recognition)).toMatchObject({
      实发数: 'info',
      春节福利: 'earning',
      借款扣回: 'deduction',
      最终实发数: 'net',
    })
    expect(outer.recognition.formula).toMatchObject({ net: 'c10', holds: 3, of: 3 })
  })
  test('stores the answer and its consequences for the next sheet of the same kind', async () => {
    const read = await getRead('w01')
    const inner = applyAnswers(getSetup(read), [{ id: 'net', value: 'net:c7' }])
    const next = applyMapping(getSetup(read).recognition, toColumnMapping(inner.recognition, inner.layout, true))
    expect(getRoles(next.sheet)).toMatchObject({ 实发数: 'net', 春节福利: 'info', 借款扣回: 'info', 最终实发数: 'info' })
    expect(next.sheet.formula).toMatchObject({ net: 'c7', holds: 3, of: 3 })
    expect(next.sheet.questions.find(({ kind }) => kind === 'net')?.answer).toBe('net:c7')
  })
  test('counts a repayment behind the net as paid and not as income', async () => {
    const grids = await getGrids('26-')
    const { recognition, grids: read } = recognizeWorkbook(grids)
    const { slip, income, sections } = paidTo(
      grids,
      applyAnswers(getSetup(recognition), [{ id: 'net', value: 'net:c8' }]),
      everyRow(read, recognition),
    )
    expect(slip.totals).toEqual({ gross_fen: 882_000, deduction_fen: 75_000 })
    expect(income).toBe(850_000)
    expect(sections).toMatchObject({ gross: 882_000, net: 807_000 })
  })
})

describe('formula proven by the rows', () => {
  test.each([
    ['24-', { 个税返还: 'earning' }],
    ['25-', { 合同工资: 'info', 基本工资: 'earning', 社保: 'deduction', 个税: 'tax' }],
    ['w12', { 聘期风险抵押金: 'deduction', 年度风险抵押金: 'deduction', 风险抵押金: 'deduction', 扣款合计: 'subtotal' }],
    ['w13', { 工会经费: 'employer', 会费: 'deduction' }],
    ['w14', { '#其他應發': 'earning', '#應核發金額': 'gross', '#請假 / 訓練費': 'deduction', '#事假時數': 'info' }],
    ['w07', { TELEPHONE: 'deduction', TAX: 'tax' }],
  ])('decides the side of a column in %s', async (file, roles) => {
    const read = await getRead(file)
    const labels = Object.fromEntries(Object.entries(getRoles(read)).map(([label, role]) => [label.replaceAll('\n', ''), role]))
    expect(labels).toMatchObject(roles)
    expect(read.formula).toMatchObject({ holds: read.people, of: read.people })
  })
  test('keeps columns outside the formula out of gross, charts and income', async () => {
    const grids = await getGrids('25-')
    const { recognition, grids: read } = recognizeWorkbook(grids)
    const { slip, income, sections } = paidTo(grids, getSetup(recognition), everyRow(read, recognition))
    expect(slip.totals).toEqual({ gross_fen: 950_000, deduction_fen: 138_850 })
    expect(slip.groups.map(({ name, total_fen }) => [name, total_fen])).toEqual([
      ['应发', 950_000],
      ['扣款', -138_850],
      ['其他', null],
    ])
    expect(income).toBe(950_000)
    expect(sections).toMatchObject({ gross: 950_000, net: 811_150 })
  })
  test('asks where a single employee has an amount outside the formula', () => {
    const match = recognizeWorkbook([
      grid([
        ['姓名', '基本工资', '奖金', '社保', '实发工资'],
        ['林昭宁', 8000, 0, 500, 7500],
        ['周叙白', 8100, 1000, 510, 7590],
        ['何知微', 8200, 0, 520, 7680],
      ]),
    ]).recognition
    expect(match.questions).toMatchObject([{ id: 'role:c2', must: true, suggested: 'info' }])
  })
})

describe('sheets that Excel computed without rounding', () => {
  test.each(['04a', '04b'])(
    'finds the net that is a thousand too high in %s and reports differences of a few fen in one note',
    async (file) => {
      const { issues } = getCheck(await getGrids(file))
      const mismatches = issues.filter(({ kind }) => kind === 'sum_mismatch')
      expect(mismatches.map(({ name, level }) => [name, level])).toEqual([['周叙白', 'error']])
      expect(issues.filter(({ kind }) => kind === 'rounding').length).toBeLessThanOrEqual(1)
    },
  )
})

// Variants

const probes = 200
const seed = 20_261_301
const fen = (yuan: number) => Math.round(yuan * 100)
const yuan = (amount: number) => amount / 100

interface Term extends RenderedColumn {
  /** Effect on the net pay: added, deducted, or not included. */
  sign: 1 | -1 | 0
}

class Sheet {
  readonly #draw: Draw
  readonly people: number
  readonly terms: Term[] = []

  constructor(draw: Draw, people: number) {
    this.#draw = draw
    this.people = people
  }

  amounts(from: number, to: number, blanks = 0): StoredValue[] {
    return Array.from({ length: this.people }, () =>
      this.#draw.chance(blanks) ? null : yuan(this.#draw.integer(from * 100, to * 100)),
    )
  }

  add(label: string, sign: Term['sign'], cells: StoredValue[]): Term {
    const term = { path: [label], cells, sign }
    this.terms.push(term)
    return term
  }

  sums(terms: readonly Term[] = this.terms): StoredValue[] {
    return Array.from({ length: this.people }, (_, at) =>
      yuan(terms.reduce((all, { sign, cells }) => all + sign * fen(Number(cells[at] ?? 0)), 0)),
    )
  }
}

function beginSheet(draw: Draw, fewest = 3): Sheet {
  const sheet = new Sheet(draw, draw.integer(fewest, 10))
  sheet.add(draw.pick(['基本工资', '岗位工资', '底薪']), 1, sheet.amounts(4_000, 9_000))
  sheet.add(draw.pick(['绩效工资', '奖金', '加班费', '餐补']), 1, sheet.amounts(100, 2_000, 0.1))
  return sheet
}
function deduct(draw: Draw, sheet: Sheet): void {
  sheet.add(draw.pick(['社保', '养老保险', '社保个人']), -1, sheet.amounts(300, 900))
  if (draw.chance(0.6)) sheet.add(draw.pick(['公积金', '住房公积金']), -1, sheet.amounts(200, 600))
  if (draw.chance(0.8)) sheet.add('个税', -1, sheet.amounts(1, 300, 0.3))
}
function readColumns(draw: Draw, columns: readonly RenderedColumn[], people: number) {
  const names = draw.shuffle(someNames).slice(0, people)
  const who: RenderedColumn[] = [
    { path: ['姓名'], cells: names },
    ...(draw.chance(0.5) ? [{ path: ['工号'], cells: names.map((_, at) => `A0${at + 10}`) }] : []),
  ]
  const title: StoredValue[][] = draw.chance(0.4) ? [['2026年11月工资表']] : []
  const { rows, merges } = drawSheet([...who, ...columns], title)
  return { grids: [grid(rows, { merges })], read: recognizeWorkbook([grid(rows, { merges })]).recognition }
}

/** Whether every column of the formula is read on its side, and nothing else is included. */
function getOutcome(read: Read, terms: readonly Term[]): Outcome {
  const outcomes = terms.map(({ path, sign, cells }): Outcome => {
    const column = read.columns.find(({ label }) => label === path[0])
    if (!column || cells.every((cell) => !cell)) return 'right'
    const isAccepted = column.role === 'deduction' || column.role === 'tax'
    const isRight = sign === 1 ? column.role === 'earning' : sign === -1 ? isAccepted : !isAccepted && column.role !== 'earning'
    if (isRight) return 'right'
    return read.questions.some(({ key, kind }) => key === column.key || kind === 'net') ? 'asked' : 'silent wrong'
  })
  return outcomes.find((one) => one === 'silent wrong') ?? outcomes.find((one) => one === 'asked') ?? 'right'
}

describe('two hundred variants of each kind', () => {
  test('asks about two net columns unless one is a part, an earlier month or equal', () => {
    const outcomes: Outcome[] = []
    const wrong: unknown[] = []
    const draw = new Draw(seed)
    for (let probe = 0; probe < probes; probe++) {
      const sheet = beginSheet(draw, 2)
      if (draw.chance(0.5)) sheet.terms.push({ path: ['应发合计'], cells: sheet.sums(), sign: 0 })
      deduct(draw, sheet)
      const inner: Term = { path: [draw.pick(['实发数', '实发工资', '实发', '税后工资'])], cells: sheet.sums(), sign: 0 }
      const how = draw.pick(['chain', 'chain', 'apart', 'parts', 'earlier', 'same'])
      const base = [...sheet.terms]
      const columns: Term[] = [...base, inner]
      let outer = inner
      if (how === 'chain') {
        const added = new Sheet(draw, sheet.people)
        for (let at = draw.integer(1, 2); at > 0; at--)
          if (draw.chance(0.5))
            added.add(`${draw.pick(['报销', '春节福利', '补发'])}${at === 1 ? '' : '款'}`, 1, sheet.amounts(50, 500))
          else added.add(`${draw.pick(['借款扣回', '罚款', '水电费'])}${at === 1 ? '' : '金额'}`, -1, sheet.amounts(50, 500))
        const cells = sheet.sums([{ ...inner, sign: 1 }, ...added.terms])
        outer = {
          path: [draw.pick(['最终实发数', '实际到账', '实际打款', '实发取整', '打卡金额', '本次实发合计'])],
          cells,
          sign: 0,
        }
        columns.push(...added.terms, outer)
      } else if (how === 'apart') {
        outer = {
          path: [draw.pick(['最终实发', '实际到账', '打卡金额', '银行实发'])],
          cells: sheet.amounts(2_000, 9_000),
          sign: 0,
        }
        columns.push(outer)
      } else if (how === 'parts') {
        const cash = inner.cells.map((cell) => yuan(Math.floor(fen(Number(cell)) / draw.integer(3, 9))))
        const bank = inner.cells.map((cell, at) => yuan(fen(Number(cell)) - fen(cash[at] ?? 0)))
        const two = [
          { path: [draw.pick(['银行实发', '打卡金额', '银行代发'])], cells: bank, sign: 0 as const },
          { path: [draw.pick(['现金', '现金发放'])], cells: cash, sign: 0 as const },
        ]
        columns.push(...(draw.chance(0.5) ? two : two.toReversed()))
      } else if (how === 'earlier')
        columns.splice(draw.integer(2, 3), 0, {
          path: [draw.pick(['上月实发', '上月实发工资', '累计实发'])],
          cells: sheet.amounts(2_000, 9_000),
          sign: 0,
        })
      else columns.push({ path: [draw.pick(['实际到账', '打卡金额'])], cells: inner.cells, sign: 0 })
      const { read } = readColumns(draw, columns, sheet.people)
      const requested = netQuestion(read)
      const getKey = (term: Term) => read.columns.find(({ label }) => label === term.path[0])?.key
      const mustBeAsked = how === 'chain' || how === 'apart'
      const suggested = how === 'chain' ? `net:${getKey(outer)}` : ''
      let outcome: Outcome = requested ? 'asked' : 'right'
      if (mustBeAsked && (!requested || (how === 'chain' && sheet.people > 2 && requested.suggested !== suggested)))
        outcome = 'silent wrong'
      if (
        !mustBeAsked &&
        (requested || ![inner.path[0], '实际到账', '打卡金额'].includes(read.columns.find(({ role }) => role === 'net')?.label))
      )
        outcome = 'silent wrong'
      if (how === 'chain' && requested?.suggested === suggested) {
        const answered = applyAnswers(getSetup(read), [{ id: requested.id, value: suggested }]).recognition
        const notified = getOutcome(
          { ...read, columns: answered.columns, questions: read.questions.filter(({ kind }) => kind === 'role') },
          columns,
        )
        if (notified === 'silent wrong') outcome = 'silent wrong'
      }
      if (outcome === 'silent wrong')
        wrong.push([
          probe,
          how,
          columns.map(({ path, cells }) => [path[0], cells[0], cells[1]]),
          requested?.suggested,
          getRoles(read),
        ])
      outcomes.push(outcome)
    }
    printOutcomes('two net columns', outcomes)
    expect(wrong).toEqual([])
  })

  test('puts a column on the side that the rows prove, or asks about it', () => {
    const outcomes: Outcome[] = []
    const wrong: unknown[] = []
    const draw = new Draw(seed + 1)
    for (let probe = 0; probe < probes; probe++) {
      const sheet = beginSheet(draw)
      const some = sheet.terms
      if (draw.chance(0.6))
        some.splice(draw.integer(0, 2), 0, {
          path: [draw.pick(['合同工资', '档案工资', '工资总额标准', '岗位定薪', '约定工资'])],
          cells: sheet.amounts(9_000, 20_000),
          sign: 0,
        })
      if (draw.chance(0.4)) sheet.add(draw.pick(['个税返还', '退税', '劳保', '个税退还', '其他应发']), 1, sheet.amounts(20, 300))
      const hasGross = draw.chance(0.5)
      if (hasGross) some.push({ path: [draw.pick(['应发合计', '应发工资', '应发'])], cells: sheet.sums(), sign: 0 })
      const accepted = some.length
      deduct(draw, sheet)
      if (draw.chance(0.5))
        sheet.add(
          draw.pick(['风险抵押金', '聘期风险抵押金', '年度风险抵押金', 'SALARY ADV', '押金', '劳保费']),
          -1,
          sheet.amounts(20, 300),
        )
      const off = some.slice(accepted)
      if (draw.chance(0.3))
        some.push({
          path: [draw.pick(['扣款合计', 'Total Ded', '代扣合计'])],
          cells: sheet.sums(off).map((cell) => -Number(cell)),
          sign: 0,
        })
      const net: Term = { path: [draw.pick(['实发工资', '实发', '实发合计'])], cells: sheet.sums(), sign: 0 }
      const after: Term[] = draw.chance(0.3)
        ? [{ path: [draw.pick(['工会经费', '单位社保', '计提奖金'])], cells: sheet.amounts(20, 300), sign: 0 }]
        : []
      const terms = [...some, net, ...after]
      const { read, grids } = readColumns(draw, terms, sheet.people)
      let outcome = getOutcome(read, terms)
      // A correctly recognised sheet has no issues.
      if (outcome === 'right' && getCheck(grids).issues.some(({ kind }) => kind === 'slip_mismatch' || kind === 'sum_mismatch'))
        outcome = 'silent wrong'
      if (outcome === 'silent wrong')
        wrong.push([
          probe,
          terms.map(({ path, cells, sign }) => [path[0], sign, ...cells.slice(0, 3)].join(' ')),
          getRoles(read),
          read.formula,
        ])
      outcomes.push(outcome)
    }
    printOutcomes('sides by the relation', outcomes)
    expect(wrong).toEqual([])
  })

  test('reports the wrong net and at most one note in an unrounded sheet', () => {
    const outcomes: Outcome[] = []
    const wrong: unknown[] = []
    const draw = new Draw(seed + 2)
    for (let probe = 0; probe < probes; probe++) {
      const people = draw.integer(5, 10)
      const base = Array.from({ length: people }, () => draw.integer(400_000, 1_500_000) / 100)
      const rates = draw.shuffle([0.08, 0.02, 0.07, 0.005, 0.0313]).slice(0, draw.integer(2, 5))
      const labels = ['养老保险', '医疗保险', '公积金', '失业保险', '个税']
      const digits = draw.pick([2, 4, 8, 15])
      const loadStored = (value: number) => Number(value.toPrecision(digits === 2 ? 15 : digits < 8 ? 9 : 15))
      const display = (value: number) => (digits === 2 ? Math.round(value * 100) / 100 : loadStored(value))
      const columns: RenderedColumn[] = [
        { path: ['基本工资'], cells: base },
        { path: ['绩效'], cells: base.map((one) => display(one * draw.pick([0.1, 0.125, 0.15]) + draw.integer(0, 9))) },
        ...rates.map((rate, at) => ({ path: [labels[at] ?? ''], cells: base.map((one) => display(one * rate)) })),
      ]
      const nets = base.map((_, at) =>
        display(columns.reduce((all, { cells }, column) => all + (column < 2 ? 1 : -1) * Number(cells[at]), 0)),
      )
      const isSpoilt = draw.chance(0.7)
      const spoilt = draw.integer(0, people - 1)
      if (isSpoilt) nets[spoilt] = (nets[spoilt] ?? 0) + draw.pick([1_000, 100, 10, 1, -500, 0.5])
      const { grids } = readColumns(draw, [...columns, { path: ['实发工资'], cells: nets }], people)
      const { issues } = getCheck(grids)
      const notified = issues.filter(({ kind }) => kind === 'sum_mismatch')
      const notes = issues.filter(({ kind }) => kind === 'rounding')
      const isRight = notified.length === (isSpoilt ? 1 : 0) && notes.length <= 1
      outcomes.push(isRight ? (notified.length > 0 ? 'asked' : 'right') : 'silent wrong')
      if (!isRight)
        wrong.push([probe, digits, isSpoilt, spoilt, notified.map(({ message }) => message), notes.map(({ message }) => message)])
    }
    printOutcomes('unrounded sheets', outcomes)
    expect(wrong).toEqual([])
  })
})
