/** More requests than the server can answer: how long those wait who are answered, how soon the others hear, and whether as many are answered as before. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import * as account from '../../server/contract/account.ts'
import { HttpCaller } from '../kit/http.ts'
import { startServer } from '../kit/server.ts'

export type Load = {
  /** Times what the server can do; 0: as much as it can, from few who wait for their answers. */
  readonly times: number
  readonly asked: number
  readonly answered: number
  readonly refused: number
  /** Milliseconds: of those answered, of those refused. */
  readonly p50: number
  readonly p99: number
  readonly refusal_p50: number
  readonly refusal_p99: number
  /** MB that the server has more than before. */
  readonly memory: number
}
const seconds = 6
/** As many as the lane works on at once. */
const few = 6

const part = (sorted: readonly number[], of: number): number => sorted[Math.floor((sorted.length - 1) * of)] ?? Number.NaN

/** An employee's call, at what the server can do, twice and eight times as much. Requests come as they come, not when an answer is there. */
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
    const { path, method } = account.getMyCorps
    const memory = (): number =>
      Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    const loaded = async (times: number, rate: number | null): Promise<Load> => {
      const before = memory()
      const [answered, refused]: [number[], number[]] = [[], []]
      const finished = Promise.withResolvers<void>()
      const options: autocannon.Options = {
        url: server.address + path,
        method,
        headers,
        ...(method === 'GET' ? {} : { body: '{}' }),
        duration: seconds,
        ...(rate === null ? { connections: few } : { connections: Math.min(512, rate), overallRate: rate }),
      }
      const running = autocannon(options, () => finished.resolve())
      running.on('response', (_client, status, _bytes, ms) => void (status === 200 ? answered : refused).push(ms))
      await finished.promise
      const [taken, turned] = [answered.toSorted((a, b) => a - b), refused.toSorted((a, b) => a - b)]
      return {
        times,
        asked: taken.length + turned.length,
        answered: taken.length,
        refused: turned.length,
        p50: part(taken, 0.5),
        p99: part(taken, 0.99),
        refusal_p50: part(turned, 0.5),
        refusal_p99: part(turned, 0.99),
        memory: memory() - before,
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
