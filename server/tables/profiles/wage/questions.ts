/** What only a person can say, with what we would choose. A plain sheet raises none of these. */
import { personRoles, roleWords } from '../../../contract/sheet/column-roles.ts'
import type { Question } from '../../../contract/sheet/sheet.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { textAt } from '../../grid.ts'
import { type ColumnDraft } from './columns.ts'
import { alike, areJoined, likeness, type Pool, surelyAlike } from './pool.ts'
import { netQuestion, payQuestion, rivalQuestions, whoQuestion, withoutNet } from './questions-column.ts'
import { paidNames, type Reading } from './reading.ts'
import { findVisibleTotal } from './totals.ts'

/** Below this a guess is asked about. */
const sure = 0.6
const listed = 50

export const ask = (
  question: Omit<Question, 'answer' | 'key' | 'rows'> & Partial<Pick<Question, 'key' | 'rows' | 'sheets'>>,
): Question => ({
  key: null,
  rows: [],
  answer: null,
  ...question,
})
export const named = (column: ColumnDraft) => column.quote
const choices = (roles: readonly ColumnRole[]) => roles.map((value) => ({ value, label: roleWords[value] }))

export function questionsOf(
  pool: Pool,
  chosen: readonly Reading[],
  { others, units }: { readonly others: readonly Reading[]; readonly units: readonly Question[] },
): Question[] {
  const rivals = rivalQuestions(pool)
  return [
    ...payQuestion(chosen[0]),
    ...units,
    ...whoQuestion(pool, chosen),
    ...rivals,
    ...roleQuestions(pool).filter(({ key }) => !rivals.some(({ suggested }) => suggested.endsWith(`:${key}`))),
    ...netQuestions(pool),
    ...netQuestion(pool),
    ...hiddenRows(chosen, pool),
    ...hiddenColumns(pool),
    ...otherTables(chosen, others, pool),
  ]
}

const moneyChoices: ColumnRole[] = ['earning', 'deduction', 'tax', 'employer', 'gross', 'net', 'subtotal', 'info', 'ignore']

/** Nobody is found by a department, nor by a number that is guessed where a surer one stands beside it. */
const isBeside = ({ role }: ColumnDraft, columns: readonly ColumnDraft[]): boolean =>
  role === 'department' ||
  (role === 'employee_no' && columns.some((one) => (one.role === 'mobile' || one.role === 'id_card') && one.confidence >= 0.8))

/** What stands in a column that no label names. */
const exampleIn = ({ label, samples }: ColumnDraft): string => (label === '' ? `（${samples.join('、')}）` : '')

/** 部门 with card numbers in it. */
const isDoubted = ({ role, confidence }: ColumnDraft): boolean => role === 'department' && confidence < 0.5
/** What the label says and what the rows add up to disagree, and the rows are too few to tell. */
const disputeQuestion = (column: ColumnDraft, why: string): Question =>
  ask({
    id: `role:${column.key}`,
    kind: 'role',
    must: true,
    message: `${named(column)}列是什么？${why}，先当作「${roleWords[column.role]}」；请核对它是否算进了实发`,
    key: column.key,
    choices: choices(moneyChoices),
    suggested: column.role,
  })

/** Amounts that may be for or against somebody, and numbers that may say who he is. */
function roleQuestions({ columns }: Pool): Question[] {
  const asked: Question[] = []
  for (const column of columns) {
    if (column.dispute !== undefined && column.role !== 'net') asked.push(disputeQuestion(column, column.dispute))
    if (column.dispute !== undefined || column.confidence >= sure || column.profile.filled === 0) continue
    if (personRoles.has(column.role))
      asked.push(
        ask({
          id: `role:${column.key}`,
          kind: 'role',
          must: isDoubted(column) || !isBeside(column, columns),
          message: `${named(column)}列是不是${roleWords[column.role]}？${column.reason}`,
          key: column.key,
          choices: choices([column.role, 'info', 'ignore']),
          // What would be shown as a department and is none is better left out.
          suggested: isDoubted(column) ? 'ignore' : column.role,
        }),
      )
    else if (column.money && column.role !== 'info' && column.role !== 'net' && column.profile.largest > 0)
      asked.push(
        ask({
          id: `role:${column.key}`,
          kind: 'role',
          // Without a header nobody reads on the payslip what it is.
          must: column.label === '',
          message: `${named(column)}列是什么？${column.reason}${exampleIn(column)}，先当作「${roleWords[column.role]}」`,
          key: column.key,
          choices: choices(moneyChoices),
          suggested: column.role,
        }),
      )
  }
  return asked
}

/** A net pay taken for want of a better one. */
function netQuestions({ columns }: Pool): Question[] {
  const net = columns.find(({ role }) => role === 'net')
  if (!net) return []
  if (net.confidence < sure)
    return [
      ask({
        id: `role:${net.key}`,
        kind: 'role',
        must: true,
        message: `没有「实发」列，发给员工的是不是${named(net)}？`,
        key: net.key,
        choices: [...choices(['net', 'gross', 'info']), withoutNet],
        suggested: 'net',
      }),
    ]
  return []
}

