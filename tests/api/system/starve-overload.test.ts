/**
 * More load than the server can handle: accepted requests are answered, others are rejected at once, and nobody waits
 * for sign-in attempts of strangers.
 */
import { afterAll, beforeAll, expect } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { answeredInside, HttpCaller } from '../../support/callers/http.ts'
import { type Server, startServer } from '../../support/run/server.ts'
import { trial } from '../../support/run/trial.ts'

let server: Server
let somebody: HttpCaller
beforeAll(async () => {
  server = await startServer()
  const [first] = server.signIns
  somebody = await new HttpCaller(server.address).signIn(first?.phone ?? '', first?.password)
})
afterAll(() => server?.stop())

type Observed = { code: number; ms: number; data: { shed?: boolean; retry_after?: number } }
async function timed(call: () => Promise<{ error_code: number; data: unknown }>): Promise<Observed> {
  const began = performance.now()
  const { error_code, data } = await call()
  return { code: error_code, ms: performance.now() - began, data: data as Observed['data'] }
}
const getOwn = () => timed(() => somebody.call(account.getAvailableCorps, {}))
/** Fails on any rejection except for a delayed event loop, which states when to retry. */
const answered = () => timed(async () => ({ error_code: 0, data: await somebody.must(account.getAvailableCorps, {}) }))
const part = (viewed: readonly Observed[], of: number): number =>
  Math.round(viewed.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor((viewed.length - 1) * of)] ?? 0)
const all = (count: number, call: () => Promise<Observed>) => Promise.all(Array.from({ length: count }, call))

/**
 * A full queue reports one second, a delayed event loop five; so does a database that provides no connection in time,
 * where something may have been started.
 */
const isNotifiedWhen = ({ shed, retry_after }: Observed['data']): boolean =>
  retry_after === 5 || (shed === true && retry_after === 1)

trial(
  'overload',
  'answers some of many simultaneous requests and gives the others a retry time at once',
  { full: 1_024, sample: 256, of: 'requests', goal: 'G9' },
  async ({ size, says }) => {
    const inside = (status: number) => answeredInside(server.address, account.getAvailableCorps.path, status)
    const before = await inside(200)
    const viewed = await all(size, getOwn)
    const [accepted, refused] = [viewed.filter(({ code }) => code === 0), viewed.filter(({ code }) => code !== 0)]
    says(
      `${accepted.length} answered, p50 ${part(accepted, 0.5)} p99 ${part(accepted, 0.99)} ms; ${refused.length} refused, p50 ${part(refused, 0.5)} ms`,
    )
    const [worked, turned] = [await inside(200), await inside(503)]
    const mean_ms = ((worked.seconds - before.seconds) / (worked.count - before.count)) * 1000
    says(
      `inside the server: answered in ${Math.round(mean_ms)} ms, refused in ${((turned.seconds / turned.count) * 1000).toFixed(2)} ms, in the mean`,
    )
    expect(turned.count).toBeGreaterThanOrEqual(refused.length)
    expect(refused.length).toBeGreaterThan(0)
    expect(accepted.length).toBeGreaterThan(0)
    expect(refused.filter(({ data }) => !isNotifiedWhen(data))).toEqual([])
    expect(refused.some(({ data }) => data.shed)).toBe(true)
    // No effect remains: the next request is answered.
    await somebody.must(account.getAvailableCorps, {})
  },
)

trial(
  'strangers',
  'answers signed-in users while strangers try to sign in',
  { full: 512, sample: 64, of: 'sign-ins', goal: 'G9' },
  async ({ size, says }) => {
    const before: Observed[] = []
    for (let at = 0; at < 20; at++) before.push(await getOwn())
    const outsider = new HttpCaller(server.address)
    const flooding = { on: true }
    const flood = all(size, () =>
      timed(() => outsider.call(account.login, { phone: '19900001111', password: 'Haubenmeise im Ahorn' })),
    ).finally(() => {
      flooding.on = false
    })
    const comparison: Observed[] = []
    do comparison.push(await answered())
    while (flooding.on)
    const codes = new Set((await flood).map(({ code }) => code))
    says(
      `signed in: p50 ${part(before, 0.5)} ms alone, ${part(comparison, 0.5)} ms beside, the longest ${part(comparison, 1)} ms; codes ${[...codes].join(' ')}`,
    )
    // Attempts were rejected by password or rate limit, and none of them signed in.
    expect(codes.has(0)).toBe(false)
  },
)
