/**
 * Plans a roster import row by row before anything is changed. A row is matched with a member only by a key of their
 * own (identity card, employee number, phone) together with the name; contradictions become questions, and an empty
 * cell deletes nothing.
 */

import { type CooperativeTask, YieldTimer } from '../../../rules/cooperative-task.ts'
import { getNameKeys, isSameName, toNameKey } from '../../../rules/person-name.ts'
import type { RosterRow } from '../../../spreadsheets/rules.ts'
import { findFieldChanges, type ImportChange, type ImportField } from './import-changes.ts'
import {
  findDuplicates,
  formatRows,
  type GroupedByKey,
  getKeyValue,
  groupByKeys,
  hasDifferentIdCard,
  type MemberKey,
  memberKeyLabels,
  memberKeys,
  rowCost,
  selectOthers,
} from './import-keys.ts'

/** The member data of a roster row, independent of its position. */
export type RosterMemberData = Readonly<Omit<RosterRow, 'row' | 'departments' | 'status' | 'status_word'>>

/** A member of the company, active or terminated. */
export interface ExistingMember extends RosterMemberData {
  readonly id: string
  /** Each path from the top. */
  readonly departments: readonly (readonly string[])[]
  readonly has_left: boolean
  /** If false, only the member's keys may be used, and nothing may be revealed. */
  readonly in_scope: boolean
  /** An administrator's phone is not changed by an import, nor is an administrator terminated. */
  readonly is_admin: boolean
}

/** A row as it would be applied: with its resolved departments, and the reason if it cannot be applied. */
export interface ImportRow extends RosterRow {
  readonly error: { readonly reason: string; readonly column: string | null } | null
}
/** The administrator's interpretation of an unrecognized status. */
type AnsweredStatus = 'active' | 'left'
type StatusAnswer = { readonly status?: AnsweredStatus | undefined }
/**
 * The administrator's answer for a row: which member it belongs to and, if the question was asked, the meaning of its
 * status.
 */
export type ImportAnswer =
  | { readonly take: 'skip' }
  | ({ readonly take: 'new' } & StatusAnswer)
  | ({ readonly take: 'person'; readonly person_id: string } & StatusAnswer)
  | { readonly take: 'status'; readonly status: AnsweredStatus }

export type ImportDecision =
  | { kind: 'new' }
  | { kind: 'same' | 'back' | 'changed' | 'leaves'; person_id: string; changes: ImportChange[] }
  /** The administrator must decide. `may`: a new member, or one of these members. */
  | {
      kind: 'conflict'
      why: string
      field: MemberKey | 'name' | 'status'
      person_ids: string[]
      rows: number[]
      may: AllowedAnswer[]
    }
  /** The row cannot become a member: no name, an unreadable cell, or a terminated employee who was never in the roster. */
  | { kind: 'fault'; why: string; column: string | null; field: ImportField | null }
  | { kind: 'skipped' }
type AllowedAnswer = 'new' | 'person' | 'status'
/** `phone`: the member gets none, because the row has none or one that also occurs with other names. */
export type PlannedRow = { readonly row: number; readonly decision: ImportDecision; readonly phone?: 'none' | 'shared' }

interface ImportIndex {
  byKey: GroupedByKey<ExistingMember>
  byName: Map<string, ExistingMember[]>
  /** Rows by name and lasting keys, so that thousands of rows with one name look up their namesakes once. */
  namesakes: Map<string, Namesakes>
  /** Rows with a key that another row has. */
  duplicatesByKey: GroupedByKey<ImportRow>
  /** Computed on demand: a row with a key does not need it. */
  rowsByName: () => Map<string, ImportRow[]>
}

function* buildIndex(
  yieldTimer: YieldTimer,
  rows: readonly ImportRow[],
  members: readonly ExistingMember[],
): CooperativeTask<ImportIndex> {
  let byName: Map<string, ImportRow[]> | undefined
  return {
    byKey: yield* groupByKeys(yieldTimer, members),
    // Namesakes outside the scope must not be revealed.
    byName: groupByEachKey(
      members.filter((one) => one.in_scope),
      ({ name }) => getNameKeys(name),
    ),
    namesakes: new Map(),
    duplicatesByKey: yield* findDuplicates(yieldTimer, rows),
    rowsByName: () => (byName ??= Map.groupBy(rows, ({ name }) => toNameKey(name))),
  }
}

