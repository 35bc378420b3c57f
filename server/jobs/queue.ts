/**
 * Jobs, on pg-boss in the same database. A job is inserted by the transaction that requires it. Every job must be
 * idempotent, and states in a comment why it is. One job per batch or export, never one per payslip: the fine
 * granularity is in the delivery ledger.
 */
import { channel } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Secrets } from '../crypto/secrets.ts'
import { createJobExecutor, type Database, type Tx } from '../database/database.ts'
import { job_schema } from '../database/job-tables.ts'
import { type NoTransaction, noTransaction } from '../database/no-transaction.ts'
import type { Log } from '../observability/log.ts'
import { repairFutureJobs, repairIntervalMs } from './clock-repair.ts'

export type JobContext = {
  /** A job starts without an open transaction. */
  readonly noTransaction: NoTransaction
  readonly signal: AbortSignal
  /** How often this job was started before; 0 the first time. */
  readonly retryCount: number
}
export type JobHandler = (data: never, ctx: JobContext) => Promise<void>
export type JobOptions = {
  start_after?: Date
  /** An id chosen by the caller: a job with this id, done or not, is not inserted again. */
  id?: string
}
export type JobLimits = {
  /**
   * A job that runs longer is presumed dead and is given to another worker. This is therefore how long a message waits
   * after its node has died.
   */
  timeoutSeconds?: number
  /** Number of retries, with exponential backoff. */
  retries?: number
  /**
   * Number of concurrent jobs per node, one by default. A higher number suits jobs that mostly wait for an external
   * service.
   */
  concurrency?: number
}

export type RestoredJob = { readonly id: string; readonly name: string; readonly data: object; readonly start_after: Date }

