/**
 * What an import of a roster would do, row by row, before anything is done. A row is somebody who stands only by a key of his own (identity card,
 * employee number, phone) together with his name; whatever contradicts is a question, and an empty cell takes nothing away.
 */
import { isSameName, nameKey, nameKeys } from '../../../rules/person-name.ts'
import { type InTurns, Turn } from '../../../rules/turns.ts'
import type { RosterRow } from '../../../tables/rules.ts'
import { changesOf, type ImportChange, type ImportField } from './import-changes.ts'
import {
  type ByKeys,
  beside,
  byKeys,
  isOtherCard,
  type Key,
  keyOf,
  keys,
  keyWords,
  steps_a_row,
  told,
  twice,
} from './import-keys.ts'

/** What a roster says of somebody himself, wherever he stands. */
export type RosterPerson = Readonly<Omit<RosterRow, 'row' | 'departments' | 'status' | 'status_word'>>

/** Somebody in the company, present or left. */
export interface StandingPerson extends RosterPerson {
  readonly id: string
  /** Each way from the top. */
  readonly departments: readonly (readonly string[])[]
  readonly has_left: boolean
  /** False: of him only his keys may be known, and nothing may be said. */
  readonly in_scope: boolean
  /** An administrator keeps his own phone, and does not leave by a list. */
  readonly is_admin: boolean
}

/** A row as it would be taken: its departments as they would stand, and why it cannot be taken at all. */
export interface ImportRow extends RosterRow {
  readonly fault: { readonly why: string; readonly column: string | null } | null
}
/** What a status that nobody can read was said to mean. */
type SaidStatus = 'active' | 'left'
type WithStatus = { readonly status?: SaidStatus | undefined }
/** What the administrator has said to a row: who it is, and what its status means where that was asked. */
export type ImportAnswer =
  | { readonly take: 'skip' }
  | ({ readonly take: 'new' } & WithStatus)
  | ({ readonly take: 'person'; readonly person_id: string } & WithStatus)
  | { readonly take: 'status'; readonly status: SaidStatus }

export type ImportDecision =
  | { kind: 'new' }
  | { kind: 'same' | 'back' | 'changed' | 'leaves'; person_id: string; changes: ImportChange[] }
  /** Nobody may decide this but the administrator. `may`: somebody new, or one of these people. */
  | { kind: 'conflict'; why: string; field: Key | 'name' | 'status'; person_ids: string[]; rows: number[]; may: MayAnswer[] }
  /** Nobody could come of it: no name, a cell that cannot be read, or somebody who left and was never here. */
  | { kind: 'fault'; why: string; column: string | null; field: ImportField | null }
  | { kind: 'skipped' }
type MayAnswer = 'new' | 'person' | 'status'
/** `phone`: the person comes without one, for the row has none, or one that also stands beside others. */
export type PlannedRow = { readonly row: number; readonly decision: ImportDecision; readonly phone?: 'none' | 'shared' }

interface Known {
  byKey: ByKeys<StandingPerson>
  byName: Map<string, StandingPerson[]>
  /** By name and by which lasting keys a row has: rows of one name in their thousands look at their namesakes once. */
  namesakes: Map<string, Namesakes>
  /** Rows with a key that another one has. */
  twiceByKey: ByKeys<ImportRow>
  /** Made when it is asked for: of a row that has a key nobody does. */
  rowsByName: () => Map<string, ImportRow[]>
}

function* knownOf(turn: Turn, rows: readonly ImportRow[], people: readonly StandingPerson[]): InTurns<Known> {
  let byName: Map<string, ImportRow[]> | undefined
  return {
    byKey: yield* byKeys(turn, people),
    // A namesake elsewhere is nobody's business.
    byName: grouped(
      people.filter((one) => one.in_scope),
      ({ name }) => nameKeys(name),
    ),
    namesakes: new Map(),
    twiceByKey: yield* twice(turn, rows),
    rowsByName: () => (byName ??= Map.groupBy(rows, ({ name }) => nameKey(name))),
  }
}

const lasting = ['id_card', 'employee_no'] as const
const hasLastingKey = (row: ImportRow): boolean => lasting.some((key) => keyOf(key, row) !== null)

/** Each under every one of its keys. */
function grouped<T>(all: readonly T[], keysOf: (one: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all)
    for (const key of keysOf(one)) {
      const same = groups.get(key)
      if (same) same.push(one)
      else groups.set(key, [one])
    }
  return groups
}

/**
 * The rows whose phone also stands beside somebody of another name: husband and wife, or the phone of an office. It is nobody's, except of the person
 * whom the roster knows by it. One name with one phone in two rows is one person twice, and asked as such; so are rows that nothing else tells apart.
 */
