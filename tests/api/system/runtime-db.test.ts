import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PgBoss } from 'pg-boss'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { connectDatabase, createJobExecutor, type Database, type Tx } from '../../../server/database/database.ts'
import { job_schema } from '../../../server/database/job-tables.ts'
import { startPostgres } from '../../../server/database/postgres/start.ts'
import { noteDatabase, rows } from '../../support/data/notes.ts'
import { asOwner, openFreshDatabase } from '../../support/run/database.ts'
import { isFull, trial } from '../../support/run/trial.ts'

/* The database handle, with a small company table for the tests. */

const a = randomUUID()
const b = randomUUID()
const { folder, fresh, db, closing, open } = noteDatabase()
const owner = (text: string) => asOwner(fresh, (client) => client.query(text))
const write = (company_id: string) =>
  db.inCompany(company_id, (tx) => rows(tx, `insert into note (company_id, id) values ('${company_id}', '${randomUUID()}')`))
const patient = { timeout: 60_000, interval: 10 }
const alive = async (pid: number) => (await owner(`select 1 from pg_stat_activity where pid = ${pid}`)).rows.length > 0
const companies = (tx: Tx) =>
  rows<{ company_id: string }>(tx, 'select distinct company_id from note').then((matches) => matches.map((row) => row.company_id))

describe('company transaction', () => {
  beforeEach(async () => {
    await write(a)
    await write(b)
  })

  test('shows a company transaction its own rows only, even if the query has no condition', async () => {
    expect(await db.inCompany(a, companies)).toEqual([a])
    expect(await db.inCompany(b, companies)).toEqual([b])
    expect(await db.withoutCompany(companies)).toEqual([])
    expect(await db.asSystem(companies)).toEqual([])
    expect((await db.pool.query('select * from note')).rows).toEqual([])
  })

  test('writes and changes nothing of another company', async () => {
    await expect(db.inCompany(a, (tx) => rows(tx, `insert into note (company_id, id) values ('${b}', '${a}')`))).rejects.toThrow(
      /row-level security/,
    )
    await expect(db.inCompany(a, (tx) => rows(tx, `update note set company_id = '${b}'`))).rejects.toThrow(/row-level security/)
    expect(await db.inCompany(a, (tx) => rows(tx, `delete from note where company_id = '${b}' returning 1`))).toEqual([])
    expect(await db.inCompany(b, companies)).toEqual([b])
  })

  test('applies row-level security to the owner of the table as well', async () => {
    const { rows: matches } = await owner('select rolsuper from pg_roles where rolname = current_user')
    if (matches[0]?.rolsuper) return
    expect((await owner('select * from note')).rows).toEqual([])
  })

  test('lets a user read their own rows in every company and write none', async () => {
    const account_id = randomUUID()
    for (const company of [a, b])
      await db.inCompany(company, (tx) =>
        rows(tx, `insert into note (company_id, id, account_id) values ('${company}', '${randomUUID()}', '${account_id}')`),
      )
    await db.inCompany(a, (tx) =>
      rows(tx, `insert into note (company_id, id, mobile) values ('${a}', '${randomUUID()}', '13800000000')`),
    )
    expect(await db.asPerson({ account_id }, (tx) => rows(tx, 'select company_id from note order by 1'))).toEqual(
      [a, b].sort().map((company_id) => ({ company_id })),
    )
    expect(await db.asPerson({ mobile: '13800000000' }, companies)).toEqual([a])
    expect(await db.asPerson({ mobile: '13900000000' }, companies)).toEqual([])
    expect(await db.asPerson({ account_id }, (tx) => rows(tx, 'update note set fen = 1 returning 1'))).toEqual([])
  })

  test.each(['', 'x', `${a}' or true`, '%'])('requires an id, not %j', async (id) => {
    await expect(db.inCompany(id, companies)).rejects.toThrow(TypeError)
    await expect(db.asPerson({ account_id: id }, companies)).rejects.toThrow(TypeError)
  })

  test('rejects queries after the transaction has ended', async () => {
    let stored: Tx | undefined
    await db.inCompany(a, async (tx) => {
      stored = tx
    })
    await expect(companies(stored as Tx)).rejects.toThrow(/committed|released|completed/)
    await db
      .inCompany(a, async (tx) => Promise.reject(Object.assign(new Error('no'), { tx })))
      .catch(({ tx }) => {
        stored = tx as Tx
      })
    await expect(companies(stored as Tx)).rejects.toThrow(/rolled back|released|completed/)
  })

  const interleavings = { full: 10_000, sample: 300, of: 'transactions', goal: 'G4' }
  trial(
    'interleavings',
    'keeps random company transactions on one connection separate',
    interleavings,
    async ({ size, random }) => {
      const one = await open({ max: 1 })
      closing.push(one.close)
      const { pick } = random
      const ends = ['fine', 'fine', 'thrown', 'sql error', 'swallowed sql error', 'timeout', 'dies', 'unawaited'] as const
      const viewed: string[] = []
      const rotate = async (company: string | null) => {
        const end = pick(ends)
        const expected = company ? [company] : []
        const work = async (tx: Tx) => {
          if (JSON.stringify(await companies(tx)) !== JSON.stringify(expected)) viewed.push(`${company} before ${end}`)
          if (company) await rows(tx, `insert into note (company_id, id) values ('${company}', '${randomUUID()}')`)
          if (end === 'thrown') throw new Error('thrown')
          if (end === 'sql error') await rows(tx, 'select 1/0')
          if (end === 'swallowed sql error') await rows(tx, 'select 1/0').catch(() => undefined)
          if (end === 'timeout') await rows(tx, 'select pg_sleep(1)')
          if (end === 'dies' && random.chance(0.1)) await rows(tx, 'select pg_terminate_backend(pg_backend_pid())')
          if (end === 'unawaited')
            void companies(tx).then(
              (matches) => JSON.stringify(matches) !== JSON.stringify(expected) && viewed.push(`${company} unawaited`),
              () => undefined,
            )
          else if (end === 'fine' && JSON.stringify(await companies(tx)) !== JSON.stringify(expected))
            viewed.push(`${company} after`)
          return end
        }
        const options = end === 'timeout' ? { timeout_ms: 3 } : {}
        return company ? one.inCompany(company, work, options) : pick([one.withoutCompany, one.asSystem])(work, options)
      }
      for (let i = 0; i < size; i += 20) await Promise.allSettled(Array.from({ length: 20 }, () => rotate(pick([a, b, null]))))
      expect(viewed).toEqual([])
      // The raw connection has no company afterwards.
      expect((await one.pool.query('select * from note')).rows).toEqual([])
    },
  )
})

