/** The lists of staff of a workbook: which sheets are some, which of them have the same columns, and several of those read as one. */
import { rows_a_part } from '../../../contract/sheet/row-number.ts'
import { tidy } from '../../../rules/text.ts'
import { filledColumns, type Grid, textAt } from '../../grid.ts'
import { normaliseHeader } from '../../recognise/synonyms.ts'
import { isName, type RosterColumn, unit } from './columns.ts'
import type { RosterRead, SaidRoles } from './roster.ts'

/** What was read of a table. */
export interface Candidate extends Omit<RosterRead, 'sheets'> {
  grid: Grid
  /** The sheet of the file on which it stands; `sheet` is what its list is called. */
  tab: string
}

export interface RosterSheet {
  name: string
  people: number
  read: boolean
  /** Why it cannot be read as one list with the others: other columns than the first that was read, or people who left. Null where it can. */
  apart: 'columns' | 'left' | null
}

const ofPast = /离职|退休|退职|退職|历史|黑名单|调出|left|former|history|퇴사|퇴직|nghỉ việc|уволен/i
/** And plainly nobody who is here. */
const ofLeavers = /^(?!.*(?:在职|现职|在岗)).*(?:离职|退休|退职|退職|퇴사|퇴직|nghỉ việc|уволен)|^(?:former|left|leavers?)\b/i
const aside = /说明|须知|示例|样例|帮助|字典|参数|选项|readme|instruction|example|help/i

/** People before forms without any, the present before those who left, what is seen before what is hidden. */
function rankOf({ kind, sheet, grid, columns }: Candidate): number {
  const kinds = { roster: 40, template: 20, not_a_roster: 0 }
  const known = columns.filter(({ role }) => role !== 'info').length
  const less = (ofPast.test(sheet) ? 6 : 0) + (aside.test(sheet) ? 25 : 0) + (grid.hidden ? 50 : 0)
  return kinds[kind] + Math.min(known, 5) / 10 - less
}

/** The first of equals. */
export function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const one of candidates) if (!best || rankOf(one) > rankOf(best)) best = one
  return best
}

/** 姓名 部门 手机 | 姓名 部门 手机: who stands beside the others in the same rows is one of them. */
export function withNeighbours(best: Candidate, all: readonly Candidate[]): Candidate {
  const labels = ({ columns }: Candidate) => columns.map(({ label, role }) => `${role} ${label}`).join('|')
  const same = all.filter((one) => one.sheet === best.sheet && one.kind === 'roster' && labels(one) === labels(best))
  const beside = same.filter(({ header_rows }) => header_rows[0] === best.header_rows[0])
  if (beside.length < 2) return best
  const shifted = beside.map((one, part) => movedBy(one, part))
  const numbers = (of: (one: Candidate) => number | null) => beside.map(of).filter((row) => row !== null)
  return {
    ...best,
    first_data_row: Math.min(...numbers((one) => one.first_data_row)),
    last_data_row: Math.max(...numbers((one) => one.last_data_row)),
    people: beside.reduce((sum, { people }) => sum + people, 0),
    columns: shifted.flatMap(({ columns }) => columns),
    rows: shifted.flatMap(({ rows }) => rows),
    bad: shifted.flatMap(({ bad }) => bad),
    entries_lost: shifted.reduce((sum, one) => sum + one.entries_lost, 0),
  }
}

/** With its rows numbered as in so many parts further down. */
const movedBy = (one: Candidate, parts: number): Candidate => ({
  ...one,
  rows: one.rows.map((row) => ({ ...row, row: row.row + parts * rows_a_part })),
  bad: one.bad.map((cell) => ({ ...cell, row: cell.row + parts * rows_a_part })),
})

/**
 * What the tables of a sheet are called. Side by side they are one list; one that begins further down under a header of its own is a list of its
 * own. The one with the most people has the name of the sheet, another one the words over it besides, or its number.
 */
