/** The real server in a separate process with its own data, started as a customer starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
/** Trials run at the lowest priority, so the start gets more time on a busy machine. */
const start_ms = process.env.XINHAN_TRIALS === 'whole' ? 900_000 : 120_000

export type SignIn = { phone: string; password: string; text: string }
export type Server = {
  readonly address: string
  readonly port: number
  readonly data: string
  /** The demo's sign-ins as the start message lists them. */
  readonly signIns: readonly SignIn[]
  readonly output: () => string
  readonly process: ChildProcess
  /** Stops the server, and removes its data unless `keep`. */
  stop(options?: { keep?: boolean }): Promise<void>
  /** Kills it at once like a power cut; its data stays. */
  kill(): Promise<void>
}

/** Starts a server and waits for its ready message. `data` continues with the data of another server. */
export async function startServer(options: { data?: string; port?: number; env?: Record<string, string> } = {}): Promise<Server> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'xinhan-server-'))
  // The database's own user must be able to enter the folder.
  chmodSync(data, 0o711)
  const port = options.port ?? (await freePort())
  const { DATABASE_URL: _none, ...inherited } = process.env
  const child = spawn(process.execPath, ['--max-semi-space-size=8', 'server/main.ts'], {
    cwd: root,
    env: { ...inherited, NODE_ENV: 'development', PORT: String(port), XINHAN_DATA: data, LOG_LEVEL: 'warn', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  let output = ''
  const ready = new Promise<void>((done, fail) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      // The start message ends with the users who can sign in.
      if (/is ready: [\s\S]*\n {2}\d{11} .*\n\n/.test(output)) done()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}:\n${output}`)))
  })
  const patience = setTimeout(() => child.kill('SIGKILL'), start_ms)
  try {
    await ready
  } catch (error) {
    // Another worker's server may have taken the port since it was found to be free.
    if (options.port === undefined && output.includes('EADDRINUSE')) return startServer({ ...options, data })
    throw error
  } finally {
    clearTimeout(patience)
  }
  const signIns = [...output.matchAll(/^ {2}(\d{11}) {2}(\S+) {2}(.+)$/gm)].map((line) => ({
    phone: line[1] ?? '',
    password: line[2] ?? '',
    text: line[3] ?? '',
  }))
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    data,
    signIns,
    output: () => output,
    process: child,
    async stop({ keep = false } = {}) {
      child.kill('SIGTERM')
      await ended
      if (!keep) rmSync(data, { recursive: true, force: true })
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/**
 * The ports are below the ephemeral port range of systems, so that a server that restarts on its port finds no outgoing
 * connection on it.
 */
const [first_port, ports] = [20_000, 12_000]

export function freePort(): Promise<number> {
  const port = first_port + randomInt(ports)
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(freePort()))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(port)))
  })
}
