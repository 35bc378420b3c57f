/**
 * Webhooks inform a company's own systems of payslip events: signed, eventually exactly once, and without payslip
 * content.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { feedbackSlip, getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { withdrawBatchPaySheet } from '../../../server/contract/payslips/send.ts'
import * as webhook from '../../../server/contract/webhooks/webhooks.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { lockWaiters } from '../../support/run/database.ts'
import { makeBatch, send } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

type Heard = { id: string; body: string; headers: Record<string, string> }
let world: World
let corp: Corp
let head: Caller
let clerk: Caller
let chief: Person
let owner: Person
let person: Person
let reader: Caller
const clock = new ManualClock(new Date().toISOString())
/** The next responses of the receiver, followed by 204 again. */
let answers: (number | 'nothing' | Promise<number>)[] = []
let heard: Heard[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    heard.push({ id: String(request.headers['webhook-id']), body, headers: request.headers as Record<string, string> })
    const answer = answers.shift() ?? 204
    if (answer === 'nothing') request.socket.destroy()
    else void Promise.resolve(answer).then((code) => response.writeHead(code).end())
  })
})
let url = ''

beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?token=geheim`
  world = await startWorld({ clock })
  corp = await world.createCompany()
  chief = await corp.person({ power: ['1'] })
  owner = await corp.person({ power: ['2'], scope: { all: true } })
  person = await corp.person({ name: '于小鱼' })
  await signIn()
})
/** Sessions end within a day. */
async function signIn(): Promise<void> {
  ;[head, clerk, reader] = [await world.signIn(chief), await world.signIn(owner), await world.signIn(person)]
}
afterAll(async () => {
  await world.close()
  receiver.close()
})
beforeEach(() => {
  ;[answers, heard] = [[], []]
})
/** Runs the job that the scheduler runs every minute. */
async function minute(): Promise<void> {
  await world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'webhook', { company_id: corp.company_id }))
  await world.product.jobs.drain(clock.now())
}
/** Verifies with the receiver's library, whose clock is set to ours. */
function read(client: Webhook, message: Heard | undefined): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(message?.headers['webhook-timestamp']) * 1000 })
  try {
    return (client.verify(message?.body ?? '', message?.headers ?? {}) as { data: unknown }).data
  } finally {
    vi.useRealTimers()
  }
}
const getTypes = (all: readonly Heard[]) => all.map(({ body }) => (JSON.parse(body) as { type: string }).type)
/** The events of payslips; the others have a test of their own. */
const every = { events: webhook.webhookEvents.filter((event) => event.startsWith('slip.')), active: true }
async function sent(): Promise<string> {
  const batch_id = await makeBatch(world, owner, [person])
  await send(clerk, batch_id, ['link'])
  await world.product.jobs.drain(clock.now())
  return batch_id
}

describe('webhook', () => {
  let webhook_id: string
  let client: Webhook
  beforeAll(async () => {
    const made = await head.must(webhook.saveWebhook, { url, ...every })
    webhook_id = made.webhook_id
    client = new Webhook(made.secret ?? '')
  })
  const log = async () => (await head.must(webhook.getWebhookLog, { webhook_id, pagesize: 50 })).list

  it('sends sent, viewed, feedback and withdrawn events that the library of the specification accepts', async () => {
    const batch_id = await sent()
    await minute()
    const slip_id = (await reader.must(getSlipList, {})).list[0]?.slip_id ?? ''
    await reader.must(getSlip, { slip_id })
    await reader.must(getSlip, { slip_id })
    await reader.must(feedbackSlip, { slip_id, content: '请核对绩效' })
    await clerk.must(withdrawBatchPaySheet, { batch_id, reason: '重做' })
    await minute()
    // Events within a minute arrive in any order: each states its time.
    expect(getTypes(heard).toSorted()).toEqual(['slip.disputed', 'slip.sent', 'slip.viewed', 'slip.withdrawn'])
    for (const one of heard)
      expect(read(client, one)).toEqual({
        payslip_id: slip_id,
        slip_id,
        batch_id,
        batch_external_id: null,
        employee: { employee_id: person.member_id, external_id: null, employee_no: '' },
      })
    expect((await log()).map(({ status, response, attempts }) => ({ status, answer: response, tries: attempts }))).toEqual(
      heard.map(() => ({ status: 'taken', answer: '204', tries: 1 })),
    )
  })

  it('retries a webhook with the same id and increasing delay after a lost response or an error', async () => {
    answers = [500, 'nothing', 302]
    const { event_id } = await head.must(webhook.testWebhook, { webhook_id })
    await world.product.jobs.drain(clock.now())
    const [one] = await log()
    expect(one).toMatchObject({ event_id, event: 'webhook.test', status: 'waiting', response: '500', attempts: 1 })
    await minute()
    expect(heard).toHaveLength(1)
    const notified: (string | null | undefined)[] = []
    for (const ms of [5_000, 300_000, 1_800_000]) {
      clock.advance(ms)
      await minute()
      notified.push((await log())[0]?.response)
    }
    expect(notified).toEqual(['no_connection', '302', '204'])
    expect(new Set(heard.map(({ id }) => id))).toEqual(new Set([event_id]))
    expect((await head.must(webhook.getWebhooks, {})).list[0]).toMatchObject({ failing_since: null, waiting: 0 })
  })

  it('signs webhooks with both secrets for a day after a new one is created, then with the new one alone', async () => {
    const { secret } = await head.must(webhook.rotateWebhookSecret, { webhook_id })
    const another = new Webhook(secret)
    await head.must(webhook.testWebhook, { webhook_id })
    await world.product.jobs.drain(clock.now())
    clock.advance(86_400_001)
    await signIn()
    await head.must(webhook.testWebhook, { webhook_id })
    await world.product.jobs.drain(clock.now())
    const signs = heard.map(({ headers }) => headers['webhook-signature']?.split(' ').length)
    expect(signs).toEqual([2, 1])
    for (const one of [client, another]) expect(read(one, heard[0])).toEqual({})
    expect(read(another, heard[1])).toEqual({})
    expect(() => read(client, heard[1])).toThrow('No matching signature found')
  })

  it('stops a webhook after a 410 response until it is enabled again; lost events are resent manually', async () => {
    answers = [410]
    const { event_id } = await head.must(webhook.testWebhook, { webhook_id })
    await world.product.jobs.drain(clock.now())
    expect((await head.must(webhook.getWebhooks, {})).list[0]).toMatchObject({ status: 'gone' })
    expect((await head.call(webhook.redeliverWebhook, { event_id })).message).toBe('这个接收地址已停用，启用后再重发')
    await sent()
    await minute()
    expect(heard).toHaveLength(1)
    await head.must(webhook.saveWebhook, { webhook_id, url, ...every })
    await head.must(webhook.redeliverWebhook, { event_id })
    await world.product.jobs.drain(clock.now())
    expect(heard.map(({ id }) => id)).toEqual([event_id, event_id])
  })

  it('deletes a webhook with all its events', async () => {
    await head.must(webhook.deleteWebhook, { webhook_id })
    expect((await head.must(webhook.getWebhooks, {})).list).toEqual([])
    expect((await head.call(webhook.getWebhookLog, { webhook_id })).code).not.toBe(0)
  })
})

it('gives another address a slot after a receiver that delays eight responses', async () => {
  /** The number of requests to the other address at the time of each request to this one. */
  const patient: number[] = []
  const slow = createServer((request, response) => {
    request.resume()
    patient.push(heard.length)
    // This delay uses up the whole slot.
    setTimeout(() => response.writeHead(204).end(), 1_100)
  })
  await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done))
  const slowUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`
  const first = await head.must(webhook.saveWebhook, { url: slowUrl, ...every })
  const second = await head.must(webhook.saveWebhook, { url, ...every })
  try {
    for (let count = 0; count < 9; count += 1) await head.must(webhook.testWebhook, { webhook_id: first.webhook_id })
    await head.must(webhook.testWebhook, { webhook_id: second.webhook_id })
    const { company_id } = corp
    // Runs jobs like a worker of a node: one after the other, in order.
    const getJob = (webhook_id: string) =>
      world.database.inCompany(company_id, (tx) => world.product.jobs.send(tx, 'webhook', { company_id, webhook_id }))
    await world.database.pool.query(`delete from pgboss.job where name = 'webhook'`)
    await getJob(first.webhook_id)
    await getJob(second.webhook_id)
    await world.product.jobs.drain(clock.now())
    // Eight of nine were sent: the ninth waits for the address that was queued meanwhile.
    expect(patient).toEqual([...Array.from({ length: 8 }, () => 0), 1])
    expect(heard).toHaveLength(1)
  } finally {
    for (const { webhook_id } of [first, second]) await head.must(webhook.deleteWebhook, { webhook_id })
    slow.closeAllConnections()
    slow.close()
  }
})

