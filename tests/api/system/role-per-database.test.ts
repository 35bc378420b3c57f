/** Two installations in one PostgreSQL cluster: each has its own login. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectDatabase, prepareDatabase } from '../../../server/database/database.ts'
import { asOwner, emptyDatabase, startTestCluster, type TestCluster, type TestDatabase } from '../../support/run/database.ts'

let cluster: TestCluster
let first: TestDatabase
let second: TestDatabase
beforeAll(async () => {
  cluster = await startTestCluster()
  first = await emptyDatabase()
  second = await emptyDatabase()
})
const listOwnRoles = () =>
  asOwner(cluster, (client) =>
    client.query<{ name: string }>(`select rolname as name from pg_roles where rolname like 'xinhan\\_app\\_xinhan\\_test\\_%'`),
  ).then(({ rows }) => rows.map(({ name }) => name))
afterAll(async () => {
  await first?.drop()
  await second?.drop()
  for (const role of cluster ? await listOwnRoles() : [])
    if ([first, second].some(({ name }) => role.endsWith(name)))
      await asOwner(cluster, (client) => client.query(`drop role ${role}`))
  await cluster?.close()
})

const connect = ({ options: { owner } }: TestDatabase, app_password: string, role?: string) =>
  connectDatabase({ owner, app_password, max: 1, ...(role ? { role } : {}) })
async function canConnect({ options: { owner } }: TestDatabase, user: string, password: string): Promise<boolean> {
  const client = new Client({ ...owner, user, password })
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

it('gives each database a role of its own, whose password a second installation does not change', async () => {
  const databases = [await connect(first, 'password of the first'), await connect(second, 'password of the second')]
  for (const database of databases) {
    expect(await database.isHealthy()).toBe(true)
    await database.close()
  }
  const roles = [`xinhan_app_${first.name}`, `xinhan_app_${second.name}`] as const
  expect(await listOwnRoles()).toEqual(expect.arrayContaining([...roles]))
  expect(await canConnect(first, roles[0], 'password of the first')).toBe(true)

  // A new master key changes the password of this database's own role.
  await (await connect(first, 'a later password')).close()
  expect(await canConnect(first, roles[0], 'a later password')).toBe(true)
})

it('refuses to take the role of another installation, and says what to do', async ({ skip }) => {
  const role = `xinhan_app_${first.name}`
  skip(await canConnect(first, role, 'not its password'), 'this PostgreSQL server asks for no passwords')
  await expect(prepareDatabase({ owner: second.options.owner, app_password: 'other', role })).rejects.toThrow(
    `is used by the database ${first.name}, so it was not changed. Let an administrator create a role for this database`,
  )
  expect(await canConnect(first, role, 'a later password')).toBe(true)
})

it('continues with the role to which the tables were granted', async () => {
  const third = await emptyDatabase()
  const role = `xinhan_app_${first.name}`
  try {
    await (await connect(third, 'a later password', role)).close()
    const database = await connect(third, 'a later password')
    const { rows } = await database.pool.query<{ name: string }>('select current_user as name')
    await database.close()
    expect(rows).toEqual([{ name: role }])
  } finally {
    await third.drop()
  }
})
