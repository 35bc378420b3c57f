/** Rosters of a workbook: which sheets are rosters, which of them have the same columns, and how several are merged into one. */
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getFilledColumns, getText } from '../../grid.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { departmentNamePattern, isNameColumn, type RosterColumn } from './columns.ts'
import type { RecognizedRoster, RolesByLetter, RosterSheet } from './result.ts'

/** The recognition result of one table. */
export interface RosterCandidate extends Omit<RecognizedRoster, 'sheets'> {
  grid: Grid
  /** The sheet of the file that contains it; `sheet` is the name of its list. */
  tab: string
}

const formerSheetPattern = /离职|退休|退职|退職|历史|黑名单|调出|left|former|history|퇴사|퇴직|nghỉ việc|уволен/i
/** Matches sheets that clearly contain terminated members only. */
const terminatedSheetPattern =
  /^(?!.*(?:在职|现职|在岗)).*(?:离职|退休|退职|退職|퇴사|퇴직|nghỉ việc|уволен)|^(?:former|left|leavers?)\b/i
const helpSheetPattern = /说明|须知|示例|样例|帮助|字典|参数|选项|readme|instruction|example|help/i

/** Ranks lists with members above those without, active above terminated, visible above hidden. */
function rankCandidate({ kind, sheet, grid, columns }: RosterCandidate): number {
  const kinds = { roster: 40, template: 20, not_a_roster: 0 }
  const matchedColumns = columns.filter(({ role }) => role !== 'info').length
  const less = (formerSheetPattern.test(sheet) ? 6 : 0) + (helpSheetPattern.test(sheet) ? 25 : 0) + (grid.hidden ? 50 : 0)
  return kinds[kind] + Math.min(matchedColumns, 5) / 10 - less
}

/** Returns the first of the best candidates. */
export function selectBest(candidates: readonly RosterCandidate[]): RosterCandidate | undefined {
  let best: RosterCandidate | undefined
  for (const one of candidates) if (!best || rankCandidate(one) > rankCandidate(best)) best = one
  return best
}

/** 姓名 部门 手机 | 姓名 部门 手机: merges adjacent tables in the same rows. */
export function mergeNeighbours(best: RosterCandidate, all: readonly RosterCandidate[]): RosterCandidate {
  const labels = ({ columns }: RosterCandidate) => columns.map(({ label, role }) => `${role} ${label}`).join('|')
  const same = all.filter((one) => one.sheet === best.sheet && one.kind === 'roster' && labels(one) === labels(best))
  const neighbours = same.filter(({ header_rows }) => header_rows[0] === best.header_rows[0])
  if (neighbours.length < 2) return best
  const shifted = neighbours.map((one, part) => shiftRows(one, part))
  const numbers = (of: (one: RosterCandidate) => number | null) => neighbours.map(of).filter((row) => row !== null)
  return {
    ...best,
    first_data_row: Math.min(...numbers((one) => one.first_data_row)),
    last_data_row: Math.max(...numbers((one) => one.last_data_row)),
    people: neighbours.reduce((sum, { people }) => sum + people, 0),
    columns: shifted.flatMap(({ columns }) => columns),
    rows: shifted.flatMap(({ rows }) => rows),
    bad: shifted.flatMap(({ bad }) => bad),
    entries_lost: shifted.reduce((sum, one) => sum + one.entries_lost, 0),
  }
}

/** Shifts the row numbers to those of a later table. */
const shiftRows = (one: RosterCandidate, tableOffset: number): RosterCandidate => ({
  ...one,
  rows: one.rows.map((row) => ({ ...row, row: row.row + tableOffset * rowsPerSheet })),
  bad: one.bad.map((cell) => ({ ...cell, row: cell.row + tableOffset * rowsPerSheet })),
})

/**
 * Names the lists of a sheet. Adjacent tables are one list; a table further down with its own header is a separate one.
 * The list with the most members takes the name of the sheet, another one adds the title above it, or its number.
 */
export function getListNames({ name }: Pick<Grid, 'name'>, tables: readonly RosterCandidate[]): string[] {
  const top = ({ header_rows }: RosterCandidate) => header_rows[0] ?? 0
  const lists = [
    ...Map.groupBy(
      tables.filter(({ kind }) => kind === 'roster'),
      top,
    ),
  ].map(([row, own]) => ({
    row,
    people: own.reduce((sum, { people }) => sum + people, 0),
    title: own[0] ? getTitleAbove(own[0]) : '',
  }))
  if (lists.length < 2) return tables.map(() => name)
  const main = lists.toSorted((a, b) => b.people - a.people)[0]?.row
  const titles = lists.map(({ title }) => title)
  const called = new Map(
    lists.map(({ row, title }, at) => {
      const isOne = title !== '' && titles.filter((one) => one === title).length === 1
      return [row, row === main ? name : `${name} · ${isOne ? title : `第 ${at + 1} 张表`}`]
    }),
  )
  return tables.map((one) => called.get(top(one)) ?? name)
}

const maxTitleLength = 20
/** Returns the title directly above a header; empty if there are several or long texts. */
function getTitleAbove({ grid, header_rows }: RosterCandidate): string {
  for (let row = (header_rows[0] ?? 1) - 2; row >= 0 && grid.rows[row]; row--) {
    const texts = new Set(getFilledColumns(grid, row).map((column) => normalizeText(getText(grid, row, column))))
    const [title = ''] = texts
    if (texts.size > 0) return texts.size === 1 && title.length <= maxTitleLength ? title : ''
  }
  return ''
}

