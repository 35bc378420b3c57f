/**
 * Checks a wage sheet row by row. An error prevents the batch from being sent; a warning must be confirmed. Rows are
 * added one by one, so that a large wage sheet is never in memory as a whole and the event loop can run in between.
 */

import type { IssueFix, IssueKind } from '../../../../contract/shared/schemas.ts'
import { identityRoles, isGross, isNet, isTax } from '../../../../contract/sheets/column-roles.ts'
import type { Issue } from '../../../../contract/sheets/sheet.ts'
import { type CooperativeTask, runToCompletion } from '../../../../rules/cooperative-task.ts'
import type { SuspectedOutlier } from '../months/column-results.ts'
import { ComparisonCache } from '../months/comparison-cache.ts'
import type { MonthSimilarity } from '../months/month-similarity.ts'
import type { RowTaxAmounts } from '../tax-columns.ts'
import type { CheckColumn, RowAmounts } from './amount-issues.ts'
import type { CheckRow, CheckSheet, SheetCheckContext } from './check-input.ts'
import { findColumnIssues, findOutlierIssues, findSuspects } from './column-issues.ts'
import {
  createCombineIssue,
  createDuplicateIssues,
  decideCombination,
  type MemberRow,
  singleRowIssueKinds,
} from './duplicate-members.ts'
import type { MemberAmounts } from './member-amounts.ts'
import type { IdentityIssue, PayrollMember } from './member-match.ts'
import { type DetectedIssue, isComparable, LastMonthComparison, minHiddenMembers, toHiddenRunIssue } from './month-comparison.ts'
import { OwnerComparison } from './owner-comparison.ts'
import { PayslipSumCheck } from './payslip-sum-check.ts'
import { RosterComparison } from './roster-comparison.ts'
import { RoundingDifferences } from './rounding-differences.ts'
import { findRowIssues } from './row-issues.ts'
import { RowReader, type RowReading, type SectionReading } from './row-reader.ts'
import { DuplicateNumberCheck, findSheetIssues, getAcceptanceMark, isSheetIssue, type SameFileMatch } from './sheet-issues.ts'
import { TotalsCheck } from './totals-check.ts'

/** Data that is available only after all rows have been read. */
export type CheckCompletion = {
  readonly same_file: SameFileMatch | null
  /** Returns a member's amounts of an item in the months before the last pay run. */
  getEarlierAmounts(member_id: string, item: string): readonly number[]
  /** Issues of these rows according to cumulative withholding. */
  readonly taxIssues: readonly DetectedIssue[]
}
export type TaxedRow = RowTaxAmounts & { readonly row: number; readonly name: string; readonly member_id: string }

