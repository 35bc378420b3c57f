/**
 * Sheets that are being put right. What the check of one was worked out from stays in the memory of this process for a few minutes: its rows as they were read, the
 * roster, earlier runs, what was compared. Of the next check only that is done anew which follows from what was changed meanwhile. Whoever has none, or
 * another process, works it all out: the outcome is the same.
 */
import type { HandlerContext } from '../../../http/handler.ts'
import type { BatchRow } from '../access.ts'
import { RowReader, type RowReading } from '../rules/check/row-reader.ts'
import type { CheckSheet, SheetCheckContext } from '../rules/check/sheet-check.ts'
import { ComparisonCache } from '../rules/months/comparison-cache.ts'
import type { CheckOutcome } from '../rules/outcome.ts'
import { EarlierMonths } from './earlier-payslips.ts'
import type { CompanyPayRun, PreviousPayRun } from './previous-pay-run.ts'

/**
 * Bytes in all: two sheets of 10,000 people with forty columns, beside a roster and a month before of as many. What is not the sheet's own counts
 * as well: of a company of 10,000 people a sheet of five lines keeps 7 MB.
 */
const maxCacheBytes = 110_000_000
/** As they were measured: a sheet, a row and each of its columns, a person of the roster. */
const estimatedBytes = { sheet: 30_000, row: 1_000, cell: 70, person: 700 }
const cacheLifetimeMs = 10 * 60_000

/** A row as it was read. `sign`: what it is known by, sealed anew or not. */
export type CachedRow = { readonly version: string; readonly reading: RowReading; readonly content: readonly [number, number] }

export class CheckCacheEntry {
  /** What it stands on, but for its rows: `Ground.around`. */
  readonly baseDigest: string
  readonly sheet: CheckSheet
  readonly previousRun: PreviousPayRun | null
  readonly context: SheetCheckContext
  readonly reader: RowReader
  readonly comparison = new ComparisonCache()
  readonly rows = new Map<number, CachedRow>()
  /** Of those who stand out, and of those with the highest tax. */
  readonly typicalMonths = new EarlierMonths()
  readonly taxYear = new EarlierMonths()
  companyRun: { readonly memberIds: readonly string[]; readonly run: CompanyPayRun | null } | null = null
  /** What became of it, and the whole ground of that. */
  result: { readonly ground: string; readonly outcome: CheckOutcome } | null = null

  constructor(around: string, sheet: CheckSheet, comparison: SheetCheckContext, last: PreviousPayRun | null) {
    this.baseDigest = around
    this.sheet = sheet
    this.context = comparison
    this.previousRun = last
    this.reader = new RowReader(sheet, comparison)
  }

  /** What it takes of the memory, nearly. */
  bytes(): number {
    const figures = [
      this.previousRun?.amounts,
      this.companyRun?.run?.amounts,
      ...this.typicalMonths.listAmounts(),
      ...this.taxYear.listAmounts(),
    ]
    const comparison = figures.reduce(
      (sum, one) => sum + (one?.estimateBytes() ?? 0),
      this.context.roster.members.length * estimatedBytes.person,
    )
    return estimatedBytes.sheet + comparison + estimateRowBytes(this.rows.size, this.sheet.columns.length)
  }
}
const estimateRowBytes = (rows: number, columns: number): number => rows * (estimatedBytes.row + columns * estimatedBytes.cell)

type CacheSlot = { readonly entry: CheckCacheEntry; readonly bytes: number; readonly expiry: NodeJS.Timeout }
/** By company, batch and administrator, the one used last at the end. */
const cacheSlots = new Map<string, CacheSlot>()

type CacheOwner = Pick<HandlerContext, 'company_id'> & { readonly currentUser: Pick<HandlerContext['currentUser'], 'admin_id'> }
type BatchId = Pick<BatchRow, 'id'>
const getCacheKey = ({ company_id, currentUser }: CacheOwner, { id }: BatchId): string =>
  `${company_id} ${id} ${currentUser.admin_id}`

export const isCacheable = (rows: number, columns: number): boolean => estimateRowBytes(rows, columns) <= maxCacheBytes / 2

/** Its outcome, where it still stands on the same. */
export function getCachedOutcome(ctx: CacheOwner, batch: BatchId, digest: string): CheckOutcome | null {
  const result = cacheSlots.get(getCacheKey(ctx, batch))?.entry.result
  return result?.ground === digest ? result.outcome : null
}

/** Takes it from the shelf, so that nobody else works with it meanwhile; null where it is not there, or stands on something else. */
export function takeCachedCheck(ctx: CacheOwner, batch: BatchId, baseDigest: string): CheckCacheEntry | null {
  const key = getCacheKey(ctx, batch)
  const slot = cacheSlots.get(key)
  if (!slot) return null
  removeCached(key)
  return slot.entry.baseDigest === baseDigest ? slot.entry : null
}

export function cacheCheck(ctx: CacheOwner, batch: BatchId, entry: CheckCacheEntry): void {
  const key = getCacheKey(ctx, batch)
  const bytes = entry.bytes()
  removeCached(key)
  if (bytes > maxCacheBytes) return
  const expiry = setTimeout(() => removeCached(key), cacheLifetimeMs)
  expiry.unref()
  cacheSlots.set(key, { entry: entry, bytes, expiry: expiry })
  let totalBytes = [...cacheSlots.values()].reduce((sum, one) => sum + one.bytes, 0)
  for (const [oldest, one] of cacheSlots) {
    if (totalBytes <= maxCacheBytes) break
    totalBytes -= one.bytes
    removeCached(oldest)
  }
}

/** Nothing is at hand any more. */
export function clearCheckCache(): void {
  for (const key of cacheSlots.keys()) removeCached(key)
}

function removeCached(key: string): void {
  clearTimeout(cacheSlots.get(key)?.expiry)
  cacheSlots.delete(key)
}
