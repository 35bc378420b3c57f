/** What the application's own login may do to the database, should somebody run statements as it. */
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { sendSuggestion } from '../../../server/contract/auth/sign-in.ts'
import { findFreePort } from '../../../server/database/postgres/cluster.ts'
import { findTableProblems } from '../../../server/database/row-level-security.ts'
import { waitForDatabase } from '../../../server/database/wait.ts'
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
])('refuses "%s"', async (statement) => {
  const run = world.database.inCompany(corp.company_id, (tx) => sql.raw(statement).execute(tx))
  await expect(run).rejects.toThrow(/permission denied/)
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
