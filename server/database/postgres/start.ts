import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type PoolConfig } from 'pg'
import { acquireLock, LockedError } from '../../shared/directory-lock.ts'
import { getErrorCode } from '../../shared/error-code.ts'
import { getProcessCommand, isRunning } from '../../shared/processes.ts'
import {
  getBinaryPath,
  installBinaries,
  makeDirectory,
  type PostgresInstallation,
  selectRunAsUser,
  toSpawnIdentity,
} from './binaries.ts'
import { ensureCluster, ensureSocketDirectory, findFreePort, getOwnerConfig } from './cluster.ts'

export type EmbeddedPostgres = {
  /** Connection settings of the table owner. Never for requests: `connectDatabase` creates the application's own role. */
  owner: PoolConfig
  close(): Promise<void>
}

type Options = {
  /** The server's own directory, e.g. `.data/postgres`. Created if missing. */
  dir: string
  log: (text: string) => void
  /** Directory with bin, lib and share; set by tests. */
  native?: string
}

type Running = { pid: number; host: string; port: number }

const retry_ms = 150
const startTimeoutMs = 60_000
const windows = process.platform === 'win32'

/** Starts the embedded server of a directory, or adopts one that a killed process left running. */
export async function startPostgres({ dir, log, native }: Options): Promise<EmbeddedPostgres> {
  const lock = await lockDirectory(dir)
  try {
    const position = installBinaries(dir, log, native)
    const data = join(position.home, 'data')
    ensureCluster(position, data, log)
    let running = await startOrAdopt(position, data, log)
    let closing = false
    let restart: Promise<unknown> | null = null
    const stopAtExit = () => sendSignal(position, data, running.pid)
    process.once('exit', stopAtExit)
    // A server that dies (out of memory, a stray kill) is restarted at the same address; the pool reconnects.
    const watch = setInterval(() => {
      if (closing || restart || isRunning(running.pid)) return
      log(`PostgreSQL (process ${running.pid}) ended unexpectedly; starting it again`)
      restart = startOrAdopt(position, data, log, running.port)
        .then((again) => (running = again))
        .catch((error: Error) => log(`PostgreSQL did not come back: ${error.message}`))
        .finally(() => {
          restart = null
        })
    }, retry_ms)
    watch.unref()
    const rotation = setInterval(() => {
      try {
        rotateLog(logFile(position))
      } catch (error) {
        log(`the log of PostgreSQL could not be rotated: ${String(error)}`)
      }
    }, rotateInterval_ms)
    rotation.unref()
    return {
      owner: getOwnerConfig(data, running.host, running.port),
      async close() {
        if (closing) return
        closing = true
        clearInterval(watch)
        clearInterval(rotation)
        await restart
        await stop(position, data, running.pid)
        process.off('exit', stopAtExit)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Connects a command to the embedded server of a directory: to the one that a running product has started, or to one
 * that is started for the command.
 */
export async function connectToPostgres(options: Options): Promise<EmbeddedPostgres> {
  try {
    return await startPostgres(options)
  } catch (error) {
    const running = error instanceof LockedError ? readPidFile(join(options.dir, 'data')) : null
    if (!running || running.state !== 'ready') throw error
    return { owner: getOwnerConfig(join(options.dir, 'data'), running.host, running.port), close: async () => undefined }
  }
}

async function lockDirectory(dir: string) {
  try {
    makeDirectory(dir, selectRunAsUser(dir))
    return await acquireLock(dir)
  } catch (error) {
    if (!(error instanceof Error) || !['EACCES', 'EPERM', 'EROFS'].includes(getErrorCode(error))) throw error
    throw new Error(
      `This user cannot write to ${dir} (${error.message}). Run the server as the user who did before, or give him that folder.`,
      {
        cause: error,
      },
    )
  }
}

async function startOrAdopt(
  position: PostgresInstallation,
  data: string,
  log: (text: string) => void,
  port?: number,
): Promise<Running> {
  const until = Date.now() + startTimeoutMs
  for (let failures = 0; Date.now() < until; await sleep(retry_ms)) {
    const match = readPidFile(data)
    if (match && isPostmaster(match.pid, data)) {
      if (match.state !== 'ready') continue
      if (isRunningFrom(position, match.pid)) {
        // A process killed a moment ago is still in the process list.
        if (!(await isAnswering(data, match))) continue
        log(`found PostgreSQL running on ${data} (process ${match.pid}), using it`)
        return match
      }
      log(`found PostgreSQL running on ${data} (process ${match.pid}) from other binaries, restarting it`)
      await stop(position, data, match.pid)
    }
    const started = await launch(position, data, port)
    if (started) return started
    failures += 1
    // A killed postmaster leaves backends that hold its memory for a moment; a broken cluster never starts.
    if (failures >= 20) break
  }
  throw new Error(`PostgreSQL does not start on ${data}: ${readLogTail(position)}`)
}

/** postmaster.pid: pid, directory, start, port, socket directory, listen address, shared memory, state. */
function readPidFile(data: string): (Running & { state: string }) | null {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    const host = windows ? '127.0.0.1' : (lines[4] ?? '')
    return pid > 0 ? { pid, host, port: Number(lines[3]), state: (lines[7] ?? '').trim() } : null
  } catch {
    return null
  }
}

async function isAnswering(data: string, { host, port }: Running): Promise<boolean> {
  const client = new Client({ ...getOwnerConfig(data, host, port), connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  return client
    .connect()
    .then(() => client.end())
    .then(
      () => true,
      () => false,
    )
}

/** The pid in a stale file may belong to another process by now. */
function isPostmaster(pid: number, data: string): boolean {
  return isRunning(pid) && getProcessCommand(pid).includes(windows ? 'postgres.exe' : data)
}

/** After an update, the orphaned server of a killed process still runs the old binary, whose files are gone. */
function isRunningFrom(position: PostgresInstallation, pid: number): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readlinkSync(`/proc/${pid}/exe`) === realpathSync(getBinaryPath(position.native, 'postgres'))
  } catch {
    return true
  }
}

const settings = {
  unix_socket_permissions: '0700',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // The operating system's page cache also caches these pages and yields memory to others; the server as a whole must
  // stay within 300 MB.
  shared_buffers: '64MB',
  // Statements and their values contain salaries, names and phones: the server's log gets neither them nor errors about
  // them.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

/** Returns null if the server ended before it was ready. */
async function launch(position: PostgresInstallation, data: string, requested?: number): Promise<Running | null> {
  const host = windows ? '127.0.0.1' : ensureSocketDirectory(position)
  const port = windows ? (requested ?? (await findFreePort())) : 5432
  const address = { port: String(port), listen_addresses: windows ? host : '', unix_socket_directories: windows ? '' : host }
  const args = ['-D', data, ...Object.entries({ ...settings, ...address }).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const out = openLog(position)
  // A separate session: Ctrl-C in the terminal must reach only our process, so that requests are drained while the
  // database is running.
  const options = {
    ...toSpawnIdentity(position.as),
    cwd: position.home,
    detached: true,
    stdio: ['ignore', out, out],
  } satisfies SpawnOptions
  const child = spawn(getBinaryPath(position.native, 'postgres'), args, options)
  closeSync(out)
  const ended = new Promise<true>((resolve) => {
    child.once('error', () => resolve(true))
    child.once('exit', () => resolve(true))
  })
  child.unref()
  for (;;) {
    const match = readPidFile(data)
    if (match && match.pid === child.pid && match.state === 'ready') return { pid: match.pid, host, port }
    if (await Promise.race([ended, sleep(10, false)])) return null
  }
}

/** A file, not a pipe to our process: the server must be able to outlive it. */
function openLog(position: PostgresInstallation): number {
  const file = logFile(position)
  rotateLog(file)
  return openSync(file, 'a', 0o600)
}

const maxLogBytes = 5_000_000
const rotateInterval_ms = 3_600_000

/**
 * Moves the content of a large log to `.1`, which it replaces. The file stays the same, because the running server has it
 * open for appending.
 */
export function rotateLog(file: string): void {
  if (!existsSync(file) || statSync(file).size <= maxLogBytes) return
  copyFileSync(file, `${file}.1`)
  chmodSync(`${file}.1`, 0o600)
  truncateSync(file)
}

const logFile = (position: PostgresInstallation) => join(position.home, 'postgres.log')

function readLogTail(position: PostgresInstallation): string {
  try {
    return readFileSync(logFile(position), 'utf8').trim().split('\n').slice(-3).join(' | ')
  } catch {
    return 'it left no log'
  }
}

/** Fast mode: open transactions are rolled back and a checkpoint is written, so the next start needs no recovery. */
function sendSignal(position: PostgresInstallation, data: string, pid: number, hard = false): void {
  if (!isPostmaster(pid, data)) return
  // Windows has no signals; there PostgreSQL listens on a named pipe, which pg_ctl uses.
  if (windows)
    spawnSync(getBinaryPath(position.native, 'pg_ctl'), ['stop', '-W', '-D', data, '-m', hard ? 'immediate' : 'fast'], {
      windowsHide: true,
    })
  else process.kill(pid, hard ? 'SIGQUIT' : 'SIGINT')
}

/** A process that is exiting has released its command line before it is gone. */
const isShuttingDown = (pid: number, data: string): boolean =>
  isPostmaster(pid, data) || (isRunning(pid) && getProcessCommand(pid) === '')

async function stop(position: PostgresInstallation, data: string, pid: number): Promise<void> {
  sendSignal(position, data, pid)
  const hard_at = Date.now() + 20_000
  for (let hard = false; isShuttingDown(pid, data); await sleep(10)) {
    if (hard || Date.now() < hard_at) continue
    hard = true
    sendSignal(position, data, pid, true)
  }
}
