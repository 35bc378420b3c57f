import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { getErrorCode } from './error-code.ts'
import { getProcessStartMark, isRunning } from './processes.ts'

/** The content of a lock file: the process that created it. */
const lockOwner = z.object({
  pid: z.number(),
  /** The kernel's start mark of that process: the same pid with another mark is another process. */
  start: z.nullable(z.string()),
  /** Machine and pid namespace; a pid has no meaning outside of it. */
  position: z.string(),
  since: z.string(),
  released: z.optional(z.boolean()),
})
export type LockOwner = z.infer<typeof lockOwner>

export type DirectoryLock = { release(): void }

/** Another living process holds the directory. */
export class LockedError extends Error {
  readonly owner: LockOwner
  readonly file: string
  constructor(file: string, owner: LockOwner) {
    super(
      `The data directory is in use by process ${owner.pid} (since ${owner.since}, on ${owner.position}). ` +
        `Two servers on the same data would destroy it. Stop that process first. Lock: ${file}`,
    )
    this.name = 'LockHeld'
    this.owner = owner
    this.file = file
  }
}

/** A lock of another machine or container cannot be checked by pid; without a heartbeat for this long it is stale. */
const staleAfterMs = 15_000
const heartbeatMs = 2_000
/** Only microseconds pass between creating a file and writing it; a process that died in between leaves an empty file. */
const unwrittenGraceMs = 2_000

const name_pattern = /^lock\.(\d+)$/

/**
 * Takes the directory for this process, or throws `LockedError`.
 *
 * Lock files are numbered and the highest number counts. A stale lock is never removed and recreated (two processes
 * that see it as stale would remove each other's); it is taken over by creating the next number with O_EXCL, which only
 * one can win. The highest file is therefore never deleted; a released one is marked as such in its content.
 */
export async function acquireLock(dir: string): Promise<DirectoryLock> {
  mkdirSync(dir, { recursive: true })
  const me: LockOwner = {
    pid: process.pid,
    start: getProcessStartMark(process.pid),
    position: getHost(),
    since: new Date().toISOString(),
  }
  for (;;) {
    const last = getHighestNumber(dir)
    if (last > 0) {
      const file = join(dir, `lock.${last}`)
      const owner = read(file)
      if (owner === 'unwritten') {
        await sleep(20)
        continue
      }
      if (owner && isLockActive(owner, file)) throw new LockedError(file, owner)
    }
    const file = join(dir, `lock.${last + 1}`)
    let fd: number
    try {
      fd = openSync(file, 'wx', 0o600)
    } catch (error) {
      if (getErrorCode(error) === 'EEXIST') continue
      throw error
    }
    writeSync(fd, `${JSON.stringify(me)}\n`)
    closeSync(fd)
    for (const old of listLockNumbers(dir)) if (old <= last) rmSync(join(dir, `lock.${old}`), { force: true })
    return keepAlive(file, me)
  }
}

/** Throws `LockedError` where a living process holds the directory. Takes nothing: `acquireLock` decides. */
export function assertNotLocked(dir: string): void {
  const last = existsSync(dir) ? getHighestNumber(dir) : 0
  const file = join(dir, `lock.${last}`)
  const owner = last > 0 ? read(file) : null
  if (owner && owner !== 'unwritten' && isLockActive(owner, file)) throw new LockedError(file, owner)
}

function keepAlive(file: string, me: LockOwner): DirectoryLock {
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // The directory is gone or the disk is read-only; the pid still identifies this process.
    }
  }, heartbeatMs)
  beat.unref()
  const release = () => {
    clearInterval(beat)
    process.off('exit', release)
    try {
      const fd = openSync(file, 'r+')
      writeSync(fd, `${JSON.stringify({ ...me, released: true })}\n`, 0)
      closeSync(fd)
    } catch {
      // There is nothing left to release.
    }
  }
  process.once('exit', release)
  return { release }
}

function isLockActive(owner: LockOwner, file: string): boolean {
  if (owner.released) return false
  if (owner.position !== getHost()) return getFileAge(file) < staleAfterMs
  if (!isRunning(owner.pid)) return false
  const start = getProcessStartMark(owner.pid)
  return start === null || owner.start === null || start === owner.start
}

function read(file: string): LockOwner | 'unwritten' | null {
  try {
    return lockOwner.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return getFileAge(file) < unwrittenGraceMs ? 'unwritten' : null
  }
}

function getFileAge(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function listLockNumbers(dir: string): number[] {
  return readdirSync(dir).flatMap((name) => {
    const match = name_pattern.exec(name)
    return match ? [Number(match[1])] : []
  })
}

const getHighestNumber = (dir: string) => Math.max(0, ...listLockNumbers(dir))

function getHost(): string {
  let namespace = ''
  try {
    namespace = ` ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Only Linux has pid namespaces.
  }
  return hostname() + namespace
}
