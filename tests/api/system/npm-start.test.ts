/** `npm start` as an operator runs it: one signal to npm ends the server, and its version is shown without a start. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { untilReady } from '../../support/run/processes.ts'
import { freePort } from '../../support/run/server.ts'
import { trial } from '../../support/run/trial.ts'

const data = mkdtempSync(join(tmpdir(), 'xinhan-npm-start-'))
chmodSync(data, 0o711)
afterAll(() => rmSync(data, { recursive: true, force: true }))

/** Starts npm without a terminal and waits for the message that the server is ready. */
async function startNpm(port: number): Promise<ChildProcess> {
  const { DATABASE_URL: _none, NODE_ENV: _test, ...inherited } = process.env
  const npm = spawn('npm', ['start'], {
    env: { ...inherited, PORT: String(port), XINHAN_DATA: data, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilReady(npm)
  return npm
}

/** Returns the process ids of all descendants. */
function listDescendants(pid: number): number[] {
  const children = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child)
  return children.flatMap((child) => [child, ...listDescendants(child)])
}

const isRunning = (pid: number): boolean => {
  try {
    // A zombie waits for its parent to take note; it holds nothing.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), done(true))).once('error', () => done(false))
  })

const starts = { full: 10, sample: 1, of: 'starts' }

trial('npm-start', 'SIGTERM to npm ends the server and its database, none is left', starts, async ({ size, says }) => {
  const port = await freePort()
  const seconds: number[] = []
  for (let time = 0; time < size; time += 1) {
    const npm = await startNpm(port)
    const processes = listDescendants(npm.pid ?? 0)
    // The server, and its database.
    expect(processes.length).toBeGreaterThan(2)
    const ended = once(npm, 'exit')
    const signalled = performance.now()
    npm.kill('SIGTERM')
    await ended
    await expect.poll(() => processes.filter(isRunning), { timeout: 60_000 }).toEqual([])
    seconds.push((performance.now() - signalled) / 1000)
    expect(await isListening(port)).toBe(false)
  }
  says(`all gone after ${Math.max(...seconds).toFixed(1)} s at most`)
})

test('states its version without a start', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  // Where the client must be built first, it is built for production.
  const { NODE_ENV: _test, ...env } = process.env
  const printed = execFileSync('npm', ['start', '--silent', '--', '--version'], { encoding: 'utf8', env })
  expect(printed.split('\n').at(-2)).toBe(`Xinhan ${version}`)
})

/** The check in front of every start, on a Node without support for TypeScript. */
const startOn = (node: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `Object.defineProperty(process.versions, 'node', { value: '${node}' }); await import('./server/check-node.mjs')`,
    ],
    { encoding: 'utf8' },
  )

test.each(['18.20.8', '20.20.2', '22.22.0'])('says on Node %s in one sentence what is needed', (node) => {
  const { status, stderr } = startOn(node)
  expect(stderr).toContain(`薪函 needs Node 24 or newer; this is ${node}.`)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(status).toBe(1)
})

test.each(['24.0.0', '26.1.0'])('says nothing on Node %s', (node) => {
  const { status, stderr } = startOn(node)
  expect([status, stderr]).toEqual([0, ''])
})
