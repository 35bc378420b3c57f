/** Questions that only the user can answer, with our suggestion. A clear sheet leads to none of them. */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import {
  amountRoleChoices,
  columnRoles,
  identityRoles,
  isDepartment,
  isEmployeeNo,
  isIdCard,
  isInfo,
  isLeadingName,
  isMobile,
  isNet,
  memberRoles,
} from '../../../contract/sheets/column-roles.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import { getText } from '../../grid.ts'
import { canCombine, getColumnSimilarity, minCertainSimilarity, minColumnSimilarity } from './combined-table.ts'
import {
  createIdentityQuestion,
  createNetQuestion,
  createRivalQuestions,
  createWageSheetQuestion,
  noNetChoice,
} from './questions-column.ts'
import { countNamesWithPay } from './table-reading.ts'
import { findVisibleTotal } from './totals.ts'
import type { ColumnDraft, CombinedTable, TableReading } from './types.ts'

/** Guesses below this confidence lead to a question. */
const minConfidence = 0.6
const maxListedRows = 50

export const createQuestion = (
  question: Omit<Question, 'answer' | 'key' | 'rows'> & Partial<Pick<Question, 'key' | 'rows' | 'sheets'>>,
): Question => ({
  key: null,
  rows: [],
  answer: null,
  ...question,
})
export const getQuote = (column: ColumnDraft) => column.quote
const toChoices = (roles: readonly ColumnRole[]) => roles.map((value) => ({ value, label: columnRoles[value].label }))

export function createQuestions(
  pool: CombinedTable,
  readings: readonly TableReading[],
  { others, units }: { readonly others: readonly TableReading[]; readonly units: readonly Question[] },
): Question[] {
  const rivals = createRivalQuestions(pool)
  return [
    ...createWageSheetQuestion(readings[0]),
    ...units,
    ...createIdentityQuestion(pool, readings),
    ...rivals,
    ...createRoleQuestions(pool).filter(({ key }) => !rivals.some(({ suggested }) => suggested.endsWith(`:${key}`))),
    ...createNetQuestions(pool),
    ...createNetQuestion(pool),
    ...createHiddenRowsQuestion(readings, pool),
    ...createHiddenColumnsQuestion(pool),
    ...createOtherTablesQuestion(readings, others, pool),
  ]
}

/** Members are not identified by a department, nor by a guessed number if a more certain one exists. */
const isSecondaryIdentity = ({ role }: ColumnDraft, columns: readonly ColumnDraft[]): boolean =>
  isDepartment(role) ||
  (isEmployeeNo(role) && columns.some((one) => (isMobile(one.role) || isIdCard(one.role)) && one.confidence >= 0.8))

/** Formats sample values of a column without a label. */
const formatSamples = ({ label, samples }: ColumnDraft): string => (label === '' ? `（${samples.join('、')}）` : '')

/** Returns whether a department column probably contains card numbers. */
const isDoubtfulDepartment = ({ role, confidence }: ColumnDraft): boolean => isDepartment(role) && confidence < 0.5
/** Asks about a label that contradicts the sums of the rows, if there are too few rows to tell. */
const createDisputeQuestion = (column: ColumnDraft, why: string): Question =>
  createQuestion({
    id: `role:${column.key}`,
    kind: 'role',
    must: true,
    message: `${getQuote(column)}列是什么？${why}，先当作「${columnRoles[column.role].label}」；请核对它是否算进了实发`,
    key: column.key,
    choices: toChoices(amountRoleChoices),
    suggested: column.role,
  })

/** Asks about amounts that may be earnings or deductions, and about numbers that may identify members. */
function createRoleQuestions({ columns }: CombinedTable): Question[] {
  const uncertain: Question[] = []
  for (const column of columns) {
    if (column.dispute !== undefined && !isNet(column.role)) uncertain.push(createDisputeQuestion(column, column.dispute))
    if (column.dispute !== undefined || column.confidence >= minConfidence || column.profile.filled === 0) continue
    if (memberRoles.has(column.role))
      uncertain.push(
        createQuestion({
          id: `role:${column.key}`,
          kind: 'role',
          must: isDoubtfulDepartment(column) || !isSecondaryIdentity(column, columns),
          message: `${getQuote(column)}列是不是${columnRoles[column.role].label}？${column.reason}`,
          key: column.key,
          choices: toChoices([column.role, 'info', 'ignore']),
          // A column that is probably not a department is better left out.
          suggested: isDoubtfulDepartment(column) ? 'ignore' : column.role,
        }),
      )
    else if (column.isAmount && !isInfo(column.role) && !isNet(column.role) && column.profile.largest > 0)
      uncertain.push(
        createQuestion({
          id: `role:${column.key}`,
          kind: 'role',
          // Without a label the payslip would not explain the amount.
          must: column.label === '',
          message: `${getQuote(column)}列是什么？${column.reason}${formatSamples(column)}，先当作「${columnRoles[column.role].label}」`,
          key: column.key,
          choices: toChoices(amountRoleChoices),
          suggested: column.role,
        }),
      )
  }
  return uncertain
}

