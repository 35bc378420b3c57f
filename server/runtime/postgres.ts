import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import { takeLock } from './lock.ts'
import { executable, type Installation, install, type RunAs } from './postgres-binaries.ts'
import { isRunning } from './process-start.ts'

/*
 * The embedded PostgreSQL: a child process on a private socket, fsync on. What it had to answer (root, folders its user
 * cannot enter, missing links, orphans of a killed node, two servers on one directory) is listed in the README.
 */

export type EmbeddedPostgres = {
  /** How the owner of the tables connects. Never for requests: `openDatabase` makes the application's own role. */
  owner: PoolConfig
  close(): Promise<void>
}

type Options = {
  /** The server's own folder, e.g. `.data/postgres`. Made if missing. */
  dir: string
  log: (text: string) => void
  /** Folder with bin, lib, share; for tests. */
  native?: string
}

const owner_name = 'xinhan_owner'
const retry_ms = 150
const patience_ms = 60_000
const windows = process.platform === 'win32'

/** Starts the server of a directory, or adopts the one a killed process left running. */
export async function startPostgres({ dir, log, native }: Options): Promise<EmbeddedPostgres> {
  const lock = await takeLock(dir)
  try {
    const place = install(dir, log, native)
    const data = join(place.home, 'data')
    if (!existsSync(join(data, 'PG_VERSION'))) initialise(place, data, log)
    refuseOtherMajor(place, data)
    let running = await startOrAdopt(place, data, log)
    let closing = false
    const stopAtExit = () => signal(place, data, running.pid)
    process.once('exit', stopAtExit)
    // A server that dies under us (out of memory, a stray kill) comes back by itself; the pool reconnects.
    const watch = setInterval(async () => {
      if (closing || restarting || isRunning(running.pid)) return
      restarting = true
      log(`PostgreSQL (process ${running.pid}) ended unexpectedly; starting it again`)
      try {
        running = await startOrAdopt(place, data, log, running.port)
      } catch (error) {
        log(`PostgreSQL did not come back: ${(error as Error).message}`)
      } finally {
        restarting = false
      }
    }, retry_ms)
    let restarting = false
    watch.unref()
    return {
      owner: {
        host: running.host,
        port: running.port,
        user: owner_name,
        password: readFileSync(join(data, 'xinhan.password'), 'utf8').trim(),
        database: 'xinhan',
      },
      async close() {
        if (closing) return
        closing = true
        clearInterval(watch)
        while (restarting) await sleep(20)
        await stop(place, data, running.pid)
        process.off('exit', stopAtExit)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

type Running = { pid: number; host: string; port: number }

/** postmaster.pid: pid, directory, start, port, socket directory, listen address, shared memory, state. */
function readPidFile(data: string): (Running & { state: string }) | null {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Math.abs(Number(lines[0]))
    if (!pid) return null
    return { pid, port: Number(lines[3]), host: windows ? '127.0.0.1' : (lines[4] ?? ''), state: (lines[7] ?? '').trim() }
  } catch {
    return null
  }
}

async function startOrAdopt(place: Installation, data: string, log: (text: string) => void, port?: number): Promise<Running> {
  const until = Date.now() + patience_ms
  let failures = 0
  for (;;) {
    const found = readPidFile(data)
    if (found && isPostmaster(found.pid, data)) {
      if (found.state === 'ready') {
        log(`found PostgreSQL running on ${data} (process ${found.pid}), using it`)
        return found
      }
    } else {
      const started = await launch(place, data, port)
      if (started) return started
      failures += 1
      // A killed postmaster may leave backends that hold its shared memory for a moment; a broken one never starts.
      if (failures >= 20) throw new Error(`PostgreSQL does not start on ${data}: ${lastWords(place)}`)
    }
    if (Date.now() > until)
      throw new Error(`PostgreSQL on ${data} did not become ready in ${patience_ms / 1000} s: ${lastWords(place)}`)
    await sleep(retry_ms)
  }
}

/** The pid may long belong to somebody else. */
function isPostmaster(pid: number, data: string): boolean {
  if (!isRunning(pid)) return false
  if (process.platform !== 'linux') return true
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data)
  } catch {
    return false
  }
}

async function launch(place: Installation, data: string, port?: number): Promise<Running | null> {
  const host = windows ? '127.0.0.1' : socketDirectory(place)
  const number = windows ? (port ?? (await freePort())) : 5432
  const settings = {
    listen_addresses: windows ? '127.0.0.1' : '',
    port: String(number),
    unix_socket_directories: windows ? '' : host,
    unix_socket_permissions: '0700',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    max_connections: '100',
    // Statements and their values are salaries, names and phones: the server's log gets neither, nor the DETAIL of errors.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
  }
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const file = logFile(place)
  if (existsSync(file) && statSync(file).size > 5_000_000) renameSync(file, `${file}.1`)
  const out = openSync(file, 'a', 0o600)
  try {
    // Its own session: Ctrl-C in the terminal must reach us first, so that requests are drained while the database lives.
    const child = spawn(join(place.native, 'bin', executable('postgres')), args, {
      ...identity(place.as),
      cwd: place.home,
      detached: true,
      stdio: ['ignore', out, out],
      windowsHide: true,
    })
    let ended = false
    child.once('error', () => (ended = true))
    child.once('exit', () => (ended = true))
    child.unref()
    for (;;) {
      const found = readPidFile(data)
      if (found && found.pid === child.pid && found.state === 'ready') return { pid: found.pid, host, port: number }
      if (ended) return null
      await sleep(10)
    }
  } finally {
    closeSync(out)
  }
}

const identity = (as: RunAs) => ({
  ...(as && { uid: as.uid, gid: as.gid }),
  env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '' },
})
const logFile = (place: Installation) => join(place.home, 'postgres.log')

