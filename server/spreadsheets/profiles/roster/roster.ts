/**
 * Recognizes a roster: the sheet, the member rows, the role of each column, the data of each row, and invalid cells.
 * The result is a plain JSON value. Tables are found by the same code as for wage sheets; the roster profile adds its
 * labels and their consequences.
 */

import { isAnyName } from '../../../contract/sheets/column-roles.ts'
import { toSheetRowNumber } from '../../../contract/sheets/row-number.ts'
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getFilledColumns, getText, type StoredValue } from '../../grid.ts'
import { fillDown, type RecognizedTable, recognizeTables } from '../../recognise/table.ts'
import { isNameColumn, type RosterColumn, recognizeRosterColumns } from './columns.ts'
import { type EmployeeForm, formsToGrid, readForms } from './forms.ts'
import { getRosterLabelMeaning, type RosterMeaning, rosterLabels } from './labels.ts'
import { findMemberRows, findUnnamedMemberRows } from './member-rows.ts'
import { getNotStaffReason } from './not-staff.ts'
import type { RecognizedRoster, RolesByLetter } from './result.ts'
import { type RosterRow, readRosterRows } from './rows.ts'
import {
  getListNames,
  getRoles,
  getSeparationReason,
  getStatusBySheetName,
  hasSameRoles,
  isContinuation,
  listRosterSheets,
  mergeCandidates,
  type RosterCandidate,
  selectBest,
  selectBestPerSheet,
} from './sheets.ts'

/** Recognizes the requested sheets as one roster, or the sheet that looks most like a roster. */
export function recognizeRoster(
  grids: readonly Grid[],
  requestedSheets?: readonly string[],
  roles: RolesByLetter = {},
): RecognizedRoster {
  const names = new Set(requestedSheets?.map((name) => name.trim()))
  const isRequested = (name: string) => requestedSheets === undefined || names.has(name.trim())
  const allForms = readForms(grids)
  const forms = allForms.filter(({ sheet }) => isRequested(sheet))
  const inForms = new Set(allForms.map(({ sheet }) => sheet))
  const listed = grids.flatMap((sheet) => recognizeLists(sheet, roles))
  const missing = requestedSheets?.find(
    (name) => ![...grids, ...listed.map(({ sheet }) => ({ name: sheet }))].some((one) => one.name.trim() === name.trim()),
  )
  if (missing !== undefined) return createRejection(`没有名为「${missing.trim().slice(0, 31)}」的工作表，请重新选择`, missing)
  // A family may be listed in a table as well.
  const all = listed.filter((one) => !inForms.has(one.tab) || one.people >= forms.length * maxFamilyMembers)
  const lists = selectBestPerSheet(all)
  const own = all.filter(({ sheet }) => isRequested(sheet))
  if (!own.some((one) => one.kind === 'roster' && !one.grid.hidden && one.people >= forms.length)) {
    const people = recognizeForms(
      grids.filter(({ name }) => isRequested(name)),
      forms,
      roles,
    )
    if (people) return { ...people, sheets: listRosterSheets(lists, []) }
  }
  const selected = selectCandidates(lists, own, requestedSheets)
  const [first, ...more] = selected
  if (!first) return createRejection(noHeaderMessage, grids.find(({ name }) => isRequested(name))?.name ?? '')
  const separateReason = names.size > 1 ? getSeparationReason(selected, names) : null
  if (separateReason !== null) return createRejection(separateReason, first.sheet)
  const joint = more.length > 0 ? getRoles(selected) : roles
  const named = getStatusBySheetName(lists)
  const settled = (one: RosterCandidate): RosterCandidate => {
    const [same = one] = hasSameRoles(joint, one)
      ? []
      : selectBestPerSheet(grids.flatMap((sheet) => (sheet.name === one.tab ? recognizeLists(sheet, joint) : []))).filter(
          ({ sheet }) => sheet === one.sheet,
        )
    return named(same)
  }
  const { grid: _, tab: __, ...roster } = mergeCandidates([settled(first), ...more.map(settled)])
  return { ...roster, sheets: listRosterSheets(lists, selected) }
}
const noHeaderMessage = '没有找到表头：表里要有一行写着「姓名」「手机号」「部门」等列名'

