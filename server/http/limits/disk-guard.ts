/**
 * The disk space guard. A database without space for its log stops entirely, and then no one can read their payslip. So
 * changes and uploads are refused while there is still space for the small rows of readers: sign-ins, audit log entries
 * (trust.md G12, V7). Half of the reserve is for urgent calls: a withdrawal, a pause, a confirmation.
 */
import { statfs } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { type AppError, fail } from '../errors.ts'

const mb = 1024 * 1024
/** Disk usage in bytes: free and total; null where the disk cannot be inspected (a database on another machine). */
export type DiskUsage = { readonly free: number; readonly total: number }
export type DiskGuardState = {
  readonly isFull: boolean
  /** The time when the database last reported a full disk. */
  readonly lastFullErrorAt: number | null
}

/** The reserve is a twentieth of the disk, at least two WAL files of PostgreSQL (16 MB each) and at most 256 MB. */
export const getDiskReserve = (all: number): number => Math.min(256 * mb, Math.max(32 * mb, all / 20))
/**
 * The number of bytes that an urgent call may write while others are refused: a quarter of the space above half of the
 * reserve, because several may run at once.
 */
export const getSpareBytes = ({ free, total }: DiskUsage): number =>
  Math.max(0, Math.floor((free - getDiskReserve(total) / 2) / 4))
/** The guard reopens at a quarter more free space than it closed at, so that it does not toggle with every row. */
const reopenFactor = 1.25
/** How long a report of the database is trusted; after that the next write tests it. */
const fullErrorValidMs = 10_000

/** Returns whether there is space, by the disk usage and by the reports of the database. */
export function getNextGuardState(state: DiskGuardState, disk: DiskUsage | null, now_ms: number): DiskGuardState {
  const isNotified = state.lastFullErrorAt !== null && now_ms - state.lastFullErrorAt < fullErrorValidMs
  if (!disk) return { isFull: isNotified, lastFullErrorAt: isNotified ? state.lastFullErrorAt : null }
  const low = disk.free < getDiskReserve(disk.total) * (state.isFull ? reopenFactor : 1)
  return { isFull: low || isNotified, lastFullErrorAt: isNotified ? state.lastFullErrorAt : null }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
/** PostgreSQL's error code 53100 is a full disk; those of the system are ENOSPC, and EDQUOT for a quota. */
export const isDiskFullError = (error: unknown): boolean => hasCode(error, ['53100', 'ENOSPC', 'EDQUOT'])
/** PostgreSQL's error for a write in a read-only transaction. */
const readOnlyErrorCode = '25006'

/** Whether a call writes more than a small row: refused while space is low. Sign-ins, reads and their audit go on. */
const needsDiskSpace = ({ audit, requestType }: Pick<Call, 'audit' | 'requestType'>): boolean =>
  audit === 'change' || requestType === 'file'

/** The error for refused changes: retry after half a minute. */
const diskFullError = (): AppError => fail('no_room', undefined, { retry_after: 30 })

/** A disk check is a system call; its result is cached for this time. */
const checkIntervalMs = 250

export class DiskGuard {
  readonly #look: () => Promise<DiskUsage | null>
  #state: DiskGuardState = { isFull: false, lastFullErrorAt: null }
  #disk: DiskUsage | null = null
  #spot_checked_at = Number.NEGATIVE_INFINITY

  /** `dir` is on the disk of the database; null where the database runs on another machine. */
  constructor(dir: string | null, view?: () => Promise<DiskUsage | null>) {
    this.#look = view ?? (async () => (dir ? await readDiskUsage(dir) : null))
  }
  /** The check never throws: a disk that cannot be inspected is no reason to refuse a call. */
  async check(now_ms = performance.now()): Promise<{ full: boolean; free_mb: number | null }> {
    if (now_ms - this.#spot_checked_at >= checkIntervalMs) {
      this.#spot_checked_at = now_ms
      this.#disk = await this.#look().catch(() => null)
    }
    this.#state = getNextGuardState(this.#state, this.#disk, now_ms)
    return { full: this.#state.isFull, free_mb: this.#disk && Math.floor(this.#disk.free / mb) }
  }
  /** Returns the disk usage for monitoring. */
  async readUsage(): Promise<DiskUsage | null> {
    await this.check()
    return this.#disk
  }
  /** Checks the disk before `assertSpaceFor` is called within a transaction, where nothing should wait for a disk. */
  async checkFor(call: Pick<Call, 'audit' | 'requestType'>): Promise<void> {
    if (needsDiskSpace(call)) await this.check()
  }
  /** Throws for calls that must wait for disk space. Returns the bytes an urgent call may write; null with enough space. */
  async assertSpaceFor(call: Pick<Call, 'audit' | 'requestType' | 'allowedOnFullDisk'>): Promise<number | null> {
    if (!needsDiskSpace(call) || !(await this.check()).full) return null
    // A report of the database takes precedence over the disk check; where its disk cannot be inspected there is
    // nothing else.
    const spare = this.#state.lastFullErrorAt === null && this.#disk ? getSpareBytes(this.#disk) : 0
    if (!call.allowedOnFullDisk || spare === 0) throw diskFullError()
    return spare
  }
  /** Converts a full-disk error of the database to a specific error, and remembers it for the following calls. */
  toDiskFullError(error: unknown, log: FastifyBaseLogger, now_ms = performance.now()): unknown {
    if (!isDiskFullError(error)) return error
    this.#state = { isFull: true, lastFullErrorAt: now_ms }
    log.error({ err: error }, 'no room on the disk')
    return diskFullError()
  }
  /**
   * Runs a read with the small rows that it records, and in a read-only transaction without them if there is no space. A
   * call that has nothing but those rows to do is refused like a change.
   */
  async withReadOnlyFallback<T>(log: FastifyBaseLogger, attempt: (isReadOnly: boolean) => Promise<T>): Promise<T> {
    try {
      return await attempt(false)
    } catch (error) {
      this.ignoreDiskFull(log)(error)
    }
    return attempt(true).catch((error: unknown) => {
      throw hasCode(error, [readOnlyErrorCode]) ? diskFullError() : error
    })
  }
  /** Keeps the original error where there is no space even for its audit log entry; the entry then goes to the log. */
  ignoreDiskFull(log: FastifyBaseLogger): (error: unknown) => void {
    return (error) => {
      if (this.toDiskFullError(error, log) === error) throw error
    }
  }
}

async function readDiskUsage(dir: string): Promise<DiskUsage> {
  const { bavail, blocks, bsize } = await statfs(dir)
  return { free: bavail * bsize, total: blocks * bsize }
}
