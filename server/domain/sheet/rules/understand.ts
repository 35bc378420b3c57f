/** A workbook understood: which sheet, which header, what each column is for, who stands in it. One plain JSON value. */

import type { SheetInfo } from '../../../contract/sheet.ts'
import { type Column, type Draft, isPersonRole, moneyRoles, readColumns } from './columns.ts'
import { fingerprint } from './fingerprint.ts'
import { computeMissing } from './formulas.ts'
import { cellAt, filledColumns, type Grid, textAt } from './grid.ts'
import { findHeader, type Header } from './header.ts'
import { type Ignored, readRows, type WhoColumns } from './rows.ts'
import { type Formula, fenAt, findFormula } from './sums.ts'
import { normaliseHeader } from './synonyms.ts'

export type SheetKind = 'wage' | 'template' | 'member_list' | 'not_a_wage_sheet'

export interface Understanding {
  kind: SheetKind
  /** Why it is no wage sheet: a Chinese sentence. */
  reason?: string
  /** The sheet that was chosen. */
  sheet: string
  sheets: SheetInfo['sheets']
  /** The sheets that were read together; one, unless several were asked for. */
  parts: SheetInfo['parts']
  says: SheetInfo['says']
  /** 1-based. */
  header: { rows: number[]; first_data_row: number | null; last_data_row: number | null }
  columns: Column[]
  /** 1-based rows that hold people. */
  data_rows: number[]
  /** Different people; fewer than rows when one person has several. */
  people: number
  ignored: Ignored[]
  /** Key of the net column. */
  net_column: string | null
  /** Sum of the net column over the people, each cell rounded to the fen; null without a single amount in it. */
  net_sum_fen: number | null
  formula: Formula | null
  subtotals: SheetInfo['subtotals']
  /** What only a person can say. */
  questions: SheetInfo['questions']
  /** The sheet's own total row. */
  totals_row: { row: number; net_fen: number | null; agrees: boolean | null } | null
  /** Chinese sentences. */
  warnings: string[]
  /** Normalised header text, the same for every month of one template; to be hashed. */
  fingerprint: string
}

export interface Understood {
  understanding: Understanding
  /** The chosen sheet with missing results filled in. */
  grid: Grid
}

/** Sheets looked at; a workbook with more is a collection, not a wage sheet. */
const mostSheets = 60

/** Chooses a sheet (or takes the named one) and reads it. */
export function understand(grids: readonly Grid[], wanted?: string): Understood {
  const named =
    wanted === undefined ? undefined : grids.find((grid) => grid.name === wanted || grid.name.trim() === wanted.trim())
  let best: Understood | undefined
  let bestRank = -1
  for (const grid of named ? [named] : grids.slice(0, mostSheets)) {
    const read = readGrid(grid)
    const rank = rankOf(read.understanding) - (grid.hidden ? 50 : 0) + 60
    if (rank > bestRank) {
      best = read
      bestRank = rank
    }
  }
  if (!best) {
    const grid: Grid = {
      name: '',
      hidden: false,
      rows: [],
      marks: new Map(),
      merges: [],
      hidden_rows: new Set(),
      hidden_columns: new Set(),
    }
    best = readGrid(grid)
  }
  const chosen = best.grid.name
  best.understanding.sheets = grids.map((grid) => ({
    name: grid.name,
    rows: grid.rows.length,
    hidden: grid.hidden,
    chosen: grid.name === chosen,
    like: grid.name === chosen,
  }))
  const others = named
    ? []
    : grids.filter((grid) => grid.name !== chosen && !grid.hidden && grid.rows.length > 1 && findHeader(grid) !== null)
  if (others.length > 0 && best.understanding.kind === 'wage')
    best.understanding.warnings.push(
      `另有 ${others.length} 个工作表也像工资表（${others
        .slice(0, 3)
        .map((grid) => grid.name.trim())
        .join('、')}${others.length > 3 ? '等' : ''}），本次只读取“${chosen}”`,
    )
  return best
}

/** People with net pay before people without, before empty templates, before lists of staff. The first of equals is taken. */
function rankOf({ kind, net_column }: Understanding): number {
  return { wage: 40, template: 20, member_list: 10, not_a_wage_sheet: 0 }[kind] + (net_column === null || kind !== 'wage' ? 0 : 5)
}

