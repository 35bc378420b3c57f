import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { EmbeddedPostgresUnavailableError, getPackagedBinaries } from '../../../server/database/postgres/binaries.ts'
import { type EmbeddedPostgres, startPostgres } from '../../../server/database/postgres/start.ts'
import { isRunning } from '../../../server/shared/processes.ts'
import { isFull, trial } from '../../support/run/trial.ts'

/*
 * The launcher against the real binaries, as the user who runs the tests; cases that only root meets (folders that the
 * server's user cannot enter) are skipped for others. Everything is in one temporary folder, each start in its own
 * folder.
 */

const root = process.getuid?.() === 0
const project = dirname(dirname(dirname(import.meta.dirname)))
/** Another user can run the launcher only if the file is readable for that user. */
const shared = root && spawnSync('/bin/sh', ['-c', 'cd "$0"', project], { uid: 65534, gid: 65534, cwd: '/' }).status === 0
const base = mkdtempSync(join(tmpdir(), 'xinhan-launcher-'))
const launcher = new URL('../../../server/database/postgres/start.ts', import.meta.url).href
const logs: string[] = []
const log = (text: string) => void logs.push(text)
const open = new Set<EmbeddedPostgres>()
const children = new Set<ChildProcess>()
let made = 0
let warm = ''

beforeAll(async () => {
  chmodSync(base, 0o711)
  // One cluster is initialized for all tests, which use copies of it.
  warm = newDir()
  await (await startPostgres({ dir: warm, log })).close()
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const server of open) await server.close()
  open.clear()
  logs.length = 0
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function newDir(parent = base): string {
  made += 1
  return join(parent, `p${made}`)
}

/** A folder with an existing cluster, so that not every test has to create one. */
function warmDir(parent = base): string {
  const dir = newDir(parent)
  mkdirSync(dir, { mode: 0o711 })
  execFileSync('cp', ['-a', join(warm, 'data'), dir])
  return dir
}

async function start(dir: string, native?: string): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dir, log, ...(native && { native }) })
  open.add(server)
  return server
}

async function call<T = Record<string, unknown>>(owner: PoolConfig, text: string): Promise<T[]> {
  const client = new Client(owner)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

const postmaster = (dir: string) => Number(readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])

