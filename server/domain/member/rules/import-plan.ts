/**
 * What an import of a roster would do, row by row, before anything is done. A row is somebody who stands only by a key of his own (identity card,
 * employee number, phone) together with his name; whatever contradicts is a question, and an empty cell takes nothing away.
 */
import { normalIdCard } from '../../../rules/id-card.ts'
import { tidy } from '../../../rules/text.ts'
import type { RosterRow } from '../../../tables/rules.ts'

/** Somebody in the company, present or left. */
export interface StandingPerson {
  readonly id: string
  readonly name: string
  readonly mobile: string | null
  readonly employee_no: string | null
  readonly id_card: string | null
  readonly email: string | null
  readonly position: string | null
  readonly entry_on: string | null
  /** Each way from the top. */
  readonly departments: readonly (readonly string[])[]
  readonly has_left: boolean
}

const keys = ['id_card', 'employee_no', 'mobile'] as const
type Key = (typeof keys)[number]
const fields = [...keys, 'email', 'position', 'entry_on', 'departments'] as const
export type ImportField = (typeof fields)[number]
export interface ImportChange {
  field: ImportField
  old: string
  new: string
}

export type ImportDecision =
  | { kind: 'new' }
  | { kind: 'same' | 'back' | 'changed' | 'leaves'; person_id: string; changes: ImportChange[] }
  /** Nobody may decide this but the administrator. */
  | { kind: 'conflict'; why: string; field: Key | 'name'; person_ids: string[]; rows: number[] }
  /** Nobody could come of it: no name, or somebody who left and was never here. */
  | { kind: 'unusable'; why: string }
export type PlannedRow = { readonly row: number; readonly decision: ImportDecision }

const keyWords: Record<Key, string> = { id_card: '身份证号', employee_no: '工号', mobile: '手机号' }
const nameKey = (name: string): string => tidy(name).replace(/\s/g, '').toLowerCase()
const keyOf = (key: Key, of: Pick<RosterRow, Key>): string | null => {
  const text = of[key]
  if (text === null || text === '') return null
  return key === 'id_card' ? normalIdCard(text) : tidy(text).toLowerCase()
}
/** Of departments the same ways, in whatever order. */
const asText = (
  field: ImportField,
  of: Pick<RosterRow, Key | 'email' | 'position' | 'entry_on'> & Pick<StandingPerson, 'departments'>,
): string =>
  field === 'departments'
    ? of.departments
        .map((way) => way.join('/'))
        .toSorted()
        .join('；')
    : (of[field] ?? '')

interface Known {
  byKey: Map<string, StandingPerson[]>
  byName: Map<string, StandingPerson[]>
  rowsByKey: Map<string, RosterRow[]>
  rowsByName: Map<string, RosterRow[]>
}

const named = (key: Key, value: string): string => `${key} ${value}`

function knownOf(rows: readonly RosterRow[], people: readonly StandingPerson[]): Known {
  const group = <T extends Pick<RosterRow, Key>>(all: readonly T[]): Map<string, T[]> => {
    const groups = new Map<string, T[]>()
    for (const one of all)
      for (const key of keys) {
        const value = keyOf(key, one)
        if (value === null) continue
        const same = groups.get(named(key, value))
        if (same) same.push(one)
        else groups.set(named(key, value), [one])
      }
    return groups
  }
  return {
    byKey: group(people),
    byName: Map.groupBy(people, ({ name }) => nameKey(name)),
    rowsByKey: group(rows),
    rowsByName: Map.groupBy(rows, ({ name }) => nameKey(name)),
  }
}

export function planImport(rows: readonly RosterRow[], people: readonly StandingPerson[]): PlannedRow[] {
  const known = knownOf(rows, people)
  const planned = rows.map((row) => ({ row: row.row, decision: twiceInFile(row, known) ?? decide(row, known) }))
  return withoutSharedPeople(planned)
}

/** A key that stands in two rows: whose it is nobody here can say. */
function twiceInFile(row: RosterRow, { rowsByKey }: Known): ImportDecision | null {
  for (const key of keys) {
    const value = keyOf(key, row)
    const same = value === null ? [] : (rowsByKey.get(named(key, value)) ?? [])
    if (same.length < 2) continue
    const others = same.filter((other) => other !== row).map((other) => other.row)
    return {
      kind: 'conflict',
      field: key,
      person_ids: [],
      rows: others,
      why: `${keyWords[key]}和第 ${others.slice(0, 5).join('、')} 行相同`,
    }
  }
  return null
}