describe('transactions', () => {
  test('does not report success after a database error that the code swallowed', async () => {
    const lost = db.inCompany(a, async (tx) => {
      await rows(tx, `insert into note (company_id, id) values ('${a}', '${a}')`)
      await rows(tx, 'select 1/0').catch(() => undefined)
    })
    await expect(lost).rejects.toThrow(/rolled back/)
    expect(await db.inCompany(a, companies)).toEqual([])
  })

  test('limits a statement to 5 s, or to what the caller requests', async () => {
    const show = (tx: Tx) => rows(tx, `select current_setting('statement_timeout') as t`)
    expect(await db.withoutCompany(show)).toEqual([{ t: '5s' }])
    expect(await db.withoutCompany(show, { timeout_ms: 90_000 })).toEqual([{ t: '90s' }])
    expect(await db.withoutCompany(show)).toEqual([{ t: '5s' }])
    await expect(db.withoutCompany((tx) => rows(tx, 'select pg_sleep(2)'), { timeout_ms: 50 })).rejects.toThrow(
      /statement timeout/,
    )
    expect((await db.pool.query(`select current_setting('statement_timeout') as t`)).rows).toEqual([{ t: '0' }])
  })

  test('fails the transaction, not the process, when a connection dies between two statements', async () => {
    const dying = db.inCompany(a, async (tx) => {
      const [row] = await rows<{ pid: number }>(tx, 'select pg_backend_pid() as pid')
      await owner(`select pg_terminate_backend(${row?.pid})`)
      await vi.waitFor(async () => expect(await alive(row?.pid ?? 0)).toBe(false), patient)
      await companies(tx)
    })
    await expect(dying).rejects.toThrow()
    expect(await db.inCompany(a, companies)).toEqual([])
  })

  test('serves the next request after all connections were cut', async () => {
    await Promise.all([1, 2].map(() => db.withoutCompany((tx) => rows(tx, 'select pg_sleep(0.05)'))))
    await owner(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${fresh.name}' and pid <> pg_backend_pid()`,
    )
    await vi.waitFor(
      async () => expect(await db.withoutCompany((tx) => rows(tx, 'select 1 as one'))).toEqual([{ one: 1 }]),
      patient,
    )
    await expect.poll(() => db.isHealthy()).toBe(true)
  })

  test('returns columns with their declared types', async () => {
    const [row] = await db.withoutCompany((tx) =>
      rows(
        tx,
        `select 9007199254740991::bigint as fen, '2026-02-28'::date as on_day, '2026-02-28 23:59:59.5+08'::timestamptz as at, 1.10::numeric as rate, null::bigint as none`,
      ),
    )
    expect(row).toEqual({
      fen: 9007199254740991,
      on_day: '2026-02-28',
      at: new Date('2026-02-28T15:59:59.500Z'),
      rate: '1.10',
      none: null,
    })
    await expect(db.withoutCompany((tx) => rows(tx, 'select 9007199254740993::bigint as fen'))).rejects.toThrow(/2\^53/)
    await expect.poll(() => db.isHealthy()).toBe(true)
  })
})