/** Returns the best list of each sheet, in file order. */
export const selectBestPerSheet = (candidates: readonly RosterCandidate[]): RosterCandidate[] =>
  [...Map.groupBy(candidates, ({ sheet }) => sheet).values()].flatMap((own) => {
    const best = selectBest(own)
    return best ? [mergeNeighbours(best, own)] : []
  })

/**
 * Returns whether each letter has the same meaning in both, by its label or role (职务 and 岗位), so that rows, cells and
 * roles chosen by the user are valid for both.
 */
function haveSameColumns(one: RosterCandidate, other: RosterCandidate): boolean {
  const others = new Map(other.columns.map((column) => [column.letter, column]))
  const isOther = ({ letter, label, role }: RosterColumn) => {
    const same = others.get(letter)
    return same !== undefined && normalizeHeader(same.label) !== normalizeHeader(label) && (role === 'info' || same.role !== role)
  }
  if (one.columns.some(isOther)) return false
  const names = (columns: readonly RosterColumn[]) => columns.filter(isNameColumn).map(({ letter }) => letter)
  return names(one.columns).join() === names(other.columns).join()
}

/** Returns whether a list below with the same columns is read together with it; lists of terminated members are not. */
export const isContinuation = (best: RosterCandidate, one: RosterCandidate): boolean =>
  one.tab === best.tab &&
  one.kind === 'roster' &&
  best.kind === 'roster' &&
  !formerSheetPattern.test(one.sheet) &&
  haveSameColumns(best, one)

/** Lists all rosters, marking those that were read. */
export function listRosterSheets(all: readonly RosterCandidate[], read: readonly RosterCandidate[]): RosterSheet[] {
  const [first] = read
  const names = new Set(read.map(({ sheet }) => sheet))
  return all.flatMap((one) => {
    const isRead = names.has(one.sheet)
    if (one.kind !== 'roster' || (!isRead && (one.grid.hidden || helpSheetPattern.test(one.sheet)))) return []
    const separation = formerSheetPattern.test(one.sheet) ? 'left' : first && haveSameColumns(first, one) ? null : 'columns'
    return [{ name: one.sheet, member_count: one.people, is_included: isRead, excluded_reason: separation }]
  })
}

/**
 * Derives from the sheet name what no column says: that the members are terminated; or their department, if every sheet
 * is named after a unit (财务部, 一车间).
 */
export function getStatusBySheetName(lists: readonly RosterCandidate[]): (one: RosterCandidate) => RosterCandidate {
  const ownSheet = lists.filter((one) => one.kind === 'roster' && !one.grid.hidden && !formerSheetPattern.test(one.sheet))
  const areUnits = ownSheet.length > 1 && ownSheet.every(({ sheet }) => departmentNamePattern.test(sheet.trim()))
  return (one) => {
    const hasDepartment =
      one.columns.some(({ role }) => role === 'department') || one.rows.some((row) => row.departments.length > 0)
    const path = areUnits && !hasDepartment && ownSheet.some(({ sheet }) => sheet === one.sheet) ? [one.sheet.trim()] : null
    const haveLeft = terminatedSheetPattern.test(one.sheet)
    if (path === null && !haveLeft) return one
    return {
      ...one,
      rows: one.rows.map((row) => ({
        ...row,
        ...(path && { departments: [path] }),
        status: row.status ?? (haveLeft && row.status_word === undefined ? 'left' : null),
      })),
    }
  }
}

/** Returns the column roles of the sheet with the most members, completed by those of the next sheets. */
export function getRoles(sheets: readonly RosterCandidate[]): RolesByLetter {
  const ranked = sheets.toSorted((a, b) => a.people - b.people)
  return Object.fromEntries(ranked.flatMap(({ columns }) => columns.map(({ letter, role }) => [letter, role])))
}
export const hasSameRoles = (roles: RolesByLetter, { columns }: RosterCandidate): boolean =>
  columns.every(({ letter, role }) => (roles[letter] ?? role) === role)

/** Returns a message if the sheets cannot be merged. */
export function getSeparationReason(sheets: readonly RosterCandidate[], names: ReadonlySet<string>): string | null {
  const [first, ...more] = sheets.filter(({ kind }) => kind === 'roster')
  const blank = [...names].find((name) => ![first, ...more].some((one) => one?.sheet.trim() === name))
  if (blank !== undefined) return `「${blank}」里没有员工名单，不能合在一起导入，请重新选择`
  const other = first && more.find((one) => !haveSameColumns(first, one))
  return other ? `「${other.sheet.trim()}」的列和「${first.sheet.trim()}」不一样，不能合在一起导入，请分开导入` : null
}

/** Merges sheets with the same columns: each row names its sheet, and its number identifies the row across sheets. */
export function mergeCandidates(sheets: readonly [RosterCandidate, ...RosterCandidate[]]): RosterCandidate {
  const [first] = sheets
  if (sheets.length === 1) return first
  let tableCount = 0
  const moved = sheets.map((one) => {
    const own = shiftRows(one, tableCount)
    tableCount += 1 + Math.floor(((one.rows.at(-1)?.row ?? 1) - 1) / rowsPerSheet)
    return { ...own, rows: own.rows.map((row) => ({ ...row, sheet: one.sheet })) }
  })
  const columns = new Map<string, RosterColumn>()
  for (const one of sheets.flatMap((sheet) => sheet.columns)) if (!columns.has(one.letter)) columns.set(one.letter, one)
  return {
    ...first,
    people: sheets.reduce((sum, { people }) => sum + people, 0),
    columns: [...columns.values()].toSorted((a, b) => a.index - b.index),
    rows: moved.flatMap(({ rows }) => rows),
    bad: moved.flatMap(({ bad }) => bad),
    entries_lost: sheets.reduce((sum, one) => sum + one.entries_lost, 0),
  }
}