function sharedPhoneRows(rows: readonly ImportRow[], people: readonly StandingPerson[]): ReadonlySet<ImportRow> {
  const byPhone = Map.groupBy(
    rows.filter((row) => !row.fault && row.name !== '' && row.mobile !== null),
    ({ mobile }) => mobile,
  )
  const shared = new Set<ImportRow>()
  const holders = new Map(people.flatMap((one) => (one.has_left || !byPhone.has(one.mobile) ? [] : [[one.mobile, one] as const])))
  for (const [mobile, same] of byPhone) {
    // The phone of somebody who leaves goes on to the next one, or does not: that is asked.
    if (same.length < 2 || same.some(({ status }) => status === 'left')) continue
    if (new Set(same.map(({ name }) => nameKey(name))).size < same.length) continue
    const holder = holders.get(mobile)
    const others = same.filter(({ name }) => !holder?.in_scope || !isSameName(holder.name, name))
    if (others.every((row) => hasLastingKey(row))) for (const row of others) shared.add(row)
  }
  return shared
}

export function* planImport(
  given: readonly ImportRow[],
  people: readonly StandingPerson[],
  answers: ReadonlyMap<number, ImportAnswer> = new Map(),
): InTurns<PlannedRow[]> {
  const turn = new Turn()
  const shared = sharedPhoneRows(given, people)
  const rows = shared.size === 0 ? given : given.map((row) => (shared.has(row) ? { ...row, mobile: null } : row))
  const isSkipped = ({ row }: ImportRow) => answers.get(row)?.take === 'skip'
  const known = yield* knownOf(
    turn,
    rows.filter((row) => !isSkipped(row)),
    people,
  )
  const planned: PlannedRow[] = []
  for (const [at, row] of rows.entries()) {
    if (turn.isOver(steps_a_row)) yield
    const answer = answers.get(row.row)
    const said = statusSaid(row, answer)
    const decision = isSkipped(row) ? skipped : decided(said, { known, people, answer })
    const original = given[at]
    planned.push({ row: row.row, ...possible(said, decision, known, original !== undefined && shared.has(original)) })
  }
  return withoutSharedPeople(planned, rows)
}

const skipped: ImportDecision = { kind: 'skipped' }
/** The row with what its status was said to mean. */
function statusSaid(row: ImportRow, answer: ImportAnswer | undefined): ImportRow {
  if (row.status_word === undefined || !answer || answer.take === 'skip' || answer.status === undefined) return row
  const { status_word: _, ...rest } = row
  return { ...rest, status: answer.status }
}
type Beside = { readonly known: Known; readonly people: readonly StandingPerson[]; readonly answer: ImportAnswer | undefined }
function decided(row: ImportRow, { known, people, answer }: Beside): ImportDecision {
  const decision = faulty(row) ?? unreadStatus(row) ?? twiceInFile(row, known) ?? decide(row, known)
  return answer && decision.kind === 'conflict' ? answered(row, decision, answer, people) : decision
}

const fault = (why: string, field: ImportField | null = null, column: string | null = null): ImportDecision => ({
  kind: 'fault',
  why,
  field,
  column,
})

function faulty(row: ImportRow): ImportDecision | null {
  if (row.fault) return fault(row.fault.why, null, row.fault.column)
  return row.name === '' ? fault('没有姓名', 'name') : null
}

/** Nobody is kept or terminated by a word that may mean either. */
function unreadStatus({ status_word }: ImportRow): ImportDecision | null {
  if (status_word === undefined) return null
  const why = `写着「${status_word}」，看不出是在职还是已离职`
  return { kind: 'conflict', field: 'status', person_ids: [], rows: [], may: ['status'], why }
}

const ownPhone = '；请填写本人的手机号，或给每人填上工号、身份证号'
/** A key that stands in two rows: whose it is nobody here can say. */
function twiceInFile(row: ImportRow, { twiceByKey }: Known): ImportDecision | null {
  for (const key of keys) {
    const value = twiceByKey[key].size === 0 ? null : keyOf(key, row)
    const same = value === null ? undefined : twiceByKey[key].get(value)
    if (!same) continue
    const others = beside(same, row)
    return {
      kind: 'conflict',
      field: key,
      person_ids: [],
      rows: others.map((other) => other.row),
      may: [],
      why: `${keyWords[key]}和${told(others)}相同${key === 'mobile' ? ownPhone : ''}`,
    }
  }
  return null
}

interface Hit {
  key: Key
  person: StandingPerson
}
function hitsOf(row: ImportRow, { byKey }: Known): Hit[] {
  const hits: Hit[] = []
  for (const key of keys) {
    const value = byKey[key].size === 0 ? null : keyOf(key, row)
    if (value !== null) for (const person of byKey[key].get(value) ?? []) hits.push({ key, person })
  }
  return hits
}

