/** The real server, killed with -9 during sending again and again: nobody receives two messages or none. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Call, CallOutput, CallRequest } from '../../../server/contract/call.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import type { Database } from '../../../server/database/database.ts'
import { createSession, createXsrfToken } from '../../../server/http/sessions.ts'
import { systemClock } from '../../../server/shared/clock.ts'
import { newId } from '../../../server/shared/ids.ts'
import { mortalData } from '../../support/data/mortal.ts'
import { type Server, startServer } from '../../support/run/server.ts'
import { trial } from '../../support/run/trial.ts'
import { makeBatch, manyPeople } from '../../support/slips.ts'

const { master, secrets, data, inDatabase, put } = mortalData()
let server: Server | null = null

async function prepare(database: Database, people_count: number) {
  const [company_id, account_id, member_id, admin_id] = [newId(), newId(), newId(), newId()]
  await database.withoutCompany((tx) => secrets.verifyMasterKey(tx))
  await database.withoutCompany((tx) => tx.insertInto('account').values({ id: account_id, mobile: '18899990000' }).execute())
  await database.inCompany(company_id, async (tx) => {
    await tx
      .insertInto('company')
      .values({ id: company_id, name: '断电公司', sms_left: 100_000, setting: JSON.stringify({ undo_seconds: 0 }) })
      .execute()
    await secrets.createCompanyKey(tx, company_id)
    await tx
      .insertInto('member')
      .values({ company_id, id: member_id, account_id, name: '会计', mobile: '18899990000', status: 'active' })
      .execute()
    await tx
      .insertInto('admin')
      .values({ company_id, id: admin_id, member_id, account_id, power: ['2'], scope_all: true })
      .execute()
  })
  const world = { database, secrets, clock: systemClock }
  const people = await manyPeople(world, { company_id }, people_count)
  const batch_id = await makeBatch(world, { company_id, admin_id }, people)
  const pair = await createSession(database, { account_id, company_id, epoch: 0, device: 'tests', now: new Date() })
  const xsrf = createXsrfToken(secrets, pair.session_id)
  return {
    company_id,
    batch_id,
    headers: {
      'user-token': pair.token,
      cookie: `sid=${pair.cookie}; XSRF-TOKEN=${xsrf}`,
      'x-xsrf-token': xsrf,
      'content-type': 'application/json',
    },
  }
}

const killing = { full: 20, sample: 1, of: 'kills', goal: 'G1' }
trial(
  'slip-kill',
  'sends one message each for 50 simultaneous presses when killed with kill -9 while sending',
  killing,
  async ({ size: kills, random, says }) => {
    // Enough payslips for every kill to happen during sending.
    const people_count = kills * 300 + 500
    const { company_id, batch_id, headers } = await inDatabase((database) => prepare(database, people_count))
    const env = { XINHAN_MASTER_KEY: master.toString('hex') }
    const send = async <C extends Call>(call: C, input: CallRequest<C>): Promise<CallOutput<C>> => {
      const response = await fetch(`${server?.address}${call.path}`, { method: 'POST', headers, body: JSON.stringify(input) })
      // A busy server responds that it is busy; its clients retry.
      if (response.status === 503) return sleep(200).then(() => send(call, input))
      const body = (await response.json()) as { error_code: number; error_msg: string; data: CallOutput<C> }
      if (body.error_code !== 0) throw new Error(`${call.route}: ${body.error_msg}\n${server?.output() ?? ''}`)
      return body.data
    }
    server = put(await startServer({ data, env }))
    const plan = await send(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    const presses = await Promise.all(
      Array.from({ length: 50 }, () => send(slip.doSend, { plan_id: plan.plan_id, looked: true })),
    )
    // A request that was rejected and retried late finds that it is done.
    expect(presses.every((one) => one.status === 'sending' || one.status === 'sent')).toBe(true)

    const resumed: number[] = []
    let before = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      const enough = Math.floor((people_count * kill) / (kills + 1.5)) + random.below(40)
      for (;;) {
        const info = await send(slip.getSendInfo, { batch_id })
        // The counts add up at any time.
        expect(info.queued + info.sent + info.failed + info.unknown + info.withdrawn).toBe(people_count)
        before = info.sent
        if (info.sent >= enough || info.status === 'sent') break
        await sleep(20)
      }
      await server.kill()
      server = put(await startServer({ data, env, port: server.port }))
      const ready = performance.now()
      const goesOn = async () => before === people_count || (await send(slip.getSendInfo, { batch_id })).sent > before
      while (!(await goesOn())) await sleep(10)
      resumed.push(Math.round(performance.now() - ready))
    }
    const began = performance.now()
    const { sent } = await send(slip.getSendInfo, { batch_id })
    for (;;) {
      const info = await send(slip.getSendInfo, { batch_id })
      if (info.status === 'sent') {
        expect(info).toMatchObject({ total: people_count, sent: people_count, failed: 0, unknown: 0, queued: 0 })
        break
      }
      await sleep(50)
    }
    const rate = Math.round((people_count - sent) / ((performance.now() - began) / 1000))
    says(`${people_count} slips; resumed after ${resumed.join(', ')} ms; ${rate} slips a second`)
    await server.stop({ keep: true })
    server = null
    const messages = await inDatabase(async (database) => {
      const ids = await database.inCompany(company_id, (tx) =>
        tx.selectFrom('delivery').select(['id', 'status']).where('batch_id', '=', batch_id).execute(),
      )
      expect(ids.filter((one) => one.status !== 'accepted')).toEqual([])
      const out = await database.withoutCompany((tx) =>
        tx.selectFrom('outbox').select(['delivery_id', 'mobile']).where('channel', '=', 'sms').execute(),
      )
      const own = new Set(ids.map((one) => one.id))
      return out.filter((one) => own.has(one.delivery_id ?? ''))
    })
    expect(messages.length).toBe(people_count)
    expect(new Set(messages.map((one) => one.delivery_id)).size).toBe(people_count)
    expect(new Set(messages.map((one) => one.mobile)).size).toBe(people_count)
  },
)
