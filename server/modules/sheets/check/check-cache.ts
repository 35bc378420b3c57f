/**
 * In-memory cache for wage sheets that are being corrected. The inputs of a check stay in the memory of this process
 * for a few minutes: the parsed rows, the roster, earlier pay runs and comparisons. The next check recomputes only what
 * depends on later changes. Without an entry, or in another process, everything is recomputed with the same result.
 */
import type { HandlerContext } from '../../../http/handler.ts'
import type { BatchRow } from '../access.ts'
import type { CheckSheet, SheetCheckContext } from '../rules/check/check-input.ts'
import type { PreviousPayRun } from '../rules/check/previous-run.ts'
import { RowReader, type RowReading } from '../rules/check/row-reader.ts'
import { ComparisonCache } from '../rules/months/comparison-cache.ts'
import type { MonthSimilarity } from '../rules/months/month-similarity.ts'
import type { CheckOutcome } from '../rules/outcome.ts'
import { EarlierMonths } from './earlier-payslips.ts'
import type { CompanyPayRun } from './previous-pay-run.ts'

/**
 * Total bytes: two wage sheets of 10,000 employees with forty columns, each with a roster and a previous month of the
 * same size. Other data counts as well: in a company of 10,000 employees a wage sheet of five rows takes 7 MB.
 */
const maxCacheBytes = 110_000_000
/** Measured sizes of a wage sheet, a row, each of its cells and a member of the roster. */
const estimatedBytes = { sheet: 30_000, row: 1_000, cell: 70, person: 700 }
const cacheLifetimeMs = 10 * 60_000

/** A parsed row. `version` identifies its encrypted cells. */
export type CachedRow = { readonly version: string; readonly reading: RowReading; readonly content: readonly [number, number] }

export class CheckCacheEntry {
  /** Digest of the inputs other than the rows: `CheckKey.baseDigest`. */
  readonly baseDigest: string
  readonly sheet: CheckSheet
  readonly previousRun: PreviousPayRun | null
  readonly context: SheetCheckContext
  readonly reader: RowReader
  readonly comparison = new ComparisonCache<MonthSimilarity>()
  readonly rows = new Map<number, CachedRow>()
  /** Earlier months of members with unusual amounts (`typicalMonths`) and of those with the highest tax (`taxYear`). */
  readonly typicalMonths = new EarlierMonths()
  readonly taxYear = new EarlierMonths()
  companyRun: {
    readonly memberIds: readonly string[]
    readonly run: CompanyPayRun | null
    readonly visible: PreviousPayRun | null
  } | null = null
  /** The outcome and the digest of all its inputs. */
  result: { readonly ground: string; readonly outcome: CheckOutcome } | null = null

  constructor(around: string, sheet: CheckSheet, comparison: SheetCheckContext, last: PreviousPayRun | null) {
    this.baseDigest = around
    this.sheet = sheet
    this.context = comparison
    this.previousRun = last
    this.reader = new RowReader(sheet, comparison)
  }

  /** Estimates the memory used. */
  bytes(): number {
    const figures = [
      this.previousRun?.amounts,
      this.companyRun?.run?.amounts,
      this.companyRun?.visible?.amounts,
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
/** Entries by company, batch and administrator; the most recently used one comes last. */
const cacheSlots = new Map<string, CacheSlot>()

type CacheOwner = Pick<HandlerContext, 'company_id'> & { readonly currentUser: Pick<HandlerContext['currentUser'], 'admin_id'> }
type BatchId = Pick<BatchRow, 'id'>
const getCacheKey = ({ company_id, currentUser }: CacheOwner, { id }: BatchId): string =>
  `${company_id} ${id} ${currentUser.admin_id}`

export const isCacheable = (rows: number, columns: number): boolean => estimateRowBytes(rows, columns) <= maxCacheBytes / 2

/** Returns the cached outcome if its inputs are unchanged. */
export function getCachedOutcome(ctx: CacheOwner, batch: BatchId, digest: string): CheckOutcome | null {
  const result = cacheSlots.get(getCacheKey(ctx, batch))?.entry.result
  return result?.ground === digest ? result.outcome : null
}

/** Removes and returns the entry, so that no concurrent call uses it; null where there is none or its inputs have changed. */
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
  cacheSlots.set(key, { entry, bytes, expiry })
  let totalBytes = [...cacheSlots.values()].reduce((sum, one) => sum + one.bytes, 0)
  for (const [oldest, one] of cacheSlots) {
    if (totalBytes <= maxCacheBytes) break
    totalBytes -= one.bytes
    removeCached(oldest)
  }
}

/** Clears the cache. */
export function clearCheckCache(): void {
  for (const key of cacheSlots.keys()) removeCached(key)
}

function removeCached(key: string): void {
  clearTimeout(cacheSlots.get(key)?.expiry)
  cacheSlots.delete(key)
}