function decide(row: ImportRow, known: Known): ImportDecision {
  const all = hitsOf(row, known)
  const present = all.filter(({ person }) => !person.has_left)
  // Who is here is meant before who was; of those who were, the last.
  const [first] = present.length > 0 ? present : all.toReversed()
  if (!first) return byNameAlone(row, known)
  const hidden = all.find(({ person }) => !person.in_scope)
  if (hidden) return fault(`${keyWords[hidden.key]}已被本公司其他员工使用，他不在您的管理范围`, hidden.key)
  const { person } = first
  // What he has had all the while may also have been of somebody who left: himself, or who had the number before him.
  const others = all.filter(({ key, person: one }) => one !== person && !(one.has_left && keyOf(key, person) === keyOf(key, row)))
  const other = [first, ...others].find((hit) => !isSameName(hit.person.name, row.name))
  if (other) return asked(row, other.key, [other.person], `${keyWords[other.key]}是${calledOf(other.person)}的，姓名不同`)
  const [several] = others
  if (several)
    return asked(
      row,
      several.key,
      [person, several.person],
      `${keyWords[first.key]}和${keyWords[several.key]}分别是两位${row.name}的`,
    )
  if (isOtherCard(row, person))
    return asked(row, 'id_card', [person], `和${calledOf(person)}的身份证号不同，可能是同名的另一个人`)
  return settled(row, person)
}

/** Nobody is found by his name: a namesake is left alone unless nothing about him would change. */
function byNameAlone(row: ImportRow, known: Known): ImportDecision {
  const { namesakes, open } = namesakesOf(row, known)
  const hasKey = keys.some((key) => keyOf(key, row) !== null)
  const alike = hasKey ? [] : beside(known.rowsByName().get(nameKey(row.name)) ?? [], row)
  if (alike.length > 0) {
    const why = `和${told(alike)}同名，这一行没有手机号、工号或身份证号`
    return { kind: 'conflict', field: 'name', person_ids: [], rows: alike.map((other) => other.row), may: [], why }
  }
  if (namesakes.length === 0) return unknown(row)
  const [only] = namesakes
  if (!hasKey && only && namesakes.length === 1 && only.has_left === (row.status === 'left') && changesOf(row, only).length === 0)
    return { kind: 'same', person_id: only.id, changes: [] }
  if (!hasKey) return asked(row, 'name', namesakes, '已有同名员工，这一行没有手机号、工号或身份证号，分不出是不是同一个人')
  return open.length > 0 ? asked(row, 'name', open, '已有同名员工，手机号不同，分不出是换了号码还是另一个人') : unknown(row)
}

/** `open`: a phone changes; a number of the house or an identity card that differs is another person's. */
type Namesakes = { readonly namesakes: readonly StandingPerson[]; readonly open: readonly StandingPerson[] }
const nobody: Namesakes = { namesakes: [], open: [] }
function namesakesOf(row: ImportRow, { byName, namesakes: looked }: Known): Namesakes {
  const own = byName.size === 0 ? [] : nameKeys(row.name).filter((key) => byName.has(key))
  if (own.length === 0) return nobody
  const has = lasting.filter((key) => keyOf(key, row) !== null)
  const as = `${nameKey(row.name)}\n${has.join()}`
  const before = looked.get(as)
  if (before) return before
  const alike = [...new Set(own.flatMap((key) => byName.get(key) ?? []))]
  const all = alike.filter((one) => isSameName(one.name, row.name))
  if (all.length === 0) return nobody
  const present = all.filter((one) => !one.has_left)
  const namesakes = present.length > 0 ? present : all
  const found = { namesakes, open: namesakes.filter((person) => has.every((key) => keyOf(key, person) === null)) }
  looked.set(as, found)
  return found
}

/** Who has left already comes only onto a roster that he stood on. */
const unknown = (row: ImportRow): ImportDecision =>
  row.status === 'left' ? fault('已经离职，花名册里也没有这个人') : { kind: 'new' }

function settled(row: ImportRow, person: StandingPerson, renamed: readonly ImportChange[] = []): ImportDecision {
  const changes = [...renamed, ...changesOf(row, person)]
  const of = { person_id: person.id, changes }
  if (row.status === 'left') return person.has_left ? { kind: 'same', ...of, changes: [] } : leaving(person, changes)
  if (person.has_left) return { kind: 'back', ...of }
  if (person.is_admin && changes.some(({ field }) => field === 'mobile')) return fault('管理员的手机号只能由本人更换', 'mobile')
  return { kind: changes.length > 0 ? 'changed' : 'same', ...of }
}

