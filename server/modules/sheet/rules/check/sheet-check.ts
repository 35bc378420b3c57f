/**
 * Everything that can be wrong with a sheet, row by row. An error keeps the batch from being sent; a warning asks. Rows are given one
 * after the other, so that a large sheet is never in memory as a whole and the event loop can turn in between.
 */

import type { IssueFix, IssueKind } from '../../../../contract/shared/schemas.ts'
import { identityRoles } from '../../../../contract/sheets/column-roles.ts'
import type { Issue, WageSheetInfo } from '../../../../contract/sheets/sheet.ts'
import type { RowCells } from '../../../../rules/amounts.ts'
import { type CooperativeTask, runToCompletion } from '../../../../rules/cooperative-task.ts'
import { ComparisonCache } from '../months/comparison-cache.ts'
import type { RowTaxAmounts } from '../tax-columns.ts'
import type { CheckColumn, RowAmounts } from './amount-issues.ts'
import { findColumnIssues, findOutlierIssues, findSuspects, type SuspectedOutlier } from './column-issues.ts'
import {
  createCombineIssue,
  createDuplicateIssues,
  decideCombination,
  type MemberRow,
  singleRowIssueKinds,
} from './duplicate-members.ts'
import type { MemberAmounts } from './member-amounts.ts'
import type { IdentityIssue, PayrollMember, Roster } from './member-match.ts'
import { type DetectedIssue, isComparable, LastMonthComparison, minHiddenMembers, toHiddenRunIssue } from './month-comparison.ts'
import { OwnerComparison } from './owner-comparison.ts'
import { PayslipSumCheck } from './payslip-sum-check.ts'
import { RosterComparison } from './roster-comparison.ts'
import { RoundingDifferences } from './rounding-differences.ts'
import { findRowIssues } from './row-issues.ts'
import { RowReader, type RowReading, type SectionReading } from './row-reader.ts'
import {
  DuplicateNumberCheck,
  findSheetIssues,
  getAcceptanceMark,
  isSheetIssue,
  type SameFileMatch,
  type SheetDetails,
} from './sheet-issues.ts'
import { TotalsCheck } from './totals-check.ts'

export type CheckRow = {
  /** As Excel counts. */
  readonly row: number
  readonly cells: RowCells
  /** The person an administrator chose. */
  readonly member_id: string | null
  readonly skipped: boolean
  /** `kind:column` of what was accepted. */
  readonly accepted: readonly string[]
}

/** What is known of the sheet as a whole. */
export type CheckSheet = SheetDetails & {
  readonly subtotals: WageSheetInfo['subtotals']
  /** Hidden in the file, and nobody has said yet whether they count. */
  readonly hidden_rows: ReadonlySet<number>
  /** Rows over which the name cell of a row above is merged: that row. */
  readonly merged_names: ReadonlyMap<number, number>
  /** Hidden in the file, whatever was answered. */
  readonly hidden_in_file: ReadonlySet<number>
  /** Whether the row of totals counts a row: it stands in the same sheet of the file. */
  isSummed(row: number): boolean
  /** What a column was called last month, by key. */
  readonly renamed: ReadonlyMap<string, string>
  /** `kind:column` of what was accepted for the whole sheet. */
  readonly accepted: readonly string[]
}

export type SheetCheckContext = {
  readonly roster: Roster
  /** The last pay run of this kind. */
  readonly last: MemberAmounts | null
  /** People who already have a slip in the same title and month. */
  readonly already: ReadonlySet<string>
  idCardIndex(id_card: string): string
  /** The same of a bank card; without it none is compared. */
  cardIndex?(card: string): string
}

/** What is only known after every row was seen. */
export type CheckCompletion = {
  readonly same_file: SameFileMatch | null
  /** What somebody got for an item in the months before the last run. */
  earlier(member_id: string, item: string): readonly number[]
  /** What the cumulative rule says of these rows. */
  readonly tax: readonly DetectedIssue[]
}
export type TaxedRow = RowTaxAmounts & { readonly row: number; readonly name: string; readonly member_id: string }