/** Selects the candidates in file order. */
function selectCandidates(
  lists: readonly RosterCandidate[],
  own: readonly RosterCandidate[],
  requestedSheets: readonly string[] | undefined,
): RosterCandidate[] {
  if (requestedSheets !== undefined) return lists.filter(({ sheet }) => own.some((one) => one.sheet === sheet))
  const best = selectBest(own)
  return best ? lists.filter((one) => one.sheet === best.sheet || isContinuation(best, one)) : []
}

/** Maximum number of family members in a table within a form. */
const maxFamilyMembers = 10
/** Recognizes employee forms as a roster with one row per form; null if there are none. */
function recognizeForms(
  sheets: readonly Grid[],
  forms: readonly EmployeeForm[],
  roles: RolesByLetter,
): Omit<RecognizedRoster, 'sheets'> | null {
  const [sheet] = sheets.filter(({ name }) => name === forms[0]?.sheet)
  if (!sheet) return null
  const laid = formsToGrid(sheet, forms)
  const [table] = recognizeTables(laid, rosterLabels)
  if (!table) return null
  const { grid: _, tab: __, ...read } = toCandidate(laid, table, roles)
  if (read.kind !== 'roster' || read.rows.length !== forms.length) return null
  const getRowNumber = (row: number) => forms[row - 2]?.row ?? row
  return {
    ...read,
    header_rows: [],
    first_data_row: toSheetRowNumber(forms[0]?.row ?? 1),
    last_data_row: toSheetRowNumber(forms.at(-1)?.row ?? 1),
    rows: read.rows.map((row) => ({ ...row, row: getRowNumber(row.row), form: forms[row.row - 2]?.sheet ?? sheet.name })),
    bad: read.bad.map((cell) => ({ ...cell, row: getRowNumber(cell.row) })),
  }
}

const createRejection = (reason: string, sheet: string, header_rows: number[] = []): RecognizedRoster => ({
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
  entries_lost: 0,
  sheets: [],
})

/** Recognizes the tables of a sheet, with column roles chosen by the user. The names of the lists do not depend on them. */
function recognizeLists(sheet: Grid, roles: RolesByLetter): RosterCandidate[] {
  const tables = recognizeTables(sheet, rosterLabels)
  const plain = tables.map((table) => toCandidate(sheet, table, {}))
  const names = getListNames(sheet, plain)
  const read = Object.keys(roles).length > 0 ? tables.map((table) => toCandidate(sheet, table, roles)) : plain
  return read.map((one, at) => ({ ...one, sheet: names[at] ?? sheet.name }))
}

const listHeaderRows = ({ top, bottom }: RecognizedTable['header']) =>
  Array.from({ length: bottom - top + 1 }, (_, at) => top + at + 1)