function hiddenRows(chosen: readonly Reading[], pool: Pool): Question[] {
  const numbers: number[] = []
  const names: string[] = []
  let at = 0
  for (const { grid, rows, columns } of chosen) {
    const name = columns.find(({ role }) => role === 'name' || role === 'last_name' || role === 'employee_no')
    for (const row of rows.people) {
      const place = pool.people[at++] ?? row
      if (!grid.hidden_rows.has(row)) continue
      numbers.push(pool.numberOf(place))
      if (name && names.length < 3) names.push(textAt(grid, row, name.index))
    }
  }
  if (numbers.length === 0) return []
  const totals = chosen.flatMap((reading) => findVisibleTotal(reading) ?? [])
  const where = chosen.length === 1 && totals[0] !== undefined ? `第 ${totals[0]} 行的合计` : '表里的合计'
  return [
    ask({
      id: 'hidden_rows',
      kind: 'hidden_rows',
      must: true,
      message: `有 ${numbers.length} 人在隐藏的行里（${names.join('、')}${numbers.length > names.length ? '等' : ''}），要发吗？${
        totals.length > 0 ? `${where}没有算上他们，按看得见的行相加才相等` : ''
      }`,
      rows: numbers.slice(0, listed),
      choices: [
        { value: 'keep', label: '要发' },
        { value: 'skip', label: '不发' },
      ],
      suggested: totals.length > 0 ? 'skip' : 'keep',
    }),
  ]
}

const namedHidden = (column: ColumnDraft) => `${named(column)}${column.isInvisible ? '（单元格格式不显示数字）' : ''}`

function hiddenColumns({ columns }: Pool): Question[] {
  const hidden = columns.filter((column) => column.hidden && column.money && column.role !== 'net' && column.profile.largest > 0)
  if (hidden.length === 0) return []
  return [
    ask({
      id: 'hidden_columns',
      kind: 'hidden_columns',
      must: false,
      message: `隐藏的列里有金额：${hidden.slice(0, 5).map(namedHidden).join('、')}${hidden.length > 5 ? `等 ${hidden.length} 列` : ''}，要让员工看到吗？`,
      key: hidden.length === 1 ? (hidden[0]?.key ?? null) : null,
      choices: [
        { value: 'hide', label: '不给员工看' },
        { value: 'show', label: '给员工看' },
      ],
      suggested: 'hide',
    }),
  ]
}

/** Who stands in a table, by name and number. */
export function whoIn({ grid, rows, columns }: Reading): Set<string> {
  const at = columns.filter(({ role }) => ['name', 'last_name', 'first_name', 'employee_no', 'id_card'].includes(role))
  return new Set(rows.people.map((row) => at.map(({ index }) => textAt(grid, row, index)).join('|')))
}

/** Whether half of those who stand there stand here. */
export const isMostlyIn = (there: ReadonlySet<string>, here: ReadonlySet<string>): boolean =>
  there.size > 0 && [...there].filter((who) => here.has(who)).length * 2 >= there.size

/** Rows that are somebody's. */
const rowsIn = (reading: Reading) =>
  reading.kind === 'wage' ? reading.rows.people.length + reading.lost.length : paidNames(reading)

/** Sheets of the same header are other departments, which belong to it, or other months, which do not: by who stands in them. */
export function tablesAskedAbout(chosen: readonly Reading[], others: readonly Reading[], pool: Pool): Reading[] {
  const [first] = chosen
  if (!first || others.length === 0) return []
  const here = new Set(chosen.flatMap((one) => [...whoIn(one)]))
  return others.filter((other) => {
    // What stands on the same sheet would vanish unseen, also the bonus of the same people.
    if (other.sheet === first.sheet) return rowsIn(other) > 0
    if (rowsIn(other) === 0) return false
    if (likeness(pool.columns, other.columns) < surelyAlike) return false
    return !isMostlyIn(whoIn(other), here)
  })
}

function otherTables(chosen: readonly Reading[], others: readonly Reading[], pool: Pool): Question[] {
  const [first] = chosen
  if (!first) return []
  const fresh = tablesAskedAbout(chosen, others, pool)
  const beside = fresh.filter((other) => other.sheet === first.sheet)
  const about = (kind: 'several_sheets' | 'several_tables', list: readonly Reading[]): Question[] => {
    if (list.length === 0) return []
    const people = list.reduce((sum, other) => sum + rowsIn(other), 0)
    const names = `${list
      .slice(0, 3)
      .map(({ name }) => `「${name.trim()}」`)
      .join('、')}${list.length > 3 ? `等 ${list.length} 个` : ''}`
    const together = list.every((other) => likeness(pool.columns, other.columns) >= alike || areJoined(first, other))
    const one = { value: 'one', label: `只发「${first.name.trim()}」` }
    return [
      ask({
        id: beside.length > list.length && !together ? `${kind}:apart` : kind,
        kind,
        must: true,
        message: `${names}里还有 ${people} 行人员，这次没有读入${whatToDo(first, list, together)}`,
        choices: together ? [one, { value: 'all', label: '一起发' }] : [one],
        suggested: 'one',
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
      beside.filter((other) => areJoined(first, other)),
    ),
    ...about(
      'several_tables',
      beside.filter((other) => !areJoined(first, other)),
    ),
  ]
}

function whatToDo(first: Reading, [other]: readonly Reading[], together: boolean): string {
  if (together && first.month !== undefined && other?.month !== undefined && first.month !== other.month)
    return '，因为是别的月份。只发一个月请选「只发」，要发别的月份请在「选择工作表」里选；一起发时每人会有几行，要一起发吗？'
  if (together && likeness(first.columns, other?.columns ?? []) < alike)
    return '。它的表头不同，但姓名和实发对得上，其余各列分开保留，要一起发吗？'
  if (together) return '，要一起发吗？'
  return `。它的表头不同，姓名和实发对不上，不能一起发：这次先发「${first.name.trim()}」，再把这个文件上传一次，在「选择工作表」里选「${other?.name.trim()}」单独发`
}