it('deletes a webhook while a response is being recorded, without a deadlock', async () => {
  const { webhook_id } = await head.must(webhook.saveWebhook, { url, ...every })
  let answer: (code: number) => void = () => undefined
  answers = [new Promise<number>((done) => (answer = done))]
  await head.must(webhook.testWebhook, { webhook_id })
  const telling = world.product.jobs.drain(clock.now())
  await expect.poll(() => heard.length).toBe(1)
  await world.database.inCompany(corp.company_id, async (tx) => {
    // Locks in the order of the deletion: the address first, then its events.
    await tx.selectFrom('webhook').select('id').where('id', '=', webhook_id).forUpdate().execute()
    answer(500)
    await expect.poll(() => lockWaiters(world.database)).toBeGreaterThan(0)
    // The transaction that records the response has no lock on them yet.
    await tx.selectFrom('webhook_event').select('id').where('webhook_id', '=', webhook_id).forUpdate().noWait().execute()
    await tx.deleteFrom('webhook_event').where('webhook_id', '=', webhook_id).execute()
    await tx.deleteFrom('webhook').where('id', '=', webhook_id).execute()
  })
  await telling
  expect((await head.must(webhook.getWebhooks, {})).list).toEqual([])
})

it('sends no event of a rolled-back transaction', async () => {
  const { webhook_id } = await head.must(webhook.saveWebhook, { url, ...every })
  const { queueWebhookEvents } = await import('../../../server/modules/webhooks/index.ts')
  const slip = { salary_id: person.member_id, batch_id: person.member_id, member_id: person.member_id }
  await expect(
    world.database.inCompany(corp.company_id, async (tx) => {
      await queueWebhookEvents({ db: tx, company_id: corp.company_id, now: clock.now() }, 'slip.sent', [slip])
      throw new Error('taken back')
    }),
  ).rejects.toThrow('taken back')
  await minute()
  expect(heard).toEqual([])
  await head.must(webhook.deleteWebhook, { webhook_id })
})