const lastingKeys = ['id_card', 'employee_no'] as const
const hasLastingKey = (row: ImportRow): boolean => lastingKeys.some((key) => getKeyValue(key, row) !== null)

/** Groups each item under every one of its keys. */
function groupByEachKey<T>(all: readonly T[], getKeys: (one: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all)
    for (const key of getKeys(one)) {
      const same = groups.get(key)
      if (same) same.push(one)
      else groups.set(key, [one])
    }
  return groups
}

/**
 * Finds rows whose phone also occurs with another name, such as that of a married couple or an office. It belongs to
 * nobody, except to a member with this phone in the roster. The same name with the same phone in two rows is one member
 * twice, which becomes a question; so do rows that nothing else distinguishes.
 */
function findSharedPhoneRows(rows: readonly ImportRow[], members: readonly ExistingMember[]): ReadonlySet<ImportRow> {
  const byPhone = Map.groupBy(
    rows.filter((row) => !row.error && row.name !== '' && row.mobile !== null),
    ({ mobile }) => mobile,
  )
  const shared = new Set<ImportRow>()
  const owners = new Map(members.flatMap((one) => (one.has_left || !byPhone.has(one.mobile) ? [] : [[one.mobile, one] as const])))
  for (const [mobile, same] of byPhone) {
    // Whether the phone of a leaving member passes on to the next one is a question.
    if (same.length < 2 || same.some(({ status }) => status === 'left')) continue
    if (new Set(same.map(({ name }) => toNameKey(name))).size < same.length) continue
    const owner = owners.get(mobile)
    const others = same.filter(({ name }) => !owner?.in_scope || !isSameName(owner.name, name))
    if (others.every((row) => hasLastingKey(row))) for (const row of others) shared.add(row)
  }
  return shared
}

export function* planImport(
  input: readonly ImportRow[],
  members: readonly ExistingMember[],
  answers: ReadonlyMap<number, ImportAnswer> = new Map(),
): CooperativeTask<PlannedRow[]> {
  const yieldTimer = new YieldTimer()
  const shared = findSharedPhoneRows(input, members)
  const rows = shared.size === 0 ? input : input.map((row) => (shared.has(row) ? { ...row, mobile: null } : row))
  const isSkipped = ({ row }: ImportRow) => answers.get(row)?.take === 'skip'
  const index = yield* buildIndex(
    yieldTimer,
    rows.filter((row) => !isSkipped(row)),
    members,
  )
  const planned: PlannedRow[] = []
  for (const [at, row] of rows.entries()) {
    if (yieldTimer.shouldYield(rowCost)) yield
    const answer = answers.get(row.row)
    const rowWithStatus = applyStatusAnswer(row, answer)
    const decision = isSkipped(row) ? skippedDecision : decideRow(rowWithStatus, { index, members, answer })
    const original = input[at]
    planned.push({
      row: row.row,
      ...checkUniqueness(rowWithStatus, decision, index, original !== undefined && shared.has(original)),
    })
  }
  return rejectSharedMembers(planned, rows)
}

const skippedDecision: ImportDecision = { kind: 'skipped' }
/** Returns the row with the answered meaning of its status. */
function applyStatusAnswer(row: ImportRow, answer: ImportAnswer | undefined): ImportRow {
  if (row.status_word === undefined || !answer || answer.take === 'skip' || answer.status === undefined) return row
  const { status_word: _, ...rest } = row
  return { ...rest, status: answer.status }
}
type DecisionContext = {
  readonly index: ImportIndex
  readonly members: readonly ExistingMember[]
  readonly answer: ImportAnswer | undefined
}
function decideRow(row: ImportRow, { index, members, answer }: DecisionContext): ImportDecision {
  const decision = findRowError(row) ?? findUnclearStatus(row) ?? findDuplicateKey(row, index) ?? decideByKeys(row, index)
  return answer && decision.kind === 'conflict' ? applyAnswer(row, decision, answer, members) : decision
}