const leaving = (person: StandingPerson, changes: ImportChange[]): ImportDecision =>
  person.is_admin ? fault('这位员工是管理员，请先取消管理员权限，再标记离职') : { kind: 'leaves', person_id: person.id, changes }

const calledOf = (person: StandingPerson): string => `${person.has_left ? '已离职的' : ''}「${person.name}」`

/** One of these only where not both his name and his phone, or his identity card, would become others: that is somebody else. */
const mayBe = (row: ImportRow, person: StandingPerson): boolean =>
  isSameName(row.name, person.name) ||
  (!person.has_left && (row.mobile === null || row.mobile === person.mobile) && !isOtherCard(row, person))
/** So many of one name are offered. */
const most_offered = 20

function asked(row: ImportRow, field: Key | 'name', all: readonly StandingPerson[], why: string): ImportDecision {
  const people = all.slice(0, most_offered)
  const may: MayAnswer[] = row.status === 'left' ? [] : ['new']
  const some = people.filter((one) => mayBe(row, one))
  return {
    kind: 'conflict',
    field,
    why,
    person_ids: people.map(({ id }) => id),
    rows: [],
    may: some.length > 0 ? [...may, 'person'] : may,
  }
}

type Conflict = Extract<ImportDecision, { kind: 'conflict' }>
function answered(row: ImportRow, asking: Conflict, answer: ImportAnswer, people: readonly StandingPerson[]): ImportDecision {
  if (answer.take === 'skip') return { kind: 'skipped' }
  if (answer.take === 'status' || !asking.may.includes(answer.take)) return asking
  if (answer.take === 'new') return unknown(row)
  const person = people.find(({ id }) => id === answer.person_id)
  if (!person || !asking.person_ids.includes(person.id) || !mayBe(row, person)) return asking
  const isRenamed = !isSameName(row.name, person.name)
  return settled(row, person, isRenamed ? [{ field: 'name', old: person.name, new: row.name }] : [])
}

type Possible = Omit<PlannedRow, 'row'>
/**
 * What no answer can make possible: a phone or identity card is of one person who is here. Somebody new may come without a phone, or without the one of
 * somebody else, where a number or a card tells the person from others.
 */
function possible(row: ImportRow, decision: ImportDecision, known: Known, isShared: boolean): Possible {
  const isNew = decision.kind === 'new' || decision.kind === 'back'
  if (!isNew && decision.kind !== 'changed')
    return isShared && decision.kind === 'same' ? { decision, phone: 'shared' } : { decision }
  const isTold = decision.kind !== 'new' || hasLastingKey(row)
  const own = 'person_id' in decision ? decision.person_id : null
  const taken = hitsOf(row, known).find(
    ({ key, person }) => key !== 'employee_no' && !person.has_left && person.id !== own && person.in_scope,
  )
  const isOthersPhone = isNew && taken?.key === 'mobile' && hasLastingKey(row) && !isSameName(taken.person.name, row.name)
  if (!taken || isOthersPhone) {
    const phone = isShared || isOthersPhone ? 'shared' : isNew && row.mobile === null ? 'none' : null
    if (phone === null) return { decision }
    return isTold ? { decision, phone } : { decision: fault(withoutKey[phone], 'mobile') }
  }
  const why = `${keyWords[taken.key]}是${calledOf(taken.person)}的，一个${keyWords[taken.key]}只能属于一位员工`
  return { decision: { kind: 'conflict', field: taken.key, person_ids: [taken.person.id], rows: [], may: [], why } }
}
const withoutKey = {
  none: '没有手机号，也没有工号或证件号码，以后分不出是谁；请至少填写一项',
  shared: '手机号和别人相同，又没有工号或证件号码，分不出是谁；请填写工号或证件号码',
}

/** Two rows that would both be one person: by his number the one, by his phone the other. */
function withoutSharedPeople(planned: PlannedRow[], rows: readonly ImportRow[]): PlannedRow[] {
  const personOf = ({ decision }: PlannedRow) => ('person_id' in decision ? decision.person_id : null)
  const found = planned.filter((one) => personOf(one) !== null)
  if (found.length === 0) return planned
  const byPerson = Map.groupBy(found, personOf)
  return planned.map((one) => {
    const { row, decision } = one
    if (!('person_id' in decision)) return one
    const others = beside(byPerson.get(decision.person_id) ?? [], one).map((other) => other.row)
    if (others.length === 0) return one
    const why = `和${told(rows.filter(({ row }) => others.includes(row)))}是同一位员工`
    return { row, decision: { kind: 'conflict', field: 'name', person_ids: [decision.person_id], rows: others, may: [], why } }
  })
}
