/**
 * The job queue: jobs are sent within the caller's transaction and on no other connection, once per id, and on
 * schedule.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import type { Database } from '../../../server/database/database.ts'
import { createJobQueue, type JobQueue } from '../../../server/jobs/queue.ts'
import { newId } from '../../../server/shared/ids.ts'
import { openFreshDatabase } from '../../support/run/database.ts'

const log = { error: () => undefined, warn: () => undefined }
const secrets = createSecrets(Buffer.alloc(32, 7))
const open: { database: Database; jobs: JobQueue[] }[] = []
async function room(max = 4) {
  const one = { database: await openFreshDatabase({ max }), jobs: [] as JobQueue[] }
  open.push(one)
  return {
    database: one.database,
    queue() {
      const jobs = createJobQueue(one.database, secrets, log)
      one.jobs.push(jobs)
      return jobs
    },
  }
}
afterEach(async () => {
  for (const { database, jobs } of open.splice(0)) {
    for (const one of jobs) await one.stop()
    await database.close()
  }
})
const rows = async (database: Database, text: string) => (await database.pool.query(text)).rows

test('sends no job before the queue is prepared or without a handler', async () => {
  const { database, queue } = await room()
  const jobs = queue()
  jobs.register('known', async () => undefined)
  await expect(database.withoutCompany((tx) => jobs.send(tx, 'known', {}))).rejects.toThrow('prepared')
  await jobs.initialize()
  await expect(database.withoutCompany((tx) => jobs.send(tx, 'unknown', {}))).rejects.toThrow('no such job')
})

test('sends a job from a transaction with a single connection', async () => {
  const { database, queue } = await room(1)
  const jobs = queue()
  const done: unknown[] = []
  jobs.register<{ number: number }>('known', async ({ number }) => void done.push(number))
  await jobs.initialize()
  await database.withoutCompany((tx) => jobs.send(tx, 'known', { number: 1 }))
  await database
    .withoutCompany(async (tx) => {
      await jobs.send(tx, 'known', { number: 2 })
      throw new Error('rolled back')
    })
    .catch(() => undefined)
  await jobs.drain()
  expect(done).toEqual([1])
})

test('queues a job with its own id once, even after it was done', async () => {
  const { database, queue } = await room()
  const jobs = queue()
  let count = 0
  jobs.register('once', async () => void (count += 1))
  await jobs.initialize()
  const id = newId()
  const send = () => database.withoutCompany((tx) => jobs.send(tx, 'once', {}, { id }))
  await Promise.all([send(), send()])
  await jobs.drain()
  await send()
  await jobs.drain()
  expect(count).toBe(1)
})

test("detects a dead node after two minutes or after the job's limit, and applies a changed limit to an existing queue", async () => {
  const { database, queue } = await room()
  const first = queue()
  first.register('usual', async () => undefined)
  first.register('long', async () => undefined, { timeoutSeconds: 900 })
  await first.initialize()
  const limits = () =>
    rows(database, `select name, expire_seconds, retry_limit from pgboss.queue where name in ('usual', 'long') order by name`)
  expect(await limits()).toEqual([
    { name: 'long', expire_seconds: 900, retry_limit: 20 },
    { name: 'usual', expire_seconds: 120, retry_limit: 20 },
  ])
  const next = queue()
  next.register('usual', async () => undefined, { retries: 8 })
  next.register('long', async () => undefined, { timeoutSeconds: 300 })
  await next.initialize()
  expect(await limits()).toEqual([
    { name: 'long', expire_seconds: 300, retry_limit: 20 },
    { name: 'usual', expire_seconds: 120, retry_limit: 8 },
  ])
})

test('schedules a daily job once, in Shanghai time, however many nodes start', async () => {
  const { database, queue } = await room()
  const nodes = [queue(), queue()]
  let count = 0
  for (const jobs of nodes) jobs.schedule('morning', '30 9 * * *', async () => void (count += 1))
  // A server that only answers requests, or a test, has no schedule.
  for (const jobs of nodes) await jobs.initialize()
  expect(await rows(database, 'select name from pgboss.schedule')).toEqual([])
  for (const jobs of nodes) await jobs.start()
  expect(await rows(database, 'select name, cron, timezone from pgboss.schedule')).toEqual([
    { name: 'morning', cron: '30 9 * * *', timezone: 'Asia/Shanghai' },
  ])
  expect(count).toBe(0)
})

test('finds its jobs, schedules and own tasks again after the clock of the database was set back', async () => {
  const { database, queue } = await room()
  const jobs = queue()
  const started = Promise.withResolvers<void>()
  jobs.register('waits', async () => started.resolve())
  await jobs.initialize()
  await database.withoutCompany((tx) => jobs.send(tx, 'waits', {}))
  const tasks = ['monitor_on', 'monitor_claim_on', 'maintain_on']
  for (const text of [
    `update pgboss.job set created_on = created_on + interval '1 day', start_after = start_after + interval '1 day'`,
    `update pgboss.version set cron_on = now() + interval '1 day'`,
    `update pgboss.queue set ${tasks.map((column) => `${column} = now() + interval '1 day'`).join(', ')}`,
  ])
    await database.pool.query(text)
  await jobs.start()
  await started.promise
  const latest = `select extract(epoch from greatest((select max(cron_on) from pgboss.version), ${tasks.map((column) => `max(${column})`).join(', ')})
    - now())::float as due_in_s from pgboss.queue`
  await expect.poll(async () => (await rows(database, latest))[0]?.due_in_s, { timeout: 60_000 }).toBeLessThan(3_600)
})

test('stores the error of a failed job without its text and without rows quoted by the database', async () => {
  const { database, queue } = await room()
  const jobs = queue()
  const tried: (() => void)[] = []
  const failed = new Promise<void>((resolve) => tried.push(resolve))
  jobs.register('breaks', async () => {
    setImmediate(() => tried[0]?.())
    throw Object.assign(new Error('Kanarienvogel 77313.37'), { code: '23505', detail: 'Failing row contains (Kanarienvogel).' })
  })
  await jobs.initialize()
  await database.withoutCompany((tx) => jobs.send(tx, 'breaks', {}))
  await jobs.start()
  await failed
  const loadStored = async () => rows(database, `select state, output::text as output from pgboss.job where name = 'breaks'`)
  await expect.poll(loadStored, { timeout: 60_000 }).toMatchObject([{ state: 'retry', output: expect.stringContaining('23505') }])
  expect(JSON.stringify(await rows(database, 'select j::text as line from pgboss.job as j'))).not.toMatch(/Kanarienvogel|77313/)
})

test('stores job data encrypted in the queue, before and after the job', async () => {
  const { database, queue } = await room()
  const jobs = queue()
  const heard: string[] = []
  jobs.register<{ labels: string }>('known', async ({ labels }) => void heard.push(labels))
  await jobs.initialize()
  const loadStored = () => rows(database, `select data::text from pgboss.job where name = 'known'`)
  await database.withoutCompany((tx) => jobs.send(tx, 'known', { labels: '夜莺的奖金' }))
  const [waiting] = await loadStored()
  expect(waiting?.data).toContain('sealed')
  await jobs.drain()
  expect(heard).toEqual(['夜莺的奖金'])
  for (const { data } of [waiting, ...(await loadStored())]) expect(data).not.toContain('夜莺')
})

test('polls idle queues with one query twice a second in total, and wakes only the workers of a queue with jobs', async () => {
  const { database, queue } = await room(8)
  const jobs = queue()
  for (let at = 0; at < 20; at += 1) jobs.register(`idle_${at}`, async () => undefined)
  let merged = 0
  const { promise: both, resolve } = Promise.withResolvers<void>()
  const meet = async () => {
    merged += 1
    if (merged === 2) resolve()
    await both
  }
  jobs.register('meets', meet, { concurrency: 2 })
  const requested: string[] = []
  const { query } = database.pool
  database.pool.query = ((...question: Parameters<typeof query>) => {
    requested.push(JSON.stringify(question))
    return query.apply(database.pool, question)
  }) as typeof query
  const matches = () => requested.filter((question) => question.includes('with ordinality as queue')).length
  // Counts queries of workers. The queue's own maintenance also names all queues, at times of its own.
  const ofWorkers = () => requested.filter((question) => /j\.name = 'idle_\d+'/.test(question)).length
  const began = performance.now()
  const seconds = (from: number) => (performance.now() - from) / 1_000
  /** Without a request, a worker polls once in half a minute, however slow the machine is in between. */
  const countIdlePolls = () => 20 * Math.floor(seconds(began) / 30)
  await jobs.start()
  // Each worker polls when it is started, which on a busy machine happens long after the start was answered.
  await expect.poll(ofWorkers).toBeGreaterThanOrEqual(20)
  const from = performance.now()
  requested.length = 0
  await sleep(2_000)
  expect(matches()).toBeGreaterThan(0)
  expect(matches()).toBeLessThanOrEqual(2 * seconds(from) + 1)
  expect(ofWorkers()).toBeLessThanOrEqual(countIdlePolls())
  const soon = new Date(Date.now() + 1_000)
  await database.withoutCompany(async (tx) => {
    await jobs.send(tx, 'meets', {})
    await jobs.send(tx, 'meets', {}, { start_after: soon })
  })
  await both
  // Only the workers of these two queues were woken.
  expect(ofWorkers()).toBeLessThanOrEqual(countIdlePolls())
  await expect
    .poll(() => rows(database, `select state from pgboss.job where name = 'meets'`), { timeout: 60_000 })
    .toEqual([{ state: 'completed' }, { state: 'completed' }])
})
