/** A real PgBouncer in transaction mode in front of the database server of this run. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import { freePort } from './server.ts'

/** Debian installs it where the path of an ordinary user does not lead. */
const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).status === 0)
export const hasPgBouncer = program !== undefined

export type PgBouncer = { readonly host: string; readonly port: number; stop(): Promise<void> }

/** `poolSize`: connections to the database, shared by all clients. */
export async function startPgBouncer(owner: PoolConfig, { poolSize }: { readonly poolSize: number }): Promise<PgBouncer> {
  if (!program) throw new Error('pgbouncer is not installed')
  const { role, app_password } = JSON.parse(process.env.XINHAN_TEST_CLUSTER ?? '{}') as { role: string; app_password: string }
  const dir = mkdtempSync(join(tmpdir(), 'xinhan-pgbouncer-'))
  const port = await freePort()
  writeFileSync(join(dir, 'users'), `"${role}" "${app_password}"\n`)
  writeFileSync(
    join(dir, 'pgbouncer.ini'),
    `[databases]
* = host=${String(owner.host)} port=${String(owner.port ?? 5432)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(dir, 'users')}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  )
  // It refuses to run as root; the socket of an embedded server admits its own user only.
  const user = process.getuid?.() === 0 ? getUser(String(owner.host)) : {}
  chmodSync(dir, 0o755)
  const child: ChildProcess = spawn(program, ['--quiet', join(dir, 'pgbouncer.ini')], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  const ended = once(child, 'exit')
  for (let waited_ms = 0; !(await isListening(port)); waited_ms += 50) {
    if (child.exitCode !== null || waited_ms > 20_000) throw new Error(`pgbouncer did not start:\n${output}`)
    await sleep(50)
  }
  return {
    host: '127.0.0.1',
    port,
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The user without any rights. */
const unprivileged = 65_534
function getUser(host: string): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = host.startsWith('/') ? statSync(host) : { uid: unprivileged, gid: unprivileged }
  return { uid, gid }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), done(true))).once('error', () => done(false))
  })
