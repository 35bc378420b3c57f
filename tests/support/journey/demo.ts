/** Demo companies for whoever needs some of his own, in the database of a server that runs. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type QueryResultRow } from 'pg'
import { createSecrets, readMasterKey } from '../../../server/crypto/secrets.ts'
import { connectDatabase } from '../../../server/database/database.ts'
import { deriveAppPassword } from '../../../server/database/postgres/app-role.ts'
import { getOwnerConfig as ownerIn } from '../../../server/database/postgres/cluster.ts'
import { seed } from '../../../server/demo/index.ts'
import { cheapHash } from '../callers/visitor.ts'
import type { SignIn } from '../run/server.ts'

/** A set of the demo that nobody else in this run has: its number, and who may sign in. */
export async function matchDemo(data: string): Promise<{ set: number; signIns: SignIn[] }> {
  const set = claim(data)
  const master = readMasterKey({ provided: null, file: join(data, 'master.key'), mayCreate: false })
  const secrets = createSecrets(master)
  const database = await connectDatabase({ owner: getOwner(data), app_password: deriveAppPassword(master), max: 2 })
  try {
    const seeded = await seed({ database, secrets, now: new Date() }, set)
    const signIns = seeded.map(({ phone, password, company, who }) => ({ phone, password, text: `${company} · ${who}` }))
    await spareTime(data, signIns)
    return { set, signIns }
  } finally {
    await database.close()
  }
}

/**
 * Companies whose sending waits for nobody to think again, and people whose passwords are looked at for next to nothing: most journeys are about neither,
 * and begin with a sign-in.
 */
export async function spareTime(data: string, signIns: readonly SignIn[]): Promise<void> {
  for (const [password, people] of Map.groupBy(signIns, (one) => one.password))
    await call(data, 'update account set password_hash = $1 where mobile = any($2)', [
      await cheapHash(password),
      people.map(({ phone }) => phone),
    ])
  await call(data, `update company set setting = setting || '{"undo_seconds": 0}' where not setting ? 'undo_seconds'`)
}

/** How many of everything that others see there the companies of these people have: who uses them together with others leaves it so. */
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

/** The ids of what one batch sends, whatever its messages say. */
export async function getDeliveries(data: string, batch_id: string): Promise<string[]> {
  const rows = await call<{ id: string }>(data, 'select id from delivery where batch_id = $1', [batch_id])
  return rows.map(({ id }) => id)
}

/** What this administrator uploads is held at its last step, until the answer is called. */
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

/** Making a folder succeeds for one of all processes. */
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

/** One statement of the owner's, on a connection of its own. */
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

/** How the owner of that server's tables connects, while it runs. */
function getOwner(data: string) {
  const dir = join(data, 'postgres')
  const note = join(dir, 'moved')
  const home = existsSync(note) ? readFileSync(note, 'utf8').trim() : dir
  const lines = readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')
  return ownerIn(join(home, 'data'), process.platform === 'win32' ? '127.0.0.1' : (lines[4] ?? ''), Number(lines[3]))
}
