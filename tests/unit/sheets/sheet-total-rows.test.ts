/**
 * Rows of totals anywhere: above or below a department, at the end, on every page, over several sheets. A wrong one is
 * reported.
 */
import { describe } from 'vitest'
import type { Grid, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../../support/files/grid.ts'
import { type Layout, layout } from '../../support/files/sheet-layouts.ts'
import type { Random } from '../../support/random.ts'
import { getCheck } from '../../support/sheets/checked.ts'
import { copied, getLeaves, indexOf, over, withColumns } from '../../support/sheets/spoilt.ts'

/** The table without its footer: header and employees; and which columns are amounts. */
function getBody(one: Layout) {
  const rows = copied(one)
  const last = one.truth.people.at(-1) ?? 0
  const head = rows[getLeaves(one)] ?? []
  const first = indexOf(one.truth.gross) - 3
  const net = indexOf(one.truth.net)
  const money = [...head.keys()].filter((at) => at >= first && at <= net)
  return { top: rows.slice(0, getLeaves(one) + 1), people: rows.slice(getLeaves(one) + 1, last), head, money, net }
}

const getFen = (cell: StoredValue) => Math.round(Number(cell ?? 0) * 100)
const getSum = (people: readonly StoredValue[][], column: number) =>
  people.reduce((all, cells) => all + getFen(cells[column]), 0) / 100

/** A row of totals of these employees with its label where clerks write it. */
function getTotal(
  people: readonly StoredValue[][],
  { head, money }: ReturnType<typeof getBody>,
  word: string,
  at: number,
): StoredValue[] {
  const cells: StoredValue[] = head.map((_, column) => (money.includes(column) ? getSum(people, column) : null))
  cells[at] = word
  return cells
}

/** Blocks of two or more employees in their order. */
function getBlocks(people: readonly StoredValue[][], random: Random): StoredValue[][][] {
  const blocks: StoredValue[][][] = []
  for (let from = 0; from < people.length; ) {
    const left = people.length - from
    const size = left < 4 ? left : Math.min(left - 2, 2 + random.below(3))
    blocks.push(people.slice(from, from + size))
    from += size
  }
  return blocks
}

const format = (grids: readonly Grid[], requested?: string[]) =>
  getCheck(grids, requested ? { requested } : {}).issues.filter(
    ({ kind }) => kind === 'subtotal_mismatch' || kind === 'total_row_mismatch',
  )

/**
 * A correct sheet reports nothing; with one wrong amount its row is reported. `totals`: 0-based rows that may be
 * changed.
 */
function judged(
  one: Layout,
  random: Random,
  rendered: { rows: StoredValue[][]; totals: number[]; people: number },
  net: number,
): string | null {
  const read = (rows: StoredValue[][]) => [grid(rows, { merges: one.merges.filter(({ bottom }) => bottom <= getLeaves(one)) })]
  const stored = recognizeWorkbook(read(rendered.rows)).recognition.data_rows.length
  if (stored !== rendered.people) return `${stored} people instead of ${rendered.people}`
  const [without] = format(read(rendered.rows))
  if (without) return `told without reason: row ${without.row}: ${without.message}`
  const row = random.pick(rendered.totals)
  const spoilt = rendered.rows.map((cells) => [...cells])
  const cells = spoilt[row] ?? []
  cells[net] = (getFen(cells[net]) + 100 * (1 + random.below(900))) / 100
  const notified = format(read(spoilt))
  return notified.some((match) => match.row === row + 1)
    ? null
    : `row ${row + 1} is not told, but ${notified.map((match) => match.row)}`
}

const labels = ['小计', '部门小计', '合计', '本部门合计', '甲组小计']
const header = (seed: number) => ({ body: 'plain', header: seed % 2 ? 'one row' : 'merged' }) as const

describe('department totals', () => {
  const renderedWith = (position: 'foot' | 'head', isGrand: (random: Random) => boolean) => (one: Layout, random: Random) => {
    const body = getBody(one)
    const at = random.pick([indexOf(one.truth.identity.name ?? ''), body.head.findIndex((cell) => cell !== null)])
    const blocks = getBlocks(body.people, random)
    const rows = [...body.top]
    const totals: number[] = []
    const word = random.pick(labels)
    const total = (people: StoredValue[][], text: string) => totals.push(rows.push(getTotal(people, body, text, at)) - 1)
    for (const block of blocks) {
      if (position === 'head') total(block, word)
      rows.push(...block)
      if (position === 'foot') total(block, word)
    }
    if (isGrand(random)) total(body.people, random.pick(['总计', '合计', '全公司合计']))
    return judged(one, random, { rows, totals, people: body.people.length }, body.net)
  }
  const sometimes = (random: Random) => random.chance(0.5)
  over('totals-feet', 'checks department totals below their members', header, renderedWith('foot', sometimes))
  over('totals-heads', 'checks department totals above their members', header, renderedWith('head', sometimes))
  over(
    'totals-gaps',
    'checks a total below the last block only, behind lines that separate the blocks',
    header,
    (one, random) => {
      const body = getBody(one)
      const at = indexOf(one.truth.identity.name ?? '')
      const blocks = getBlocks(body.people, random)
      const part: StoredValue[][] = random.pick([[[]], [['二组']], [[], []]])
      const rows = [...body.top, ...blocks.flatMap((block, nth) => (nth > 0 ? [...part, ...block] : block))]
      const totals = [rows.push(getTotal(blocks.at(-1) ?? [], body, random.pick(['小计', '本组小计']), at)) - 1]
      return judged(one, random, { rows, totals, people: body.people.length }, body.net)
    },
  )
  over('totals-pages', 'checks page totals with carried sums and a repeated header', header, (one, random) => {
    const body = getBody(one)
    const at = indexOf(one.truth.identity.name ?? '')
    const rows = [...body.top]
    const totals: number[] = []
    let viewed: StoredValue[][] = []
    for (const [nth, block] of getBlocks(body.people, random).entries()) {
      if (nth > 0 && one.truth.header_rows.length === 1) rows.push([...body.head])
      rows.push(...block)
      viewed = [...viewed, ...block]
      totals.push(rows.push(getTotal(block, body, '本页小计', at)) - 1)
      if (nth > 0) totals.push(rows.push(getTotal(viewed, body, '累计', at)) - 1)
    }
    return judged(one, random, { rows, totals, people: body.people.length }, body.net)
  })
})

describe('department totals listed below all employees', () => {
  over('totals-end', 'checks totals of blocks or of rows anywhere by the department they name', header, (one, random) => {
    const departments = ['甲部', '乙部', '丙部']
    const count = one.truth.people.length
    const isMixed = random.chance(0.5)
    const nth = new Map(one.truth.people.map((row, at) => [row - 1, at]))
    const positionOf = (row: number) => {
      const at = nth.get(row) ?? 0
      return departments[isMixed ? at % 3 : Math.floor((at * 3) / count)] ?? ''
    }
    const has = one.truth.identity.department !== undefined
    const sited = has ? one : withColumns(one, indexOf(one.truth.identity.name ?? ''), ['部门'], positionOf)
    const body = getBody(sited)
    const column = has ? indexOf(one.truth.identity.department ?? '') : indexOf(one.truth.identity.name ?? '')
    const people = isMixed ? random.shuffled(body.people) : body.people
    const rows = [...body.top, ...people]
    const totals: number[] = []
    const at = indexOf(sited.truth.identity.name ?? '')
    for (const department of new Set(people.map((cells) => cells[column]))) {
      const own = people.filter((cells) => cells[column] === department)
      totals.push(rows.push(getTotal(own, body, `${String(department)}小计`, random.pick([at, column]))) - 1)
    }
    if (random.chance(0.5)) totals.push(rows.push(getTotal(people, body, '总计', at)) - 1)
    return judged(sited, random, { rows, totals, people: people.length }, body.net)
  })
})

describe('totals of several sheets', () => {
  over('totals-sheets', 'checks the total of each sheet, and of all sheets on the last', header, (one, random, seed) => {
    const choice = header(seed)
    const body = getBody(one)
    const at = indexOf(one.truth.identity.name ?? '')
    const count = 2 + random.below(2)
    // The same columns with other employees: those of one layout, distributed over the sheets.
    const others = layout(seed, choice)
    const dealt = Array.from({ length: count }, (_, sheet) => getBody(others).people.filter((_p, nth) => nth % count === sheet))
    const names = dealt.map((_, sheet) => `第${sheet + 1}部`)
    const all = dealt.flat()
    const hasGrand = random.chance(0.5)
    const rendered = dealt.map((people, sheet) => {
      const isLast = sheet === count - 1
      const total = getTotal(people, body, '合计', at)
      return [...body.top, ...people, total, ...(hasGrand && isLast ? [getTotal(all, body, '总计', at)] : [])]
    })
    const merges = one.merges.filter(({ bottom }) => bottom <= getLeaves(one))
    const read = (sheets: StoredValue[][][]) => sheets.map((rows, sheet) => grid(rows, { name: names[sheet] ?? '', merges }))
    const [without] = format(read(rendered), names)
    if (without) return `told without reason: ${without.row} ${without.message}`
    const sheet = random.below(count)
    const row = body.top.length + (dealt[sheet]?.length ?? 0)
    const spoilt = rendered.map((rows) => rows.map((cells) => [...cells]))
    const cells = spoilt[sheet]?.[row] ?? []
    cells[body.net] = (getFen(cells[body.net]) + 100 * (1 + random.below(900))) / 100
    const notified = format(read(spoilt), names)
    return notified.some((match) => match.row === sheet * 1_000_000 + row + 1)
      ? null
      : `sheet ${sheet + 1} row ${row + 1} is not told, but ${notified.map((match) => match.row)}`
  })
})
