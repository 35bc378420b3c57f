/**
 * Jobs, on pg-boss in the same database. A job is inserted by the transaction that makes it necessary. Every job must be harmless
 * when it is done twice, and says in a comment why. One job per batch or export, never one per slip: the fine grain is the ledger.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Secrets } from '../crypto/secrets.ts'
import { createJobExecutor, type Database, type Tx } from '../database/database.ts'
import { job_schema } from '../database/job-tables.ts'
import { type NoTransaction, noTransaction } from '../database/no-transaction.ts'

export type JobContext = {
  /** A job begins with no transaction open. */
  readonly noTransaction: NoTransaction
  readonly signal: AbortSignal
  /** How often this job was begun before; 0 the first time. */
  readonly retryCount: number
}
export type JobHandler = (data: never, ctx: JobContext) => Promise<void>
export type JobOptions = {
  start_after?: Date
  /** An id of the caller's own: a job that is there already, done or not, is not inserted again. */
  id?: string
}
export type JobLimits = {
  /** A job that runs longer is taken for dead and given to somebody else: so long, a message waits after its node has died. */
  timeoutSeconds?: number
  /** Tries after the first one, further and further apart. */
  retries?: number
  /** So many of them run side by side on a node; one unless told: for jobs that mostly wait for somebody outside. */
  concurrency?: number
}