function toCandidate(sheet: Grid, table: RecognizedTable, roles: RolesByLetter): RosterCandidate {
  const { grid, header } = table
  const isNamed = header.meanings.some(({ role }) => isAnyName(role))
  if (!isNamed)
    return {
      ...createRejection('没有「姓名」这一列，看不出每一行是哪一位员工', sheet.name, listHeaderRows(header)),
      grid,
      tab: sheet.name,
    }
  const keys = findFieldNameRows(table)
  const memberRows = findMemberRows(table).filter((row) => !keys.includes(row))
  const columns = applyRoles(recognizeRosterColumns(grid, header, memberRows), roles)
  const why = getNotStaffReason(table, columns, memberRows)
  if (why !== null) return { ...createRejection(why, sheet.name, listHeaderRows(header)), grid, tab: sheet.name }
  for (const column of columns) column.label = joinLabels(grid, keys, header, column)
  const names = columns.filter(isNameColumn)
  const data = findUnnamedMemberRows(table, columns, names, memberRows)
  const filled = columns
    .filter(({ role }) => role === 'department')
    // Below the first level an empty cell may be the end of the path.
    .reduce((before, { index, rank = 1 }) => fillDown(before, data, index, rank > 1), grid)
  const post = columns.find(({ role }) => role === 'position')
  const { rows, bad, entries_lost } = readRosterRows(
    fillDepartmentLevels(post ? fillDown(filled, data, post.index, true) : filled, columns, data),
    columns,
    data,
    undefined,
    createTerminatedHeadingLookup(table, data),
  )
  applyDepartmentHeadings(table, columns, data, rows)
  return {
    grid,
    tab: sheet.name,
    kind: memberRows.length > 0 ? 'roster' : 'template',
    sheet: sheet.name,
    header_rows: [...listHeaderRows(header), ...keys.map((row) => row + 1)].toSorted((a, b) => a - b),
    first_data_row: data.length > 0 ? (data[0] ?? 0) + 1 : null,
    last_data_row: data.length > 0 ? (data.at(-1) ?? 0) + 1 : null,
    people: memberRows.length,
    columns,
    rows,
    bad,
    entries_lost,
  }
}

/**
 * Fills empty department cells before the first non-empty level of a row with the value above: 营销中心 is written once for
 * everything that belongs to it. Empty cells behind it mark the end of the path.
 */
function fillDepartmentLevels(grid: Grid, columns: readonly RosterColumn[], data: readonly number[]): Grid {
  const levels = columns.filter(({ role }) => role === 'department').toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  if (levels.length < 2) return grid
  const rows = [...grid.rows]
  let before: readonly StoredValue[] = []
  for (const row of data) {
    const first = levels.findIndex(({ index }) => getText(grid, row, index) !== '')
    if (first < 0) continue
    const cells = [...(rows[row] ?? [])]
    for (const { index } of levels.slice(0, first)) cells[index] = before[index] ?? null
    rows[row] = cells
    before = cells
  }
  return { ...grid, rows }
}

const terminatedPattern = /离职|离岗|离厂|离司|辞职|辞退|退休|减员|停保|调出|解除|已离|leavers?\b|\bleft\b|resigned|terminated/i
/** Finds the heading of each row such as 本月离职人员 above members, alone in its row, until another heading ends it. */
function createTerminatedHeadingLookup(
  { grid, header }: RecognizedTable,
  data: readonly number[],
): (row: number) => string | null {
  const over = new Map<number, string>()
  const memberRows = new Set(data)
  const last = data.at(-1) ?? -1
  let heading: string | null = null
  for (let row = header.bottom + 1; row <= last; row++) {
    if (memberRows.has(row)) {
      if (heading !== null) over.set(row, heading)
      continue
    }
    const texts = new Set(getFilledColumns(grid, row).map((column) => normalizeText(getText(grid, row, column))))
    const [only = ''] = texts
    if (texts.size === 1 && /\p{L}/u.test(only)) heading = terminatedPattern.test(only) ? only.replace(/[:：]$/, '') : null
  }
  return (row) => over.get(row) ?? null
}

