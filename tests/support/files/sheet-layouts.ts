/**
 * Wage sheets in typical layouts, randomly combined (seeded) from small parts, each with its expected result: header
 * rows, employee rows, identity columns, the net pay and its sum.
 */
import type { Merge, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { seeded } from '../random.ts'
import { type Language, languages } from './sheet-words.ts'

export interface Layout {
  what: string
  rows: StoredValue[][]
  merges: Merge[]
  truth: {
    header_rows: number[]
    /** 1-based. */
    people: number[]
    /** Column letters by role. */
    identity: Record<string, string>
    net: string
    net_sum_fen: number
    gross: string
    month: string | null
  }
}

/** Returns the same layouts in every run. */
export function random(seed: number) {
  const { below, pick, chance } = seeded(seed)
  return { upTo: below, one: pick, chance }
}
type Random = ReturnType<typeof random>

interface Person {
  name: string
  department: string
  who: Record<string, string | number>
  earned: number[]
  accepted: number[]
  tax: number
}

const letters = (index: number) => (index < 26 ? String.fromCharCode(65 + index) : `A${String.fromCharCode(39 + index)}`)
const yuan = (fen: number) => fen / 100

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
function idCard(r: Random): string {
  const body = `330106${1970 + r.upTo(30)}0${1 + r.upTo(9)}1${r.upTo(9)}${100 + r.upTo(899)}`
  const sum = [...body].reduce((all, digit, at) => all + Number(digit) * (weights[at] ?? 0), 0)
  return `${body}${'10X98765432'[sum % 11]}`
}

function makePeople(r: Random, language: Language, count: number): Person[] {
  const departments = language.departments.slice(0, 2 + r.upTo(2))
  return Array.from({ length: count }, (_, at) => ({
    name: `${language.names[at % language.names.length]}${at >= language.names.length ? language.more[at % language.more.length] : ''}`,
    department: departments[Math.floor((at * departments.length) / count)] ?? '',
    who: {
      employee_no: `A${1000 + at}`,
      mobile: `138${String(10_000_000 + r.upTo(89_999_999))}`,
      id_card: idCard(r),
      bank_account: `6222${String(10 ** 14 + r.upTo(10 ** 9)).slice(0, 15)}`,
    },
    earned: language.earned.map(() => r.upTo(600_000) + 1),
    accepted: language.accepted.map(() => r.upTo(30_000)),
    tax: r.upTo(20_000),
  }))
}

interface Col {
  group: string
  label: string
  role: string
  value: (person: Person, at: number) => StoredValue
  sum?: (people: readonly Person[]) => number
}

const getGross = (person: Person) => person.earned.reduce((all, fen) => all + fen, 0)
const acceptedOf = (person: Person) => person.accepted.reduce((all, fen) => all + fen, 0) + person.tax
export const getNet = (person: Person) => getGross(person) - acceptedOf(person)

function getColumns(r: Random, labels: Language): Col[] {
  const money = (group: string, label: string, role: string, fen: (person: Person) => number): Col => ({
    group,
    label,
    role,
    value: (person) => yuan(fen(person)),
    sum: (people) => people.reduce((all, person) => all + fen(person), 0),
  })
  const who = (role: string): Col => ({
    group: labels.info,
    label: labels.who[role] ?? role,
    role,
    value: (person) => person.who[role] ?? null,
  })
  const columns: Col[] = []
  if (r.chance(0.6)) columns.push({ group: labels.info, label: labels.index, role: 'info', value: (_, at) => at + 1 })
  if (r.chance(0.5))
    columns.push({ group: labels.info, label: labels.department, role: 'department', value: (person) => person.department })
  if (r.chance(0.5)) columns.push(who('employee_no'))
  columns.push({ group: labels.info, label: labels.name, role: 'name', value: (person) => person.name })
  if (r.chance(0.3)) columns.push(who('mobile'))
  if (r.chance(0.3) && labels.who['id_card']) columns.push(who('id_card'))
  if (r.chance(0.3)) columns.push({ group: labels.info, label: labels.days, role: 'info', value: () => 20 + r.upTo(3) })
  labels.earned.forEach((label, item) =>
    columns.push(money(labels.earnings, label, 'earning', (person) => person.earned[item] ?? 0)),
  )
  columns.push(money(labels.earnings, labels.gross, 'gross', getGross))
  labels.accepted.forEach((label, item) =>
    columns.push(money(labels.deductions, label, 'deduction', (person) => person.accepted[item] ?? 0)),
  )
  columns.push(money(labels.deductions, labels.tax, 'tax', (person) => person.tax))
  if (r.chance(0.5)) columns.push(money(labels.deductions, labels.total_accepted, 'info', acceptedOf))
  columns.push(money('', labels.net, 'net', getNet))
  if (r.chance(0.3) && labels.who['bank_account']) columns.push({ ...who('bank_account'), group: '' })
  if (r.chance(0.4)) columns.push({ group: '', label: labels.remark, role: 'info', value: () => null })
  return columns
}

export const bodies = [
  'plain',
  'blanks',
  'subtotals',
  'slips',
  'spaced slips',
  'codes',
  'units',
  'merged departments',
  'first departments',
] as const
export const headers = ['one row', 'merged', 'unmerged', 'three rows'] as const
export type Body = (typeof bodies)[number]
export type HeaderKind = (typeof headers)[number]

export interface Choice {
  language?: keyof typeof languages
  body?: Body
  header?: HeaderKind
}

export function layout(seed: number, choice: Choice = {}): Layout {
  const r = random(seed)
  const tongue = choice.language ?? 'cn'
  const labels = languages[tongue]
  const body = choice.body ?? r.one(bodies)
  const header = choice.header ?? r.one(headers)
  const people = makePeople(r, labels, 4 + r.upTo(8))
  let columns = getColumns(r, labels)
  if (body.includes('departments') && !columns.some(({ role }) => role === 'department'))
    columns = [
      { group: labels.info, label: labels.department, role: 'department', value: (person) => person.department },
      ...columns,
    ]
  const rows: StoredValue[][] = []
  const merges: Merge[] = []
  const left = r.chance(0.2) ? 1 : 0
  const line = (cells: StoredValue[] = []) => rows.push([...Array.from({ length: left }, () => null), ...cells]) - 1
  const decorate = (label: string) => (r.chance(0.15) ? labels.decorate(label, r.upTo(4)) : label)

  if (r.chance(0.2)) line()
  const month = r.chance(0.7) ? 1 + r.upTo(12) : null
  if (month !== null) {
    const row = line([labels.title(month)])
    merges.push({ top: row, left, bottom: row, right: left + columns.length - 1 })
  }
  if (r.chance(0.3)) line([...Array.from({ length: columns.length - 2 }, () => null), labels.unit])

  const headerRows: StoredValue[][] = []
  const headerMerges: Merge[] = []
  if (header === 'one row') headerRows.push(columns.map(({ label }) => decorate(label)))
  else {
    const grouped = header !== 'merged' && header !== 'three rows' ? columns.map((column) => column) : columns
    const depth = header === 'three rows' ? 3 : 2
    const plain = (column: Col) => column.group === '' || column.group === labels.info
    const top = grouped.map((column, at) =>
      plain(column)
        ? header === 'unmerged'
          ? column.group === labels.info
            ? at === 0
              ? labels.info
              : null
            : column.label
          : column.label
        : column.group === grouped[at - 1]?.group
          ? null
          : column.group,
    )
    const leaves = grouped.map((column) =>
      plain(column) && (header !== 'unmerged' || column.group === '') ? null : column.label,
    )
    headerRows.push(top)
    if (depth === 3)
      headerRows.push(
        grouped.map((column, at) => (plain(column) ? null : column.group === grouped[at - 1]?.group ? null : labels.detail)),
      )
    headerRows.push(leaves)
    if (header !== 'unmerged')
      columns.forEach((column, at) => {
        if (plain(column)) headerMerges.push({ top: 0, left: at, bottom: depth - 1, right: at })
        else if (column.group !== columns[at - 1]?.group) {
          const last = columns.findLastIndex(({ group }) => group === column.group)
          for (let deep = 0; deep < depth - 1; deep++) headerMerges.push({ top: deep, left: at, bottom: deep, right: last })
        }
      })
  }
  const putHeader = () => {
    const first = rows.length
    for (const cells of headerRows) line([...cells])
    for (const merge of headerMerges)
      merges.push({ top: merge.top + first, bottom: merge.bottom + first, left: merge.left + left, right: merge.right + left })
    return headerRows.map((_, at) => first + at + 1)
  }
  const header_rows = putHeader()
  if (body === 'codes') line(columns.map((_, at) => `(${at + 1})`))
  if (body === 'units') line(columns.map(({ sum }) => (sum ? labels.money_unit : null)))

  const total = (word: string, of: readonly Person[]) => {
    const cells: StoredValue[] = columns.map(({ sum }) => (sum ? yuan(sum(of)) : null))
    cells[
      Math.min(
        1,
        columns.findIndex(({ role }) => role === 'name'),
      )
    ] = word
    line(cells)
  }
  const numbers: number[] = []
  people.forEach((person, at) => {
    const before = people[at - 1]
    if (at > 0 && body === 'slips') putHeader()
    if (at > 0 && body === 'spaced slips') {
      line()
      putHeader()
    }
    if (body === 'blanks' && at % 3 === 2) line()
    if (body === 'subtotals' && before && before.department !== person.department)
      total(
        labels.subtotal(before.department),
        people.filter(({ department }) => department === before.department),
      )
    const cells = columns.map((column) => column.value(person, at))
    const department = columns.findIndex(({ role }) => role === 'department')
    if (body.includes('departments') && before?.department === person.department) cells[department] = null
    numbers.push(line(cells) + 1)
    if (body === 'merged departments' && people[at + 1]?.department !== person.department) {
      const first = people.findIndex((one) => one.department === person.department)
      const top = (numbers[first] ?? 1) - 1
      if (top < rows.length - 1) merges.push({ top, left: left + department, bottom: rows.length - 1, right: left + department })
    }
  })
  const slips = body.includes('slips')
  if (!slips && r.chance(0.3)) line()
  if (!slips && r.chance(0.7)) total(labels.total, people)
  if (!slips && r.chance(0.4)) line([labels.signatures[0], null, null, labels.signatures[1], null, null, labels.signatures[2]])
  if (r.chance(0.3)) line([labels.note])

  const at = (role: string) => letters(left + columns.findIndex((column) => column.role === role))
  const roles = ['name', 'department', 'employee_no', 'mobile', 'id_card', 'bank_account'].filter((role) =>
    columns.some((column) => column.role === role),
  )
  return {
    what: `${seed} ${tongue}, ${header}, ${body}${left ? ', from column B' : ''}`,
    rows,
    merges,
    truth: {
      header_rows,
      people: numbers,
      identity: Object.fromEntries(roles.map((role) => [role, at(role)])),
      net: at('net'),
      gross: at('gross'),
      net_sum_fen: people.reduce((all, person) => all + getNet(person), 0),
      month: month === null ? null : `2026-${String(month).padStart(2, '0')}`,
    },
  }
}