/** What became of a row. */
export type CheckedRow = RowAmounts & {
  readonly row: number
  readonly name: string
  readonly member_id: string | null
  readonly skipped: boolean
  /** Found by the name alone, and nothing else in the row or before it says that it is he. */
  readonly name_only: boolean
  /** Differs from the roster beside the key; another row has what is his, as he has its (by last month, too; 1: the likeliest, 0: none). */
  readonly differs: boolean
  readonly exchanged: number
}
export type Totals = { people: number; gross_fen: number | null; tax_fen: number | null; net_fen: number | null }
export type SheetCheckResult = {
  readonly problems: Issue[]
  readonly rows: CheckedRow[]
  readonly totals: Totals
  readonly skipped: number
  /** Rows whose figures do not tell whether they are their person's. */
  readonly unproven: readonly number[]
}

const fixesByKind: Partial<Record<IssueKind, readonly IssueFix[]>> = {
  unknown_person: ['create', 'match', 'skip'],
  no_contact: ['edit', 'match', 'skip'],
  no_name: ['edit', 'match', 'skip'],
  several_persons: ['match', 'skip'],
  name_mismatch: ['edit', 'match', 'skip'],
  left_person: ['skip'],
  out_of_scope: ['skip'],
}

/** `skipped`: the payslip it is part of is not sent. */
type SectionInTotals = SectionReading & { readonly skipped: boolean }

