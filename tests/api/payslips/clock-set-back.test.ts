/** A clock that is set back: what was written ahead of time is due, and nothing is sent twice. */
import { beforeEach, expect, test, vi } from 'vitest'
import { logClockDifference, repairFutureJobs } from '../../../server/jobs/clock-repair.ts'
import { resumeSending } from '../../../server/modules/payslips/send/resume.ts'
import { createCarrierRateLimiter } from '../../../server/outbox/carrier-rate.ts'
import { countFutureInstants, createChannelSender } from '../../../server/outbox/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { transfer } from '../../support/outside/counter.ts'
import { deliveries, getGateway, makeBatch, manyPeople, sender, sendManually, untilStopped } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp, clerk: payer } = demo({ own: true })
let caller: Caller
const dayMs = 86_400_000
const now = () => world.clock.now()
beforeEach(async () => {
  caller = await world.signIn(payer)
})

async function startBatch(count: number) {
  const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, count))
  return { batch_id, data: await sendManually({ world, corp, caller }, batch_id) }
}
const countByStatus = async (batch_id: string) => {
  const counts: Record<string, number> = {}
  for (const { status } of await deliveries(world, corp, batch_id)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const count = () =>
  world.database.inCompany(corp.company_id, (db) =>
    countFutureInstants({ db, company_id: corp.company_id, now: now() }, 'delivery'),
  )

test('deliveries queued or leased by a clock a day ahead are sent once the clock is right, and once each', async () => {
  world.clock.advance(dayMs)
  caller = await world.signIn(payer)
  const { batch_id, data } = await startBatch(20)
  const gateway = getGateway()
  const rows = await deliveries(world, corp, batch_id)
  // A sender that dies: five messages were sent and not recorded, three more are leased.
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('delivery')
      .set({ status: 'leased', lease_by: newId(), lease_until: new Date(now().getTime() + 60_000), attempts: 1 })
      .where(
        'id',
        'in',
        rows.slice(0, 8).map(({ id }) => id),
      )
      .execute(),
  )
  const sent = rows.slice(0, 5).map(({ id }) => id)
  await transfer(
    gateway,
    sent.map((id) => ({ id, to: '13800001234', message: { kind: 'code', params: { code: '012345' } } })),
  )
  world.clock.advance(-dayMs)
  expect(await count()).toBe(20)
  const warn = vi.fn()
  await resumeSending({ ...world, jobs: world.product.jobs, log: { warn } }, { sole: false }, new Set())
  expect(warn).toHaveBeenCalledWith({ deliveries: 20 }, expect.stringContaining('the clock was set back'))
  const { send } = sender(world, gateway)
  await send(data, untilStopped)
  expect(await countByStatus(batch_id)).toEqual({ queued: 12, leased: 8 })
  await send(data, untilStopped)
  expect(await countByStatus(batch_id)).toEqual({ accepted: 12, leased: 8 })
  // The usual lease: its holder might still be sending.
  world.clock.advance(61_000)
  await send(data, untilStopped)
  expect(await countByStatus(batch_id)).toEqual({ accepted: 20 })
  expect([gateway.accepted.length, gateway.doubled()]).toEqual([20, []])
})

test('a scheduled batch keeps its time', async () => {
  const { batch_id, data } = await startBatch(3)
  const at = new Date(now().getTime() + dayMs)
  await world.database.inCompany(corp.company_id, async (tx) => {
    await tx.updateTable('batch').set({ status: 'scheduled', scheduled_at: at }).where('id', '=', batch_id).execute()
    await tx.updateTable('delivery').set({ due_at: at }).where('batch_id', '=', batch_id).execute()
  })
  const gateway = getGateway()
  for (let run = 0; run < 2; run += 1) await sender(world, gateway).send(data, untilStopped)
  expect(gateway.accepted).toEqual([])
  // The same wait in the period for undoing is longer than any such period.
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('batch').set({ undo_until: at }).where('id', '=', batch_id).execute(),
  )
  for (let run = 0; run < 2; run += 1) await sender(world, gateway).send(data, untilStopped)
  expect(gateway.accepted).toHaveLength(3)
})

test('a carrier is neither paused nor limited longer than usual', async () => {
  const paused = createChannelSender(getGateway())
  const limited = createChannelSender(getGateway({ pace: { count: 10, perMs: 1000 } }))
  const pace = createCarrierRateLimiter(world.database, world.clock)
  world.clock.advance(dayMs)
  await pace.pause(paused, 60_000)
  expect(await pace.acquire(limited, corp.company_id, 1)).toMatchObject({ count: 1 })
  expect(await pace.acquire(paused, corp.company_id, 1)).toMatchObject({ count: 0 })
  world.clock.advance(-dayMs)
  expect(await pace.acquire(paused, corp.company_id, 1)).toEqual({ count: 1, wait_ms: 0 })
  expect((await pace.acquire(limited, corp.company_id, 1)).wait_ms).toBeLessThanOrEqual(1_000)
})

test('jobs of a database whose clock was set back start, and active ones expire, with a line in the log', async () => {
  const { pool } = world.database
  const warn = vi.fn()
  await world.database.inCompany(corp.company_id, (tx) =>
    world.product.jobs.send(tx, 'care', { company_id: corp.company_id }, { start_after: new Date(Date.now() + 30_000) }),
  )
  const setBackSql = `update pgboss.job set created_on = created_on + interval '1 day', start_after = start_after + interval '1 day'
    where name = 'care' and state = 'created'`
  await pool.query(setBackSql)
  await repairFutureJobs(world.database, { warn })
  expect(warn).toHaveBeenCalledOnce()
  const wait = `select extract(epoch from max(start_after) - now())::float as wait_s from pgboss.job where name = 'care'`
  const { rows } = await pool.query<{ wait_s: number }>(wait)
  expect(rows[0]?.wait_s).toBeGreaterThan(20)
  expect(rows[0]?.wait_s).toBeLessThanOrEqual(31)
  await repairFutureJobs(world.database, { warn })
  expect(warn).toHaveBeenCalledOnce()
})

test('the start of a job is a delay by the clock of the database', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + dayMs)
  const start_after = new Date(Date.now() + 30_000)
  await world.database.inCompany(corp.company_id, (tx) =>
    world.product.jobs.send(tx, 'export', { company_id: corp.company_id }, { start_after }),
  )
  const warn = vi.fn()
  await logClockDifference(world.database, { warn })
  vi.restoreAllMocks()
  expect(warn).toHaveBeenCalledOnce()
  const { rows } = await world.database.pool.query<{ wait_s: number }>(
    `select extract(epoch from max(start_after) - now())::float as wait_s from pgboss.job where name = 'export'`,
  )
  expect(rows[0]?.wait_s).toBeLessThanOrEqual(31)
})