function lastWords(place: Installation): string {
  try {
    return readFileSync(logFile(place), 'utf8').trim().split('\n').slice(-3).join(' | ')
  } catch {
    return 'it left no log'
  }
}

/** A cluster is made under another name and renamed when it is whole, so that a crash never leaves half of one. */
function initialise(place: Installation, data: string, log: (text: string) => void): void {
  const { as, home, native } = place
  const half = `${data}.making`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  const password_file = join(home, 'password.making')
  writeFileSync(password_file, password, { mode: 0o600 })
  if (as) for (const path of [half, password_file]) chownSync(path, as.uid, as.gid)
  const made = spawnSync(
    join(native, 'bin', executable('initdb')),
    [
      '-D',
      half,
      '-U',
      owner_name,
      `--pwfile=${password_file}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--locale=C.UTF-8',
      '--no-instructions',
    ],
    { ...identity(as), cwd: home, encoding: 'utf8', windowsHide: true },
  )
  rmSync(password_file, { force: true })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? `${made.stdout}\n${made.stderr}`.trim()}`)
  const kept = join(half, 'xinhan.password')
  writeFileSync(kept, password, { mode: 0o600 })
  if (as) chownSync(kept, as.uid, as.gid)
  const single = spawnSync(join(native, 'bin', executable('postgres')), ['--single', '-D', half, 'postgres'], {
    ...identity(as),
    cwd: home,
    input: 'create database xinhan\n',
    encoding: 'utf8',
    windowsHide: true,
  })
  if (single.status !== 0) throw new Error(`PostgreSQL could not make its database: ${single.stderr.trim()}`)
  renameSync(half, data)
  log(`made a new PostgreSQL cluster in ${data}`)
}

function refuseOtherMajor(place: Installation, data: string): void {
  const has = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  const text = spawnSync(join(place.native, 'bin', executable('postgres')), ['--version'], {
    ...identity(place.as),
    cwd: place.home,
    encoding: 'utf8',
  }).stdout
  const runs = /(\d+)(?:\.|beta|rc|devel)/.exec(text)?.[1]
  if (runs && runs !== has) {
    throw new Error(
      `The data in ${data} were written by PostgreSQL ${has}, this program brings ${runs}. Restore a backup into a new directory instead.`,
    )
  }
}

/** A socket's path may have 107 bytes (103 on macOS); deep projects get a folder in the temporary directory. */
function socketDirectory({ as, home }: Installation): string {
  const fits = (dir: string) => Buffer.byteLength(join(dir, '.s.PGSQL.5432')) <= 103
  const near = join(home, 'socket')
  const key = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const choices = fits(near)
    ? [near]
    : [join(tmpdir(), `xinhan-${key}`), join('/tmp', `xinhan-${key}`), join('/tmp', `xinhan-${randomBytes(6).toString('hex')}`)]
  const uid = as?.uid ?? process.getuid?.()
  for (const dir of choices.filter(fits)) {
    if (!existsSync(dir)) {
      mkdirSync(dir, { mode: 0o700 })
      if (as) chownSync(dir, as.uid, as.gid)
    }
    const stat = lstatSync(dir)
    // In a folder open to all, somebody else may have been there first.
    if (!stat.isDirectory() || stat.uid !== uid) continue
    chmodSync(dir, 0o700)
    return dir
  }
  throw new Error(`no private folder for the database's socket (tried ${choices.join(', ')})`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port'))))
    })
  })
}

/** Asks for a fast shutdown: open transactions are rolled back, a checkpoint is written, nothing needs recovery. */
function signal(place: Installation, data: string, pid: number, hard = false): void {
  if (!isPostmaster(pid, data)) return
  // Windows knows no signals; PostgreSQL listens on a pipe there that pg_ctl knows.
  if (windows)
    spawnSync(join(place.native, 'bin', 'pg_ctl.exe'), ['stop', '-D', data, '-m', hard ? 'immediate' : 'fast', '-W'], {
      windowsHide: true,
    })
  else process.kill(pid, hard ? 'SIGQUIT' : 'SIGINT')
}

async function stop(place: Installation, data: string, pid: number): Promise<void> {
  signal(place, data, pid)
  const hard_at = Date.now() + 20_000
  for (let hard = false; isPostmaster(pid, data); await sleep(10)) {
    if (hard || Date.now() < hard_at) continue
    hard = true
    signal(place, data, pid, true)
  }
}
