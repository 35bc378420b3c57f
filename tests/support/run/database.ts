import { createHash, randomBytes } from 'node:crypto'
import { rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type PoolConfig } from 'pg'
import { connectDatabase, type Database, type DatabaseOptions, prepareDatabase } from '../../../server/database/database.ts'
import { EmbeddedPostgresUnavailableError } from '../../../server/database/postgres/binaries.ts'
import { dataLayout } from '../../../server/database/postgres/cluster.ts'
import { startPostgres } from '../../../server/database/postgres/start.ts'
import { LockedError } from '../../../server/shared/directory-lock.ts'
import { dropOnNodes, joinNodes, spreadTables, testNodes } from '../../scale/nodes.ts'

/*
 * Databases for tests: one server per run, one migrated template, a copy of it per test file (about 90 ms). The server
 * is embedded, or the one that DATABASE_URL names (its user must be allowed to create databases and roles).
 */

/** What a run shares with its test files. They may be other processes, so it is passed in the environment. */
type Shared = { owner: PoolConfig; role: string; app_password: string; prefix: string }

const variable = 'XINHAN_TEST_CLUSTER'

export type TestCluster = { owner: PoolConfig; close(): Promise<void> }

export type TestDatabase = {
  name: string
  /** Options for `connectDatabase`. */
  options: DatabaseOptions & { app_password: string; role: string }
  drop(): Promise<void>
}

/**
 * Starts the server of this test run and creates its template. For vitest's globalSetup (call `close` in its teardown)
 * or a single file's beforeAll. Within a run that already has one it returns that one, and `close` does nothing.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const running = process.env[variable]
  if (running) return { owner: (JSON.parse(running) as Shared).owner, close: async () => undefined }
  const server = process.env.DATABASE_URL ? external(process.env.DATABASE_URL) : await embedded()
  // Names are unique to a run, because an external server may serve several runs at once.
  const prefix = `xinhan_test_${randomBytes(4).toString('hex')}`
  // On an external server, this is not the product's own role, because creating it would change its password.
  const role = process.env.DATABASE_URL ? 'xinhan_test_app' : 'xinhan_app'
  const shared: Shared = { owner: server.owner, role, app_password: 'only-for-tests', prefix }
  await asOwner(shared, async (client) => {
    await client.query(`create database ${template(shared)}`)
  })
  await prepareDatabase(optionsFor(shared, template(shared)))
  process.env[variable] = JSON.stringify(shared)
  return {
    owner: server.owner,
    async close() {
      delete process.env[variable]
      await dropAll(shared, `${prefix}%`)
      await server.close()
    },
  }
}

/** Creates a separate database with all migrations and no rows. */
export async function freshDatabase(): Promise<TestDatabase> {
  const shared = current()
  const nodes = testNodes()
  if (nodes.length === 0) return makeDatabase(shared, `template ${template(shared)}`)
  // A template copy does not include data on other nodes.
  const made = await makeDatabase(shared, 'template template0')
  await joinNodes(made.options.owner, nodes)
  await prepareDatabase(made.options)
  await spreadTables(made.options.owner)
  return { ...made, drop: () => made.drop().then(() => dropOnNodes(made.options.owner, made.name, nodes)) }
}

/** Creates an empty database without migrations. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return makeDatabase(current(), 'template template0')
}

/**
 * On a busy machine a process may pause for seconds while fifty wait for a row or connection. A timeout for the last of
 * them is correct behaviour of the product but not what a test expects. Tests of these limits use the product's values.
 */
const patience = { connection_ms: 60_000, statement_ms: 60_000 } satisfies Partial<DatabaseOptions>

/** Opens a separate database with longer timeouts than the product; `close` also drops it. */
export async function openFreshDatabase(more: Partial<DatabaseOptions> = {}): Promise<Database & { owner: PoolConfig }> {
  const fresh = await freshDatabase()
  const database = await connectDatabase({ max: 4, ...patience, ...fresh.options, ...more })
  return {
    ...database,
    owner: fresh.options.owner,
    async close() {
      await database.close()
      await fresh.drop()
    },
  }
}

/**
 * Returns how many connections to this database wait for a lock. It uses its own connection, because within a
 * transaction these figures do not change.
 */
export async function lockWaiters({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}

/** Runs a function as the owner, on a database of this run or on the maintenance database. */
export async function asOwner<T>(where: { owner: PoolConfig } | TestDatabase, fn: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client('owner' in where ? where.owner : where.options.owner)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await fn(client)
  } finally {
    await client.end()
  }
}

function current(): Shared {
  const text = process.env[variable]
  if (!text) throw new Error('no test server: call startTestCluster first')
  return JSON.parse(text) as Shared
}

const template = (shared: Shared) => `${shared.prefix}_template`

const optionsFor = ({ owner, role, app_password }: Shared, database: string) => ({
  owner: { ...owner, database },
  role,
  app_password,
})

async function makeDatabase(shared: Shared, from: string): Promise<TestDatabase> {
  const name = `${shared.prefix}_${randomBytes(4).toString('hex')}`
  await asOwner(shared, (client) => client.query(`create database ${name} ${from}`))
  return { name, options: optionsFor(shared, name), drop: () => dropAll(shared, name) }
}

async function dropAll(shared: { owner: PoolConfig }, pattern: string): Promise<void> {
  await asOwner(shared, async (client) => {
    const { rows } = await client.query<{ name: string }>('select datname as name from pg_database where datname like $1', [
      pattern.replaceAll('_', '\\_'),
    ])
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  })
}

function external(url: string): TestCluster {
  const { host, port, user, password, database, ssl } = new Client(url) as Client & PoolConfig
  return { owner: { host, port, user, password, database, ssl }, close: async () => undefined }
}

/**
 * One cluster directory per project, kept between runs (creating one costs 0.7 s) and locked while in use, so that two
 * runs use two. A killed run leaves its server running; the next run adopts it and drops its databases.
 *
 * It is in memory if there is enough space: the server still syncs every commit as in production, which on a busy disk
 * makes a copy of the template ten times as slow.
 */
async function embedded(): Promise<TestCluster> {
  const project = createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 8)
  let base = room('/dev/shm') > 4e9 ? '/dev/shm' : tmpdir()
  for (let number = 1; ; number += 1) {
    const dir = join(base, `xinhan-test-${project}-${dataLayout}-${number}`)
    try {
      const server = await startPostgres({ dir, log: () => undefined })
      const owner = { ...server.owner, database: 'postgres' }
      await dropAll({ owner }, 'xinhan_test_%')
      return { owner, close: server.close }
    } catch (error) {
      // Copied binaries (for a project in a folder that the server's user cannot enter) may not run in memory, which is
      // mounted noexec.
      if (error instanceof EmbeddedPostgresUnavailableError && base !== tmpdir()) {
        rmSync(dir, { recursive: true, force: true })
        base = tmpdir()
        number = 0
      } else if (!(error instanceof LockedError) || number === 20) throw error
    }
  }
}

function room(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  } catch {
    return 0
  }
}