const createErrorDecision = (why: string, field: ImportField | null = null, column: string | null = null): ImportDecision => ({
  kind: 'fault',
  why,
  field,
  column,
})

function findRowError(row: ImportRow): ImportDecision | null {
  if (row.error) return createErrorDecision(row.error.reason, null, row.error.column)
  return row.name === '' ? createErrorDecision('没有姓名', 'name') : null
}

/** An ambiguous status neither keeps nor terminates a member. */
function findUnclearStatus({ status_word }: ImportRow): ImportDecision | null {
  if (status_word === undefined) return null
  const why = `写着「${status_word}」，看不出是在职还是已离职`
  return { kind: 'conflict', field: 'status', person_ids: [], rows: [], may: ['status'], why }
}

const ownPhoneHint = '；请填写本人的手机号，或给每人填上工号、身份证号'
/** A key in two rows: its owner cannot be determined here. */
function findDuplicateKey(row: ImportRow, { duplicatesByKey }: ImportIndex): ImportDecision | null {
  for (const key of memberKeys) {
    const value = duplicatesByKey[key].size === 0 ? null : getKeyValue(key, row)
    const same = value === null ? undefined : duplicatesByKey[key].get(value)
    if (!same) continue
    const others = selectOthers(same, row)
    return {
      kind: 'conflict',
      field: key,
      person_ids: [],
      rows: others.map((other) => other.row),
      may: [],
      why: `${memberKeyLabels[key]}和${formatRows(others)}相同${key === 'mobile' ? ownPhoneHint : ''}`,
    }
  }
  return null
}

interface KeyMatch {
  key: MemberKey
  member: ExistingMember
}
function findKeyMatches(row: ImportRow, { byKey }: ImportIndex): KeyMatch[] {
  const matches: KeyMatch[] = []
  for (const key of memberKeys) {
    const value = byKey[key].size === 0 ? null : getKeyValue(key, row)
    if (value !== null) for (const member of byKey[key].get(value) ?? []) matches.push({ key, member })
  }
  return matches
}

function decideByKeys(row: ImportRow, index: ImportIndex): ImportDecision {
  const all = findKeyMatches(row, index)
  const present = all.filter(({ member }) => !member.has_left)
  // Active members take precedence over terminated ones; of the terminated ones the last is used.
  const [first] = present.length > 0 ? present : all.toReversed()
  if (!first) return decideByName(row, index)
  const hidden = all.find(({ member }) => !member.in_scope)
  if (hidden) return createErrorDecision(`${memberKeyLabels[hidden.key]}已被本公司其他员工使用，他不在您的管理范围`, hidden.key)
  const { member } = first
  // A value the member has had all along may also belong to a terminated row: an earlier one of the member, or one of a
  // previous owner of the number.
  const others = all.filter(
    ({ key, member: one }) => one !== member && !(one.has_left && getKeyValue(key, member) === getKeyValue(key, row)),
  )
  const other = [first, ...others].find((hit) => !isSameName(hit.member.name, row.name))
  if (other)
    return createConflict(
      row,
      other.key,
      [other.member],
      `${memberKeyLabels[other.key]}是${formatMember(other.member)}的，姓名不同`,
    )
  const [otherMatch] = others
  if (otherMatch)
    return createConflict(
      row,
      otherMatch.key,
      [member, otherMatch.member],
      `${memberKeyLabels[first.key]}和${memberKeyLabels[otherMatch.key]}分别是两位${row.name}的`,
    )
  if (hasDifferentIdCard(row, member))
    return createConflict(row, 'id_card', [member], `和${formatMember(member)}的身份证号不同，可能是同名的另一个人`)
  return decideExistingMember(row, member)
}

