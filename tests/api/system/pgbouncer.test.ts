/**
 * The server behind PgBouncer in transaction mode: every transaction may get another connection, so nothing may depend
 * on what an earlier one left on it.
 */
import { Client } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { HttpCaller } from '../../support/callers/http.ts'
import { cheapHash } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { book } from '../../support/office.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/run/pgbouncer.ts'
import { getDatabaseUrl, type ServerProcess, startOnDatabase } from '../../support/run/processes.ts'
import { salaries } from '../../support/slips.ts'
import type { Corp, Person } from '../../support/world.ts'

const secret = '梅兰竹菊 2026'
const people = 20
const viewsPerPerson = 5
/** Fewer than the server opens itself, so that its transactions share them. */
const poolSize = 5
/** As many as the server answers at once: what refuses bursts is not under test here. */
const clients = 6
const firstNetFen = 800_000

const world = demoWorld(true)

beforeEach(({ skip }) => skip(!hasPgBouncer, 'pgbouncer is not installed (Debian package pgbouncer)'))

/** Settings that PgBouncer itself keeps the same as those of the client. */
const tracked = ['application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings']
const identities = ['company', 'account', 'mobile', 'machine', 'companies', 'operator']
type SessionState = Record<'prepared' | 'channels' | 'locks' | 'tables' | 'settings' | 'identities', number> & { pid: number }

/** Reads what is left on each connection of the pool: as many transactions at once take one each. */
async function readSessionStates(bouncer: PgBouncer): Promise<SessionState[]> {
  const connections = await Promise.all(
    Array.from({ length: poolSize }, async (): Promise<Client> => {
      const client = new Client(getDatabaseUrl(world, 'app', bouncer))
      await client.connect()
      await client.query('begin')
      return client
    }),
  )
  const states = await Promise.all(
    connections.map(async (client) => {
      const { rows } = await client.query<SessionState>(`select pg_backend_pid() as pid,
        (select count(*)::int from pg_prepared_statements) as prepared,
        (select count(*)::int from pg_listening_channels()) as channels,
        (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
        (select count(*)::int from pg_class where relnamespace = pg_my_temp_schema()) as tables,
        (select count(*)::int from pg_settings where source = 'session' and name <> all('{${tracked.join()}}')) as settings,
        (select count(*)::int from unnest('{${identities.join()}}'::text[]) name
          where current_setting('app.' || name, true) <> '') as identities`)
      return rows[0]
    }),
  )
  await Promise.all(connections.map((client) => client.end()))
  return states.filter((state) => state !== undefined)
}

type Paid = { readonly person: Person; readonly slip_id: string; readonly net_fen: number }

/** Uploads, checks and sends a wage sheet over HTTP; the server's own jobs send it. */
async function payCompany(server: ServerProcess, corp: Corp, head: Person, from_fen: number): Promise<Paid[]> {
  const staff = await corp.people(people)
  const rows = staff.map(({ name, mobile }, at) => [name, mobile, (from_fen + at * 100) / 100])
  const caller = await new HttpCaller(server.address).signIn(head.mobile, secret)
  const { batch_id } = await caller.must(
    wage.uploadWageExcel,
    {},
    { name: '工资表.xlsx', bytes: book(['姓名', '手机号', '实发工资'], rows) },
  )
  await caller.must(wage.insertBatchTitle, { batch_id, title: '2026年10月工资', month: '2026-10' })
  expect((await caller.must(wage.checkWageData, { batch_id })).counts).toMatchObject({ status: 'checked', rows: people })
  const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules: {} })
  await caller.must(slip.doSend, { plan_id, looked: true })
  const getSent = async () => (await salaries(world, corp, batch_id)).filter(({ status }) => status === 'sent')
  await expect.poll(async () => (await getSent()).length).toBe(people)
  const sent = await getSent()
  return staff.map((person, at) => ({
    person,
    slip_id: sent.find(({ member_id }) => member_id === person.member_id)?.id ?? '',
    net_fen: from_fen + at * 100,
  }))
}

describe('PgBouncer in transaction mode', () => {
  it('carries sign-in, upload, sending and 200 views without a refusal, and nothing stays on its connections', async () => {
    const bouncer = await startPgBouncer(world.owner, { poolSize })
    const server = await startOnDatabase(world, { appConnection: bouncer })
    try {
      const corps = [await world.createCompany(), await world.createCompany()]
      const heads = await Promise.all(corps.map((corp) => corp.person({ power: ['4'] })))
      const password_hash = await cheapHash(secret)
      const setPasswords = () => world.database.withoutCompany((tx) => tx.updateTable('account').set({ password_hash }).execute())
      await setPasswords()
      const paid: Paid[] = []
      for (const [at, corp] of corps.entries())
        paid.push(...(await payCompany(server, corp, heads[at] as Person, firstNetFen + at * 1_000_000)))
      await setPasswords()
      const readers: { caller: HttpCaller; one: Paid }[] = []
      for (const one of paid)
        readers.push({ caller: await new HttpCaller(server.address).signIn(one.person.mobile, secret), one })

      // The companies alternate, so that consecutive transactions on a connection belong to different ones.
      const interleaved = readers.toSorted((a, b) => (a.one.net_fen % 1_000_000) - (b.one.net_fen % 1_000_000))
      const views = Array.from({ length: viewsPerPerson }, () => interleaved).flat()
      expect(views.length).toBe(200)
      const refused: string[] = []
      const wrong: string[] = []
      const next = views.values()
      const view = async (): Promise<void> => {
        for (const { caller, one } of next) {
          const { error_code, error_msg, data } = await caller.call(employee.getSlip, { slip_id: one.slip_id })
          if (error_code !== 0) refused.push(`${error_code} ${error_msg} ${JSON.stringify(data)}`)
          else if (data.slip.net?.fen !== one.net_fen || data.slip.name !== one.person.name) wrong.push(one.person.name)
        }
      }
      await Promise.all(Array.from({ length: clients }, view))
      expect([refused, wrong]).toEqual([[], []])

      const states = await readSessionStates(bouncer)
      expect(new Set(states.map(({ pid }) => pid)).size).toBe(poolSize)
      const nothing = { prepared: 0, channels: 0, locks: 0, tables: 0, settings: 0, identities: 0 }
      expect(states).toEqual(states.map(({ pid }) => ({ pid, ...nothing })))

      const probe = async (path: string) => (await fetch(server.address + path)).status
      expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 200])
      await bouncer.stop()
      await expect.poll(() => probe('/readyz')).toBe(503)
      expect(await probe('/healthz')).toBe(200)
    } finally {
      await server.stop()
      await bouncer.stop()
    }
  })
})