async function until(what: () => boolean | Promise<boolean>, ms = 60_000): Promise<number> {
  const began = performance.now()
  while (!(await what())) {
    if (performance.now() - began > ms) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return performance.now() - began
}

/** Another node process that starts the server of a directory, prints `ready <pid of the postmaster>`, then runs `more`. */
function other(dir: string, more: string, options: { uid?: number; gid?: number; detached?: boolean; native?: string } = {}) {
  const { native, ...spawning } = options
  const code = `
    import { startPostgres } from ${JSON.stringify(launcher)}
    import { readFileSync } from 'node:fs'
    import pg from 'pg'
    const dir = ${JSON.stringify(dir)}
    try {
      const server = await startPostgres({ dir, log: (text) => console.log(text), native: ${JSON.stringify(native)} })
      const ask = async (text) => { const c = new pg.Client(server.owner); await c.connect(); const r = await c.query(text); await c.end(); return r.rows }
      ${more}
    } catch (error) { console.log('failed ' + error.name + ': ' + error.message); process.exit(1) }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: project,
    stdio: 'pipe',
    ...spawning,
  })
  children.add(child)
  let text = ''
  child.stdout.on('data', (data) => (text += data))
  child.stderr.on('data', (data) => (text += data))
  return {
    child,
    text: () => text,
    says: (labels: string) =>
      until(() => text.includes(labels) || child.exitCode !== null).then(() => expect(text).toContain(labels)),
    ended: () => (child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, 'exit')),
  }
}

const ready = `console.log('ready')`
const wait = `setInterval(() => {}, 1000)`

describe('launcher start', () => {
  test('starts PostgreSQL privately, durably, and not as root', async () => {
    const dir = newDir()
    const server = await start(dir)
    const [row] = await call(
      server.owner,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as addresses, current_setting('data_checksums') as checksums, current_database() as database`,
    )
    expect(row).toEqual({ fsync: 'on', pages: 'on', commit: 'on', addresses: '', checksums: 'on', database: 'xinhan' })
    const mode = (path: string) => statSync(path).mode & 0o777
    expect(mode(join(dir, 'data'))).toBe(0o700)
    expect(mode(server.owner.host as string)).toBe(0o700)
    expect(mode(join(dir, 'data', 'xinhan.password'))).toBe(0o600)
    if (root) {
      expect(statSync(join(dir, 'data')).uid).not.toBe(0)
      expect(statSync(dir).uid).toBe(0)
    }
    await expect(call({ ...server.owner, password: 'guess' }, 'select 1')).rejects.toThrow(/password/)
    const pid = postmaster(dir)
    await server.close()
    expect(isRunning(pid)).toBe(false)
    expect(existsSync(join(dir, 'data', 'postmaster.pid'))).toBe(false)
    expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).toContain('database system is shut down')
  })

  test('keeps statements, values and details out of the log', async () => {
    const dir = warmDir()
    const server = await start(dir)
    await call(server.owner, 'create table pay (name text unique, fen int)')
    await call(server.owner, `insert into pay values ('canary-7312', 1)`)
    await expect(call(server.owner, `insert into pay values ('canary-7312', 2)`)).rejects.toThrow()
    await expect(call(server.owner, `select 'canary-7312'::int`)).rejects.toThrow()
    await server.close()
    expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).not.toContain('canary')
  })

  test('places the socket elsewhere when the path is too long for one', async () => {
    const dir = warmDir(makeDeep())
    const server = await start(dir)
    expect(server.owner.host).not.toContain(base)
    expect(await call(server.owner, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.close()
    rmSync(server.owner.host as string, { recursive: true })
  })

  test('refuses data of another major version', async () => {
    const dir = warmDir()
    writeFileSync(join(dir, 'data', 'PG_VERSION'), '16\n')
    await expect(start(dir)).rejects.toThrow(/written by PostgreSQL 16, this program brings 18/)
  })
  test('refuses data of an older table layout before PostgreSQL starts, and changes nothing', async () => {
    const dir = warmDir()
    rmSync(join(dir, 'data', 'xinhan.layout'))
    await expect(start(dir)).rejects.toThrow(/layout of a version before 0\.2.*Nothing was changed/)
    expect(existsSync(join(dir, 'data', 'postmaster.pid'))).toBe(false)
    writeFileSync(join(dir, 'data', 'xinhan.layout'), '3')
    await expect(start(dir)).rejects.toThrow(/newer layout \(3\)/)
  })

  test('recommends DATABASE_URL where the binaries cannot run', async () => {
    const native = join(newDir(), 'native')
    mkdirSync(join(native, 'bin'), { recursive: true })
    chmodSync(dirname(native), 0o755)
    writeFileSync(join(native, 'bin', 'postgres'), '#!/bin/sh\necho "version GLIBC_2.27 not found" >&2\nexit 1\n', {
      mode: 0o755,
    })
    const error = await start(newDir(), native).catch((error: Error) => error)
    expect(error).toBeInstanceOf(EmbeddedPostgresUnavailableError)
    expect((error as Error).message).toMatch(/GLIBC_2.27 not found.*DATABASE_URL/)
  })
})

function makeDeep(): string {
  const deep = join(base, 'a-folder-with-a-rather-long-name', 'another-folder-with-a-rather-long-name', 'and-yet-another')
  mkdirSync(deep, { recursive: true, mode: 0o711 })
  return deep
}