export type JobQueue = {
  /** Registers the function of a job. Must be called before `initialize`. */
  register<T extends Record<string, unknown>>(
    name: string,
    run: (data: T, ctx: JobContext) => Promise<void>,
    limits?: JobLimits,
  ): void
  /**
   * Registers a scheduled job; `cron` is in Shanghai time. It is sent once for several nodes. Times missed while no
   * node was running are made up for by a single job as soon as one runs, at whatever hour.
   */
  schedule(name: string, cron: string, run: (ctx: JobContext) => Promise<void>): void
  /** Starts the queue after all jobs are registered and before any is sent: no transaction ever has to wait for it. */
  initialize(): Promise<void>
  /** Inserts a job in the caller's transaction. */
  send(tx: Tx, name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void>
  /** Inserts a pending job of a restored backup, whose payload is already encrypted. Jobs that no longer exist are dropped. */
  restore(tx: Tx, job: RestoredJob): Promise<void>
  /** Whether this job is done, on whichever node. */
  isDone(name: string, id: string): Promise<boolean>
  /** Statistics of each queue for operators: counts, never the contents. */
  getQueueStats(tx: Tx): Promise<QueueStats[]>
  /** Starts the workers. */
  start(): Promise<void>
  /**
   * Wakes the workers of this queue on this node instead of waiting for the next poll: for a job that has just been
   * committed.
   */
  wake(name: string): void
  /** Stops taking jobs and waits for the running ones. */
  stop(): Promise<void>
  /** Runs all due jobs until there are none, for tests. */
  drain(now?: Date): Promise<number>
}

export type QueueStats = {
  readonly name: string
  readonly waiting: number
  readonly active: number
  readonly failed: number
  /** How long the oldest due job has waited. */
  readonly oldest_s: number
}

type QueueLog = Pick<Log, 'error' | 'warn'>

const typical_expire_s = 120
const typical_retries = 20
const retry_delay_s = 5
const nilUuid = '00000000-0000-0000-0000-000000000000'

/**
 * The queue stores the error of a failed job (message, stack and all fields) unencrypted, and database errors quote
 * rows. The details are in the log, which is scrubbed; the queue gets only the kind of error.
 */
function redactError(error: unknown): Error {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` ${error.code.slice(0, 40)}` : ''
  return new Error(`${error instanceof Error ? error.name : 'error'}${code}`)
}

/** Each run of a job that failed, for the metrics. */
const failureEvents = channel('xinhan:job-failure')

const logAndRethrow = (log: QueueLog, job: string) => (error: unknown) => {
  log.error({ err: error, job }, 'a job failed')
  failureEvents.publish({ job })
  throw redactError(error)
}

/** Encrypts job payloads: they contain phones and message texts, and the queue stores them for days. */
function createPayloadSealer(secrets: Pick<Secrets, 'seal' | 'open'>) {
  const getJobPosition = (name: string) => ({ table: 'pgboss.job', row: name, column: 'data' })
  return {
    close: (name: string, data: Record<string, unknown>) => ({
      sealed: secrets.seal(getJobPosition(name), Buffer.from(JSON.stringify(data))).toString('base64'),
    }),
    /** Scheduled jobs, and jobs from before encryption, are not encrypted. */
    open: (name: string, data: object | null): object => {
      const sealed = data && 'sealed' in data ? data.sealed : null
      if (typeof sealed !== 'string') return data ?? {}
      const opened: object = JSON.parse(secrets.open(getJobPosition(name), Buffer.from(sealed, 'base64')).toString('utf8'))
      return opened
    },
  }
}

/** How often the due queues are polled while this process has work. */
const pollIntervalMs = 500
/** How often otherwise: a job that another server has sent waits this long at most. */
const idlePollIntervalMs = 4_000
/** After a job was sent: its transaction may commit later. */
const busyMs = 15_000
/**
 * After a due job was found: a queue with more jobs is found again, and what a job sends counts as sent. Scheduled jobs
 * that find nothing to do would otherwise keep an idle server busy for a quarter of every minute.
 */
const dueBusyMs = 2_000
/** Timeout of such a poll. */
const pollTimeoutMs = 5_000
/**
 * Workers are woken by the poll (`pollIntervalMs`); their own polling is only a fallback when polls have failed for
 * long.
 */
const workerOptions = { pollingIntervalSeconds: 300, batchSize: 1, includeMetadata: true } as const

type RunJob = (name: string, data: object, tried: number) => Promise<void>

/** Starts the workers of this queue, as many as may run concurrently; returns their ids, by which each can be woken. */
const startWorkers = (boss: PgBoss, name: string, { concurrency = 1 }: JobLimits, run: RunJob): Promise<string[]> =>
  Promise.all(
    Array.from({ length: concurrency }, () =>
      boss.work<object>(name, workerOptions, async ([job]) => {
        if (job) await run(name, job.data, job.retryCount)
      }),
    ),
  )

/**
 * Finds which of these queues have due jobs: one query, where otherwise each of forty would be polled twice a second.
 * It uses the condition of a worker's fetch, including `not blocked`, to match the library's index of waiting jobs:
 * completed jobs of the last week are not scanned.
 */
async function findDueQueues({ pool }: Pick<Database, 'pool'>, names: readonly string[]): Promise<string[]> {
  const text = `select name from unnest($1::text[]) with ordinality as queue (name, place)
    where exists (select from ${job_schema}.job
      where job.name = queue.name and state < 'active' and not blocked and start_after <= ${job_schema}.job_now())
    order by place`
  // A silently lost connection must not block all queues: it is closed, and the next poll gets another one.
  const question = { text, values: [names], query_timeout: pollTimeoutMs }
  const { rows } = await pool.query<{ name: string }>(question)
  return rows.map(({ name }) => name)
}

/** When this process last sent or found a job, or expects one that it has sent for later. */
class QueueActivity {
  #busyUntil = Number.NEGATIVE_INFINITY
  readonly #expected = new Set<number>()

  note(duration_ms: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, performance.now() + duration_ms)
  }
  /** A job becomes due at this time of `performance.now()`. */
  expect(at: number): void {
    if (this.#expected.size < maxExpectedJobs) this.#expected.add(at)
  }
  getPollInterval(now = performance.now()): number {
    let next = Number.POSITIVE_INFINITY
    for (const at of this.#expected) {
      if (at <= now) {
        this.#expected.delete(at)
        this.#busyUntil = Math.max(this.#busyUntil, at + busyMs)
      } else next = Math.min(next, at)
    }
    return now < this.#busyUntil ? pollIntervalMs : Math.min(idlePollIntervalMs, Math.max(1, next - now))
  }
}
const maxExpectedJobs = 1_000

/** Polls until the signal aborts: quickly while there is work, otherwise rarely. */
async function pollQueues(
  view: () => Promise<void>,
  activity: QueueActivity,
  { signal, log }: { readonly signal: AbortSignal; readonly log: QueueLog },
): Promise<void> {
  while (!signal.aborted) {
    await view().catch((error) => log.error({ err: error }, 'job queue'))
    const until = performance.now() + activity.getPollInterval()
    // A job that is sent meanwhile shortens the wait.
    for (let left = until - performance.now(); left > 0 && !signal.aborted; left = until - performance.now()) {
      await sleep(Math.min(left, pollIntervalMs), undefined, { signal }).catch(() => undefined)
      if (activity.getPollInterval() <= pollIntervalMs) break
    }
  }
}

/**
 * Runs due jobs one by one as a worker fetches them, until there are none; fetching several at once has no defined
 * order. Returns their number.
 */
async function runDue(boss: PgBoss, due: () => Promise<string[]>, run: RunJob): Promise<number> {
  const next = async (name: string) => (await boss.fetch<object>(name, { batchSize: 1, includeMetadata: true }))[0]
  let done = 0
  for (let before = -1; before < done; ) {
    before = done
    for (const name of await due()) {
      for (let job = await next(name); job; job = await next(name)) {
        done += 1
        try {
          await run(name, job.data, job.retryCount)
          await boss.complete(name, job.id)
        } catch (error) {
          await boss.fail(name, job.id, { message: redactError(error).message })
          throw error
        }
      }
    }
  }
  return done
}

async function readQueueStats(tx: Tx, names: readonly string[]): Promise<QueueStats[]> {
  const isWaiting = sql`state in ('created', 'retry')`
  const { rows } = await sql<QueueStats>`
    select name, (count(*) filter (where ${isWaiting}))::int as waiting, (count(*) filter (where state = 'active'))::int as active,
      (count(*) filter (where state = 'failed'))::int as failed,
      coalesce(extract(epoch from now() - min(start_after) filter (where ${isWaiting} and start_after <= now())), 0)::int as oldest_s
    from ${sql.table(`${job_schema}.job`)} where name = any(${[...names]}::text[]) group by name
    having count(*) filter (where state <> 'completed') > 0 order by name`.execute(tx)
  return rows
}

/** Creates pg-boss on the application's own connections; its tables are created with the others. */
function createBoss({ pool }: Pick<Database, 'pool'>, log: QueueLog): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: async (text: string, values?: unknown[]) => pool.query(text, values) },
    schema: job_schema,
    migrate: false,
    createSchema: false,
    reindex: false,
    // Jobs of a dead process are found half a minute after they expired; at a start the sender resumes its own work at
    // once.
    superviseIntervalSeconds: 30,
    monitorIntervalSeconds: 30,
    // Scheduled jobs run once a day or hour, and no job waits for another: seconds do not matter, statements do.
    cronWorkerIntervalSeconds: 30,
    flowIntervalSeconds: 60,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  return boss
}