export function namesOf({ name }: Pick<Grid, 'name'>, tables: readonly Candidate[]): string[] {
  const top = ({ header_rows }: Candidate) => header_rows[0] ?? 0
  const lists = [
    ...Map.groupBy(
      tables.filter(({ kind }) => kind === 'roster'),
      top,
    ),
  ].map(([row, own]) => ({
    row,
    people: own.reduce((sum, { people }) => sum + people, 0),
    title: own[0] ? titleOver(own[0]) : '',
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

const longest_title = 20
/** The words right over a header; none where there are several, or many. */
function titleOver({ grid, header_rows }: Candidate): string {
  for (let row = (header_rows[0] ?? 1) - 2; row >= 0 && grid.rows[row]; row--) {
    const texts = new Set(filledColumns(grid, row).map((column) => tidy(textAt(grid, row, column))))
    const [title = ''] = texts
    if (texts.size > 0) return texts.size === 1 && title.length <= longest_title ? title : ''
  }
  return ''
}

/** The best list of each sheet, in the order of the file. */
export const bySheet = (candidates: readonly Candidate[]): Candidate[] =>
  [...Map.groupBy(candidates, ({ sheet }) => sheet).values()].flatMap((own) => {
    const best = bestOf(own)
    return best ? [withNeighbours(best, own)] : []
  })

/**
 * A letter means the same in both, by its label or by what it is for (职务 and 岗位): then rows, cells and what somebody says of columns are true for
 * each of them.
 */
function areAlike(one: Candidate, other: Candidate): boolean {
  const others = new Map(other.columns.map((column) => [column.letter, column]))
  const isOther = ({ letter, label, role }: RosterColumn) => {
    const same = others.get(letter)
    return same !== undefined && normaliseHeader(same.label) !== normaliseHeader(label) && (role === 'info' || same.role !== role)
  }
  if (one.columns.some(isOther)) return false
  const names = (columns: readonly RosterColumn[]) => columns.filter(isName).map(({ letter }) => letter)
  return names(one.columns).join() === names(other.columns).join()
}

/** What stands below it on its sheet and has the same columns is read with it, unless it is of people who left. */
export const goesWith = (best: Candidate, one: Candidate): boolean =>
  one.tab === best.tab && one.kind === 'roster' && best.kind === 'roster' && !ofPast.test(one.sheet) && areAlike(best, one)

/** All that are lists of staff, beside those that were read. */
export function sheetsOf(all: readonly Candidate[], read: readonly Candidate[]): RosterSheet[] {
  const [first] = read
  const names = new Set(read.map(({ sheet }) => sheet))
  return all.flatMap((one) => {
    const isRead = names.has(one.sheet)
    if (one.kind !== 'roster' || (!isRead && (one.grid.hidden || aside.test(one.sheet)))) return []
    const apart = ofPast.test(one.sheet) ? 'left' : first && areAlike(first, one) ? null : 'columns'
    return [{ name: one.sheet, people: one.people, read: isRead, apart }]
  })
}

/**
 * What the name of a sheet says of its people where no column does: that they left; or where they work, where each sheet is called as a part of a house is
 * (财务部, 一车间).
 */
export function bySheetName(lists: readonly Candidate[]): (one: Candidate) => Candidate {
  const here = lists.filter((one) => one.kind === 'roster' && !one.grid.hidden && !ofPast.test(one.sheet))
  const areUnits = here.length > 1 && here.every(({ sheet }) => unit.test(sheet.trim()))
  return (one) => {
    const isSaid = one.columns.some(({ role }) => role === 'department') || one.rows.some((row) => row.departments.length > 0)
    const way = areUnits && !isSaid && here.some(({ sheet }) => sheet === one.sheet) ? [one.sheet.trim()] : null
    const haveLeft = ofLeavers.test(one.sheet)
    if (way === null && !haveLeft) return one
    return {
      ...one,
      rows: one.rows.map((row) => ({
        ...row,
        ...(way && { departments: [way] }),
        status: row.status ?? (haveLeft && row.status_word === undefined ? 'left' : null),
      })),
    }
  }
}

/** What the columns are for in the sheet with the most people, and of letters that it lacks in the next one. */
export function rolesOf(sheets: readonly Candidate[]): SaidRoles {
  const ranked = sheets.toSorted((a, b) => a.people - b.people)
  return Object.fromEntries(ranked.flatMap(({ columns }) => columns.map(({ letter, role }) => [letter, role])))
}
export const hasRoles = (roles: SaidRoles, { columns }: Candidate): boolean =>
  columns.every(({ letter, role }) => (roles[letter] ?? role) === role)

/** A sentence where they cannot be read as one. */
export function whyApart(sheets: readonly Candidate[], names: ReadonlySet<string>): string | null {
  const [first, ...more] = sheets.filter(({ kind }) => kind === 'roster')
  const blank = [...names].find((name) => ![first, ...more].some((one) => one?.sheet.trim() === name))
  if (blank !== undefined) return `「${blank}」里没有员工名单，不能合在一起导入，请重新选择`
  const other = first && more.find((one) => !areAlike(first, one))
  return other ? `「${other.sheet.trim()}」的列和「${first.sheet.trim()}」不一样，不能合在一起导入，请分开导入` : null
}

/** Sheets of the same columns as one list: each row says its sheet, and its number tells the rows of one sheet from those of another. */
export function together(sheets: readonly [Candidate, ...Candidate[]]): Candidate {
  const [first] = sheets
  if (sheets.length === 1) return first
  let parts = 0
  const moved = sheets.map((one) => {
    const own = movedBy(one, parts)
    parts += 1 + Math.floor(((one.rows.at(-1)?.row ?? 1) - 1) / rows_a_part)
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