function readGrid(stored: Grid): Understood {
  const grid = computeMissing(stored)
  const header = findHeader(grid)
  if (!header) return { understanding: refused(grid, '没有找到表头：表里要有一行写着“姓名”“实发工资”等列名'), grid }
  const who = whoColumns(header)
  if (who.names.length === 0 && who.employee_no === undefined && who.id_card === undefined && who.mobile === undefined)
    return { understanding: refused(grid, '没有姓名、工号或手机号这样的列，分不出每一行是谁'), grid }
  const { people, ignored, unlisted, totals } = readRows(grid, header, who)
  const columns = readColumns(grid, header, people)
  const kind = kindOf(columns, people)
  const net = columns.find((column) => column.role === 'net')
  const formula = findFormula(grid, people, columns)
  if (formula && formula.holds === formula.of && formula.of > 1 && net)
    Object.assign(net, { confidence: Math.max(net.confidence, 0.98), reason: `${net.reason}，每一行都等于相应各列之和` })
  const netSum = net && people.length > 0 ? sumOf(grid, people, net.index) : null
  const net_sum_fen = netSum && netSum.read > 0 ? netSum.fen : null
  const warnings = warningsOf(grid, people, columns, netSum)
  if (unlisted > 0) warnings.push(`还有 ${unlisted} 行不是员工，没有一一列出`)
  const understanding: Understanding = {
    kind,
    sheet: grid.name,
    sheets: [],
    header: {
      rows: Array.from({ length: header.bottom - header.top + 1 }, (_, at) => header.top + at + 1),
      first_data_row: people.length > 0 ? (people[0] ?? 0) + 1 : null,
      last_data_row: people.length > 0 ? (people.at(-1) ?? 0) + 1 : null,
    },
    columns: columns.map(({ index: _i, meaning: _m, profile: _p, money: _y, ...column }) => column),
    data_rows: people.map((row) => row + 1),
    people: countPeople(grid, people, columns),
    ignored,
    net_column: net?.key ?? null,
    net_sum_fen,
    formula,
    says: saysOf(grid, header.top),
    subtotals: [],
    questions: [],
    parts: [],
    totals_row: totalsRow(grid, totals, people, net, net_sum_fen),
    warnings,
    fingerprint: fingerprint(header.paths),
  }
  understanding.parts = [
    {
      sheet: grid.name,
      header_rows: understanding.header.rows,
      first_data_row: understanding.header.first_data_row,
      last_data_row: understanding.header.last_data_row,
      last_row: grid.rows.length,
      people_rows: people.length,
    },
  ]
  return { understanding, grid }
}

/** The longest text above the header. */
function saysOf(grid: Grid, top: number): Understanding['says'] {
  let title = ''
  for (let row = 0; row < top; row++)
    for (const column of filledColumns(grid, row)) {
      const text = textAt(grid, row, column)
      if (text.length > title.length) title = text
    }
  return { title: title || null, month: null }
}

function refused(grid: Grid, reason: string): Understanding {
  return {
    kind: 'not_a_wage_sheet',
    reason: grid.rows.some((_, row) => filledColumns(grid, row).length > 0) ? reason : '这个工作表是空的',
    sheet: grid.name,
    sheets: [],
    header: { rows: [], first_data_row: null, last_data_row: null },
    columns: [],
    data_rows: [],
    people: 0,
    ignored: [],
    net_column: null,
    net_sum_fen: null,
    formula: null,
    says: { title: null, month: null },
    subtotals: [],
    questions: [],
    parts: [],
    totals_row: null,
    warnings: [],
    fingerprint: '',
  }
}

function whoColumns(header: Header): WhoColumns {
  const best = (role: string) => {
    let found = -1
    header.meanings.forEach((meaning, at) => {
      if (meaning.role === role && meaning.confidence > (header.meanings[found]?.confidence ?? 0)) found = at
    })
    return found < 0 ? undefined : header.left + found
  }
  const name = best('name')
  const names = name !== undefined ? [name] : [best('last_name'), best('first_name')].filter((column) => column !== undefined)
  const money = header.meanings.flatMap((meaning, at) => (meaning.nature === 'money' ? [header.left + at] : []))
  return { names, employee_no: best('employee_no'), id_card: best('id_card'), mobile: best('mobile'), money }
}

/** A list of staff has nothing but what is known about persons; a column nobody knows may be an item of the slip. */
function kindOf(columns: readonly Draft[], people: readonly number[]): SheetKind {
  const money = columns.some((column) => column.money || moneyRoles.has(column.role))
  const unknown = columns.filter(
    (column) => column.meaning.nature === 'unknown' && !isPersonRole(column.role) && column.label !== '',
  )
  const wage = money || (unknown.length >= 2 && unknown.length * 2 >= columns.length)
  if (people.length === 0) return wage || columns.some((column) => isPersonRole(column.role)) ? 'template' : 'not_a_wage_sheet'
  return wage ? 'wage' : 'member_list'
}

