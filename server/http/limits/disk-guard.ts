/**
 * Room on the disk. A database that finds no room for its log stops altogether, and then nobody reads his slip. So what changes or uploads
 * something is refused while there is still room for the small rows of those who read: sign-ins, evidence (trust.md G12, V7). Half of what is
 * kept back is for what cannot wait: a withdrawal, a pause, a confirmation.
 */
import { statfs } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { type AppError, fail } from '../handler.ts'

const mb = 1024 * 1024
/** What a look says: bytes free and all; null where the disk cannot be seen (another machine's database). */
export type DiskUsage = { readonly free: number; readonly total: number }
export type DiskGuardState = {
  readonly isFull: boolean
  /** When the database last said that it has no room. */
  readonly lastFullErrorAt: number | null
}

/** A twentieth of the disk, at least two files of PostgreSQL's log (16 MB each), at most 256 MB. */
export const getDiskReserve = (all: number): number => Math.min(256 * mb, Math.max(32 * mb, all / 20))
/** What a call that cannot wait may write while others are refused: of what is above half of the reserve a quarter, for it is not alone. */
export const getSpareBytes = ({ free, total }: DiskUsage): number =>
  Math.max(0, Math.floor((free - getDiskReserve(total) / 2) / 4))
/** Full until there is a quarter more than what closed it, so that it does not open and close with every row. */
const reopenFactor = 1.25
/** What the database said is believed for so long; then the next one to write finds out. */
const fullErrorValidMs = 10_000

/** Whether there is room, by what the disk shows and by what the database has said. */
export function getNextGuardState(state: DiskGuardState, disk: DiskUsage | null, now_ms: number): DiskGuardState {
  const isNotified = state.lastFullErrorAt !== null && now_ms - state.lastFullErrorAt < fullErrorValidMs
  if (!disk) return { isFull: isNotified, lastFullErrorAt: isNotified ? state.lastFullErrorAt : null }
  const low = disk.free < getDiskReserve(disk.total) * (state.isFull ? reopenFactor : 1)
  return { isFull: low || isNotified, lastFullErrorAt: isNotified ? state.lastFullErrorAt : null }
}

/** PostgreSQL's own words: 53100 is a full disk. The system's: ENOSPC, and EDQUOT where somebody has a share of it. */
export const isDiskFullError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['53100', 'ENOSPC', 'EDQUOT'].includes(String(error.code))

/** What brings more than a small row: it is refused while there is no room. Signing in, reading and its evidence go on. */
const needsDiskSpace = ({ audit, requestType }: Pick<Call, 'audit' | 'requestType'>): boolean =>
  audit === 'change' || requestType === 'file'

/** Said to whoever would change something: in half a minute he may try again. */
const diskFullError = (): AppError => fail('no_room', undefined, { retry_after: 30 })

/** A look at the disk costs a call of the system; within this time it is the same. */
const checkIntervalMs = 250

export class DiskGuard {
  readonly #look: () => Promise<DiskUsage | null>
  #state: DiskGuardState = { isFull: false, lastFullErrorAt: null }
  #disk: DiskUsage | null = null
  #spot_checked_at = Number.NEGATIVE_INFINITY

  /** `dir` lies on the disk of the database; null where that is another machine's. */
  constructor(dir: string | null, view?: () => Promise<DiskUsage | null>) {
    this.#look = view ?? (async () => (dir ? await readDiskUsage(dir) : null))
  }
  /** Never throws: a disk that cannot be looked at is no reason to refuse anybody. */
  async check(now_ms = performance.now()): Promise<{ full: boolean; free_mb: number | null }> {
    if (now_ms - this.#spot_checked_at >= checkIntervalMs) {
      this.#spot_checked_at = now_ms
      this.#disk = await this.#look().catch(() => null)
    }
    this.#state = getNextGuardState(this.#state, this.#disk, now_ms)
    return { full: this.#state.isFull, free_mb: this.#disk && Math.floor(this.#disk.free / mb) }
  }
  /** Looks before `admit` is asked, which is in a transaction: nobody waits for a disk there. */
  async checkFor(call: Pick<Call, 'audit' | 'requestType'>): Promise<void> {
    if (needsDiskSpace(call)) await this.check()
  }
  /** Refuses what has to wait for room. Answers how many bytes a call that need not wait may write; null where there is plenty. */
  async assertSpaceFor(call: Pick<Call, 'audit' | 'requestType' | 'allowedOnFullDisk'>): Promise<number | null> {
    if (!needsDiskSpace(call) || !(await this.check()).full) return null
    // The database's own word counts for more than the look; where its disk cannot be seen there is nothing else.
    const spare = this.#state.lastFullErrorAt === null && this.#disk ? getSpareBytes(this.#disk) : 0
    if (!call.allowedOnFullDisk || spare === 0) throw diskFullError()
    return spare
  }
  /** That the database has no room is a refusal of its own, and known to those who come next. */
  toDiskFullError(error: unknown, log: FastifyBaseLogger, now_ms = performance.now()): unknown {
    if (!isDiskFullError(error)) return error
    this.#state = { isFull: true, lastFullErrorAt: now_ms }
    log.error({ err: error }, 'no room on the disk')
    return diskFullError()
  }
  /** With its small row that can be missed (a line of evidence of one's own pay, when a session was last used), or where there is no room without it. */
  async withOptionalRow<T>(log: FastifyBaseLogger, attempt: (withRow: boolean) => Promise<T>): Promise<T> {
    try {
      return await attempt(true)
    } catch (error) {
      this.ignoreDiskFull(log)(error)
      return attempt(false)
    }
  }
  /** A no stays the same no where there is not even room for its line of evidence; the log has it then. */
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