const notDepartmentPattern = /离职|辞职|退休|减员|花名册|通讯录|名单|名册|登记表|一览表|合计|小计|总计|共\s*\d|^第.*页|[:：]|^注/
/** Applies departments that are written as headings above their members, if no column contains them. Modifies `rows`. */
function applyDepartmentHeadings(
  { grid, header }: RecognizedTable,
  columns: readonly RosterColumn[],
  data: readonly number[],
  rows: readonly RosterRow[],
): void {
  if (columns.some(({ role }) => role === 'department')) return
  const [first, last] = [data[0], data.at(-1)]
  if (first === undefined || last === undefined) return
  const memberRows = new Set(data)
  const headingAt = (row: number): string | null => {
    const texts = new Set(getFilledColumns(grid, row).map((column) => getText(grid, row, column)))
    const [only = ''] = texts
    const plain = normalizeText(only).replace(/[（(【[].*$/, '')
    return texts.size === 1 && /^[\u4e00-\u9fff][\u4e00-\u9fffA-Za-z\d]{1,19}$/.test(plain) && !notDepartmentPattern.test(only)
      ? plain
      : null
  }
  const over = new Map<number, string>()
  let heading: string | null = null
  for (let row = header.bottom + 1; row <= last; row++)
    if (!memberRows.has(row)) heading = headingAt(row) ?? heading
    else if (heading !== null) over.set(row + 1, heading)
  // If there are members above the first heading, the headings are remarks or do not cover all departments.
  if (!over.has(first + 1)) return
  for (const row of rows) row.departments = [[over.get(row.row) ?? '']]
}

function applyRoles(columns: readonly RosterColumn[], roles: RolesByLetter): RosterColumn[] {
  if (!columns.some(({ letter, role }) => (roles[letter] ?? role) !== role)) return [...columns]
  let rank = 0
  return columns.map(({ index, letter, label, role: own }) => {
    const role = roles[letter] ?? own
    return { index, letter, label, role, ...(role === 'department' ? { rank: ++rank } : {}) }
  })
}

const fieldNamePattern = /^[a-z][a-z\d]*(?:[ _.-]?[a-z\d]+)*$/i
/**
 * Finds a row of field names (name, mobile, dept_id) directly above or below labels with the same meaning in Chinese:
 * it is part of the header.
 */
function findFieldNameRows({ grid, header }: RecognizedTable): number[] {
  const own = header.paths.map(getRosterLabelMeaning)
  if (header.paths.every((path) => path.every((part) => /^[\x20-\x7e]*$/.test(part))))
    return isLabelRow(grid, header, own) ? [header.bottom + 1] : []
  return [header.top - 1, header.bottom + 1].filter((row) => {
    if (row < 0) return false
    const filled = getFilledColumns(grid, row)
    if (filled.length < 2 || filled.length * 10 < header.paths.length * 8) return false
    if (!filled.every((column) => fieldNamePattern.test(getText(grid, row, column)))) return false
    const same = filled.filter((column) => {
      const { role, certainty } = getRosterLabelMeaning([getText(grid, row, column)])
      return certainty > 0 && own[column - header.left]?.role === role
    })
    const coded = filled.filter((column) => /[_]|[a-z][A-Z]|id$/.test(getText(grid, row, column)))
    return same.length > 1 || (same.length > 0 && same.length + coded.length > 2)
  })
}

/** The reverse case: a row of labels (真实姓名, 手机号) directly below a row of field names (real_name, mobile). */
function isLabelRow(grid: Grid, { left, bottom, paths }: RecognizedTable['header'], own: readonly RosterMeaning[]): boolean {
  const row = bottom + 1
  const filled = getFilledColumns(grid, row)
  if (filled.length < 2 || filled.length * 10 < paths.length * 8) return false
  const same = filled.filter((column) => {
    const text = getText(grid, row, column)
    const { role, certainty } = getRosterLabelMeaning([text])
    return certainty > 0 && !fieldNamePattern.test(text) && own[column - left]?.role === role
  })
  return same.length > 1
}

function joinLabels(
  grid: Grid,
  keys: readonly number[],
  { top }: RecognizedTable['header'],
  { index, label }: RosterColumn,
): string {
  const labels = keys
    .map((row) => ({ row, text: normalizeText(getText(grid, row, index)) }))
    .filter(({ text }) => text !== '' && text !== label)
  return [
    ...labels.filter(({ row }) => row < top).map(({ text }) => text),
    label,
    ...labels.filter(({ row }) => row > top).map(({ text }) => text),
  ]
    .filter((part) => part !== '')
    .join(' / ')
}
