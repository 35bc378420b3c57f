/** What the application's own login may do to the database, should somebody run statements as it. */
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sendSuggestion } from '../../../server/contract/auth/sign-in.ts'
import { findFreePort } from '../../../server/database/postgres/cluster.ts'
import { findTableProblems } from '../../../server/database/row-level-security.ts'
import { waitForDatabase } from '../../../server/database/wait.ts'
import { newId } from '../../../server/shared/ids.ts'
import { asOwner } from '../../support/run/database.ts'
import { type Corp, startWorld, type World } from '../../support/world.ts'

let world: World
let corp: Corp
beforeAll(async () => {
  world = await startWorld()
  corp = await world.createCompany()
})
afterAll(() => world.close())

it.each([
  'create temporary table member (id uuid)',
  'update price set price_fen = 1',
  'delete from price',
  'update order_lookup set company_id = company_id',
  'delete from company_key',
  'delete from master_key_check',
  'delete from announcement',
  'delete from payment_statement',
  'delete from key_destruction',
  'delete from installation_key',
  "update audit_log_entry set outcome = 'done'",
  'delete from audit_log_entry',
  'delete from sign_in_log_entry',
  'update audit_log_anchor set at = now()',
  'delete from audit_log_anchor',
  'update retention_run set count = 1',
  'delete from retention_run',
  'delete from privacy_notice',
])('refuses "%s"', async (statement) => {
  const run = world.database.inCompany(corp.company_id, (tx) => sql.raw(statement).execute(tx))
  await expect(run).rejects.toThrow(/permission denied/)
})

it.each([
  ['audit_log', 35],
  ['sign_in_log', 5],
  ['sheet_file', 23],
  ['payslip', 23],
  ['terminated_member', 71],
])('refuses a retention of %s for %i months', async (kind, months) => {
  const statement = `insert into retention_rule (company_id, ${kind}_months) values ('${corp.company_id}', ${months})`
  const run = world.database.inCompany(corp.company_id, (tx) => sql.raw(statement).execute(tx))
  await expect(run).rejects.toThrow(/violates check constraint/)
})

describe('the functions that delete for the application', () => {
  const future = `'2999-01-01'`
  const call = async (statement: string) =>
    world.database.inCompany(corp.company_id, async (tx) => {
      const { rows } = await sql.raw<{ result: unknown }>(`select ${statement} as result`).execute(tx)
      return rows[0]?.result
    })

  it('destroy no key before its time, nor one whose destruction was aborted or planned too late', async () => {
    const doomed = await world.createCompany()
    const plan = async (due: string, aborted = 'null') => {
      const id = newId()
      await world.database.asOperator((tx) =>
        sql
          .raw(
            `insert into key_destruction (id, company_id, company_name, reason, requested_at, due_at, aborted_at)
              values ('${id}', '${doomed.company_id}', '', '', now() - interval '30 days', ${due}, ${aborted})`,
          )
          .execute(tx),
      )
      return id
    }
    await expect(plan(`now() - interval '24 days'`)).rejects.toThrow(/violates check constraint/)
    const destroy = (id: string) =>
      world.database.asOperator(async (tx) => {
        const { rows } = await sql.raw<{ done: boolean }>(`select destroy_company_key('${id}', ${future}) as done`).execute(tx)
        return rows[0]?.done
      })
    expect(await destroy(await plan('now()', 'now()'))).toBe(false)
    const early = await plan(`now() + interval '1 minute'`)
    expect(await destroy(early)).toBe(false)
    const countKeys = () =>
      world.database.inCompany(doomed.company_id, (tx) =>
        tx.selectFrom('company_key').select('id').where('company_id', '=', doomed.company_id).execute(),
      )
    expect(await countKeys()).toHaveLength(1)
    await asOwner(world, (client) => client.query('update key_destruction set due_at = now() where id = $1', [early]))
    expect(await destroy(early)).toBe(true)
    expect(await countKeys()).toHaveLength(0)
  })

  it('touch no member who is active, or who left less than six years ago', async () => {
    const [active, recent, early] = [await corp.person(), await corp.person(), await corp.person()]
    const leave = (id: string, months: number) =>
      asOwner(world, async (client) => {
        await client.query(`select set_config('app.company', $1, false)`, [corp.company_id])
        await client.query(
          `update member set status = 'left', email = 'a@example.cn', left_at = now(), left_on = (now() - $3 * interval '1 month')::date
            where company_id = $1 and id = $2`,
          [corp.company_id, id, months],
        )
      })
    await leave(recent.member_id, 71)
    await leave(early.member_id, 73)
    expect(await call(`erase_member_data('${active.member_id}', null)`)).toBe(false)
    expect(await call(`delete_terminated_member_data(${future}, 100)`)).toBe(1)
    const emails = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('member')
        .select('email')
        .where('company_id', '=', corp.company_id)
        .where('id', 'in', [recent.member_id, early.member_id])
        .orderBy('email')
        .execute(),
    )
    expect(emails.map(({ email }) => email)).toEqual(['', 'a@example.cn'])
    expect(await call(`erase_member_data('${recent.member_id}', null)`)).toBe(true)
  })

  it('act in the company of the transaction only', async () => {
    const other = await world.createCompany()
    const person = await other.person()
    await asOwner(world, async (client) => {
      await client.query(`select set_config('app.company', $1, false)`, [other.company_id])
      await client.query(`update member set status = 'left', left_at = now() where id = $1`, [person.member_id])
    })
    expect(await call(`erase_member_data('${person.member_id}', null)`)).toBe(false)
  })
})

it('stores a suggestion without the amounts that it quotes', async () => {
  const admin = await world.signIn(await corp.person({ power: ['2'] }))
  const content = '我们发了 92345.67，也写作92,345元，希望导出更快'
  await admin.must(sendSuggestion, { contact_name: '王', contact_tel: '13800138000', type: '1', content })
  const [row] = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('suggestion').select('content').where('company_id', '=', corp.company_id).execute(),
  )
  expect(row?.content).toBe('我们发了 #，也写作#元，希望导出更快')
})

it('waits for a database that is starting, and not for one that refuses the password', async () => {
  const port = await findFreePort()
  const messages: string[] = []
  const options = { log: (text: string) => void messages.push(text), maxWaitMs: 10_000, retryMs: 20 }
  const waiting = waitForDatabase({ host: '127.0.0.1', port, user: 'x', database: 'x', password: 'x' }, options)
  // What PostgreSQL says while it starts, and then that the password is wrong.
  let attempts = 0
  const reply = (code: string, text: string) => {
    const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)
    const head = Buffer.alloc(5)
    head.write('E')
    head.writeInt32BE(fields.length + 4, 1)
    return Buffer.concat([head, fields])
  }
  await sleep(100)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      attempts += 1
      socket.end(attempts < 4 ? reply('57P03', 'the database system is starting up') : reply('28P01', 'wrong password'))
    })
  })
  server.listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await expect(waiting).rejects.toThrow('wrong password')
  expect([attempts, messages.length]).toEqual([4, 1])
  expect(messages[0]).toContain('waiting for it')
})

it('does not start with a function that acts as its owner and finds temporary tables first', async () => {
  const problems = () =>
    asOwner(world, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select grantee as name from information_schema.role_table_grants where table_name = 'member' and grantee <> current_user limit 1`,
      )
      return findTableProblems(client, rows[0]?.name ?? '')
    })
  expect(await problems()).toEqual([])
  await asOwner(world, (client) => client.query('alter function count_again() set search_path = public'))
  expect(await problems()).toEqual([expect.stringContaining('count_again(): this function acts as its owner and must')])
})
