/**
 * A list of staff, read: which sheet, where the people stand, what each column is for, what each row says, and the cells that cannot be taken. One
 * plain JSON value. What finds the table is what finds the one of a wage sheet; a roster brings its words and what follows from them.
 */

import { rowShown, rows_a_part } from '../../../contract/sheet/row-number.ts'
import { tidy } from '../../../rules/text.ts'
import { filledColumns, type Grid, type Stored, textAt } from '../../grid.ts'
import { labelMeaning } from '../../recognise/meaning.ts'
import { fillDown, type TableRead, tablesIn } from '../../recognise/table.ts'
import { type RosterColumn, rosterColumns } from './columns.ts'
import { formsOf, laidOut, type PersonForm } from './forms.ts'
import { peopleOf, withoutNames } from './people.ts'
import { type BadCell, type RosterRow, readRowsOf } from './rows.ts'
import { type RosterRole, rosterMeaningOf, rosterWords } from './words.ts'

export type RosterKind = 'roster' | 'template' | 'not_a_roster'

export interface RosterRead {
  kind: RosterKind
  /** Why it is no roster: a Chinese sentence. */
  reason?: string
  sheet: string
  /** Rows are 1-based. */
  header_rows: number[]
  first_data_row: number | null
  last_data_row: number | null
  /** Rows with a name. */
  people: number
  columns: RosterColumn[]
  rows: RosterRow[]
  bad: BadCell[]
}

interface Candidate extends RosterRead {
  grid: Grid
}

/** What columns are for where somebody has said so, by their letters. */
export type SaidRoles = Readonly<Record<string, RosterRole>>

/** The sheet that is asked for, or the one that looks most like the staff. */
export function rosterOf(grids: readonly Grid[], wanted?: string, roles: SaidRoles = {}): RosterRead {
  const sheets = wanted === undefined ? grids : grids.filter(({ name }) => name.trim() === wanted.trim())
  if (sheets.length === 0) return refused(`没有名为「${(wanted ?? '').trim().slice(0, 31)}」的工作表，请重新选择`, wanted ?? '')
  const forms = formsOf(sheets)
  const inForms = new Set(forms.map(({ sheet }) => sheet))
  const tables = sheets.flatMap((sheet) => tablesIn(sheet, rosterWords).map((table) => candidate(sheet, table, roles)))
  // A family stands in a table, too.
  const read = tables.filter((one) => !inForms.has(one.sheet) || one.people >= forms.length * most_family)
  if (!read.some((one) => one.kind === 'roster' && !one.grid.hidden && one.people >= forms.length)) {
    const people = ofForms(sheets, forms, roles)
    if (people) return people
  }
  let best: Candidate | undefined
  for (const one of read) if (!best || rankOf(one) > rankOf(best)) best = one
  if (!best) return refused('没有找到表头：表里要有一行写着「姓名」「手机号」「部门」等列名', sheets[0]?.name ?? '')
  const { grid: _, ...roster } = joined(best, read)
  return roster
}

/** A family has so many people, in a table within a form. */
const most_family = 10
/** Forms of one person each are a roster, a row each; null where there are none. */
function ofForms(sheets: readonly Grid[], forms: readonly PersonForm[], roles: SaidRoles): RosterRead | null {
  const [sheet] = sheets.filter(({ name }) => name === forms[0]?.sheet)
  if (!sheet) return null
  const laid = laidOut(sheet, forms)
  const [table] = tablesIn(laid, rosterWords)
  if (!table) return null
  const { grid: _, ...read } = candidate(laid, table, roles)
  if (read.kind !== 'roster' || read.rows.length !== forms.length) return null
  const numberOf = (row: number) => forms[row - 2]?.row ?? row
  return {
    ...read,
    header_rows: [],
    first_data_row: rowShown(forms[0]?.row ?? 1),
    last_data_row: rowShown(forms.at(-1)?.row ?? 1),
    rows: read.rows.map((row) => ({ ...row, row: numberOf(row.row), form: forms[row.row - 2]?.sheet ?? sheet.name })),
    bad: read.bad.map((cell) => ({ ...cell, row: numberOf(cell.row) })),
  }
}

