/** One table read by itself: where its header stands, who is in it, what its columns are for. */
import { moneyRoles, personRoles } from '../../../../contract/column-roles.ts'
import type { Grid } from '../grid.ts'
import { filledColumns } from '../grid.ts'
import { type Draft, readColumns } from './columns.ts'
import { fillDepartments } from './fill.ts'
import type { Header } from './header.ts'
import { findHeader } from './header.ts'
import { type RowsRead, readRows, type WhoColumns } from './rows.ts'
import { turn } from './slips.ts'
import { tablesOf } from './tables.ts'
import { judgeUnnamed } from './unnamed.ts'

export type SheetKind = 'wage' | 'template' | 'member_list' | 'not_a_wage_sheet'

export interface Reading {
  /** As its sheet is called; the second table of a sheet bears its number. */
  name: string
  /** The sheet it stands on. */
  sheet: string
  grid: Grid
  kind: SheetKind
  /** Why it is no wage sheet: a Chinese sentence. */
  reason?: string
  header: Header | null
  rows: RowsRead
  columns: Draft[]
  /** 0-based rows with amounts that belong to nobody. */
  lost: number[]
  /** Turned from slips or from a table on its side. */
  turned?: true
}

const nobody: RowsRead = { people: [], ignored: [], unlisted: 0, totals: [], unnamed: [] }

/** The tables of a sheet: slips turned into one, several that stand on it, or just the one. */
export function readSheet(sheet: Grid): Reading[] {
  const turned = turn(sheet)
  if (turned === 'one slip')
    return [refused(sheet, '这像是一个人的工资条（一项一行），不是一行一人的工资表；请上传全部人员的工资表')]
  if (turned) return [{ ...readTable(turned, sheet.name), turned: true }]
  return tablesOf(sheet).map((table) => readTable(table, sheet.name))
}

function refused(grid: Grid, reason: string, sheet = grid.name): Reading {
  return {
    name: grid.name,
    sheet,
    grid,
    kind: 'not_a_wage_sheet',
    reason: grid.rows.some((_, row) => filledColumns(grid, row).length > 0) ? reason : '这个工作表是空的',
    header: null,
    rows: nobody,
    columns: [],
    lost: [],
  }
}

function readTable(grid: Grid, sheet: string): Reading {
  const header = findHeader(grid)
  if (!header) return refused(grid, '没有找到表头：表里要有一行写着“姓名”“实发工资”等列名', sheet)
  const who = whoColumns(header)
  if (who.names.length === 0 && who.employee_no === undefined && who.id_card === undefined && who.mobile === undefined)
    return refused(grid, '没有姓名、工号或手机号这样的列，分不出每一行是谁', sheet)
  const { rows, lost } = judgeUnnamed(grid, readRows(grid, header, who), who)
  const columns = readColumns(grid, header, rows.people)
  const filled = fillDepartments(grid, rows.people, columns)
  return { name: grid.name, sheet, grid: filled, kind: kindOf(columns, rows.people), header, rows, columns, lost }
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
    (column) => column.meaning.nature === 'unknown' && !personRoles.has(column.role) && column.label !== '',
  )
  const wage = money || (unknown.length >= 2 && unknown.length * 2 >= columns.length)
  if (people.length === 0) return wage || columns.some((column) => personRoles.has(column.role)) ? 'template' : 'not_a_wage_sheet'
  return wage ? 'wage' : 'member_list'
}