/** Asks to confirm a net pay that was selected only for lack of a better one. */
function createNetQuestions({ columns }: CombinedTable): Question[] {
  const net = columns.find(({ role }) => isNet(role))
  if (!net) return []
  if (net.confidence < minConfidence)
    return [
      createQuestion({
        id: `role:${net.key}`,
        kind: 'role',
        must: true,
        message: `没有「实发」列，发给员工的是不是${getQuote(net)}？`,
        key: net.key,
        choices: [...toChoices(['net', 'gross', 'info']), noNetChoice],
        suggested: 'net',
      }),
    ]
  return []
}

function createHiddenRowsQuestion(readings: readonly TableReading[], pool: CombinedTable): Question[] {
  const numbers: number[] = []
  const names: string[] = []
  let at = 0
  for (const { grid, rows, columns } of readings) {
    const name = columns.find(({ role }) => isLeadingName(role) || isEmployeeNo(role))
    for (const row of rows.memberRows) {
      const location = pool.memberRows[at++] ?? row
      if (!grid.hidden_rows.has(row)) continue
      numbers.push(pool.getRowNumber(location))
      if (name && names.length < 3) names.push(getText(grid, row, name.index))
    }
  }
  if (numbers.length === 0) return []
  const totals = readings.flatMap((reading) => findVisibleTotal(reading) ?? [])
  const where = readings.length === 1 && totals[0] !== undefined ? `第 ${totals[0]} 行的合计` : '表里的合计'
  return [
    createQuestion({
      id: 'hidden_rows',
      kind: 'hidden_rows',
      must: true,
      message: `有 ${numbers.length} 人在隐藏的行里（${names.join('、')}${numbers.length > names.length ? '等' : ''}），要发吗？${
        totals.length > 0 ? `${where}没有算上他们，按看得见的行相加才相等` : ''
      }`,
      rows: numbers.slice(0, maxListedRows),
      choices: [
        { value: 'keep', label: '要发' },
        { value: 'skip', label: '不发' },
      ],
      suggested: totals.length > 0 ? 'skip' : 'keep',
    }),
  ]
}

const quoteHiddenColumn = (column: ColumnDraft) => `${getQuote(column)}${column.isInvisible ? '（单元格格式不显示数字）' : ''}`

function createHiddenColumnsQuestion({ columns }: CombinedTable): Question[] {
  const hidden = columns.filter((column) => column.hidden && column.isAmount && !isNet(column.role) && column.profile.largest > 0)
  if (hidden.length === 0) return []
  return [
    createQuestion({
      id: 'hidden_columns',
      kind: 'hidden_columns',
      must: false,
      message: `隐藏的列里有金额：${hidden.slice(0, 5).map(quoteHiddenColumn).join('、')}${hidden.length > 5 ? `等 ${hidden.length} 列` : ''}，要让员工看到吗？`,
      key: hidden.length === 1 ? (hidden[0]?.key ?? null) : null,
      choices: [
        { value: 'hide', label: '不给员工看' },
        { value: 'show', label: '给员工看' },
      ],
      suggested: 'hide',
    }),
  ]
}

/** Returns keys of the members of a table, by name and number. */
export function getMemberKeys({ grid, rows, columns }: TableReading): Set<string> {
  const at = columns.filter(({ role }) => identityRoles.has(role) && !isMobile(role))
  return new Set(rows.memberRows.map((row) => at.map(({ index }) => getText(grid, row, index)).join('|')))
}

/** Returns whether at least half of the members in `there` are among the target keys. */
export const isMostlyContained = (there: ReadonlySet<string>, targetKeys: ReadonlySet<string>): boolean =>
  there.size > 0 && [...there].filter((who) => targetKeys.has(who)).length * 2 >= there.size