function sumOf(grid: Grid, people: readonly number[], column: number): { fen: number; read: number; blank: number } {
  let sum = 0
  let read = 0
  let blank = 0
  for (const row of people) {
    const value = fenAt(grid, row, column)
    if (value === null) blank++
    else if (value !== undefined) {
      sum += value
      read++
    }
  }
  return { fen: sum, read, blank }
}

/** By number and name where there is a number, else every row is somebody: two people may share a name. */
function countPeople(grid: Grid, people: readonly number[], columns: readonly Draft[]): number {
  const at = (role: string) => columns.find((column) => column.role === role)?.index
  const names = [at('name'), at('last_name'), at('first_name')].filter((column) => column !== undefined)
  const strong = [at('id_card'), at('employee_no'), at('mobile'), at('email'), at('bank_account')].filter(
    (column) => column !== undefined,
  )
  const seen = new Set<string>()
  for (const row of people) {
    const name = names.map((column) => textAt(grid, row, column).replace(/\s+/g, '').toLowerCase()).join('|')
    const number = strong.map((column) => textAt(grid, row, column).trim()).find((text) => text !== '')
    seen.add(number === undefined ? `row ${row}` : `${number}|${name}`)
  }
  return seen.size
}

function totalsRow(
  grid: Grid,
  totals: readonly number[],
  people: readonly number[],
  net: Draft | undefined,
  sum: number | null,
): Understanding['totals_row'] {
  const named = totals.filter((row) =>
    filledColumns(grid, row)
      .slice(0, 4)
      .some((column) => /合计|总计|共计|total|합계|tổng|итого/i.test(textAt(grid, row, column).replace(/\s/g, ''))),
  )
  const row = named.findLast((at) => at > (people.at(-1) ?? -1)) ?? named.at(-1)
  if (row === undefined) return null
  const value = net === undefined ? undefined : fenAt(grid, row, net.index)
  const net_fen = typeof value === 'number' ? value : null
  return { row: row + 1, net_fen, agrees: net_fen === null || sum === null ? null : net_fen === sum }
}

function warningsOf(grid: Grid, people: readonly number[], columns: readonly Draft[], net: { blank: number } | null): string[] {
  const warnings: string[] = []
  const rows = (wrong: (row: number) => boolean) => people.filter(wrong)
  const said = (list: readonly number[]) =>
    `第 ${list
      .slice(0, 5)
      .map((row) => row + 1)
      .join('、')} 行${list.length > 5 ? `等 ${list.length} 行` : ''}`
  for (const column of columns) {
    const quote = `“${column.label || `${column.col} 列`}”`
    if (column.money && column.profile.filled > 0) {
      const bad = rows(
        (row) =>
          fenAt(grid, row, column.index) === undefined &&
          cellAt(grid, row, column.index).uncached === undefined &&
          !/^[-—–/\\]+$/.test(textAt(grid, row, column.index)),
      )
      if (bad.length > 0) warnings.push(`${quote}列有读不成金额的内容：${said(bad)}`)
    }
    if (grid.marks.size > 0) {
      const missing = rows((row) => cellAt(grid, row, column.index).uncached === true)
      if (missing.length > 0) warnings.push(`${quote}列的公式没有保存计算结果：${said(missing)}，请用 Excel 打开后保存再上传`)
      const computed = rows((row) => cellAt(grid, row, column.index).computed === true)
      if (computed.length > 0 && column.role === 'net') warnings.push(`${quote}列的公式没有保存计算结果，已按公式算出，请核对`)
    }
    if (column.profile.damaged > 0) warnings.push(`${quote}列的长号码被存成了数字，末尾几位已经丢失，请改成文本后重新填写`)
    if (column.role === 'mobile' && column.profile.filled > column.profile.mobiles)
      warnings.push(`${quote}列有不是 11 位手机号的内容`)
    if (column.role === 'id_card' && column.profile.filled > column.profile.id_cards)
      warnings.push(`${quote}列有格式不对的身份证号`)
  }
  if (net && net.blank > 0) warnings.push(`有 ${net.blank} 行没有实发金额`)
  if (!columns.some((column) => column.role === 'name' || column.role === 'last_name'))
    warnings.push('没有姓名列，只能按编号认人')
  const labels = new Set<string>()
  const twice = new Set<string>()
  for (const column of columns) {
    const text = normaliseHeader(column.label)
    if (text !== '' && labels.has(text)) twice.add(column.label)
    labels.add(text)
  }
  if (twice.size > 0) warnings.push(`有重复的列名：${[...twice].slice(0, 5).join('、')}`)
  const hidden = columns.filter((column) => column.hidden)
  if (hidden.length > 0)
    warnings.push(
      `有隐藏的列：${hidden
        .slice(0, 5)
        .map((column) => column.label || column.col)
        .join('、')}`,
    )
  return warnings
}