describe('job queue permissions', () => {
  const queue = (on: Database = db) => {
    const boss = new PgBoss({
      db: { executeSql: (text, values) => on.pool.query(text, values) },
      schema: job_schema,
      migrate: false,
      createSchema: false,
      reindex: false,
    })
    boss.on('error', (error) => failures.push(error))
    closing.push(async () => boss.stop({ graceful: false }))
    return boss
  }
  const failures: Error[] = []

  test('requires only row access for the job queue at run time', async () => {
    // The pool must outlive the server.
    const own = await open()
    closing.push(own.close)
    const boss = await queue(own).start()
    await boss.createQueue('dead')
    await boss.createQueue('pay', { deadLetter: 'dead', retryLimit: 1 })
    await boss.updateQueue('pay', { retryLimit: 2 })
    const id = await boss.send('pay', { n: 1 })
    const [job] = await boss.fetch<{ n: number }>('pay')
    expect(job).toMatchObject({ id, data: { n: 1 } })
    await boss.complete('pay', job?.id as string)
    await boss.schedule('pay', '0 9 * * *', {}, { tz: 'Asia/Shanghai' })
    expect(await boss.getSchedules()).toHaveLength(1)
    await boss.supervise('pay')
    const done = new Promise(
      (resolve) => void boss.work('pay', { pollingIntervalSeconds: 0.5 }, async ([next]) => resolve(next?.data)),
    )
    await boss.send('pay', { n: 2 })
    expect(await done).toEqual({ n: 2 })
    await boss.offWork('pay')
    await boss.deleteQueuedJobs('pay')
    await boss.deleteQueue('pay')
    await expect(boss.createQueue('parted', { partition: true })).rejects.toThrow(/permission denied/)
    expect(failures).toEqual([])
    await boss.stop({ graceful: false })
  })

  test('creates a job only with its transaction', async () => {
    const boss = await queue().start()
    await boss.createQueue('pay')
    await db.inCompany(a, async (tx) => boss.send('pay', { n: 1 }, { db: createJobExecutor(tx) }))
    const failed = db.inCompany(a, async (tx) => {
      await boss.send('pay', { n: 2 }, { db: createJobExecutor(tx) })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await boss.fetch('pay', { batchSize: 10 })).toMatchObject([{ data: { n: 1 } }])
    await boss.stop({ graceful: false })
  })
})

const kills = { full: 30, sample: 2, of: 'kills', goal: 'G11' }
trial(
  'database-killed',
  'serves again without losing a commit when PostgreSQL is killed with -9 and restarted under load',
  kills,
  async ({ size, says }) => {
    const dir = mkdtempSync(join(tmpdir(), 'xinhan-restart-'))
    chmodSync(dir, 0o711)
    const server = await startPostgres({ dir: join(dir, 'postgres'), log: () => undefined })
    const own = await connectDatabase({ owner: server.owner, app_password: 'x', migrations: folder, max: 4 })
    let acknowledged = 0
    let longest = 0
    const ending = new AbortController()
    const client = async () => {
      for (let last = performance.now(); !ending.signal.aborted; ) {
        const answered = await own
          .inCompany(a, (tx) => rows(tx, `insert into note (company_id, id) values ('${a}', '${randomUUID()}')`))
          .then(
            () => true,
            () => false,
          )
        if (answered) {
          acknowledged += 1
          longest = Math.max(longest, performance.now() - last)
          last = performance.now()
        } else await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const clients = Array.from({ length: 8 }, client)
    const served = (more: number) => {
      const requested = acknowledged + more
      return vi.waitFor(() => expect(acknowledged).toBeGreaterThan(requested), { timeout: 120_000, interval: 20 })
    }
    const postmaster = () => Number(readFileSync(join(dir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
    await served(20)
    for (let round = 0; round < size; round += 1) {
      const killed = postmaster()
      process.kill(killed, 'SIGKILL')
      // PostgreSQL's child processes answer until they notice: the next kill comes when there is a new postmaster.
      await vi.waitFor(() => expect(postmaster()).not.toBe(killed), { timeout: 120_000, interval: 20 })
      await served(20)
    }
    ending.abort()
    await Promise.all(clients)
    const [count] = await own.inCompany(a, (tx) => rows<{ n: number }>(tx, 'select count(*)::int as n from note'))
    expect(count?.n).toBeGreaterThanOrEqual(acknowledged)
    says(`${acknowledged} committed; at most ${Math.round(longest)} ms without an answer`)
    // The goal is five seconds; times are measured only where the trial has the machine to itself.
    if (isFull) expect(longest).toBeLessThan(5_000)
    await own.close()
    await server.close()
    rmSync(dir, { recursive: true })
  },
)

test('opens the database of the product', async () => {
  const product = await openFreshDatabase()
  await expect.poll(() => product.isHealthy()).toBe(true)
  await product.close()
})
