import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../server/database/migrate.ts'
import { asOwner, emptyDatabase, startTestCluster, type TestCluster, type TestDatabase } from '../../support/run/database.ts'

const module_url = new URL('../../../server/database/migrate.ts', import.meta.url).href
let cluster: TestCluster
let database: TestDatabase
let folder: string

beforeAll(async () => {
  cluster = await startTestCluster()
})
afterAll(() => cluster.close())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'xinhan-migrations-'))
  database = await emptyDatabase()
})
afterEach(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

const file = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
const run = (role?: string) => asOwner(database, (client) => migrate(client, folder, role))
const call = async (text: string) => (await asOwner(database, (client) => client.query(text))).rows
const names = async () =>
  (await call('select name from schema_migration order by name collate "C"')).map(({ name }) => name as string)

const first = '20261120T1430_first.sql'
const second = '20261120T1431_second.sql'
const third = '20261120T1432_third.sql'

test('applies migrations in order, once, and stores the hash', async () => {
  file(second, 'alter table a add column n int default 1')
  file(first, 'create table a (id int)')
  file('README.md', 'not a migration')
  expect(await run()).toEqual([first, second])
  expect(await run()).toEqual([])
  file(third, 'insert into a values (1)')
  expect(await run()).toEqual([third])
  expect(await call('select * from a')).toEqual([{ id: 1, n: 1 }])
  expect(await call('select sha256 from schema_migration')).toEqual(
    Array.from({ length: 3 }, () => ({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })),
  )
})

test('leaves nothing behind after a failing migration, and keeps earlier ones', async () => {
  file(first, 'create table a (id int)')
  file(second, 'create table b (id int); insert into a values (1); select 1/0')
  await expect(run()).rejects.toThrow(/division by zero/)
  expect(await names()).toEqual([first])
  expect(await call(`select to_regclass('b') as b, (select count(*)::int from a) as rows`)).toEqual([{ b: null, rows: 0 }])
  file(second, 'create table b (id int)')
  expect(await run()).toEqual([second])
})

test('applies a new file dated earlier than one already applied', async () => {
  file(second, 'create table b (id int)')
  await run()
  file(first, 'create table a (id int)')
  expect(await run()).toEqual([first])
  expect(await names()).toEqual([first, second])
})

test('ignores line endings changed by git in a migration', async () => {
  file(first, 'create table a\n(id int)\n')
  await run()
  file(first, 'create table a\r\n(id int)\r\n')
  expect(await run()).toEqual([])
})

test('allows another name for the application role', async () => {
  await call(`do $$ begin create role migrate_test_app; exception when duplicate_object then null; end $$`)
  file(first, `create table a (id int); grant insert on a to xinhan_app; comment on table a is 'for xinhan_app'`)
  await run('migrate_test_app')
  expect(
    await call(`select has_table_privilege('migrate_test_app', 'a', 'insert') as may, obj_description('a'::regclass) as text`),
  ).toEqual([{ may: true, text: 'for migrate_test_app' }])
  await expect(run('Mixed-Case')).rejects.toThrow(/small letters/)
})

describe('refused migrations', () => {
  beforeEach(async () => {
    file(first, 'create table a (id int)')
    file(second, 'create table b (id int)')
    await run()
  })
  const unchanged = async () => expect(await names()).toEqual([first, second])

  test('refuses a file changed after it was applied', async () => {
    file(first, 'create table a (id bigint)')
    file(third, 'create table c (id int)')
    await expect(run()).rejects.toThrow(`${first} was changed`)
    await unchanged()
  })
  test('refuses a database with tables created by an older version', async () => {
    rmSync(join(folder, first))
    await expect(run()).rejects.toThrow(/made by a version before 0\.2.*Nothing was changed/)
    await unchanged()
  })
  test('refuses a database newer than the program', async () => {
    rmSync(join(folder, second))
    await expect(run()).rejects.toThrow(`The database has the migration ${second}, which this program does not have`)
  })
  test('refuses a file name without a timestamp', async () => {
    file('more.sql', 'select 1')
    await expect(run()).rejects.toThrow(/no name for a migration/)
  })
  test.each(['commit;', 'BEGIN;\nselect 1;', 'rollback ;', 'start transaction;'])(
    'refuses a file with its own transaction: %s',
    async (sql) => {
      file(third, `create table c (id int);\n${sql}`)
      await expect(run()).rejects.toThrow(/opens or ends a transaction/)
      await unchanged()
    },
  )
  test('accepts a function whose body contains begin and end', async () => {
    file(third, 'create function f() returns int language plpgsql as $$\nbegin\n  return 1;\nend;\n$$')
    expect(await run()).toEqual([third])
  })
})

test('applies each file once with ten concurrent starts', async () => {
  for (let i = 10; i < 30; i += 1) file(`20261120T14${i}_step.sql`, `create table t${i} (id int); insert into t${i} values (1)`)
  const clients = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const client = new Client(database.options.owner)
      await client.connect()
      return client
    }),
  )
  const done = await Promise.all(clients.map((client) => migrate(client, folder)))
  await Promise.all(clients.map((client) => client.end()))
  expect(done.flat().sort()).toEqual(await names())
  expect(await names()).toHaveLength(20)
  expect(await call('select count(*)::int as n from t29')).toEqual([{ n: 1 }])
})

test('continues a migration after a kill -9 at any moment', async () => {
  for (let i = 10; i < 40; i += 1) {
    file(`20261120T14${i}_step.sql`, `create table t${i} (id int); select pg_sleep(0.01); insert into t${i} values (${i})`)
  }
  const code = `
    import pg from 'pg'
    import { migrate } from ${JSON.stringify(module_url)}
    const client = new pg.Client(${JSON.stringify(database.options.owner)})
    await client.connect()
    console.log('begins')
    await migrate(client, ${JSON.stringify(folder)})`
  let left = 30
  for (let round = 0; round < 6 && left > 0; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: dirname(dirname(dirname(import.meta.dirname))),
    })
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 37))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [there] = await call(`select to_regclass('schema_migration') is not null as there`)
    if (!there?.there) continue
    // A table and its migration record appear together or not at all.
    const [row] = await call(
      `select (select count(*)::int from pg_class where relname ~ '^t[0-9]+$') as tables, (select count(*)::int from schema_migration) as lines`,
    )
    expect(row?.tables).toBe(row?.lines)
    left = 30 - (row?.lines as number)
  }
  await run()
  expect(await names()).toHaveLength(30)
  for (let i = 10; i < 40; i += 1) expect(await call(`select id from t${i}`)).toEqual([{ id: i }])
})