function decide(row: RosterRow, known: Known): ImportDecision {
  if (row.name === '') return { kind: 'unusable', why: '没有姓名' }
  const hits = keys.flatMap((key) => {
    const value = keyOf(key, row)
    return value === null ? [] : (known.byKey.get(named(key, value)) ?? []).map((person) => ({ key, person }))
  })
  const [first] = hits
  if (!first) return byNameAlone(row, known)
  const other = hits.find(({ person }) => nameKey(person.name) !== nameKey(row.name))
  if (other) return asked(other.key, [other.person], `${keyWords[other.key]}是${calledOf(other.person)}的，姓名不同`)
  const several = hits.find(({ person }) => person !== first.person)
  if (several)
    return asked(
      several.key,
      [first.person, several.person],
      `${keyWords[first.key]}和${keyWords[several.key]}分别是两位${row.name}的`,
    )
  const { person } = first
  const [card, own] = [keyOf('id_card', row), keyOf('id_card', person)]
  if (card !== null && own !== null && card !== own)
    return asked('id_card', [person], `和${calledOf(person)}的身份证号不同，可能是同名的另一个人`)
  return settled(row, person)
}

/** Nobody is found by his name: a namesake is left alone unless nothing about him would change. */
function byNameAlone(row: RosterRow, { byName, rowsByName }: Known): ImportDecision {
  const namesakes = byName.get(nameKey(row.name)) ?? []
  const hasKey = keys.some((key) => keyOf(key, row) !== null)
  const alike = hasKey ? [] : (rowsByName.get(nameKey(row.name)) ?? []).filter((other) => other !== row).map((other) => other.row)
  if (alike.length > 0)
    return {
      kind: 'conflict',
      field: 'name',
      person_ids: [],
      rows: alike,
      why: `和第 ${alike.slice(0, 5).join('、')} 行同名，这一行没有手机号、工号或身份证号`,
    }
  if (namesakes.length === 0) return unknown(row)
  const [only] = namesakes
  if (!hasKey && only && namesakes.length === 1 && only.has_left === (row.status === 'left') && changesOf(row, only).length === 0)
    return { kind: 'same', person_id: only.id, changes: [] }
  if (!hasKey) return asked('name', namesakes, '已有同名员工，这一行没有手机号、工号或身份证号，分不出是不是同一个人')
  // A phone changes; a number of the house or an identity card that differs is another person's.
  const open = namesakes.filter((person) =>
    (['id_card', 'employee_no'] as const).every((key) => keyOf(key, row) === null || keyOf(key, person) === null),
  )
  return open.length > 0 ? asked('name', open, '已有同名员工，手机号不同，分不出是换了号码还是另一个人') : unknown(row)
}

/** Who has left already comes only onto a roster that he stood on. */
const unknown = (row: RosterRow): ImportDecision =>
  row.status === 'left' ? { kind: 'unusable', why: '已经离职，花名册里也没有这个人' } : { kind: 'new' }

function settled(row: RosterRow, person: StandingPerson): ImportDecision {
  const changes = changesOf(row, person)
  const of = { person_id: person.id, changes }
  if (row.status === 'left') return person.has_left ? { kind: 'same', ...of, changes: [] } : { kind: 'leaves', ...of }
  if (person.has_left) return { kind: 'back', ...of }
  return { kind: changes.length > 0 ? 'changed' : 'same', ...of }
}

/** Old → new, field by field. */
function changesOf(row: RosterRow, person: StandingPerson): ImportChange[] {
  return fields.flatMap((field) => {
    const [old, now] = [asText(field, person), asText(field, row)]
    const isSame = field === 'departments' ? old === now : tidy(old).toLowerCase() === tidy(now).toLowerCase()
    return now === '' || isSame ? [] : [{ field, old, new: now }]
  })
}

const calledOf = (person: StandingPerson): string => `${person.has_left ? '已离职的' : ''}“${person.name}”`
const asked = (field: Key | 'name', people: readonly StandingPerson[], why: string): ImportDecision => ({
  kind: 'conflict',
  field,
  why,
  person_ids: people.map(({ id }) => id),
  rows: [],
})

/** Two rows that would both be one person: by his number the one, by his phone the other. */
function withoutSharedPeople(planned: PlannedRow[]): PlannedRow[] {
  const rows = new Map<string, number[]>()
  for (const { row, decision } of planned)
    if ('person_id' in decision) rows.set(decision.person_id, [...(rows.get(decision.person_id) ?? []), row])
  return planned.map(({ row, decision }) => {
    if (!('person_id' in decision)) return { row, decision }
    const others = (rows.get(decision.person_id) ?? []).filter((other) => other !== row)
    if (others.length === 0) return { row, decision }
    const why = `和第 ${others.slice(0, 5).join('、')} 行是同一位员工`
    return { row, decision: { kind: 'conflict', field: 'name', person_ids: [decision.person_id], rows: others, why } }
  })
}