/** 姓名 部门 手机 | 姓名 部门 手机: who stands beside the others in the same rows is one of them. */
function joined(best: Candidate, all: readonly Candidate[]): Candidate {
  const labels = ({ columns }: Candidate) => columns.map(({ label, role }) => `${role} ${label}`).join('|')
  const same = all.filter((one) => one.sheet === best.sheet && one.kind === 'roster' && labels(one) === labels(best))
  const beside = same.filter(({ header_rows }) => header_rows[0] === best.header_rows[0])
  if (beside.length < 2) return best
  const shifted = beside.map((one, part) => ({
    ...one,
    rows: one.rows.map((row) => ({ ...row, row: row.row + part * rows_a_part })),
    bad: one.bad.map((cell) => ({ ...cell, row: cell.row + part * rows_a_part })),
  }))
  const numbers = (of: (one: Candidate) => number | null) => beside.map(of).filter((row) => row !== null)
  return {
    ...best,
    first_data_row: Math.min(...numbers((one) => one.first_data_row)),
    last_data_row: Math.max(...numbers((one) => one.last_data_row)),
    people: beside.reduce((sum, { people }) => sum + people, 0),
    columns: shifted.flatMap(({ columns }) => columns),
    rows: shifted.flatMap(({ rows }) => rows),
    bad: shifted.flatMap(({ bad }) => bad),
  }
}

const refused = (reason: string, sheet: string, header_rows: number[] = []): RosterRead => ({
  kind: 'not_a_roster',
  reason,
  sheet,
  header_rows,
  first_data_row: null,
  last_data_row: null,
  people: 0,
  columns: [],
  rows: [],
  bad: [],
})

/** People before forms without any, the present before those who left, what is seen before what is hidden. */
function rankOf({ kind, sheet, grid, columns }: Candidate): number {
  const kinds = { roster: 40, template: 20, not_a_roster: 0 }
  const past = /离职|退休|退职|退職|历史|黑名单|调出|left|former|history|퇴사|퇴직|nghỉ việc|уволен/i.test(sheet) ? 6 : 0
  const aside = /说明|须知|示例|样例|帮助|字典|参数|选项|readme|instruction|example|help/i.test(sheet) ? 25 : 0
  const known = columns.filter(({ role }) => role !== 'info').length
  return kinds[kind] + Math.min(known, 5) / 10 - past - aside - (grid.hidden ? 50 : 0)
}

const rows1 = ({ top, bottom }: TableRead['header']) => Array.from({ length: bottom - top + 1 }, (_, at) => top + at + 1)

function candidate(sheet: Grid, table: TableRead, roles: SaidRoles): Candidate {
  const { grid, header } = table
  const isNamed = header.meanings.some(({ role }) => role === 'name' || role === 'last_name' || role === 'first_name')
  if (!isNamed) return { ...refused('没有「姓名」这一列，看不出每一行是哪一位员工', sheet.name, rows1(header)), grid }
  const keys = keyRows(table)
  const found = peopleOf(table).filter((row) => !keys.includes(row))
  const columns = asSaid(rosterColumns(grid, header, found), roles)
  if (areLabels(grid, columns, found))
    return { ...refused('「姓名」一栏里是列名，这不像员工名单', sheet.name, rows1(header)), grid }
  if (found.length > 0 && areOthers(columns))
    return { ...refused('这像是学生、会员、应聘者或考试的名单，不是员工花名册', sheet.name, rows1(header)), grid }
  if (found.length > 0 && areThings(columns))
    return { ...refused('除了 name 没有一列说的是人，看不出这是员工名单', sheet.name, rows1(header)), grid }
  for (const column of columns) column.label = labelWith(grid, keys, header, column)
  const names = columns.filter(({ role }) => role === 'name' || role === 'family_name' || role === 'given_name')
  const data = withoutNames(table, columns, names, found)
  const filled = columns
    .filter(({ role }) => role === 'department')
    // Below the first level a blank may be the end of the way.
    .reduce((before, { index, rank = 1 }) => fillDown(before, data, index, rank > 1), grid)
  const post = columns.find(({ role }) => role === 'position')
  const { rows, bad } = readRowsOf(
    fillLevels(post ? fillDown(filled, data, post.index, true) : filled, columns, data),
    columns,
    data,
  )
  underHeadings(table, columns, data, rows)
  return {
    grid,
    kind: found.length > 0 ? 'roster' : 'template',
    sheet: sheet.name,
    header_rows: [...rows1(header), ...keys.map((row) => row + 1)].toSorted((a, b) => a - b),
    first_data_row: data.length > 0 ? (data[0] ?? 0) + 1 : null,
    last_data_row: data.length > 0 ? (data.at(-1) ?? 0) + 1 : null,
    people: found.length,
    columns,
    rows,
    bad,
  }
}

