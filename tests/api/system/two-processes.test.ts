/** Requests and jobs in processes of their own on one database (XINHAN_ROLE): the worker sends what the web server accepts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { getTimeInfo } from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { HttpCaller } from '../../support/callers/http.ts'
import { givePassword } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { type ServerProcess, startOnDatabase } from '../../support/run/processes.ts'
import { deliveries, makeBatch, salaries } from '../../support/slips.ts'

const world = demoWorld(true)
const secret = '梅兰竹菊 2026'
const people = 40
/** A job that was sent starts within a second and a half where jobs run. */
const quietMs = 5_000

const readJobs = async (): Promise<Record<string, number>> => {
  const { rows } = await world.database.pool.query<{ state: string; count: number }>(
    'select state::text, count(*)::int as count from pgboss.job group by state',
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
const probe = async ({ address }: ServerProcess, path: string): Promise<number> =>
  (await fetch(address + path, { headers: { accept: 'text/html' } })).status

it('sends with the worker what the web server accepted, and runs no job in the web server', async () => {
  const corp = await world.createCompany()
  const head = await givePassword(world, await corp.person({ power: ['4'] }), secret)
  const batch_id = await makeBatch(world, head, await corp.people(people))
  const countSent = async () => (await salaries(world, corp, batch_id)).filter(({ status }) => status === 'sent').length

  const web = await startOnDatabase(world, { env: { XINHAN_ROLE: 'web' } })
  const started = [web]
  try {
    const caller = await new HttpCaller(web.address).signIn(head.mobile, secret)
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules: {} })
    await caller.must(slip.doSend, { plan_id, looked: true })
    await sleep(quietMs)
    const waiting = await readJobs()
    expect(waiting.created).toBeGreaterThan(0)
    expect([waiting.active, waiting.completed, waiting.failed, waiting.retry]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(await countSent()).toBe(0)
    // A web server is ready without a worker: people can sign in and read.
    expect([await probe(web, '/healthz'), await probe(web, '/readyz')]).toEqual([200, 200])

    const worker = await startOnDatabase(world, { env: { XINHAN_ROLE: 'worker' } })
    started.push(worker)
    await expect.poll(countSent, { timeout: 60_000 }).toBe(people)
    const sent = await deliveries(world, corp, batch_id)
    expect(new Set(sent.map(({ salary_id }) => salary_id)).size).toBe(sent.length)
    expect(sent.filter(({ attempts }) => attempts > 1)).toEqual([])
    expect([await probe(worker, '/healthz'), await probe(worker, '/readyz'), await probe(worker, '/metrics')]).toEqual([
      200, 200, 200,
    ])
    expect([await probe(worker, '/'), await probe(worker, '/wageAdmin')]).toEqual([404, 404])
    const refused = await new HttpCaller(worker.address).call(getTimeInfo, {})
    expect(refused.error_code).toBe(errorCodes.not_found.code)

    // The worker is replaced without the people at their payslips noticing.
    expect(await worker.stop()).toBe(0)
    expect([await probe(web, '/healthz'), await probe(web, '/readyz')]).toEqual([200, 200])
  } finally {
    await Promise.all(started.map((server) => server.stop()))
  }
})