describe('crashes', () => {
  test('adopts the server and every committed row on the next start after node was killed with -9', async () => {
    const dir = warmDir()
    const killed = other(dir, `await ask('create table kept as select 7 as n'); ${ready}; ${wait}`)
    await killed.says('ready')
    const pid = postmaster(dir)
    killed.child.kill('SIGKILL')
    await killed.ended()
    expect(isRunning(pid)).toBe(true)
    const server = await start(dir)
    expect(postmaster(dir)).toBe(pid)
    expect(logs.join()).toContain('using it')
    expect(await call(server.owner, 'select n from kept')).toEqual([{ n: 7 }])
    await server.close()
    // The files are closed when `close` returns; the process itself ends a moment later.
    await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false)
  })

  test('recovers on the next start after node and server were killed with -9', async () => {
    const dir = warmDir()
    const killed = other(dir, `await ask('create table kept as select 7 as n'); ${ready}; ${wait}`)
    await killed.says('ready')
    killed.child.kill('SIGKILL')
    process.kill(postmaster(dir), 'SIGKILL')
    await killed.ended()
    const server = await start(dir)
    expect(await call(server.owner, 'select n from kept')).toEqual([{ n: 7 }])
  })

  const deaths = { full: 20, sample: 1, of: 'kills', goal: 'G11' }
  trial('server-killed', 'restarts a server that was killed with -9 under a running node', deaths, async ({ size, says }) => {
    const dir = warmDir()
    const server = await start(dir)
    await call(server.owner, 'create table kept as select 7 as n')
    const answered = () => call(server.owner, 'select n from kept').then(Boolean, () => false)
    let longest = 0
    for (let round = 0; round < size; round += 1) {
      process.kill(postmaster(dir), 'SIGKILL')
      longest = Math.max(longest, await until(answered))
    }
    says(`back after ${Math.round(longest)} ms at most`)
    // Times are measured only where the trial has the machine to itself.
    if (isFull) expect(longest).toBeLessThan(5_000)
    expect(logs.join()).toContain('ended unexpectedly')
  })

  test('stops the server when node ends without closing', async () => {
    const dir = warmDir()
    const removed = other(
      dir,
      `console.log('ready ' + readFileSync(dir + '/data/postmaster.pid', 'utf8').split('\\n')[0] + ' pid'); process.exit(0)`,
    )
    await removed.says(' pid')
    const pid = Number(/ready (\d+)/.exec(removed.text())?.[1])
    await until(() => !isRunning(pid))
    expect(readFileSync(join(dir, 'postgres.log'), 'utf8')).toContain('database system is shut down')
  })

  test('sends Ctrl-C to node alone, which still drains', async () => {
    const dir = warmDir()
    const draining = `process.on('SIGINT', async () => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      console.log('drained ' + JSON.stringify(await ask('select 5 as n')))
      await server.close()
      process.exit(0)
    })`
    const it = other(dir, `${draining}; ${ready}; ${wait}`, { detached: true })
    await it.says('ready')
    // Acts like a terminal: the signal goes to every process of the foreground group.
    process.kill(-(it.child.pid as number), 'SIGINT')
    await it.ended()
    expect(it.text()).toContain('drained [{"n":5}]')
    expect(it.text()).not.toContain('ended unexpectedly')
    expect(it.child.exitCode).toBe(0)
  })
})

describe('second server on the same data', () => {
  test('refuses a second server with the holder and its start time', async () => {
    const dir = warmDir()
    await start(dir)
    await expect(start(dir)).rejects.toThrow(`in use by process ${process.pid} (since 2`)
    const others = Array.from({ length: 4 }, () => other(dir, ready))
    for (const it of others) {
      await it.says(`failed LockHeld: The data directory is in use by process ${process.pid} (since 2`)
      expect(it.text()).not.toContain('ready')
    }
  })

  test('starts exactly one of four servers that start at once after a kill', async () => {
    const dir = warmDir()
    const killed = other(dir, `${ready}; ${wait}`)
    await killed.says('ready')
    killed.child.kill('SIGKILL')
    await killed.ended()
    const others = Array.from({ length: 4 }, () => other(dir, `${ready}; ${wait}`))
    await until(() => others.every((it) => /ready|failed/.test(it.text())))
    expect(others.filter((it) => it.text().includes('ready'))).toHaveLength(1)
    expect(others.filter((it) => it.text().includes('LockHeld'))).toHaveLength(3)
  })
})