export type JobQueue = {
  /** Declares what a job does. Before `prepare`. */
  register<T extends Record<string, unknown>>(
    name: string,
    run: (data: T, ctx: JobContext) => Promise<void>,
    limits?: JobLimits,
  ): void
  /**
   * Declares a job that the clock sends: `cron` in Shanghai's time. Several nodes send it once. A time that passed while no node ran
   * is made up for by one job as soon as there is one, at whatever hour that is.
   */
  schedule(name: string, cron: string, run: (ctx: JobContext) => Promise<void>): void
  /** Starts the queue, after all is declared and before anything is sent: no transaction ever has to wait for it. */
  initialize(): Promise<void>
  /** Inserts a job with the caller's transaction. */
  send(tx: Tx, name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void>
  /** Whether this job was done, by whatever node. */
  isDone(name: string, id: string): Promise<boolean>
  /** How each queue stands, for whoever runs the server: how many, never what is in them. */
  getQueueStats(tx: Tx): Promise<QueueStats[]>
  /** Begins to work. */
  start(): Promise<void>
  /** Whoever works off this queue here looks at it now, not when it next would: for a job that has just been committed. */
  wake(name: string): void
  /** Stops taking jobs and waits for those under way. */
  stop(): Promise<void>
  /** Tests: runs everything that is due, until nothing is. */
  drain(now?: Date): Promise<number>
}

export type QueueStats = {
  readonly name: string
  readonly waiting: number
  readonly active: number
  readonly failed: number
  /** How long the oldest one that is due has waited. */
  readonly oldest_s: number
}

type QueueLog = { error(about: object, message: string): void }

const typical_expire_s = 120
const typical_retries = 20
const retry_delay_s = 5
const nilUuid = '00000000-0000-0000-0000-000000000000'

/**
 * The queue keeps what a failed job threw, message, stack and all fields, in the clear; the database's errors quote rows. What went wrong stands
 * in the log, which is scrubbed; here only its kind.
 */
function redactError(error: unknown): Error {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` ${error.code.slice(0, 40)}` : ''
  return new Error(`${error instanceof Error ? error.name : 'error'}${code}`)
}

const logAndRethrow = (log: QueueLog, job: string) => (error: unknown) => {
  log.error({ err: error, job }, 'a job failed')
  throw redactError(error)
}

/** What a job is told holds phones and the words of messages: the queue keeps it for days, so it is sealed there. */
function createPayloadSealer(secrets: Pick<Secrets, 'seal' | 'open'>) {
  const positionOf = (name: string) => ({ table: 'pgboss.job', row: name, column: 'data' })
  return {
    close: (name: string, data: Record<string, unknown>) => ({
      sealed: secrets.seal(positionOf(name), Buffer.from(JSON.stringify(data))).toString('base64'),
    }),
    /** Jobs that the clock sends, and those of a time before, stand there as they are. */
    open: (name: string, data: object | null): object => {
      const sealed = data && 'sealed' in data ? data.sealed : null
      if (typeof sealed !== 'string') return data ?? {}
      const opened: object = JSON.parse(secrets.open(positionOf(name), Buffer.from(sealed, 'base64')).toString('utf8'))
      return opened
    },
  }
}

/** How often it is asked which queues have work. */
const pollIntervalMs = 500
/** How long such a question may be without an answer. */
const pollTimeoutMs = 5_000
/** Whoever works off a queue is woken (`pollIntervalMs`); by himself he looks only in case nobody could ask for long. */
const workerOptions = { pollingIntervalSeconds: 30, batchSize: 1, includeMetadata: true } as const

type RunJob = (name: string, data: object, tried: number) => Promise<void>

/** Answers who works off this queue here: as many as may at once, each of whom can be woken. */
const startWorkers = (boss: PgBoss, name: string, { concurrency = 1 }: JobLimits, run: RunJob): Promise<string[]> =>
  Promise.all(
    Array.from({ length: concurrency }, () =>
      boss.work<object>(name, workerOptions, async ([job]) => {
        if (job) await run(name, job.data, job.retryCount)
      }),
    ),
  )

/**
 * Of these queues those in which something is due: one question, where each of forty would be asked for a job twice a second. It asks as a worker asks for
 * his job, `not blocked` too, which is what the library's index of waiting jobs is of: what has been done for a week is not looked through.
 */
async function findDueQueues({ pool }: Pick<Database, 'pool'>, names: readonly string[]): Promise<string[]> {
  const text = `select name from unnest($1::text[]) with ordinality as queue (name, place)
    where exists (select from ${job_schema}.job
      where job.name = queue.name and state < 'active' and not blocked and start_after <= ${job_schema}.job_now())
    order by place`
  // A connection that was lost without a word must not keep all queues waiting: it is closed, and the next look has another one.
  const question = { text, values: [names], query_timeout: pollTimeoutMs }
  const { rows } = await pool.query<{ name: string }>(question)
  return rows.map(({ name }) => name)
}

/** Twice a second, until it stops. */
async function pollQueues(view: () => Promise<void>, signal: AbortSignal, log: QueueLog): Promise<void> {
  while (!signal.aborted) {
    await view().catch((error) => log.error({ err: error }, 'job queue'))
    await sleep(pollIntervalMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Runs what is due until nothing is, one by one as a worker takes them: of several the queue answers in any order. Answers how many. */
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

/** The queue on the application's own connections; its tables are made with the others. */
function createBoss({ pool }: Pick<Database, 'pool'>, log: QueueLog): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: async (text: string, values?: unknown[]) => pool.query(text, values) },
    schema: job_schema,
    migrate: false,
    createSchema: false,
    reindex: false,
    // What died with its process is found half a minute after it expired; at a start the sender resumes at once by itself.
    superviseIntervalSeconds: 30,
    monitorIntervalSeconds: 30,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  return boss
}

export function createJobQueue(database: Database, secrets: Pick<Secrets, 'seal' | 'open'>, log: QueueLog): JobQueue {
  const envelope = createPayloadSealer(secrets)
  const handlers = new Map<string, { run: JobHandler; limits: JobLimits }>()
  const dailies = new Map<string, string>()
  const workers = new Map<string, string[]>()
  const boss = createBoss(database, log)
  const stopping = new AbortController()
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
        // pg-boss learns a queue by its first use, on a connection of its own: here, where no transaction waits for one.
        await boss.getJobById(name, nilUuid)
      }
    })())

  const run: RunJob = async (name, data, tried) => {
    const handler = handlers.get(name)
    if (!handler) throw new Error(`no such job: ${name}`)
    await handler.run(envelope.open(name, data) as never, {
      noTransaction: noTransaction,
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
      // The queue would start on connections of its own while the caller's transaction holds one: with a full pool for ever.
      if (!started) throw new Error('the queue was not prepared')
      await started
      if (!handlers.has(name)) throw new Error(`no such job: ${name}`)
      await boss.send(name, envelope.close(name, data), {
        db: createJobExecutor(tx),
        ...(options.start_after ? { startAfter: options.start_after } : {}),
        ...(options.id ? { id: options.id } : {}),
      })
    },
    isDone: async (name, id) => (await boss.getJobById(name, id))?.state === 'completed',
    getQueueStats: (tx) => readQueueStats(tx, [...handlers.keys()]),
    async start() {
      await begin()
      for (const [name, cron] of dailies) await boss.schedule(name, cron, {}, { tz: 'Asia/Shanghai', missed: 'once' })
      for (const [name, { limits }] of handlers)
        workers.set(name, await startWorkers(boss, name, limits, (...job) => run(...job).catch(logAndRethrow(log, name))))
      looking ??= pollQueues(async () => (await findDueQueues(database, [...workers.keys()])).forEach(wake), stopping.signal, log)
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
