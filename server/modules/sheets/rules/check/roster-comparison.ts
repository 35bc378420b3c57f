/**
 * Compares further data of a row with the roster: department, position, entry date. Where name and phone moved together
 * and there is no earlier pay run, only this reveals the mistake:
 *
 *     sheet   赵 | 138…1 | 销售部 | 5100        roster   赵  财务部
 *             钱 | 138…2 | 财务部 | 8000                 钱  销售部   → each has the other's
 *
 * A roster is never quite up to date: a single difference is a warning at the row. Many differences, or rows that match
 * the roster at a fixed offset, are one question about the wage sheet. A value that the roster does not know (a cost
 * center, another level) is ignored.
 */

import { isDepartment, isInfo } from '../../../../contract/sheets/column-roles.ts'
import type { RowCells } from '../../../../rules/amounts.ts'
import { type CooperativeTask, YieldTimer } from '../../../../rules/cooperative-task.ts'
import { normalizeText } from '../../../../rules/text.ts'
import { normalizeHeader } from '../../../../spreadsheets/rules.ts'
import type { PayItemColumn } from './member-amounts.ts'
import { normalizeName, type PayrollMember } from './member-match.ts'
import { type DetectedIssue, formatRowNumber } from './month-comparison.ts'

type RosterField = 'department' | 'position' | 'entry_on'
const fieldLabels: Record<RosterField, string> = { department: '部门', position: '岗位', entry_on: '入职日期' }
const fieldLabelPatterns: readonly (readonly [RosterField, RegExp])[] = [
  ['position', /^(?:岗位|职位|职务|岗位名称|职位名称|职务名称|position|title|job title|designation)$/],
  ['entry_on', /^(?:入职日期|入职时间|入司日期|入司时间|进厂日期|到岗日期|entry date|hire date|date of joining|join date)$/],
]

/** From this number of rows and this share of the comparable ones on, it is one question about the wage sheet. */
export const minRowsForSheetIssue = 3
export const minShareForSheetIssue = 0.15
/** An offset explains the wage sheet if it leaves at most this share of the differences and at least two rows differ. */
const maxRemainingShare = 0.34
const minExplainedShare = 0.6
const minDifferingRows = 2
const maxOffset = 60
/** Maximum number of rows compared with each other to find swaps. */
const maxSwapCandidates = 400
/** Maximum number of rows reported one by one; more are reported as one issue. */
const maxRowIssues = 6
const exampleCount = 3

/** The value in the row by field, split into parts; the value in the roster, and its parent departments. */
export type RosterComparisonRow = {
  readonly row: number
  readonly name: string
  readonly member: PayrollMember
  readonly texts: readonly string[]
  readonly values: readonly (readonly string[])[]
  readonly rosterValues: readonly (readonly string[])[]
  readonly ancestorValues: readonly (readonly string[])[]
}
/** Cost of comparing a row with a member; comparing two amounts costs 1. */
const comparisonCost = 10
type FieldMismatch = {
  readonly field: number
  readonly rows: readonly RosterComparisonRow[]
  readonly comparedCount: number
  readonly offset: number
}
type FieldResult = 'same' | 'other' | 'unknown'

/** The roster fields that can be compared with columns of a wage sheet; shared by all its rows. */
export class RosterFields {
  readonly fields: readonly { readonly fact: RosterField; readonly key: string }[]
  /** All values that occur in the roster, by field. */
  readonly valuesByField: readonly ReadonlySet<string>[]
  readonly ancestorsByDepartment: ReadonlyMap<string, ReadonlySet<string>>