/** No member is matched by name alone; a namesake is recognized only if the row would change nothing about them. */
function decideByName(row: ImportRow, index: ImportIndex): ImportDecision {
  const { namesakes, candidates } = findNamesakes(row, index)
  const hasKey = memberKeys.some((key) => getKeyValue(key, row) !== null)
  const sameNameRows = hasKey ? [] : selectOthers(index.rowsByName().get(toNameKey(row.name)) ?? [], row)
  if (sameNameRows.length > 0) {
    const why = `和${formatRows(sameNameRows)}同名，这一行没有手机号、工号或身份证号`
    return { kind: 'conflict', field: 'name', person_ids: [], rows: sameNameRows.map((other) => other.row), may: [], why }
  }
  if (namesakes.length === 0) return decideUnknown(row)
  const [only] = namesakes
  if (
    !hasKey &&
    only &&
    namesakes.length === 1 &&
    only.has_left === (row.status === 'left') &&
    findFieldChanges(row, only).length === 0
  )
    return { kind: 'same', person_id: only.id, changes: [] }
  if (!hasKey)
    return createConflict(row, 'name', namesakes, '已有同名员工，这一行没有手机号、工号或身份证号，分不出是不是同一个人')
  return candidates.length > 0
    ? createConflict(row, 'name', candidates, '已有同名员工，手机号不同，分不出是换了号码还是另一个人')
    : decideUnknown(row)
}

/**
 * `candidates`: namesakes without any of the lasting keys that the row has. A phone may change; a different employee
 * number or identity card belongs to another person.
 */
type Namesakes = { readonly namesakes: readonly ExistingMember[]; readonly candidates: readonly ExistingMember[] }
const noNamesakes: Namesakes = { namesakes: [], candidates: [] }
function findNamesakes(row: ImportRow, { byName, namesakes: cache }: ImportIndex): Namesakes {
  const matchingKeys = byName.size === 0 ? [] : getNameKeys(row.name).filter((key) => byName.has(key))
  if (matchingKeys.length === 0) return noNamesakes
  const has = lastingKeys.filter((key) => getKeyValue(key, row) !== null)
  const cacheKey = `${toNameKey(row.name)}\n${has.join()}`
  const before = cache.get(cacheKey)
  if (before) return before
  const alike = [...new Set(matchingKeys.flatMap((key) => byName.get(key) ?? []))]
  const all = alike.filter((one) => isSameName(one.name, row.name))
  if (all.length === 0) return noNamesakes
  const present = all.filter((one) => !one.has_left)
  const namesakes = present.length > 0 ? present : all
  const result = { namesakes, candidates: namesakes.filter((member) => has.every((key) => getKeyValue(key, member) === null)) }
  cache.set(cacheKey, result)
  return result
}

/** An employee who has already left is imported only if they are in the roster. */
const decideUnknown = (row: ImportRow): ImportDecision =>
  row.status === 'left' ? createErrorDecision('已经离职，花名册里也没有这个人') : { kind: 'new' }

function decideExistingMember(row: ImportRow, member: ExistingMember, renamed: readonly ImportChange[] = []): ImportDecision {
  const changes = [...renamed, ...findFieldChanges(row, member)]
  const of = { person_id: member.id, changes }
  if (row.status === 'left') return member.has_left ? { kind: 'same', ...of, changes: [] } : decideTermination(member, changes)
  if (member.has_left) return { kind: 'back', ...of }
  if (member.is_admin && changes.some(({ field }) => field === 'mobile'))
    return createErrorDecision('管理员的手机号只能由本人更换', 'mobile')
  return { kind: changes.length > 0 ? 'changed' : 'same', ...of }
}

const decideTermination = (member: ExistingMember, changes: ImportChange[]): ImportDecision =>
  member.is_admin
    ? createErrorDecision('这位员工是管理员，请先取消管理员权限，再标记离职')
    : { kind: 'leaves', person_id: member.id, changes }

const formatMember = (member: ExistingMember): string => `${member.has_left ? '已离职的' : ''}「${member.name}」`

/**
 * The rename is possible only if not both the name and the phone, or the identity card, would change, because that
 * would be somebody else.
 */
const canBeSameMember = (row: ImportRow, member: ExistingMember): boolean =>
  isSameName(row.name, member.name) ||
  (!member.has_left && (row.mobile === null || row.mobile === member.mobile) && !hasDifferentIdCard(row, member))
/** The maximum number of candidates offered. */
const maxCandidates = 20