/** The result of checking a row. */
export type CheckedRow = RowAmounts & {
  readonly row: number
  readonly name: string
  readonly member_id: string | null
  readonly skipped: boolean
  /** The row was matched by name only, without confirmation in the row or in earlier months. */
  readonly matchedByNameOnly: boolean
  /**
   * `differsFromRoster`: further data differs from the roster. `swapRank`: another row has this member's data and vice
   * versa, also by last month's amounts; 1 is the most likely pair, 0 means none.
   */
  readonly differsFromRoster: boolean
  readonly swapRank: number
}
export type Totals = { people: number; gross_fen: number | null; tax_fen: number | null; net_fen: number | null }
export type SheetCheckResult = {
  readonly issues: Issue[]
  readonly rows: CheckedRow[]
  readonly totals: Totals
  readonly skipped: number
  /** Rows whose amounts do not show whether they belong to their member. */
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

/** `skipped`: the payslip that contains the row is not sent. */
type SectionInTotals = SectionReading & { readonly skipped: boolean }

export class SheetCheck {
  readonly #sheet: CheckSheet
  readonly #context: SheetCheckContext
  readonly #reader: RowReader
  readonly #cache: ComparisonCache<MonthSimilarity>
  readonly #issues: Issue[] = []
  readonly #rows: CheckedRow[] = []
  readonly #rosterComparison: RosterComparison
  /** The data about bank cards and chat platform accounts. */
  readonly #ownerComparisons: readonly OwnerComparison[]
  readonly #readingsByMember = new Map<string, RowReading[]>()
  /** Further rows of a member below the first one, used for the totals between them. */
  readonly #pendingSections: SectionInTotals[] = []
  /** First rows of members whose rows are combined. */
  readonly #combined = new Set<number>()
  readonly #accepted = new Map<number, readonly string[]>()
  readonly #totalsCheck: TotalsCheck
  readonly #duplicateNumbers: DuplicateNumberCheck
  readonly #comparison: LastMonthComparison
  readonly #payslipSums: PayslipSumCheck
  readonly #roundingDifferences = new RoundingDifferences()
  readonly #formulaCounts = { holds: 0, of: 0 }
  readonly #getColumn: (about: IdentityIssue['field']) => string | null
  #comparisonResult: {
    issues: DetectedIssue[]
    suspected: SuspectedOutlier[]
    unproven: number[]
    exchanged: ReadonlyMap<number, number>
  } | null = null
  /** Rows with tax, used by the rule that needs other months. */
  readonly taxed: TaxedRow[] = []

  /** `reader`: a reader that has already read rows of this wage sheet; `comparison`: data cached from its last check. */
  constructor(
    sheet: CheckSheet,
    around: SheetCheckContext,
    reader = new RowReader(sheet, around),
    comparison = new ComparisonCache<MonthSimilarity>(),
  ) {
    this.#cache = comparison
    this.#sheet = sheet
    this.#context = around
    this.#reader = reader
    this.#rosterComparison = new RosterComparison(reader.rosterFields)
    this.#ownerComparisons = reader.owners.map((owners) => new OwnerComparison(owners))
    this.#totalsCheck = new TotalsCheck(sheet)
    this.#payslipSums = new PayslipSumCheck(sheet)
    this.#duplicateNumbers = new DuplicateNumberCheck(reader.numbers)
    this.#comparison = new LastMonthComparison(sheet.columns, around.lastMonth, sheet.renamed)
    const byRole = new Map(sheet.columns.map((column) => [column.role, column.key]))
    this.#getColumn = (about) =>
      byRole.get(about) ?? (about === 'name' ? (byRole.get('last_name') ?? byRole.get('first_name')) : null) ?? null
  }

  add(row: CheckRow): void {
    this.addReading(this.#reader.read(row))
  }

  /** Adds a row that has been read. */
  addReading(reading: RowReading): void {
    const { hidden_rows } = this.#sheet
    const { compared, name_only, amounts, accepted, member, counts } = reading
    const { row, name, member_id, skipped } = compared
    this.#rows.push({
      row,
      name,
      member_id,
      skipped,
      matchedByNameOnly: name_only,
      differsFromRoster: false,
      swapRank: 0,
      ...amounts,
    })
    if (accepted.length > 0) this.#accepted.set(row, accepted)
    this.#addSectionsUpTo(row)
    const { sections } = reading
    if (sections.length === 0)
      this.#addToTotals({
        row,
        skipped,
        department: reading.department,
        amounts: compared.amounts,
        extraAmounts: reading.extraAmounts,
      })
    else {
      this.#combined.add(row)
      this.#pendingSections.push(...sections.map((part) => ({ ...part, skipped })))
      this.#pendingSections.sort((a, b) => a.row - b.row)
      this.#addSectionsUpTo(row)
    }
    this.#comparison.add(compared)
    if (!counts) return
    if (reading.conflictingNumber) this.#addIssue(this.#createSeparationIssue(row, name))
    if (counts.formulaHolds !== null) this.#formulaCounts.of += 1
    if (counts.formulaHolds) this.#formulaCounts.holds += 1
    this.#payslipSums.add(row, counts.lines, counts.isSumEqual)
    this.#roundingDifferences.add(row, counts.rounded_fen)
    for (const finding of reading.identityIssues) this.#addIdentityIssue(row, name, finding)
    for (const finding of reading.amountIssues) this.#addIssue({ ...finding, row, name })
    const send = (kind: IssueKind, message: string) =>
      this.#addIssue({ row, name, column: this.#getColumn('name'), level: 'warning', kind, message, fix: ['accept', 'skip'] })
    if ([row, ...sections.map((part) => part.row)].some((one) => hidden_rows.has(one)))
      send('hidden_row', '这一行在文件里是隐藏的，发送时会包括此人；请确认，或跳过这一行')
    this.#duplicateNumbers.add(row, name, counts.memberKey, counts.numbers)
    if (!member) return
    if (counts.rosterRow) this.#rosterComparison.add(counts.rosterRow)
    for (const [kind, own] of counts.ownedNumbers.entries()) if (own) this.#ownerComparisons[kind]?.add(own)
    const { tax } = counts
    if (tax && (tax.tax !== 0 || tax.cumulative || (tax.wages?.income ?? 0) > 0))
      this.taxed.push({ ...tax, row, name, member_id: member.id })
    const rows = this.#readingsByMember.get(member.id)
    if (rows) rows.push(reading)
    else this.#readingsByMember.set(member.id, [reading])
    if (this.#context.alreadyPaid.has(member.id)) send('same_month', '同一标题、同一月份里已经给此人发过工资条，请确认是否重复')
  }

  /** Returns all members with a row. */
  listMemberIds = (): readonly string[] => [...this.#readingsByMember.keys()]

  /**
   * Compares with other amounts than those given to the constructor. `isUnseen`: from pay runs that the user may not
   * see.
   */
  compareWith(last: MemberAmounts, isUnseen: boolean): void {
    this.#comparison.compareWith(last, isUnseen)
    this.#comparisonResult = null
  }

  /** Returns the members whose earlier months would show whether an amount is unusual. To be called after the last row. */
  *getMembersToExplain(): CooperativeTask<ReadonlySet<string>> {
    const { rows, isHidden } = this.#comparison
    const { suspected } = yield* this.#compareWithLastMonth()
    return new Set(isHidden ? [] : suspected.flatMap(({ row }) => rows[row]?.member_id ?? []))
  }

  finish(after: CheckCompletion): SheetCheckResult {
    return runToCompletion(this.finishCooperatively(after))
  }

  *finishCooperatively(after: CheckCompletion): CooperativeTask<SheetCheckResult> {
    const { columns } = this.#sheet
    const { issues, suspected, unproven, exchanged: byFigures } = yield* this.#compareWithLastMonth()
    const merged = this.#checkDuplicates()
    this.#addSectionsUpTo(Number.POSITIVE_INFINITY)
    for (const match of [...this.#payslipSums.listIssues(merged.size > 0), ...this.#roundingDifferences.listIssues()])
      this.#addIssue(match)
    for (const match of this.#duplicateNumbers.listIssues()) this.#addIssue(match)
    yield
    for (const one of issues) this.#addIssue(one)
    for (const one of findOutlierIssues(this.#comparison, suspected, after.getEarlierAmounts)) this.#addIssue(one)
    for (const owned of this.#ownerComparisons) for (const one of owned.listIssues()) this.#addIssue(one)
    const rows = yield* this.#compareWithRoster(byFigures)
    for (const one of after.taxIssues) this.#addIssue(one)
    const totals = this.#totalsCheck.judge()
    for (const one of findSheetIssues(this.#sheet, totals, after.same_file, this.#sheet.expected && this.#formulaCounts))
      this.#addIssue(one)
    const problems = this.#issues.filter(({ row, kind }) => !(merged.has(row) && singleRowIssueKinds.has(kind)))
    const rank = (problem: Issue): number => (isSheetIssue(problem) ? 0 : 1)
    const counting = this.#rows.filter((row) => !row.skipped)
    const sum = (field: keyof RowAmounts, has: boolean) =>
      has ? counting.reduce((all, row) => all + (row[field] ?? 0), 0) : null
    const has = (matches: (role: CheckColumn['role']) => boolean) => columns.some(({ role }) => matches(role))
    return {
      issues: problems.toSorted((a, b) => rank(a) - rank(b) || a.row - b.row || getLevelRank(a) - getLevelRank(b)),
      rows,
      totals: {
        people: new Set(counting.map(({ row, member_id }) => member_id ?? row)).size,
        gross_fen: sum('gross_fen', has(isGross)),
        tax_fen: sum('tax_fen', has(isTax)),
        net_fen: sum('net_fen', has(isNet)),
      },
      skipped: this.#rows.length - counting.length,
      unproven,
    }
  }

  /** Adds rows to the totals where they are in the wage sheet, regardless of the payslip they belong to. */
  #addSectionsUpTo(row: number): void {
    for (let next = this.#pendingSections[0]; next && next.row <= row; next = this.#pendingSections[0]) {
      this.#pendingSections.shift()
      this.#addToTotals(next)
    }
  }
  #addToTotals({ row, skipped, department, amounts, extraAmounts }: SectionInTotals): void {
    this.#totalsCheck.add({ row, skipped, department }, (key) =>
      this.#reader.getFen({ compared: { amounts }, extraAmounts }, key),
    )
  }

  /** Reports members with several rows. Returns the rows that share one question. */
  #checkDuplicates(): ReadonlySet<number> {
    const merged = new Set<number>()
    const column = this.#getColumn('name')
    for (const readings of this.#readingsByMember.values()) {
      if (readings.length < 2) continue
      const rows = readings.map((reading) => this.#toMemberRow(reading))
      const result = decideCombination(rows, this.#sheet)
      const requested = result.kind === 'combine' ? createCombineIssue(rows, column) : null
      if (requested && !this.#accepted.get(requested.row)?.includes(getAcceptanceMark(requested))) {
        this.#addIssue(requested)
        for (const { row } of rows) merged.add(row)
      } else for (const match of createDuplicateIssues(rows, column, result)) this.#addIssue(match)
    }
    return merged
  }

  #toMemberRow(reading: RowReading): MemberRow {
    const { compared, numbers, bank_account, name_only, isDeduction, amounts, amountIssues } = reading
    return {
      row: compared.row,
      name: compared.name,
      numbers,
      bank_account,
      isNameOnly: name_only,
      mergedWith: this.#sheet.merged_names.get(compared.row) ?? null,
      amounts: compared.amounts,
      isUnread: amountIssues.some(({ kind }) => kind === 'not_a_number' || kind === 'formula_error' || kind === 'damaged_number'),
      net_fen: amounts.net_fen,
      isDeduction,
      getFen: (key) => this.#reader.getFen(reading, key),
    }
  }

  #createSeparationIssue(row: number, name: string): DetectedIssue {
    const message = '合成一张工资条的几行，手机号、工号或身份证号不再相同；请分开，或改成同一个人的'
    const column = this.#getColumn('name')
    return { row, name, column, level: 'error', kind: 'duplicate_person', message, fix: ['separate', 'skip'] }
  }

  /**
   * Returns the rows with their roster comparison, which is made only where the user's own earlier pay runs do not
   * suffice.
   */
  *#compareWithRoster(byFigures: ReadonlyMap<number, number>): CooperativeTask<CheckedRow[]> {
    const { lastMonth, isHidden } = this.#comparison
    const isRequested =
      isHidden || lastMonth.getAmountsByMember().size === 0 || !isComparable(this.listMemberIds(), lastMonth.has)
    if (isRequested) for (const one of yield* this.#rosterComparison.findIssues()) this.#addIssue(one)
    const { agreeing, differing, exchanged } = yield* this.#rosterComparison.compareRows()
    const owned = this.#ownerComparisons.map((kind) => kind.getRowsByResult())
    const isOwn = (row: number) => owned.some((kind) => kind.agreeing.has(row))
    const isMoved = (row: number) => owned.some((kind) => kind.moved.has(row))
    return this.#rows.map((one) => ({
      ...one,
      matchedByNameOnly:
        one.matchedByNameOnly && !agreeing.has(one.row) && !isOwn(one.row) && !lastMonth.has(one.member_id ?? ''),
      differsFromRoster: (isRequested && differing.has(one.row)) || isMoved(one.row),
      swapRank: isRequested
        ? Number(exchanged.has(one.row) || isMoved(one.row))
        : (byFigures.get(one.row) ?? Number(isMoved(one.row))),
    }))
  }

  /** Adds an issue unless it was accepted for the wage sheet or for its row. */
  #addIssue(match: DetectedIssue & { readonly candidates?: Issue['candidates'] }): void {
    const { row, kind, column } = match
    const fix = this.#getFixes(match)
    const accepted = isSheetIssue(match) ? this.#sheet.accepted : (this.#accepted.get(row) ?? [])
    if (match.fix.includes('accept') && accepted.includes(getAcceptanceMark(match))) return
    this.#issues.push({ candidates: [], ...match, id: getIssueId(row, kind, column), fix })
  }

  /** An amount of combined rows is in no single one of them: the rows must be separated first. */
  #getFixes({ row, other_row, column, fix }: DetectedIssue): IssueFix[] {
    if (!this.#combined.has(row) && !this.#combined.has(other_row ?? 0)) return [...fix]
    const isOfPerson = this.#sheet.columns.some(({ key, role }) => key === column && identityRoles.has(role))
    return fix.flatMap((one) => (one === 'swap' ? [] : one === 'edit' && !isOfPerson ? ['separate' as const] : [one]))
  }

  #addIdentityIssue(row: number, name: string, { kind, level, message, field, candidates, fix: own }: IdentityIssue): void {
    const column = this.#getColumn(field)
    const offered =
      own ?? (level === 'warning' ? (['edit', 'accept'] as const) : (fixesByKind[kind] ?? ['edit', 'match', 'skip']))
    // A missing phone number is entered in the phone column, not over the name.
    const at = kind === 'no_contact' ? (this.#getColumn('mobile') ?? column) : column
    const fix = offered.filter((one) => one !== 'edit' || at !== null)
    this.#addIssue({ row, name, column: at, level, kind, message, fix, candidates: candidates.map(toCandidate) })
  }

  *#compareWithLastMonth(): CooperativeTask<{
    issues: DetectedIssue[]
    suspected: SuspectedOutlier[]
    unproven: number[]
    exchanged: ReadonlyMap<number, number>
  }> {
    const comparison = this.#comparison
    const { isHidden, lastMonth } = comparison
    const existing = lastMonth.getAmountsByMember().size
    if (existing === 0 || (isHidden && existing < minHiddenMembers))
      return { issues: [], suspected: [], unproven: [], exchanged: new Map() }
    if (!this.#comparisonResult) {
      const rows = yield* findRowIssues(comparison, this.#cache)
      const columns = yield* findColumnIssues(comparison)
      // One mistake is reported once: not for every member in a moved column, nor for every item of a shifted row.
      this.#comparisonResult = {
        issues: [...rows.issues, ...columns.matches].map((one) => (isHidden ? toHiddenRunIssue(one) : one)),
        suspected: yield* findSuspects(comparison, rows.rows, columns.places, this.#cache),
        // The list is omitted for hidden pay runs, because an empty list would reveal that all amounts were guessed
        // correctly.
        unproven: isHidden ? [] : rows.unproven.flatMap((at) => comparison.rows[at]?.row ?? []),
        exchanged: new Map(rows.exchanged.map((at, position) => [comparison.rows[at]?.row ?? 0, position + 1])),
      }
    }
    return this.#comparisonResult
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