/**
 * A delay by the database's clock, by which the queue finds due jobs: an instant by this server's clock would be another
 * one where the two differ.
 */
function toStartDelay(start_after: Date): { startAfter?: number } {
  const seconds = (start_after.getTime() - Date.now()) / 1000
  return seconds > 0 ? { startAfter: seconds } : {}
}

export function createJobQueue(database: Database, secrets: Pick<Secrets, 'seal' | 'open'>, log: QueueLog): JobQueue {
  const envelope = createPayloadSealer(secrets)
  const handlers = new Map<string, { run: JobHandler; limits: JobLimits }>()
  const dailies = new Map<string, string>()
  const workers = new Map<string, string[]>()
  const boss = createBoss(database, log)
  const stopping = new AbortController()
  const activity = new QueueActivity()
  const wake = (name: string) => {
    for (const worker of workers.get(name) ?? []) boss.notifyWorker(worker)
  }
  let looking: Promise<void> | null = null
  let started: Promise<void> | null = null
  const begin = () =>
    (started ??= (async () => {
      await boss.start()
      const queues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
      for (const [name, { limits }] of handlers) {
        const { timeoutSeconds = typical_expire_s, retries = typical_retries } = limits
        const requested = { retryLimit: retries, retryDelay: retry_delay_s, retryBackoff: true, expireInSeconds: timeoutSeconds }
        const queue = queues.get(name)
        if (!queue) await boss.createQueue(name, requested)
        else if (queue.expireInSeconds !== timeoutSeconds || queue.retryLimit !== retries) await boss.updateQueue(name, requested)
        // pg-boss loads a queue at its first use on a separate connection; this is done here, where no transaction
        // waits for it.
        await boss.getJobById(name, nilUuid)
      }
    })())

  const run: RunJob = async (name, data, tried) => {
    const handler = handlers.get(name)
    if (!handler) throw new Error(`no such job: ${name}`)
    await handler.run(envelope.open(name, data) as never, {
      noTransaction,
      signal: stopping.signal,
      retryCount: tried,
    })
  }

  return {
    register(name, handler, limits = {}) {
      handlers.set(name, { run: handler, limits })
    },
    schedule(name, cron, handler) {
      handlers.set(name, { run: (_, context) => handler(context), limits: {} })
      dailies.set(name, cron)
    },
    initialize: begin,
    async send(tx, name, data, options = {}) {
      // Otherwise the queue would start on separate connections while the caller's transaction holds one: a deadlock
      // with a full pool.
      if (!started) throw new Error('the queue was not prepared')
      await started
      if (!handlers.has(name)) throw new Error(`no such job: ${name}`)
      const { startAfter = 0 } = options.start_after ? toStartDelay(options.start_after) : {}
      if (startAfter > 0) activity.expect(performance.now() + startAfter * 1000)
      else activity.note(busyMs)
      await boss.send(name, envelope.close(name, data), {
        db: createJobExecutor(tx),
        ...(options.start_after ? toStartDelay(options.start_after) : {}),
        ...(options.id ? { id: options.id } : {}),
      })
    },
    async restore(tx, { id, name, data, start_after }) {
      await started
      if (handlers.has(name)) await boss.send(name, data, { db: createJobExecutor(tx), id, ...toStartDelay(start_after) })
    },
    isDone: async (name, id) => (await boss.getJobById(name, id))?.state === 'completed',
    getQueueStats: (tx) => readQueueStats(tx, [...handlers.keys()]),
    async start() {
      await begin()
      for (const [name, cron] of dailies) await boss.schedule(name, cron, {}, { tz: 'Asia/Shanghai', missed: 'once' })
      for (const [name, { limits }] of handlers)
        workers.set(name, await startWorkers(boss, name, limits, (...job) => run(...job).catch(logAndRethrow(log, name))))
      let repairedAt = Number.NEGATIVE_INFINITY
      const poll = async () => {
        if (performance.now() - repairedAt > repairIntervalMs) {
          repairedAt = performance.now()
          await repairFutureJobs(database, log)
        }
        const due = await findDueQueues(database, [...workers.keys()])
        if (due.length > 0) activity.note(dueBusyMs)
        due.forEach(wake)
      }
      looking ??= pollQueues(poll, activity, { signal: stopping.signal, log })
    },
    wake,
    async stop() {
      stopping.abort()
      await started
      await Promise.all([looking, started ? boss.stop({ graceful: true, timeout: 5000 }) : null])
    },
    async drain() {
      await begin()
      return runDue(boss, () => findDueQueues(database, [...handlers.keys()]), run)
    },
  }
}