describe.runIf(root)('as root', () => {
  const places: string[] = []
  afterAll(() => {
    for (const position of places) rmSync(position, { recursive: true, force: true })
  })

  test("stores the data elsewhere and reports it once if the server's user cannot enter the folder", async () => {
    const closed = newDir()
    mkdirSync(closed, { mode: 0o700 })
    const dir = join(closed, 'project', '.data', 'postgres')
    const server = await start(dir)
    const home = readFileSync(join(dir, 'moved'), 'utf8').trim()
    places.push(home)
    expect(logs.filter((text) => text.includes('cannot enter'))).toHaveLength(1)
    await call(server.owner, 'create table kept as select 7 as n')
    await server.close()
    // The data is still the same, without another message, even when the folder could be entered by now.
    chmodSync(closed, 0o755)
    chmodSync(join(closed, 'project'), 0o755)
    logs.length = 0
    const again = await start(dir)
    expect(await call(again.owner, 'select n from kept')).toEqual([{ n: 7 }])
    expect(logs).toEqual([])
    await again.close()
    // If the target of the note is missing, the start fails and never silently creates an empty database.
    rmSync(home, { recursive: true })
    await expect(start(dir)).rejects.toThrow(/was moved to .* but is not there/)
  })

  test('does not reuse old data for a project that was deleted and created again', async () => {
    const closed = newDir()
    mkdirSync(closed, { mode: 0o700 })
    const dir = join(closed, 'postgres')
    const server = await start(dir)
    const home = readFileSync(join(dir, 'moved'), 'utf8').trim()
    await call(server.owner, 'create table kept as select 7 as n')
    await server.close()
    rmSync(dir, { recursive: true })
    const again = await start(dir)
    await expect(call(again.owner, 'select n from kept')).rejects.toThrow(/does not exist/)
    const aside = readdirSync(dirname(home)).filter((name) => name.startsWith(`${home.split('/').pop()}.until-`))
    places.push(home, ...aside.map((name) => join(dirname(home), name)))
    expect(aside).toHaveLength(1)
  })

  test("copies binaries that the server's user cannot reach next to the data and reports it once", async () => {
    const closed = newDir()
    mkdirSync(closed, { mode: 0o700 })
    cpSync(getPackagedBinaries(), join(closed, 'native'), { recursive: true, verbatimSymlinks: true })
    const dir = warmDir()
    const server = await start(dir, join(closed, 'native'))
    expect(readlinkSync(`/proc/${postmaster(dir)}/exe`)).toBe(join(dir, 'postgres-copy', 'native', 'bin', 'postgres'))
    expect(logs.filter((text) => text.includes('copied it to'))).toHaveLength(1)
    await server.close()
    logs.length = 0
    await start(dir, join(closed, 'native'))
    expect(logs).toEqual([])
  })

  test.runIf(shared)('runs for an unprivileged user with a read-only node_modules without links', async () => {
    const native = withoutLinks()
    const home = newDir()
    mkdirSync(home)
    execFileSync('chown', ['nobody', home])
    const { uid } = statSync(home)
    const it = other(
      join(home, 'postgres'),
      `console.log('ready ' + JSON.stringify(await ask('select 1 as n'))); await server.close()`,
      { uid, gid: uid, native },
    )
    await it.says('ready [{"n":1}]')
    await it.ended()
    expect(it.text()).toContain('copied it to')
    expect(statSync(join(home, 'postgres', 'data')).uid).toBe(uid)
  })
})

function withoutLinks(): string {
  const folder = newDir()
  mkdirSync(folder, { mode: 0o755 })
  const native = join(folder, 'native')
  cpSync(getPackagedBinaries(), native, { recursive: true, verbatimSymlinks: true })
  for (const { target } of links(native)) rmSync(join(folder, target), { force: true })
  return native
}

const links = (native: string) => JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]

test('creates links that no install script created', async () => {
  const native = withoutLinks()
  await start(warmDir(), native)
  for (const { target } of links(native)) expect(existsSync(join(dirname(native), target))).toBe(true)
  expect(logs).toEqual([])
})