  constructor(columns: readonly PayItemColumn[], people: readonly PayrollMember[]) {
    const accepted = new Set<RosterField>()
    this.fields = columns.flatMap(({ key, label, role }) => {
      const text = normalizeHeader(label.split(' / ').at(-1) ?? '')
      const fact = isDepartment(role)
        ? 'department'
        : isInfo(role)
          ? fieldLabelPatterns.find(([, are]) => are.test(text))?.[0]
          : undefined
      if (!fact || accepted.has(fact)) return []
      accepted.add(fact)
      return [{ fact, key }]
    })
    const all = this.fields.length > 0 ? people.filter(({ status }) => status !== 'left') : []
    const withMonths = (day: string, fact: RosterField) => (fact === 'entry_on' ? [day, day.slice(0, 7)] : [day])
    this.valuesByField = this.fields.map(
      ({ fact }) => new Set(all.flatMap((person) => getRosterValues(person, fact).flatMap((one) => withMonths(one, fact)))),
    )
    this.ancestorsByDepartment = new Map(
      all.flatMap((person) =>
        getRosterValues(person, 'department').map((name) => [name, new Set(getDepartmentPath(person))] as const),
      ),
    )
  }

  /** Reads a row and its member; null where nothing can be compared. */
  read(row: number, name: string, person: PayrollMember, cells: RowCells): RosterComparisonRow | null {
    if (this.fields.length === 0) return null
    const messages = this.fields.map(({ key }) => normalizeText(cells[key]?.value ?? ''))
    const own = this.fields.map(({ fact }) => getRosterValues(person, fact))
    return {
      row,
      name,
      member: person,
      texts: messages,
      values: this.fields.map(({ fact }, at) => splitValues(messages[at] ?? '', fact)),
      rosterValues: own,
      ancestorValues: this.fields.map(({ fact }, at) => (fact === 'department' ? getDepartmentPath(person) : (own[at] ?? []))),
    }
  }
}

export class RosterComparison {
  readonly #fields: RosterFields['fields']
  readonly #knownValues: RosterFields['valuesByField']
  readonly #ancestorsByDepartment: RosterFields['ancestorsByDepartment']
  readonly #rows: RosterComparisonRow[] = []
  readonly #yieldTimer = new YieldTimer()

  constructor({ fields, valuesByField, ancestorsByDepartment }: RosterFields) {
    this.#fields = fields
    this.#knownValues = valuesByField
    this.#ancestorsByDepartment = ancestorsByDepartment
  }

  add(row: RosterComparisonRow): void {
    this.#rows.push(row)
  }

