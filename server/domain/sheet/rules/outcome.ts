/** What became of a check, as all who ask for it need it; and its form to be kept, in pieces that are small enough to be opened one by one. */
import type { Problem } from '../../../contract/sheet/sheet.ts'
import type { Checked, CheckedRow, Totals } from './check/problems.ts'
import { isOfSheet, markOf, type SameFile } from './check/problems-sheet.ts'

export type CheckOutcome = {
  readonly checked: Checked
  /** The run that it was compared with. */
  readonly last: (Totals & { readonly title: string; readonly month: string }) | null
  /** Rows of people who were paid in it; who was not, and who is not here, both as many as are named. */
  readonly known: ReadonlySet<number>
  readonly joined: readonly { readonly name: string }[]
  readonly missing: readonly { readonly member_id: string; readonly name: string }[]
  /** People who were compared with runs that whoever checks may not see; null where there were none. */
  readonly beside_others: number | null
  readonly same_file: SameFile | null
  /** What all rows say, to know the same sheet again. */
  readonly content: string
}

/**
 * The same after marks were accepted, of rows and of the sheet: accepting takes what is asked away and changes nothing else, so that nothing has to be
 * compared again.
 */
export function withAccepted(outcome: CheckOutcome, accepted: readonly Problem[]): CheckOutcome {
  const said = (one: Problem): string => `${isOfSheet(one) ? 'sheet' : one.row} ${markOf(one)}`
  const marks = new Set(accepted.map(said))
  const problems = outcome.checked.problems.filter((one) => !(one.fix.includes('accept') && marks.has(said(one))))
  return { ...outcome, checked: { ...outcome.checked, problems } }
}

type PackedRow = [
  row: number,
  name: string,
  member_id: string | null,
  flags: number,
  exchanged: number,
  net_fen: number | null,
  gross_fen: number | null,
  tax_fen: number | null,
]
type Head = Omit<CheckOutcome, 'checked' | 'known'> &
  Omit<Checked, 'rows' | 'problems'> & { readonly rows: number; readonly problems: number }

/** Of rows and problems in a piece: some milliseconds to open. */
const a_piece = 2_000
const [skipped_flag, name_only_flag, differs_flag, known_flag] = [1, 2, 4, 8]

const packRow = (known: ReadonlySet<number>, one: CheckedRow): PackedRow => [
  one.row,
  one.name,
  one.member_id,
  (one.skipped ? skipped_flag : 0) +
    (one.name_only ? name_only_flag : 0) +
    (one.differs ? differs_flag : 0) +
    (known.has(one.row) ? known_flag : 0),
  one.exchanged,
  one.net_fen,
  one.gross_fen,
  one.tax_fen,
]
const has = (flags: number, flag: number): boolean => (flags & flag) > 0
const unpackRow = ([row, name, member_id, flags, exchanged, net_fen, gross_fen, tax_fen]: PackedRow): CheckedRow => ({
  row,
  name,
  member_id,
  skipped: has(flags, skipped_flag),
  name_only: has(flags, name_only_flag),
  differs: has(flags, differs_flag),
  exchanged,
  net_fen,
  gross_fen,
  tax_fen,
})

/** One of them. */
export type CheckPiece = { readonly head?: Head; readonly rows?: readonly PackedRow[]; readonly problems?: readonly Problem[] }

/** The head, then rows, then problems. */
export function* packed({ checked, known, ...rest }: CheckOutcome): Generator<CheckPiece> {
  const { rows, problems, totals, skipped, unproven } = checked
  yield { head: { ...rest, totals, skipped, unproven, rows: rows.length, problems: problems.length } }
  for (let at = 0; at < rows.length; at += a_piece) yield { rows: rows.slice(at, at + a_piece).map((one) => packRow(known, one)) }
  for (let at = 0; at < problems.length; at += a_piece) yield { problems: problems.slice(at, at + a_piece) }
}

/** Null where a piece is missing. */
export function unpacked(pieces: readonly CheckPiece[]): CheckOutcome | null {
  const head = pieces[0]?.head
  if (!head) return null
  const { rows, problems, totals, skipped, unproven, ...rest } = head
  const kept = pieces.flatMap((piece) => piece.rows ?? [])
  const told = pieces.flatMap((piece) => piece.problems ?? [])
  if (kept.length !== rows || told.length !== problems) return null
  const known = new Set(kept.flatMap(([row, , , flags]) => (has(flags, known_flag) ? [row] : [])))
  return { ...rest, known, checked: { rows: kept.map(unpackRow), problems: told, totals, skipped, unproven } }
}