/** Counts the rows that belong to members. */
const listMemberRows = (reading: TableReading) =>
  reading.kind === 'wage' ? reading.rows.memberRows.length + reading.unassignedRows.length : countNamesWithPay(reading)

/**
 * Sheets with the same header are other departments, which belong together, or other months, which do not: decided by
 * their members.
 */
export function selectQuestionTables(
  selected: readonly TableReading[],
  others: readonly TableReading[],
  pool: CombinedTable,
): TableReading[] {
  const [first] = selected
  if (!first || others.length === 0) return []
  const selectedKeys = new Set(selected.flatMap((one) => [...getMemberKeys(one)]))
  return others.filter((other) => {
    // A table on the same sheet would otherwise be dropped unnoticed, for example the bonus of the same members.
    if (other.sheet === first.sheet) return listMemberRows(other) > 0
    if (listMemberRows(other) === 0) return false
    if (getColumnSimilarity(pool.columns, other.columns) < minCertainSimilarity) return false
    return !isMostlyContained(getMemberKeys(other), selectedKeys)
  })
}

/** More tables than this are counted instead of named. */
const maxNamedTables = 3

function createOtherTablesQuestion(
  selected: readonly TableReading[],
  others: readonly TableReading[],
  pool: CombinedTable,
): Question[] {
  const [first] = selected
  if (!first) return []
  const fresh = selectQuestionTables(selected, others, pool)
  const neighbours = fresh.filter((other) => other.sheet === first.sheet)
  const about = (kind: 'several_sheets' | 'several_tables', list: readonly TableReading[]): Question[] => {
    if (list.length === 0) return []
    const people = list.reduce((sum, other) => sum + listMemberRows(other), 0)
    const names = list.map(({ name }) => `「${name.trim()}」`).join('、')
    const others =
      list.length > maxNamedTables
        ? `另有 ${list.length} 张${kind === 'several_sheets' ? '工作表' : '表'}、共 ${people} 人`
        : `${names}里另有 ${people} 人`
    const isMerged = list.every(
      (other) => getColumnSimilarity(pool.columns, other.columns) >= minColumnSimilarity || canCombine(first, other),
    )
    const one = { value: 'one', label: `只发「${first.name.trim()}」` }
    return [
      createQuestion({
        id: neighbours.length > list.length && !isMerged ? `${kind}:apart` : kind,
        kind,
        must: true,
        message: `${others}${getTableAdvice(first, list, isMerged)}`,
        choices: isMerged ? [one, { value: 'all', label: '一起发' }] : [one],
        suggested: kind === 'several_sheets' && areDepartments(first, list, pool) ? 'all' : 'one',
        sheets: list.map(({ name }) => name),
      }),
    ]
  }
  return [
    ...about(
      'several_sheets',
      fresh.filter((other) => other.sheet !== first.sheet),
    ),
    ...about(
      'several_tables',
      neighbours.filter((other) => canCombine(first, other)),
    ),
    ...about(
      'several_tables',
      neighbours.filter((other) => !canCombine(first, other)),
    ),
  ]
}

/** Whether sheets are departments of the same month: their headers are equal, and none names another month. */
const areDepartments = (first: TableReading, list: readonly TableReading[], pool: CombinedTable): boolean =>
  list.every(
    (other) =>
      getColumnSimilarity(pool.columns, other.columns) >= minCertainSimilarity &&
      (first.month === undefined || other.month === undefined || first.month === other.month),
  )

function getTableAdvice(first: TableReading, [other]: readonly TableReading[], isCombinable: boolean): string {
  if (isCombinable && first.month !== undefined && other?.month !== undefined && first.month !== other.month)
    return '，没有读入，因为是别的月份。只发一个月请选「只发」，要发别的月份请在「选择工作表」里选；一起发时每人会有几行，是否一并发送？'
  if (isCombinable && getColumnSimilarity(first.columns, other?.columns ?? []) < minColumnSimilarity)
    return '，没有读入。它的表头不同，但姓名和实发对得上，其余各列分开保留，是否一并发送？'
  if (isCombinable) return '，是否一并发送？'
  return `，没有读入。它的表头不同，姓名和实发对不上，不能一起发：这次先发「${first.name.trim()}」，再把这个文件上传一次，在「选择工作表」里选「${other?.name.trim()}」单独发`
}