it('sends what a clock that was a day fast made due or leased, once it is right', async () => {
  const { webhook_id } = await head.must(webhook.saveWebhook, { url, ...every })
  const tomorrow = new Date(clock.now().getTime() + 86_400_000)
  const change = (more: { status?: 'leased' } = {}) =>
    world.database.inCompany(corp.company_id, async (tx) => {
      const own = { company_id: corp.company_id }
      await tx
        .updateTable('webhook_event')
        .set({ due_at: tomorrow, at: tomorrow, lease_until: tomorrow, ...more })
        .where('company_id', '=', own.company_id)
        .where('status', '=', 'waiting')
        .execute()
      await tx.updateTable('webhook').set({ leased_until: tomorrow }).where('company_id', '=', own.company_id).execute()
    })
  const { queueWebhookEvents } = await import('../../../server/modules/webhooks/index.ts')
  const queueEvent = () =>
    world.database.inCompany(corp.company_id, (tx) =>
      queueWebhookEvents({ db: tx, company_id: corp.company_id, now: clock.now() }, 'slip.sent', [
        { salary_id: person.member_id, batch_id: person.member_id, member_id: person.member_id },
      ]),
    )
  for (const more of [{}, { status: 'leased' }] as const) {
    heard = []
    await queueEvent()
    await change(more)
    await minute()
    expect(heard).toHaveLength(1)
  }
  await head.must(webhook.deleteWebhook, { webhook_id })
})

it('limits a company to five webhooks, and stores addresses and secrets encrypted', async () => {
  for (let count = 0; count < webhook.maxWebhooks; count += 1) await head.must(webhook.saveWebhook, { url, ...every })
  expect((await head.call(webhook.saveWebhook, { url, ...every })).message).toBe('最多 5 个接收地址，请先删除不用的')
  const rows = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('webhook').selectAll().execute())
  expect(rows).toHaveLength(webhook.maxWebhooks)
  for (const { url: sealed, secret } of rows) expect(Buffer.concat([sealed, secret]).includes('geheim')).toBe(false)
})