export class SheetCheck {
  readonly #sheet: CheckSheet
  readonly #around: SheetCheckContext
  readonly #reader: RowReader
  readonly #comparison: ComparisonCache
  readonly #problems: Issue[] = []
  readonly #rows: CheckedRow[] = []
  readonly #roster: RosterComparison
  /** Bank cards and accounts at the chat platform. */
  readonly #owned: readonly OwnerComparison[]
  readonly #rowsOf = new Map<string, RowReading[]>()
  /** Rows of a person that stand further down than the first one, for the totals between them. */
  readonly #below: SectionInTotals[] = []
  /** First rows of people whose rows become one payslip. */
  readonly #combined = new Set<number>()
  readonly #accepted = new Map<number, readonly string[]>()
  readonly #summed: TotalsCheck
  readonly #numbers: DuplicateNumberCheck
  readonly #beside: LastMonthComparison
  readonly #lines: PayslipSumCheck
  readonly #rounded = new RoundingDifferences()
  readonly #expected = { holds: 0, of: 0 }
  readonly #columnOf: (about: IdentityIssue['about']) => string | null
  #besideFound: {
    found: DetectedIssue[]
    suspected: SuspectedOutlier[]
    unproven: number[]
    exchanged: ReadonlyMap<number, number>
  } | null = null
  /** Rows with tax, for the rule that needs other months. */
  readonly taxed: TaxedRow[] = []

  /** `reader`: the one that has read rows of this sheet already; `comparison`: what was kept of the last check of it. */
  constructor(
    sheet: CheckSheet,
    around: SheetCheckContext,
    reader = new RowReader(sheet, around),
    comparison = new ComparisonCache(),
  ) {
    this.#comparison = comparison
    this.#sheet = sheet
    this.#around = around
    this.#reader = reader
    this.#roster = new RosterComparison(reader.facts)
    this.#owned = reader.owners.map((owners) => new OwnerComparison(owners))
    this.#summed = new TotalsCheck(sheet)
    this.#lines = new PayslipSumCheck(sheet)
    this.#numbers = new DuplicateNumberCheck(reader.numbers)
    this.#beside = new LastMonthComparison(sheet.columns, around.last, sheet.renamed)
    const byRole = new Map(sheet.columns.map((column) => [column.role, column.key]))
    this.#columnOf = (about) =>
      byRole.get(about) ?? (about === 'name' ? (byRole.get('last_name') ?? byRole.get('first_name')) : null) ?? null
  }

  add(row: CheckRow): void {
    this.take(this.#reader.read(row))
  }

  /** A row that was read. */
  take(reading: RowReading): void {
    const { hidden_rows } = this.#sheet
    const { present, name_only, figures, accepted, person, counts } = reading
    const { row, name, member_id, skipped } = present
    this.#rows.push({ row, name, member_id, skipped, name_only, differs: false, exchanged: 0, ...figures })
    if (accepted.length > 0) this.#accepted.set(row, accepted)
    this.#addUpTo(row)
    const { parts } = reading
    if (parts.length === 0)
      this.#addToTotals({ row, skipped, department: reading.department, now: present.now, more: reading.more })
    else {
      this.#combined.add(row)
      this.#below.push(...parts.map((part) => ({ ...part, skipped })))
      this.#below.sort((a, b) => a.row - b.row)
      this.#addUpTo(row)
    }
    this.#beside.add(present)
    if (!counts) return
    if (reading.differing) this.#say(this.#noLongerOne(row, name))
    if (counts.holds !== null) this.#expected.of += 1
    if (counts.holds) this.#expected.holds += 1
    this.#lines.add(row, counts.lines, counts.isSumEqual)
    this.#rounded.add(row, counts.rounded_fen)
    for (const finding of reading.findings) this.#sayOfPerson(row, name, finding)
    for (const finding of reading.wrong) this.#say({ ...finding, row, name })
    const ask = (kind: IssueKind, message: string) =>
      this.#say({ row, name, column: this.#columnOf('name'), level: 'warning', kind, message, fix: ['accept', 'skip'] })
    if ([row, ...parts.map((part) => part.row)].some((one) => hidden_rows.has(one)))
      ask('hidden_row', '这一行在文件里是隐藏的，发送时会包括此人；请确认，或跳过这一行')
    this.#numbers.add(row, name, counts.who, counts.numbers)
    if (!person) return
    if (counts.facts) this.#roster.add(counts.facts)
    for (const [kind, own] of counts.owned.entries()) if (own) this.#owned[kind]?.add(own)
    const { tax } = counts
    if (tax && (tax.tax !== 0 || tax.cumulative || (tax.wages?.income ?? 0) > 0))
      this.taxed.push({ ...tax, row, name, member_id: person.id })
    const rows = this.#rowsOf.get(person.id)
    if (rows) rows.push(reading)
    else this.#rowsOf.set(person.id, [reading])
    if (this.#around.already.has(person.id)) ask('same_month', '同一标题、同一月份里已经给此人发过工资条，请确认是否重复')
  }

  /** Everybody a row is for. */
  people = (): readonly string[] => [...this.#rowsOf.keys()]

  /** Compares with other figures than those given in the beginning. `isUnseen`: of runs that whoever checks may not see. */
  turnTo(last: MemberAmounts, isUnseen: boolean): void {
    this.#beside.turnTo(last, isUnseen)
    this.#besideFound = null
  }

  /** People whose earlier months would tell whether something is out of the usual. Asked after the last row. */
  *wanted(): CooperativeTask<ReadonlySet<string>> {
    const { rows, isUnseen } = this.#beside
    const { suspected } = yield* this.#compare()
    return new Set(isUnseen ? [] : suspected.flatMap(({ at }) => rows[at]?.member_id ?? []))
  }

  finish(after: CheckCompletion): SheetCheckResult {
    return runToCompletion(this.finishing(after))
  }

  *finishing(after: CheckCompletion): CooperativeTask<SheetCheckResult> {
    const { columns } = this.#sheet
    const { found, suspected, unproven, exchanged: byFigures } = yield* this.#compare()
    const together = this.#askAboutSeveral()
    this.#addUpTo(Number.POSITIVE_INFINITY)
    for (const found of [...this.#lines.problems(together.size > 0), ...this.#rounded.problems()]) this.#say(found)
    for (const found of this.#numbers.problems()) this.#say(found)
    yield
    for (const one of found) this.#say(one)
    for (const one of findOutlierIssues(this.#beside, suspected, after.earlier)) this.#say(one)
    for (const owned of this.#owned) for (const one of owned.problems()) this.#say(one)
    const rows = yield* this.#besideRoster(byFigures)
    for (const one of after.tax) this.#say(one)
    const totals = this.#summed.judge()
    for (const one of findSheetIssues(this.#sheet, totals, after.same_file, this.#sheet.expected && this.#expected))
      this.#say(one)
    const problems = this.#problems.filter(({ row, kind }) => !(together.has(row) && singleRowIssueKinds.has(kind)))
    const rank = (problem: Issue): number => (isSheetIssue(problem) ? 0 : 1)
    const counting = this.#rows.filter((row) => !row.skipped)
    const sum = (field: keyof RowAmounts, has: boolean) =>
      has ? counting.reduce((all, row) => all + (row[field] ?? 0), 0) : null
    const has = (role: CheckColumn['role']) => columns.some((column) => column.role === role)
    return {
      problems: problems.toSorted((a, b) => rank(a) - rank(b) || a.row - b.row || getLevelRank(a) - getLevelRank(b)),
      rows,
      totals: {
        people: new Set(counting.map(({ row, member_id }) => member_id ?? row)).size,
        gross_fen: sum('gross_fen', has('gross')),
        tax_fen: sum('tax_fen', has('tax')),
        net_fen: sum('net_fen', has('net')),
      },
      skipped: this.#rows.length - counting.length,
      unproven,
    }
  }

  /** Totals count the rows of the sheet where they stand, whoever's payslip they are part of. */
  #addUpTo(row: number): void {
    for (let next = this.#below[0]; next && next.row <= row; next = this.#below[0]) {
      this.#below.shift()
      this.#addToTotals(next)
    }
  }
  #addToTotals({ row, skipped, department, now, more }: SectionInTotals): void {
    this.#summed.add({ row, skipped, department }, (key) => this.#reader.fenIn({ present: { now }, more }, key))
  }

  /** Asks about people who stand on several rows. Answers the rows that are one question together. */
  #askAboutSeveral(): ReadonlySet<number> {
    const together = new Set<number>()
    const column = this.#columnOf('name')
    for (const readings of this.#rowsOf.values()) {
      if (readings.length < 2) continue
      const rows = readings.map((reading) => this.#rowOfPerson(reading))
      const verdict = decideCombination(rows, this.#sheet)
      const asked = verdict.verdict === 'combine' ? createCombineIssue(rows, column) : null
      if (asked && !this.#accepted.get(asked.row)?.includes(getAcceptanceMark(asked))) {
        this.#say(asked)
        for (const { row } of rows) together.add(row)
      } else for (const found of createDuplicateIssues(rows, column, verdict)) this.#say(found)
    }
    return together
  }

  #rowOfPerson(reading: RowReading): MemberRow {
    const { present, numbers, bank_account, name_only, isDeduction, figures, wrong } = reading
    return {
      row: present.row,
      name: present.name,
      numbers,
      bank_account,
      isNameOnly: name_only,
      mergedWith: this.#sheet.merged_names.get(present.row) ?? null,
      amounts: present.now,
      isUnread: wrong.some(({ kind }) => kind === 'not_a_number' || kind === 'formula_error' || kind === 'damaged_number'),
      net_fen: figures.net_fen,
      isDeduction,
      fenIn: (key) => this.#reader.fenIn(reading, key),
    }
  }

  #noLongerOne(row: number, name: string): DetectedIssue {
    const message = '合成一张工资条的几行，手机号、工号或身份证号不再相同；请分开，或改成同一个人的'
    const column = this.#columnOf('name')
    return { row, name, column, level: 'error', kind: 'duplicate_person', message, fix: ['separate', 'skip'] }
  }

  /** The rows, with what the roster says of them; it is only asked where no earlier run of one's own speaks for the sheet. */
  *#besideRoster(byFigures: ReadonlyMap<number, number>): CooperativeTask<CheckedRow[]> {
    const { last, isUnseen } = this.#beside
    const isAsked = isUnseen || last.people().size === 0 || !isComparable(this.people(), last.has)
    if (isAsked) for (const one of yield* this.#roster.problems()) this.#say(one)
    const { agreeing, differing, exchanged } = yield* this.#roster.rows()
    const owned = this.#owned.map((kind) => kind.rows())
    const isOwn = (row: number) => owned.some((kind) => kind.agreeing.has(row))
    const isMoved = (row: number) => owned.some((kind) => kind.moved.has(row))
    return this.#rows.map((one) => ({
      ...one,
      name_only: one.name_only && !agreeing.has(one.row) && !isOwn(one.row) && !last.has(one.member_id ?? ''),
      differs: (isAsked && differing.has(one.row)) || isMoved(one.row),
      exchanged: isAsked
        ? Number(exchanged.has(one.row) || isMoved(one.row))
        : (byFigures.get(one.row) ?? Number(isMoved(one.row))),
    }))
  }

  /** Keeps a problem, unless it was accepted: for the sheet, or for its row. */
  #say(found: DetectedIssue & { readonly candidates?: Issue['candidates'] }): void {
    const { row, kind, column } = found
    const fix = this.#fixesOf(found)
    const accepted = isSheetIssue(found) ? this.#sheet.accepted : (this.#accepted.get(row) ?? [])
    if (found.fix.includes('accept') && accepted.includes(getAcceptanceMark(found))) return
    this.#problems.push({ candidates: [], ...found, id: getIssueId(row, kind, column), fix })
  }

  /** An amount of a combined row is written in none of its rows alone: the rows are separated first. */
  #fixesOf({ row, other_row, column, fix }: DetectedIssue): IssueFix[] {
    if (!this.#combined.has(row) && !this.#combined.has(other_row ?? 0)) return [...fix]
    const isOfPerson = this.#sheet.columns.some(({ key, role }) => key === column && identityRoles.has(role))
    return fix.flatMap((one) => (one === 'swap' ? [] : one === 'edit' && !isOfPerson ? ['separate' as const] : [one]))
  }

  #sayOfPerson(row: number, name: string, { kind, level, message, about, candidates, fix: own }: IdentityIssue): void {
    const column = this.#columnOf(about)
    const offered =
      own ?? (level === 'warning' ? (['edit', 'accept'] as const) : (fixesByKind[kind] ?? ['edit', 'match', 'skip']))
    // A missing phone is written into the phone's column, not over the name.
    const at = kind === 'no_contact' ? (this.#columnOf('mobile') ?? column) : column
    const fix = offered.filter((one) => one !== 'edit' || at !== null)
    this.#say({ row, name, column: at, level, kind, message, fix, candidates: candidates.map(toCandidate) })
  }

  *#compare(): CooperativeTask<{
    found: DetectedIssue[]
    suspected: SuspectedOutlier[]
    unproven: number[]
    exchanged: ReadonlyMap<number, number>
  }> {
    const beside = this.#beside
    const { isUnseen, last } = beside
    const known = last.people().size
    if (known === 0 || (isUnseen && known < minHiddenMembers))
      return { found: [], suspected: [], unproven: [], exchanged: new Map() }
    if (!this.#besideFound) {
      const rows = yield* findRowIssues(beside, this.#comparison)
      const columns = yield* findColumnIssues(beside)
      // One mistake is told once: not every person of a column that moved, not every item of a row that slipped.
      this.#besideFound = {
        found: [...rows.found, ...columns.found].map((one) => (isUnseen ? toHiddenRunIssue(one) : one)),
        suspected: yield* findSuspects(beside, rows.rows, columns.places, this.#comparison),
        // Who has nothing to look at would know that he had met every figure.
        unproven: isUnseen ? [] : rows.unproven.flatMap((at) => beside.rows[at]?.row ?? []),
        exchanged: new Map(rows.exchanged.map((at, place) => [beside.rows[at]?.row ?? 0, place + 1])),
      }
    }
    return this.#besideFound
  }
}

const getIssueId = (row: number, kind: IssueKind, column: string | null): string => `${row}:${kind}:${column ?? ''}`
const getLevelRank = (problem: Issue): number => (problem.level === 'error' ? 0 : 1)
const toCandidate = (member: PayrollMember): Issue['candidates'][number] => ({
  member_id: member.id,
  name: member.name,
  mobile_masked: `${member.mobile.slice(0, 3)}****${member.mobile.slice(-4)}`,
  departments: member.departments,
})
