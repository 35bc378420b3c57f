/** Creates additional demo companies in the database of a running server. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type QueryResultRow } from 'pg'
import { readMasterKey } from '../../../server/crypto/master-key.ts'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import { connectDatabase } from '../../../server/database/database.ts'
import { deriveAppPassword } from '../../../server/database/postgres/app-role.ts'
import { getOwnerConfig as ownerIn } from '../../../server/database/postgres/cluster.ts'
import { seed } from '../../../server/demo/index.ts'
import { cheapHash } from '../callers/visitor.ts'
import type { SignIn } from '../run/server.ts'

/** Claims a set of the demo that no other file of this run uses. Returns its number and its sign-ins. */
export async function matchDemo(data: string): Promise<{ set: number; signIns: SignIn[] }> {
  const set = claim(data)
  const master = readMasterKey({ provided: null, file: join(data, 'master.key'), mayCreate: false })
  const secrets = createSecrets(master)
  const database = await connectDatabase({ owner: getOwner(data), app_password: deriveAppPassword(master), max: 2 })
  try {
    const seeded = await seed({ database, secrets, now: new Date(), withTax: false }, set)
    const signIns = seeded.map(({ phone, password, company, who }) => ({ phone, password, text: `${company} · ${who}` }))
    await spareTime(data, signIns)
    return { set, signIns }
  } finally {
    await database.close()
  }
}

/**
 * Makes password hashes cheap, sends without undo time, and lets everybody have read the notice: most journeys test none
 * of it, and begin with a sign-in.
 */
export async function spareTime(data: string, signIns: readonly SignIn[]): Promise<void> {
  for (const [password, people] of Map.groupBy(signIns, (one) => one.password))
    await call(data, 'update account set password_hash = $1 where mobile = any($2)', [
      await cheapHash(password),
      people.map(({ phone }) => phone),
    ])
  await call(
    data,
    `insert into privacy_notice (company_id, account_id, displayed_at, read_at)
      select distinct company_id, account_id, now(), now() from member where account_id is not null on conflict do nothing`,
  )
  await call(data, `update company set setting = setting || '{"undo_seconds": 0}' where not setting ? 'undo_seconds'`)
}

/** Makes the user's sessions an hour older, so that the sign-in no longer counts as a proof of identity. */
export async function ageSessions(data: string, phone: string): Promise<void> {
  await call(
    data,
    `update session set created_at = created_at - interval '1 hour', verified_at = null
      where account_id = (select id from account where mobile = $1)`,
    [phone],
  )
}

/**
 * Returns the row counts of what the companies of these users share, to check that tests that share them leave them
 * unchanged.
 */
export async function getCounts(data: string, phones: readonly string[]): Promise<string> {
  const tables = ['batch', 'payslip', 'member', 'department', 'admin', 'feedback', 'pay_order']
  const [counts] = await call(
    data,
    `with mine as (select member.company_id from member join account on account.id = member.account_id where account.mobile = any($1))
     select ${tables.map((table) => `(select count(*) from ${table} where company_id in (table mine)) as ${table}`).join()}`,
    [phones],
  )
  return JSON.stringify(counts)
}

/** Returns the delivery ids of one batch, independent of their message texts. */
export async function getDeliveries(data: string, batch_id: string): Promise<string[]> {
  const rows = await call<{ id: string }>(data, 'select id from delivery where batch_id = $1', [batch_id])
  return rows.map(({ id }) => id)
}

/** Holds the uploads of this administrator at their last step until the returned function is called. */
export async function holdUploads(data: string, phone: string): Promise<() => Promise<void>> {
  const client = new Client(getOwner(data))
  await client.connect()
  await client.query('begin')
  await client.query(
    `select admin.id from admin join member on member.company_id = admin.company_id and member.id = admin.member_id
     join account on account.id = member.account_id where account.mobile = $1 for update of admin`,
    [phone],
  )
  return async () => {
    await client.query('rollback')
    await client.end()
  }
}

/** Creating a folder succeeds in only one of all processes. */
function claim(data: string): number {
  for (let set = 1; set < 100; set += 1) {
    try {
      mkdirSync(join(data, `demo-${set}`))
      return set
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new Error('more than 99 demos on one server')
}

/** Runs one statement as the owner on a separate connection. */
async function call<Row extends QueryResultRow>(data: string, statement: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client(getOwner(data))
  await client.connect()
  try {
    const { rows } = await client.query<Row>(statement, values)
    return rows
  } finally {
    await client.end()
  }
}

/** Returns the connection of the owner of that server's tables, while it runs. */
function getOwner(data: string) {
  const dir = join(data, 'postgres')
  const note = join(dir, 'moved')
  const home = existsSync(note) ? readFileSync(note, 'utf8').trim() : dir
  const lines = readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')
  return ownerIn(join(home, 'data'), process.platform === 'win32' ? '127.0.0.1' : (lines[4] ?? ''), Number(lines[3]))
}
