import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acquireLock, type DirectoryLock, LockedError, type LockOwner } from '../../../server/shared/directory-lock.ts'
import { trial } from '../../support/run/trial.ts'

/*
 * Lock on a data directory. Requirement: 100 of 100 attempts are refused while it is held, and the lock is taken over
 * when its holder is dead.
 */

const module_url = new URL('../../../server/shared/directory-lock.ts', import.meta.url).href
let dir: string
let lock: DirectoryLock | undefined

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xinhan-lock-'))
})
afterEach(() => {
  lock?.release()
  lock = undefined
  rmSync(dir, { recursive: true, force: true })
})

const files = () => readdirSync(dir).filter((name) => name.startsWith('lock.'))
const content = (): LockOwner => JSON.parse(readFileSync(join(dir, files()[0] as string), 'utf8')) as LockOwner
const write = (owner: Partial<LockOwner>) => {
  lock?.release()
  for (const name of files()) rmSync(join(dir, name))
  writeFileSync(join(dir, 'lock.1'), JSON.stringify(owner))
}

/** Processes that try at the same moment; each reports its result and keeps the lock until it ends. */
async function race(count: number): Promise<{ text: string; kill: () => Promise<void> }[]> {
  const at = Date.now() + 600
  const code = `
    import { acquireLock } from ${JSON.stringify(module_url)}
    await new Promise((resolve) => setTimeout(resolve, ${at} - Date.now()))
    await acquireLock(${JSON.stringify(dir)}).then(() => console.log('mine'), (error) => console.log(error.name))
    setInterval(() => {}, 1000)`
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code])
      const [data] = (await once(child.stdout, 'data')) as [Buffer]
      const kill = async () => {
        child.kill('SIGKILL')
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      }
      return { text: String(data).trim(), kill }
    }),
  )
}

test('refuses a second process 100 times of 100 and reports pid and time', async () => {
  lock = await acquireLock(dir)
  for (let i = 0; i < 100; i += 1) {
    const error = await acquireLock(dir).catch((error: LockedError) => error)
    expect(error).toBeInstanceOf(LockedError)
    expect((error as LockedError).owner.pid).toBe(process.pid)
    expect((error as LockedError).message).toContain(`process ${process.pid} (since ${content().since}`)
  }
})

test('frees the lock on release and leaves only one file', async () => {
  for (let i = 0; i < 100; i += 1) (await acquireLock(dir)).release()
  lock = await acquireLock(dir)
  expect(files()).toHaveLength(1)
})

test.each([
  ['of a dead process', { pid: 4_194_303, start: 'x/1' }],
  ['whose pid now belongs to another process', { pid: process.ppid, start: 'another-boot/1' }],
  ['released', { released: true }],
])('takes over a lock %s', async (_, change) => {
  lock = await acquireLock(dir)
  write({ ...content(), ...change })
  lock = await acquireLock(dir)
  expect(content().pid).toBe(process.pid)
  expect(files()).toEqual(['lock.2'])
})

test('treats an empty file left by a process that died while writing it as stale after a moment', async () => {
  writeFileSync(join(dir, 'lock.1'), '')
  const old = new Date(Date.now() - 5_000)
  utimesSync(join(dir, 'lock.1'), old, old)
  lock = await acquireLock(dir)
})

test('uses the heartbeat for a holder in another container, whose pid is meaningless here', async () => {
  lock = await acquireLock(dir)
  write({ ...content(), position: 'elsewhere', pid: 4_194_303 })
  lock = undefined
  await expect(acquireLock(dir)).rejects.toThrow('on elsewhere')
  const old = new Date(Date.now() - 20_000)
  utimesSync(join(dir, 'lock.1'), old, old)
  lock = await acquireLock(dir)
})

const races = { full: 100, sample: 2, of: 'races', goal: 'G13' }
trial(
  'dead-holder',
  'grants the lock to exactly one of four that see the same dead holder, in every round',
  races,
  async ({ size }) => {
    let last: { kill: () => Promise<void> }[] = []
    for (let round = 0; round < size; round += 1) {
      // All processes of the previous round are dead; the winner among them left its lock behind.
      for (const child of last) await child.kill()
      const four = await race(4)
      last = four
      expect(four.map(({ text }) => text).sort()).toEqual(['LockHeld', 'LockHeld', 'LockHeld', 'mine'])
    }
    for (const child of last) await child.kill()
  },
)

test('refuses a second server before it loads the program', async () => {
  lock = await acquireLock(join(dir, 'postgres'))
  const server = spawn(process.execPath, [fileURLToPath(new URL('../../../server/main.ts', import.meta.url))], {
    env: { PATH: process.env.PATH, XINHAN_DATA: dir, PORT: '1' },
  })
  let output = ''
  server.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = await once(server, 'exit')
  expect([code, output]).toEqual([1, expect.stringContaining(`in use by process ${process.pid}`)])
  // Nothing but the lock was touched.
  expect(readdirSync(dir)).toEqual(['postgres'])
})
