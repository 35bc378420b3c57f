/** Servers as an operator starts them, each a process of its own, on the database of a test's world. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { World } from '../world.ts'
import { freePort } from './server.ts'

export type ServerProcess = {
  readonly address: string
  readonly process: ChildProcess
  /** Sends SIGTERM, unless it has ended already, and returns the exit code. */
  stop(): Promise<number | null>
}
type Connection = { readonly host: string; readonly port: number }

/** Returns the address of the world's database, as the application's own login or as the owner. */
export function getDatabaseUrl({ owner }: Pick<World, 'owner'>, login: 'app' | 'owner', connection?: Connection): string {
  const { role, app_password } = JSON.parse(process.env.XINHAN_TEST_CLUSTER ?? '{}') as { role: string; app_password: string }
  const [name, password] = login === 'app' ? [role, app_password] : [owner.user, owner.password]
  const { host, port } = connection ?? { host: owner.host, port: owner.port ?? 5432 }
  return `postgres://${String(name)}:${encodeURIComponent(String(password ?? ''))}@localhost:${port}/${String(owner.database)}?host=${encodeURIComponent(String(host))}`
}

/** Waits for the message that the server is ready. Throws with its output if it ends before. */
export async function untilReady(server: ChildProcessByStdio<null, Readable, Readable>): Promise<void> {
  let output = ''
  await new Promise<void>((done, fail) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('is ready: ')) done()
    }
    server.stdout.on('data', listen)
    server.stderr.on('data', listen)
    server.once('exit', (code) => fail(new Error(`the server ended with ${code}:\n${output}`)))
  })
}

/** Starts a server in production on the world's database, and waits until it is ready. */
export async function startOnDatabase(
  world: Pick<World, 'owner'>,
  { appConnection, env = {} }: { readonly appConnection?: Connection; readonly env?: Record<string, string> } = {},
): Promise<ServerProcess> {
  const port = await freePort()
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      XINHAN_ORIGIN: 'https://pay.example.cn',
      XINHAN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      XINHAN_BILLING: '0',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'error',
      DATABASE_URL: getDatabaseUrl(world, 'owner'),
      DATABASE_APP_URL: getDatabaseUrl(world, 'app', appConnection),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilReady(child)
  const ended = once(child, 'exit')
  return {
    address: `http://127.0.0.1:${port}`,
    process: child,
    async stop() {
      child.kill('SIGTERM')
      return (await ended)[0] as number | null
    },
  }
}
