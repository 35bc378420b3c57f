/**
 * Sheets that are being put right. What the check of one was worked out from stays in the memory of this process for a few minutes: its rows as they were read, the
 * roster, earlier runs, what was compared. Of the next check only that is done anew which follows from what was changed meanwhile. Whoever has none, or
 * another process, works it all out: the outcome is the same.
 */
import type { Ctx } from '../../../runtime/handle.ts'
import type { BatchRow } from '../access.ts'
import type { Around, CheckSheet } from '../rules/check/problems.ts'
import { RowReader, type RowReading } from '../rules/check/row-reader.ts'
import { Comparison } from '../rules/months/comparison.ts'
import type { CheckOutcome } from '../rules/outcome.ts'
import { EarlierKnown } from './earlier-slips.ts'
import type { CompanyRun, LastRun } from './last-run.ts'

/**
 * Bytes in all: two sheets of 10,000 people with forty columns, beside a roster and a month before of as many. What is not the sheet's own counts
 * as well: of a company of 10,000 people a sheet of five lines keeps 7 MB.
 */
const most_bytes = 110_000_000
/** As they were measured: a sheet, a row and each of its columns, a person of the roster. */
const weight = { sheet: 30_000, row: 1_000, cell: 70, person: 700 }
const kept_ms = 10 * 60_000

/** A row as it was read. `sign`: what it is known by, sealed anew or not. */
export type ReadRow = { readonly sign: string; readonly reading: RowReading; readonly content: readonly [number, number] }

export class AtHand {
  /** What it stands on, but for its rows: `Ground.around`. */
  readonly around: string
  readonly sheet: CheckSheet
  readonly last: LastRun | null
  readonly beside: Around
  readonly reader: RowReader
  readonly comparison = new Comparison()
  readonly rows = new Map<number, ReadRow>()
  /** Of those who stand out, and of those with the highest tax. */
  readonly usual = new EarlierKnown()
  readonly year = new EarlierKnown()
  company: { readonly people: readonly string[]; readonly run: CompanyRun | null } | null = null
  /** What became of it, and the whole ground of that. */
  done: { readonly ground: string; readonly outcome: CheckOutcome } | null = null

  constructor(around: string, sheet: CheckSheet, beside: Around, last: LastRun | null) {
    this.around = around
    this.sheet = sheet
    this.beside = beside
    this.last = last
    this.reader = new RowReader(sheet, beside)
  }

  /** What it takes of the memory, nearly. */
  bytes(): number {
    const figures = [this.last?.figures, this.company?.run?.figures, ...this.usual.figures(), ...this.year.figures()]
    const beside = figures.reduce((sum, one) => sum + (one?.bytes() ?? 0), this.beside.roster.people.length * weight.person)
    return weight.sheet + beside + rowBytes(this.rows.size, this.sheet.columns.length)
  }
}
const rowBytes = (rows: number, columns: number): number => rows * (weight.row + columns * weight.cell)

type Kept = { readonly hand: AtHand; readonly bytes: number; readonly end: NodeJS.Timeout }
/** By company, batch and administrator, the one used last at the end. */
const shelf = new Map<string, Kept>()

type Whose = Pick<Ctx, 'company_id'> & { readonly me: Pick<Ctx['me'], 'admin_id'> }
type OfBatch = Pick<BatchRow, 'id'>
const keyOf = ({ company_id, me }: Whose, { id }: OfBatch): string => `${company_id} ${id} ${me.admin_id}`

export const isKeepable = (rows: number, columns: number): boolean => rowBytes(rows, columns) <= most_bytes / 2

/** Its outcome, where it still stands on the same. */
export function doneAtHand(ctx: Whose, batch: OfBatch, ground: string): CheckOutcome | null {
  const done = shelf.get(keyOf(ctx, batch))?.hand.done
  return done?.ground === ground ? done.outcome : null
}

/** Takes it from the shelf, so that nobody else works with it meanwhile; null where it is not there, or stands on something else. */
export function takeAtHand(ctx: Whose, batch: OfBatch, around: string): AtHand | null {
  const key = keyOf(ctx, batch)
  const kept = shelf.get(key)
  if (!kept) return null
  drop(key)
  return kept.hand.around === around ? kept.hand : null
}

export function putAtHand(ctx: Whose, batch: OfBatch, hand: AtHand): void {
  const key = keyOf(ctx, batch)
  const bytes = hand.bytes()
  drop(key)
  if (bytes > most_bytes) return
  const end = setTimeout(() => drop(key), kept_ms)
  end.unref()
  shelf.set(key, { hand, bytes, end })
  let all = [...shelf.values()].reduce((sum, one) => sum + one.bytes, 0)
  for (const [oldest, one] of shelf) {
    if (all <= most_bytes) break
    all -= one.bytes
    drop(oldest)
  }
}

/** Nothing is at hand any more. */
export function clearShelf(): void {
  for (const key of shelf.keys()) drop(key)
}

function drop(key: string): void {
  clearTimeout(shelf.get(key)?.end)
  shelf.delete(key)
}
