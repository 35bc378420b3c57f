/**
 * Jobs, on pg-boss in the same database. A job is inserted by the transaction that makes it necessary. Every job must be harmless
 * when it is done twice, and says in a comment why. One job per batch or export, never one per slip: the fine grain is the ledger.
 */
import { PgBoss } from 'pg-boss'
import { type Database, executorOf, type Tx } from './db.ts'
import { job_schema } from './job-tables.ts'

export type JobContext = { readonly signal: AbortSignal }
export type JobHandler = (data: never, ctx: JobContext) => Promise<void>
export type JobOptions = { start_after?: Date; singleton?: string }

export type Jobs = {
  /** Declares what a job does. Before `start`. */
  on<T extends Record<string, unknown>>(name: string, run: (data: T, ctx: JobContext) => Promise<void>): void
  /** Inserts a job with the caller's transaction. `singleton`: at most one waiting job of that key. */
  send(tx: Tx, name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void>
  /** Begins to work. */
  start(): Promise<void>
  /** Stops taking jobs and waits for those under way. */
  stop(): Promise<void>
  /** Tests: runs everything that is due, until nothing is. */
  drain(now?: Date): Promise<number>
}

export function openJobs(database: Database, log: { error(about: object, message: string): void }): Jobs {
  const handlers = new Map<string, JobHandler>()
  const boss = new PgBoss({
    db: { executeSql: async (text: string, values?: unknown[]) => database.pool.query(text, values) },
    schema: job_schema,
    migrate: false,
    createSchema: false,
    reindex: false,
    schedule: false,
    // What died with its process is taken up again within a minute; at a start the sender resumes at once by itself.
    superviseIntervalSeconds: 30,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  const stopping = new AbortController()
  let begun: Promise<void> | null = null
  const begin = () =>
    (begun ??= (async () => {
      await boss.start()
      for (const name of handlers.keys()) {
        if (!(await boss.getQueue(name)))
          await boss.createQueue(name, { retryLimit: 20, retryDelay: 5, retryBackoff: true, expireInSeconds: 900 })
      }
    })())

  const run = async (name: string, data: object): Promise<void> => {
    const handler = handlers.get(name)
    if (!handler) throw new Error(`no such job: ${name}`)
    await handler(data as never, { signal: stopping.signal })
  }

  return {
    on(name, handler) {
      handlers.set(name, handler as JobHandler)
    },
    async send(tx, name, data, options = {}) {
      await begin()
      await boss.send(name, data, {
        db: executorOf(tx),
        ...(options.start_after ? { startAfter: options.start_after } : {}),
        ...(options.singleton ? { singletonKey: options.singleton } : {}),
      })
    },
    async start() {
      await begin()
      for (const name of handlers.keys()) {
        await boss.work(name, { pollingIntervalSeconds: 0.5, batchSize: 1 }, async ([job]) => {
          if (job) await run(name, job.data as object)
        })
      }
    },
    async stop() {
      stopping.abort()
      if (begun) {
        await begun
        await boss.stop({ graceful: true, timeout: 5000 })
      }
    },
    async drain() {
      await begin()
      let done = 0
      for (let found = true; found; ) {
        found = false
        for (const name of handlers.keys()) {
          for (const job of await boss.fetch(name, { batchSize: 50 })) {
            found = true
            done += 1
            try {
              await run(name, job.data as object)
              await boss.complete(name, job.id)
            } catch (error) {
              await boss.fail(name, job.id, { message: String(error) })
              throw error
            }
          }
        }
      }
      return done
    },
  }
}