/**
 * Of departments with a column a level, what is blank before the first word of a row is as it was above: 营销中心 is written once, over all that
 * belongs to it. What is blank behind it is the end of the way.
 */
function fillLevels(grid: Grid, columns: readonly RosterColumn[], data: readonly number[]): Grid {
  const levels = columns.filter(({ role }) => role === 'department').toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  if (levels.length < 2) return grid
  const rows = [...grid.rows]
  let before: readonly Stored[] = []
  for (const row of data) {
    const first = levels.findIndex(({ index }) => textAt(grid, row, index) !== '')
    if (first < 0) continue
    const cells = [...(rows[row] ?? [])]
    for (const { index } of levels.slice(0, first)) cells[index] = before[index] ?? null
    rows[row] = cells
    before = cells
  }
  return { ...grid, rows }
}

const noPlace = /花名册|通讯录|名单|名册|登记表|一览表|合计|小计|总计|共\s*\d|^第.*页|[:：]|^注/
/** Departments that stand as headings over their people, where no column has them. Writes into `rows`. */
function underHeadings(
  { grid, header }: TableRead,
  columns: readonly RosterColumn[],
  data: readonly number[],
  rows: readonly RosterRow[],
): void {
  if (columns.some(({ role }) => role === 'department')) return
  const [first, last] = [data[0], data.at(-1)]
  if (first === undefined || last === undefined) return
  const known = new Set(data)
  const headingAt = (row: number): string | null => {
    const texts = new Set(filledColumns(grid, row).map((column) => textAt(grid, row, column)))
    const [only = ''] = texts
    const plain = tidy(only).replace(/[（(【[].*$/, '')
    return texts.size === 1 && /^[\u4e00-\u9fff][\u4e00-\u9fffA-Za-z\d]{1,19}$/.test(plain) && !noPlace.test(only) ? plain : null
  }
  const over = new Map<number, string>()
  let place: string | null = null
  for (let row = header.bottom + 1; row <= last; row++)
    if (!known.has(row)) place = headingAt(row) ?? place
    else if (place !== null) over.set(row + 1, place)
  // Somebody over the first heading: then these are remarks, or not all of the departments.
  if (!over.has(first + 1)) return
  for (const row of rows) row.departments = [[over.get(row.row) ?? '']]
}

/** Labels of lists of people who do not work here. */
const ofOtherLists =
  /^(?:学号|学籍号|考号|准考证号?|座位号|考场|班级|年级|语文|数学|英语|物理|化学|生物|历史|地理|政治|道德与法治|体育|总分|名次|排名|得分|分数|.*成绩|应聘.*|面试.*|笔试.*|录用.*|期望薪资|简历.*|会员.*|积分|余额|消费.*|开卡.*|订单.*|收货.*|报名.*|客户.*|家长.*|体检.*|收缩压.*|舒张压.*|症状|脉率|体温|腰围|桌号|宾客.*|邀请人数|客人类别)$/
/** A bare id numbers anybody, and anything. */
const isBare = ({ role, label }: RosterColumn) =>
  role === 'employee_no' && /^(?:id|编号|code|no\.?|number|uid)$/i.test(tidy(label))
/** Two such labels, and nothing that only an employee has. */
function areOthers(columns: readonly RosterColumn[]): boolean {
  const isOther = ({ label }: RosterColumn) => ofOtherLists.test(tidy(label.split(' / ').at(-1) ?? ''))
  const works: ReadonlySet<RosterRole> = new Set(['department', 'position', 'entry_date', 'status', 'leader', 'employee_no'])
  return (
    columns.filter(isOther).length > 1 && !columns.some((column) => works.has(column.role) && !isBare(column) && !isOther(column))
  )
}

const most_unknown = 4
/** Airports and films have a NAME, too: nothing else of the sheet is a person's. */
function areThings(columns: readonly RosterColumn[]): boolean {
  const [name, ...others] = columns.filter((column) => column.role !== 'info' && !isBare(column))
  const ofPeople = /\b(?:age|city|address|country|salary|notes?|remarks?)\b/i
  const unknown = columns.filter(
    ({ role, label }) => role === 'info' && !ofPeople.test(label) && labelMeaning(label).nature !== 'money',
  )
  return name?.role === 'name' && others.length === 0 && /^name$/i.test(tidy(name.label)) && unknown.length > most_unknown
}

function asSaid(columns: readonly RosterColumn[], roles: SaidRoles): RosterColumn[] {
  if (!columns.some(({ letter, role }) => (roles[letter] ?? role) !== role)) return [...columns]
  let rank = 0
  return columns.map(({ index, letter, label, role: own }) => {
    const role = roles[letter] ?? own
    return { index, letter, label, role, ...(role === 'department' ? { rank: ++rank } : {}) }
  })
}

const key = /^[a-z][a-z\d]*(?:[ _.-]?[a-z\d]+)*$/i
/** A row of field names (name, mobile, dept_id) right over or under labels that say the same in Chinese: part of the header. */
function keyRows({ grid, header }: TableRead): number[] {
  if (header.paths.every((path) => path.every((part) => /^[\x20-\x7e]*$/.test(part)))) return []
  const own = header.paths.map(rosterMeaningOf)
  return [header.top - 1, header.bottom + 1].filter((row) => {
    if (row < 0) return false
    const filled = filledColumns(grid, row)
    if (filled.length < 2 || filled.length * 10 < header.paths.length * 8) return false
    if (!filled.every((column) => key.test(textAt(grid, row, column)))) return false
    const same = filled.filter((column) => {
      const { role, sure } = rosterMeaningOf([textAt(grid, row, column)])
      return sure > 0 && own[column - header.left]?.role === role
    })
    const coded = filled.filter((column) => /[_]|[a-z][A-Z]|id$/.test(textAt(grid, row, column)))
    return same.length > 1 || (same.length > 0 && same.length + coded.length > 2)
  })
}

function labelWith(grid: Grid, keys: readonly number[], { top }: TableRead['header'], { index, label }: RosterColumn): string {
  const parts = keys
    .map((row) => ({ row, text: tidy(textAt(grid, row, index)) }))
    .filter(({ text }) => text !== '' && text !== label)
  return [
    ...parts.filter(({ row }) => row < top).map(({ text }) => text),
    label,
    ...parts.filter(({ row }) => row > top).map(({ text }) => text),
  ]
    .filter((part) => part !== '')
    .join(' / ')
}

/** A list of fields and not of people: 手机号, 部门, 备注 stand where names would. */
function areLabels(grid: Grid, columns: readonly RosterColumn[], people: readonly number[]): boolean {
  const name = columns.find(({ role }) => role === 'name')
  if (!name) return false
  const some = people.slice(0, 200)
  const labels = some.filter((row) => rosterMeaningOf([textAt(grid, row, name.index)]).sure > 1)
  return labels.length * 4 >= some.length && labels.length > 0
}
