/** The outcome of a check as its callers need it, and its stored form in chunks small enough to be decrypted one by one. */
import type { Issue } from '../../../contract/sheets/sheet.ts'
import type { CheckedRow, SheetCheckResult, Totals } from './check/sheet-check.ts'
import { getAcceptanceMark, isSheetIssue, type SameFileMatch } from './check/sheet-issues.ts'

export type NetPayChange = {
  readonly row: number
  readonly name: string
  readonly net_fen: number
  readonly previous_net_fen: number
}

export type CheckOutcome = {
  readonly checked: SheetCheckResult
  /** The pay run used for comparison. */
  readonly last: (Totals & { readonly title: string; readonly month: string }) | null
  /** Rows of members who were paid in it; new and missing members, up to the number of listed names. */
  readonly paidBefore: ReadonlySet<number>
  readonly joined: readonly { readonly name: string }[]
  readonly missing: readonly { readonly member_id: string; readonly name: string }[]
  /** The members whose net pay changed most since then. */
  readonly largest_changes: readonly NetPayChange[]
  /** Number of members compared with pay runs that the user may not see; null where there were none. */
  readonly comparison_others: number | null
  readonly same_file: SameFileMatch | null
  /** Checksum of all rows, to recognize the same wage sheet. */
  readonly content: string
}

/** Removes accepted issues: accepting changes nothing else, so nothing has to be compared again. */
export function removeAcceptedIssues(outcome: CheckOutcome, accepted: readonly Issue[]): CheckOutcome {
  const getKey = (one: Issue): string => `${isSheetIssue(one) ? 'sheet' : one.row} ${getAcceptanceMark(one)}`
  const marks = new Set(accepted.map(getKey))
  const issues = outcome.checked.issues.filter((one) => !(one.fix.includes('accept') && marks.has(getKey(one))))
  return { ...outcome, checked: { ...outcome.checked, issues } }
}

/** Leaves out the rows that were sent already: what is checked for the rest of a batch concerns only the rest. */
export function omitSentRows(checked: SheetCheckResult, sentRows: ReadonlySet<number>): SheetCheckResult {
  if (sentRows.size === 0) return checked
  return {
    ...checked,
    issues: checked.issues.filter(({ row }) => !sentRows.has(row)),
    rows: checked.rows.filter(({ row }) => !sentRows.has(row)),
  }
}

type PackedCheckedRow = [
  row: number,
  name: string,
  member_id: string | null,
  flags: number,
  exchanged: number,
  net_fen: number | null,
  gross_fen: number | null,
  tax_fen: number | null,
]
type OutcomeHeader = Omit<CheckOutcome, 'checked' | 'paidBefore'> &
  Omit<SheetCheckResult, 'rows' | 'issues'> & { readonly rows: number; readonly problems: number }

/** Rows or issues per chunk: a few milliseconds to decrypt. */
const itemsPerChunk = 2_000
const [skippedFlag, nameOnlyFlag, differsFlag, paidBeforeFlag] = [1, 2, 4, 8]

const packRow = (paidBefore: ReadonlySet<number>, one: CheckedRow): PackedCheckedRow => [
  one.row,
  one.name,
  one.member_id,
  (one.skipped ? skippedFlag : 0) +
    (one.matchedByNameOnly ? nameOnlyFlag : 0) +
    (one.differsFromRoster ? differsFlag : 0) +
    (paidBefore.has(one.row) ? paidBeforeFlag : 0),
  one.swapRank,
  one.net_fen,
  one.gross_fen,
  one.tax_fen,
]
const hasFlag = (flags: number, flag: number): boolean => (flags & flag) > 0
const unpackRow = ([row, name, member_id, flags, exchanged, net_fen, gross_fen, tax_fen]: PackedCheckedRow): CheckedRow => ({
  row,
  name,
  member_id,
  skipped: hasFlag(flags, skippedFlag),
  matchedByNameOnly: hasFlag(flags, nameOnlyFlag),
  differsFromRoster: hasFlag(flags, differsFlag),
  swapRank: exchanged,
  net_fen,
  gross_fen,
  tax_fen,
})

export type OutcomeChunk = {
  readonly head?: OutcomeHeader
  readonly rows?: readonly PackedCheckedRow[]
  readonly problems?: readonly Issue[]
}

/** Yields the header, then rows, then issues. */
export function* packOutcome({ checked, paidBefore, ...rest }: CheckOutcome): Generator<OutcomeChunk> {
  const { rows, issues, totals, skipped, unproven } = checked
  yield { head: { ...rest, totals, skipped, unproven, rows: rows.length, problems: issues.length } }
  for (let at = 0; at < rows.length; at += itemsPerChunk)
    yield { rows: rows.slice(at, at + itemsPerChunk).map((one) => packRow(paidBefore, one)) }
  for (let at = 0; at < issues.length; at += itemsPerChunk) yield { problems: issues.slice(at, at + itemsPerChunk) }
}

/** Returns null if a chunk is missing. */
export function unpackOutcome(chunks: readonly OutcomeChunk[]): CheckOutcome | null {
  const head = chunks[0]?.head
  if (!head) return null
  const { rows, problems, totals, skipped, unproven, ...rest } = head
  const packedRows = chunks.flatMap((piece) => piece.rows ?? [])
  const issues = chunks.flatMap((piece) => piece.problems ?? [])
  if (packedRows.length !== rows || issues.length !== problems) return null
  const paidBefore = new Set(packedRows.flatMap(([row, , , flags]) => (hasFlag(flags, paidBeforeFlag) ? [row] : [])))
  return {
    ...rest,
    paidBefore,
    checked: { rows: packedRows.map(unpackRow), issues, totals, skipped, unproven },
  }
}
