/**
 * One layout generator with one rule broken at a time: what must then be detected in any layout. 200 layouts per rule
 * in trials.
 */
import { describe } from 'vitest'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../../support/files/grid.ts'
import type { Layout } from '../../support/files/sheet-layouts.ts'
import { getCheck } from '../../support/sheets/checked.ts'
import { over as inLayouts } from '../../support/sheets/spoilt.ts'

const indexOf = (letter: string) => (letter.length === 1 ? letter.charCodeAt(0) - 65 : letter.charCodeAt(1) - 39)
const copied = ({ rows }: Layout): StoredValue[][] => rows.map((cells) => [...cells])
const read = (rows: StoredValue[][], { merges }: Layout) => recognizeWorkbook([grid(rows, { merges })]).recognition

/** Returns what is wrong with a layout, or nothing if it is correct. */
const over = (name: string, title: string, spoilt: (one: Layout, seed: number) => string | null) =>
  inLayouts(
    name,
    title,
    (seed) => ({ body: 'subtotals', header: seed % 2 ? 'one row' : 'merged' }),
    (one, _random, seed) => spoilt(one, seed),
  )

describe('any layout', () => {
  over('rules-nothing-lost', 'keeps a row whose name is a number and asks about it', (one, seed) => {
    const rows = copied(one)
    const row = one.truth.people[seed % one.truth.people.length] ?? 0
    const cells = rows[row - 1] ?? []
    cells[indexOf(one.truth.identity.name ?? '')] = '1024'
    const match = read(rows, one)
    return match.unclaimed.includes(row) || match.data_rows.includes(row) ? null : `row ${row} has vanished`
  })

  /** Puts another label over the names. */
  const underStrangeWord = (one: Layout) => {
    const rows = copied(one)
    const column = indexOf(one.truth.identity.name ?? '')
    const head = one.truth.header_rows.find((row) => typeof rows[row - 1]?.[column] === 'string') ?? 0
    ;(rows[head - 1] ?? [])[column] = '领款'
    return { rows, column }
  }

  over('rules-who', 'finds the name column under an unknown label by its values, or identifies members by number', (one) => {
    const match = read(underStrangeWord(one).rows, one)
    const name = match.columns.find(({ role }) => role === 'name')?.col
    const isNumbered = match.columns.some(({ role }) => role === 'employee_no' || role === 'mobile' || role === 'id_card')
    // With a handful of rows, one odd name is enough to ask.
    const isRequested = one.truth.people.length < 6 && match.questions.some(({ kind, must }) => must && kind === 'who')
    if (name !== one.truth.identity.name && (name !== undefined || !(isNumbered || isRequested)))
      return `the name is read from ${name}`
    const stored = new Set([...match.data_rows, ...match.unclaimed])
    return one.truth.people.every((row) => stored.has(row)) ? null : 'somebody is lost'
  })

  over('rules-who-asked', 'identifies members by number, or asks, where the values are no names either', (one) => {
    const { rows, column } = underStrangeWord(one)
    for (const [at, row] of one.truth.people.entries()) (rows[row - 1] ?? [])[column] = `窗口 ${at + 1}`
    const { identity } = one.truth
    const match = read(rows, one)
    if (match.kind === 'not_a_wage_sheet') return `refused: ${match.reason}`
    const stored = new Set([...match.data_rows, ...match.unclaimed])
    if (!one.truth.people.every((row) => stored.has(row))) return 'somebody is lost'
    if (identity.employee_no ?? identity.mobile ?? identity.id_card) return null
    return match.questions.some(({ kind, must }) => must && kind === 'who') ? null : 'nobody is asked'
  })

  over('rules-labels', 'excludes a remark in brackets from a label', (one) => {
    const rows = copied(one)
    for (const letter of [one.truth.net, one.truth.identity.name ?? '']) {
      const column = indexOf(letter)
      const head = one.truth.header_rows.findLast((row) => typeof rows[row - 1]?.[column] === 'string') ?? 0
      const cells = rows[head - 1] ?? []
      cells[column] = `${cells[column]}（${letter === one.truth.net ? '已扣个税' : '与身份证、银行卡一致'}）`
    }
    const match = read(rows, one)
    const at = (role: string) => match.columns.find((column) => column.role === role)?.col
    return at('net') === one.truth.net && at('name') === one.truth.identity.name ? null : `net ${at('net')}, name ${at('name')}`
  })

  over('rules-net', 'asks or proves where no column states 实发, and suggests the right one', (one) => {
    const rows = copied(one)
    const column = indexOf(one.truth.net)
    const head = one.truth.header_rows.findLast((row) => typeof rows[row - 1]?.[column] === 'string') ?? 0
    ;(rows[head - 1] ?? [])[column] = '打卡数'
    const match = read(rows, one)
    const net = match.columns.find(({ role }) => role === 'net')?.col
    if (net !== undefined) return net === one.truth.net ? null : `${net} is taken for the net pay`
    const requested = match.questions.find(({ kind }) => kind === 'net')
    return requested?.must ? null : 'nothing is asked'
  })

  over('rules-beside', 'reads no items from a block behind empty columns', (one) => {
    const rows = copied(one)
    const width = Math.max(...rows.map(({ length }) => length))
    const first = (one.truth.header_rows[0] ?? 1) - 1
    const block: StoredValue[][] = [
      ['汇总项目', '金额'],
      ['本月人数', 12],
      ['本月总额', 34_567],
      ['上月总额', 33_210],
    ]
    block.forEach((cells, at) => {
      const row = rows[first + at]
      if (!row) return
      while (row.length < width + 2) row.push(null)
      row.push(...cells)
    })
    const match = read(rows, one)
    const comparison = match.columns.filter(({ col }) => indexOf(col) >= width)
    return comparison.length === 0 && match.data_rows.length === one.truth.people.length
      ? null
      : `items: ${comparison.map(({ label }) => label)}`
  })

  over('rules-totals', 'reports a wrong department total at its row, and not a correct one', (one) => {
    const format = (rows: StoredValue[][]) =>
      getCheck([grid(rows, { merges: one.merges })]).issues.filter(
        ({ kind }) => kind === 'subtotal_mismatch' || kind === 'total_row_mismatch',
      )
    if (format(copied(one)).length > 0) return `told without reason: ${format(copied(one))[0]?.message}`
    const rows = copied(one)
    const net = indexOf(one.truth.net)
    const last = one.truth.people.at(-1) ?? 0
    const row = one.truth.people.map((at) => at + 1).find((at) => at < last && !one.truth.people.includes(at))
    if (row === undefined || typeof rows[row - 1]?.[net] !== 'number') return null
    const cells = rows[row - 1] ?? []
    cells[net] = Math.round((Number(cells[net]) + 1) * 100) / 100
    return format(rows).some((one) => one.row === row) ? null : `row ${row} is not told`
  })
})
