/**
 * Measures overload: how long accepted requests wait, how soon the others are rejected, and whether as many are served
 * as without overload.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import autocannon from 'autocannon'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { answeredInside, HttpCaller } from '../../support/callers/http.ts'
import { startServer } from '../../support/run/server.ts'
import { arriving } from './arrivals.ts'

export type Load = {
  /**
   * The load as a multiple of the server's capacity. 0 means as much as the server can serve to a few clients that wait
   * for their responses.
   */
  readonly times: number
  readonly requested: number
  readonly answered: number
  readonly refused: number
  /** Milliseconds, for served and for rejected requests. */
  readonly p50: number
  readonly p99: number
  readonly error_p50: number
  readonly error_p99: number
  /** Memory growth of the server in MB. */
  readonly memory: number
  /**
   * Mean milliseconds of served requests as the server measured them: from the head of the request to the end of the
   * response.
   */
  readonly inside: number
  /** The same for rejected requests. */
  readonly refused_inside: number
  /** p99 of the milliseconds by which the generator's own timers were late: its measurements are at least this inexact. */
  readonly late: number
  /** CPU cores in use during the run: the server, its database, the generator and all others. */
  readonly cores: { readonly server: number; readonly database: number; readonly generator: number; readonly others: number }
}
type Inside = Awaited<ReturnType<typeof answeredInside>>
const seconds = 6
/** The number of clients equals the server's concurrency limit. */
const few = 6

const part = (sorted: readonly number[], of: number): number => sorted[Math.floor((sorted.length - 1) * of)] ?? Number.NaN

type Work = { clock: number; server: number; database: number; generator: number; machine: number }
const ticks = 100
const getStat = (pid: string): { parent: number; seconds: number } => {
  // The program name is in brackets and may contain any character.
  const rest = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return { parent: Number(rest[1]), seconds: (Number(rest[11]) + Number(rest[12])) / ticks }
}
/** Returns the CPU seconds used so far; for the database those of the running processes. */
function getWork(server: number): Work {
  const [, user, nice, system, , , irq, soft] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/).map(Number)
  const all = readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [{ pid: Number(pid), ...getStat(pid) }] : []
    } catch {
      return [] // The process has ended in the meantime.
    }
  })
  const below = (of: number): number =>
    all.filter(({ parent }) => parent === of).reduce((sum, one) => sum + one.seconds + below(one.pid), 0)
  const machine = ((user ?? 0) + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (soft ?? 0)) / ticks
  const { user: own, system: ownSystem } = process.cpuUsage()
  return {
    clock: performance.now() / 1000,
    server: all.find(({ pid }) => pid === server)?.seconds ?? 0,
    database: below(server),
    generator: (own + ownSystem) / 1e6,
    machine,
  }
}

/** Sends requests from a few clients that wait for their responses. */
async function asMuchAsItCan(
  url: string,
  requested: Pick<autocannon.Options, 'method' | 'headers'>,
  answered: number[],
): Promise<void> {
  const finished = Promise.withResolvers<void>()
  const options = { url, ...requested, body: '{}', duration: seconds, connections: few }
  autocannon(options, () => finished.resolve()).on('response', (_client, _status, _bytes, ms) => void answered.push(ms))
  await finished.promise
}

/**
 * Measures an employee's call at once, twice and eight times the server's capacity. Requests arrive at a fixed rate,
 * independent of the responses.
 */
export async function overload(): Promise<Load[]> {
  const server = await startServer()
  try {
    const [first] = server.signIns
    const caller = await new HttpCaller(server.address).signIn(first?.phone ?? '', first?.password)
    const headers = {
      'user-token': caller.token,
      cookie: caller.cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      'x-xsrf-token': caller.cookies.find(({ name }) => name === 'XSRF-TOKEN')?.value ?? '',
      'content-type': 'application/json',
    }
    const { path, method } = account.getAvailableCorps
    const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': '2' }).map((line) => line.join(': '))
    const request = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{}`
    const memory = (): number =>
      Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    const loaded = async (times: number, rate: number | null): Promise<Load> => {
      const insides = (): Promise<[Inside, Inside]> =>
        Promise.all([answeredInside(server.address, path), answeredInside(server.address, path, 503)])
      const [before, worked, notified] = [memory(), getWork(server.process.pid ?? 0), await insides()]
      const lag = monitorEventLoopDelay({ resolution: 5 })
      lag.enable()
      const [answered, refused]: [number[], number[]] = [[], []]
      if (rate === null) await asMuchAsItCan(server.address + path, { method, headers }, answered)
      else
        for (const { status, ms } of await arriving(server.port, request, { rate, seconds }))
          (status === 200 ? answered : refused).push(ms)
      lag.disable()
      const [work, inside] = [getWork(server.process.pid ?? 0), await insides()]
      const mean = (of: 0 | 1): number =>
        ((inside[of].seconds - notified[of].seconds) / (inside[of].count - notified[of].count)) * 1000
      const share = (of: keyof Work): number => (work[of] - worked[of]) / (work.clock - worked.clock)
      const own = { server: share('server'), database: share('database'), generator: share('generator') }
      const [accepted, turned] = [answered.toSorted((a, b) => a - b), refused.toSorted((a, b) => a - b)]
      return {
        times,
        requested: accepted.length + turned.length,
        answered: accepted.length,
        refused: turned.length,
        p50: part(accepted, 0.5),
        p99: part(accepted, 0.99),
        error_p50: part(turned, 0.5),
        error_p99: part(turned, 0.99),
        memory: memory() - before,
        inside: mean(0),
        refused_inside: mean(1),
        late: lag.percentile(99) / 1e6,
        cores: { ...own, others: share('machine') - own.server - own.database - own.generator },
      }
    }
    await loaded(0, null)
    const alone = await loaded(0, null)
    const rate = Math.round(alone.answered / seconds)
    return [alone, await loaded(2, rate * 2), await loaded(8, rate * 8)]
  } finally {
    await server.stop()
  }
}