function createConflict(row: ImportRow, field: MemberKey | 'name', all: readonly ExistingMember[], why: string): ImportDecision {
  const members = all.slice(0, maxCandidates)
  const may: AllowedAnswer[] = row.status === 'left' ? [] : ['new']
  const plausible = members.filter((one) => canBeSameMember(row, one))
  return {
    kind: 'conflict',
    field,
    why,
    person_ids: members.map(({ id }) => id),
    rows: [],
    may: plausible.length > 0 ? [...may, 'person'] : may,
  }
}

type Conflict = Extract<ImportDecision, { kind: 'conflict' }>
function applyAnswer(
  row: ImportRow,
  conflict: Conflict,
  answer: ImportAnswer,
  members: readonly ExistingMember[],
): ImportDecision {
  if (answer.take === 'skip') return { kind: 'skipped' }
  if (answer.take === 'status' || !conflict.may.includes(answer.take)) return conflict
  if (answer.take === 'new') return decideUnknown(row)
  const member = members.find(({ id }) => id === answer.person_id)
  if (!member || !conflict.person_ids.includes(member.id) || !canBeSameMember(row, member)) return conflict
  const isRenamed = !isSameName(row.name, member.name)
  return decideExistingMember(row, member, isRenamed ? [{ field: 'name', old: member.name, new: row.name }] : [])
}

type RowOutcome = Omit<PlannedRow, 'row'>
/**
 * Conflicts that no answer can resolve: a phone or identity card belongs to one active member. A new member may be
 * created without a phone, or without one that belongs to somebody else, if an employee number or identity card
 * distinguishes them.
 */
function checkUniqueness(row: ImportRow, decision: ImportDecision, index: ImportIndex, isShared: boolean): RowOutcome {
  const isNew = decision.kind === 'new' || decision.kind === 'back'
  if (!isNew && decision.kind !== 'changed')
    return isShared && decision.kind === 'same' ? { decision, phone: 'shared' } : { decision }
  const isIdentifiable = decision.kind !== 'new' || hasLastingKey(row)
  const memberId = 'person_id' in decision ? decision.person_id : null
  const conflictingMatch = findKeyMatches(row, index).find(
    ({ key, member }) => key !== 'employee_no' && !member.has_left && member.id !== memberId && member.in_scope,
  )
  const isOthersPhone =
    isNew && conflictingMatch?.key === 'mobile' && hasLastingKey(row) && !isSameName(conflictingMatch.member.name, row.name)
  if (!conflictingMatch || isOthersPhone) {
    const phone = isShared || isOthersPhone ? 'shared' : isNew && row.mobile === null ? 'none' : null
    if (phone === null) return { decision }
    return isIdentifiable ? { decision, phone } : { decision: createErrorDecision(missingKeyMessages[phone], 'mobile') }
  }
  const why = `${memberKeyLabels[conflictingMatch.key]}是${formatMember(conflictingMatch.member)}的，一个${memberKeyLabels[conflictingMatch.key]}只能属于一位员工`
  return {
    decision: { kind: 'conflict', field: conflictingMatch.key, person_ids: [conflictingMatch.member.id], rows: [], may: [], why },
  }
}
const missingKeyMessages = {
  none: '没有手机号，也没有工号或证件号码，以后无法确认身份；请至少填写一项',
  shared: '手机号和别人相同，又没有工号或证件号码，无法确认身份；请填写工号或证件号码',
}

/** Rejects two rows that would become the same member: one by number, the other by phone. */
function rejectSharedMembers(planned: PlannedRow[], rows: readonly ImportRow[]): PlannedRow[] {
  const getMemberId = ({ decision }: PlannedRow) => ('person_id' in decision ? decision.person_id : null)
  const assigned = planned.filter((one) => getMemberId(one) !== null)
  if (assigned.length === 0) return planned
  const byPerson = Map.groupBy(assigned, getMemberId)
  return planned.map((one) => {
    const { row, decision } = one
    if (!('person_id' in decision)) return one
    const others = selectOthers(byPerson.get(decision.person_id) ?? [], one).map((other) => other.row)
    if (others.length === 0) return one
    const why = `和${formatRows(rows.filter(({ row }) => others.includes(row)))}是同一位员工`
    return { row, decision: { kind: 'conflict', field: 'name', person_ids: [decision.person_id], rows: others, may: [], why } }
  })
}