  /**
   * Compares the rows: those in which a distinguishing field agrees, those in which a field differs, and among these
   * the pairs that have each other's data.
   */
  *compareRows(): CooperativeTask<Record<'agreeing' | 'differing' | 'exchanged', ReadonlySet<number>>> {
    const agreeing = new Set<number>()
    const others: RosterComparisonRow[] = []
    for (const one of this.#rows) {
      if (this.#yieldTimer.shouldYield(comparisonCost)) yield
      const judged = this.#fields.map((_, at) => this.#compareField(one, one, at))
      if (judged.includes('other')) others.push(one)
      else if (judged.some((what, at) => what === 'same' && this.#isDistinguishing(at))) agreeing.add(one.row)
    }
    const exchanged = new Set<number>()
    const few = others.slice(0, maxSwapCandidates)
    for (const [at, one] of few.entries())
      for (const other of few.slice(at + 1)) {
        if (this.#yieldTimer.shouldYield(comparisonCost)) yield
        if (this.#fitsOtherMember(one, other) && this.#fitsOtherMember(other, one)) exchanged.add(one.row).add(other.row)
      }
    return { agreeing, differing: new Set(others.map(({ row }) => row)), exchanged }
  }

  /** Whether all fields of a row that do not belong to its own member belong to the member of the other row. */
  #fitsOtherMember(one: RosterComparisonRow, other: RosterComparisonRow): boolean {
    const judged = this.#fields.map((_, at) => ({
      own: this.#compareField(one, one, at),
      theirs: this.#compareField(one, other, at),
    }))
    return (
      judged.every(({ theirs }) => theirs !== 'other') && judged.some(({ own, theirs }) => own === 'other' && theirs === 'same')
    )
  }

  *findIssues(): CooperativeTask<DetectedIssue[]> {
    const masses: FieldMismatch[] = []
    for (const at of this.#fields.keys()) {
      const mass = yield* this.#findMismatch(at)
      if (mass) masses.push(mass)
    }
    yield
    if (masses.length > 0) return [this.#createSheetIssue(masses)]
    const single = this.#rows.flatMap((one) => {
      const at = this.#fields.findIndex((_, fact) => this.#compareField(one, one, fact) === 'other')
      return at < 0 ? [] : [{ one, at }]
    })
    if (single.length > maxRowIssues) {
      const visible = single.slice(0, exampleCount).map(({ one, at }) => this.#formatExample(one, at))
      const message = `有 ${single.length} 人的${this.#getLabels(single)}与花名册不同：${visible.join('；')}；花名册没有更新的不影响发送，请确认没有错行`
      return [{ ...sheetIssueFields, level: 'warning', message }]
    }
    return single.map(({ one, at }) => ({
      row: one.row,
      name: one.name,
      column: this.#fields[at]?.key ?? null,
      level: 'warning',
      kind: 'roster_differs',
      message: `${this.#formatExample(one, at, false)}；请确认这一行是本人的`,
      fix: ['accept', 'skip'],
    }))
  }

  /** Whether a field has more than one value: a value that all members share distinguishes nobody. */
  #isDistinguishing = (fact: number): boolean => (this.#knownValues[fact]?.size ?? 0) > 1

  /** Compares a field of a row with the member of the same or another row. */
  #compareField(one: RosterComparisonRow, theirs: RosterComparisonRow, at: number): FieldResult {
    const sections = one.values[at] ?? []
    const own = theirs.rosterValues[at] ?? []
    const fact = this.#fields[at]?.fact
    if (sections.length === 0 || own.length === 0) return 'unknown'
    // A month matches every day in it.
    const isHis = (part: string): boolean =>
      fact === 'entry_on' ? own.some((day) => day.startsWith(part)) : (theirs.ancestorValues[at] ?? []).includes(part)
    if (sections.some(isHis)) return 'same'
    // A subdivision of the member's own department, as named in the wage sheet, is not a different department.
    if (sections.some((part) => own.some((name) => this.#ancestorsByDepartment.get(part)?.has(name)))) return 'unknown'
    return sections.some((part) => this.#knownValues[at]?.has(part)) ? 'other' : 'unknown'
  }

  /** Finds a field that differs in many rows or agrees at an offset: the number of rows and the offset. */
  *#findMismatch(at: number): CooperativeTask<FieldMismatch | null> {
    const judged = this.#rows.map((one) => this.#compareField(one, one, at))
    const existing = judged.filter((what) => what !== 'unknown').length
    const differing = judged.flatMap((what, position) => (what === 'other' ? [position] : []))
    const offset = differing.length >= minDifferingRows ? yield* this.#findOffset(at, differing, existing) : 0
    if (offset === 0 && (differing.length < minRowsForSheetIssue || differing.length < existing * minShareForSheetIssue))
      return null
    return { field: at, rows: differing.flatMap((position) => this.#rows[position] ?? []), comparedCount: existing, offset }
  }

  /**
   * Returns the offset at which the wage sheet matches the roster far better than in its own order; 0 where there is
   * none.
   */
  *#findOffset(at: number, differing: readonly number[], existing: number): CooperativeTask<number> {
    const most = Math.min(maxOffset, this.#rows.length - 1)
    const judged = (position: number, offset: number): FieldResult => {
      const [one, theirs] = [this.#rows[position], this.#rows[position + offset]]
      return one && theirs ? this.#compareField(one, theirs, at) : 'unknown'
    }
    for (let by = 1; by <= most; by++)
      for (const offset of [by, -by]) {
        if (this.#yieldTimer.shouldYield(differing.length * comparisonCost)) yield
        // Rows shifted past the end have no counterpart.
        const viewed = differing.filter((position) => this.#rows[position + offset])
        const match = viewed.filter((position) => judged(position, offset) === 'same').length
        if (match === 0 || match < viewed.length * minExplainedShare || viewed.length < differing.length - by) continue
        const all = this.#rows.map((_, position) => judged(position, offset))
        const same = all.filter((what) => what === 'same').length
        const other = all.filter((what) => what === 'other').length
        // Members who moved to another department differ at every offset.
        if (other <= differing.length * maxRemainingShare && same >= existing - differing.length - by) return offset
      }
    return 0
  }

  #createSheetIssue(masses: readonly FieldMismatch[]): DetectedIssue {
    const first = masses.toSorted((a, b) => b.rows.length - a.rows.length)[0]
    const { field = 0, rows = [], comparedCount = 0, offset = 0 } = first ?? {}
    const [one] = rows
    const what = masses.map((mass) => `「${fieldLabels[this.#fields[mass.field]?.fact ?? 'department']}」`).join('')
    const step = Math.abs(offset) === 1 ? '一行' : `方第 ${Math.abs(offset)} 行`
    const channel = offset === 0 ? '' : `，和${offset > 0 ? '下' : '上'}${step}的人对照就一致，像是整体错位`
    const example = one ? `例如${this.#formatExample(one, field)}。` : ''
    const message = `${what}和花名册大面积对不上：可以对照的 ${comparedCount} 人中有 ${rows.length} 人不同${channel}。${example}请在表里对齐后重新上传；只是花名册没更新的才接受`
    return { ...sheetIssueFields, level: 'error', message }
  }

  #getLabels(single: readonly { readonly at: number }[]): string {
    return [...new Set(single.map(({ at }) => fieldLabels[this.#fields[at]?.fact ?? 'department']))].join('、')
  }

  #formatExample({ row, name, member, texts }: RosterComparisonRow, at: number, hasRow = true): string {
    const fact = this.#fields[at]?.fact ?? 'department'
    const roster = getRosterText(member, fact)
    const where = hasRow ? `第 ${formatRowNumber(row)} 行「${truncate(name || member.name)}」` : ''
    return `${where}表里的${fieldLabels[fact]}是「${truncate(texts[at] ?? '')}」，花名册里是「${truncate(roster)}」`
  }
}

const sheetIssueFields = { row: 0, name: '', column: null, kind: 'roster_differs', fix: ['accept'] } as const
const truncate = (text: string): string => (text.length > 12 ? `${text.slice(0, 11)}…` : text)

/** Splits `生产部/一车间` into two values; a position or day is kept whole. */
function splitValues(text: string, field: RosterField): string[] {
  const values =
    field === 'department'
      ? text.split(/[/\\、,，>\-—]/).map(normalizeName)
      : [field === 'position' ? normalizeName(text) : parseDay(text)]
  return values.filter(Boolean)
}
const getRosterText = (person: PayrollMember, fact: RosterField): string =>
  (fact === 'department' ? person.departments : fact === 'position' ? person.position : person.entry_on) ?? ''
const getRosterValues = (person: PayrollMember, fact: RosterField): string[] => splitValues(getRosterText(person, fact), fact)
/** Returns the member's departments and all their parents. */
const getDepartmentPath = (person: PayrollMember): string[] =>
  [person.departments, person.departments_above ?? ''].flatMap((text) => splitValues(text, 'department'))

/**
 * Parses `2021年3月5日`, `2021/3/5` or `20210305` to `2021-03-05`, and a month to `2021-03`; otherwise returns an empty
 * string.
 */
export function parseDay(text: string): string {
  const match =
    /^((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})(?:\s?[-/.月]\s?(\d{1,2})?)?/.exec(text) ?? /^((?:19|20)\d\d)(\d\d)(\d\d)?$/.exec(text)
  if (!match) return ''
  return [match[1], match[2]?.padStart(2, '0'), match[3]?.padStart(2, '0')].filter(Boolean).join('-')
}
