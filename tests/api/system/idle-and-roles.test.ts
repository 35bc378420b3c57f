/** An idle server asks its database rarely, a sent job starts at once, and jobs run only where they should. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import type { Database } from '../../../server/database/database.ts'
import { createJobQueue, type JobQueue } from '../../../server/jobs/queue.ts'
import { createLogger } from '../../../server/observability/log.ts'
import { asOwner, openFreshDatabase } from '../../support/run/database.ts'
import { startWorld, type World } from '../../support/world.ts'

/** A quarter of the 4.8 statements a second that an idle server once made. */
const maxIdleStatements = 1.2
const window_s = 20

describe('an idle server', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
    await world.product.start({ sole: false })
  })
  afterAll(() => world?.close())

  const countTransactions = () =>
    asOwner({ owner: world.owner }, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()',
      )
      return rows[0]?.count ?? 0
    })

  it('makes at most 1.2 transactions a second', async () => {
    // The work of the start is over, and reported.
    await sleep(17_000)
    // The database's own maintenance (autovacuum) is counted too, in a burst after the start. It leaves one of three windows free.
    let fewest = Number.POSITIVE_INFINITY
    for (let window = 0; window < 3 && fewest > maxIdleStatements * window_s; window++) {
      const before = await countTransactions()
      await sleep(window_s * 1_000)
      fewest = Math.min(fewest, (await countTransactions()) - before)
    }
    expect(fewest).toBeLessThanOrEqual(maxIdleStatements * window_s)
  }, 120_000)
})

describe('a job', () => {
  let database: Database
  let jobs: JobQueue
  const ranAt: number[] = []
  beforeAll(async () => {
    database = await openFreshDatabase()
    jobs = createJobQueue(database, createSecrets(Buffer.alloc(32, 7)), createLogger('silent'))
    jobs.register('some-work', async () => void ranAt.push(performance.now()))
    await jobs.initialize()
    await jobs.start()
  })
  afterAll(async () => {
    await jobs?.stop()
    await database?.close()
  })

  it('starts soon after it was sent, and at its time when it was sent for later', async () => {
    const sentAt = performance.now()
    await database.withoutCompany((tx) => jobs.send(tx, 'some-work', {}))
    await expect.poll(() => ranAt.length, { timeout: 15_000, interval: 20 }).toBe(1)
    expect((ranAt[0] ?? 0) - sentAt).toBeLessThan(1_500)
    const dueAt = performance.now() + 1_000
    await database.withoutCompany((tx) => jobs.send(tx, 'some-work', {}, { start_after: new Date(Date.now() + 1_000) }))
    await expect.poll(() => ranAt.length, { timeout: 15_000, interval: 20 }).toBe(2)
    expect((ranAt[1] ?? 0) - dueAt).toBeLessThan(1_500)
  })
})

describe('the role of a server', () => {
  it('separates requests and jobs, and needs a database of its own', () => {
    const env = { DATABASE_URL: 'postgres://x@127.0.0.1/x' }
    expect(readConfig(env)).toMatchObject({ role: 'all', pool: 16 })
    expect(readConfig({ ...env, XINHAN_ROLE: 'worker', XINHAN_POOL: '40' })).toMatchObject({ role: 'worker', pool: 40 })
    expect(() => readConfig({ XINHAN_ROLE: 'web' })).toThrow('set DATABASE_URL')
    expect(() => readConfig({ ...env, XINHAN_POOL: '3' })).toThrow('XINHAN_POOL: a number from 4 to 200')
  })

  it('answers probes and no calls as a worker', async () => {
    const worker = await startWorld({ role: 'worker' })
    try {
      await worker.product.start({ sole: false })
      const get = async (url: string) => (await worker.product.app.inject({ method: 'GET', url })).statusCode
      expect([await get('/readyz'), await get('/metrics'), await get('/api/index/getTimeInfo')]).toEqual([200, 200, 404])
    } finally {
      await worker.close()
    }
  })
})
