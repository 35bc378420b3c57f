/**
 * The sender under faults: lost replies, timeouts, a payslip that always fails, two nodes, dead senders, withdrawals at
 * any moment.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MessageRejectedError } from '../../../platform/carrier.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { noTransaction } from '../../../server/database/no-transaction.ts'
import {
  claimRows,
  createChannelSender,
  leaseMs,
  type OutboxTable,
  recordOutcomes,
  startAttempts,
} from '../../../server/outbox/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { transfer } from '../../support/outside/counter.ts'
import { seeded } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'
import {
  deliveries,
  getGateway,
  makeBatch,
  manyPeople,
  salaries,
  send,
  sender,
  sendManually,
  slip_segments,
  smsLeft,
  untilStopped,
} from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

let caller: Caller
const { world, corp, clerk: payer } = demo({ own: true })
beforeAll(async () => {
  caller = await world.signIn(payer)
})
/** Time passes in these tests, and sessions end. */
const signIn = async () => {
  caller = await world.signIn(payer)
}
beforeEach(signIn)

/**
 * Creates a started batch with this number of members; the product's own jobs are discarded, the test drives its own
 * senders.
 */
async function started(count: number, by: { corp: Corp; payer: Person; caller: Caller } = { corp, payer, caller }) {
  const batch_id = await makeBatch(world, by.payer, await manyPeople(world, by.corp, count))
  return { batch_id, data: await sendManually({ world, ...by }, batch_id) }
}
const byStatus = async (batch_id: string, of: Corp = corp) => {
  const counts: Record<string, number> = {}
  for (const one of await deliveries(world, of, batch_id)) counts[one.status] = (counts[one.status] ?? 0) + 1
  return counts
}

describe('gateway faults', () => {
  test('fails a rejected message with its reason and a masked phone, returns the SMS, and can send it again', async () => {
    const { batch_id, data } = await started(3)
    const people = (await salaries(world, corp, batch_id)).map((one) => one.member_id)
    const bad = (
      await world.database.inCompany(corp.company_id, (tx) =>
        tx
          .selectFrom('member')
          .select('mobile')
          .where('id', '=', people[1] ?? '')
          .executeTakeFirstOrThrow(),
      )
    ).mobile
    let refusing = true
    const gateway = getGateway({
      before(_, mobile) {
        if (refusing && mobile === bad) throw new MessageRejectedError('MOBILE_BLACK', `${mobile} 在黑名单中`)
      },
    })
    const left = await smsLeft(world, corp)
    const comparison = sender(world, gateway)
    await comparison.send(data, untilStopped)
    const info = await caller.must(slip.getSendInfo, { batch_id })
    expect(info).toMatchObject({
      status: 'sent',
      total: 3,
      sent: 2,
      failed: 1,
      by_channel: [{ channel: 'sms', count: 3, failed: 1 }],
    })
    expect(info.failures).toMatchObject([{ code: 'MOBILE_BLACK', message: `${bad.slice(0, 3)}****${bad.slice(-4)} 在黑名单中` }])
    expect(await smsLeft(world, corp)).toBe(left + slip_segments)
    refusing = false
    expect(await caller.must(slip.sendBatch, { batch_id, only: 'failed' })).toEqual({ queued: 1, skipped: 0 })
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('sending')
    await comparison.send(data, untilStopped)
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ status: 'sent', sent: 3, failed: 0, failures: [] })
    expect([gateway.accepted.length, gateway.doubled()]).toEqual([3, []])
    expect(await smsLeft(world, corp)).toBe(left)
    expect(await caller.must(slip.sendBatch, { batch_id, only: 'failed' })).toEqual({ queued: 0, skipped: 0 })
  })

  test('sends each message once by querying the gateway when one in three replies is lost', async () => {
    const { batch_id, data } = await started(120)
    let calls = 0
    const gateway = getGateway({
      after() {
        calls += 1
        if (calls % 3 === 0) throw new Error('socket hang up')
      },
    })
    const comparison = sender(world, gateway)
    for (let slot = 0; slot < 30 && (await byStatus(batch_id)).accepted !== 120; slot += 1) {
      await comparison.send(data, untilStopped)
      world.clock.advance(20_000)
    }
    expect(await byStatus(batch_id)).toEqual({ accepted: 120 })
    expect([gateway.accepted.length, gateway.doubled()]).toEqual([120, []])
  })

  test('observes a requested backoff, counts no attempt, and repeats no request', async () => {
    const { batch_id, data } = await started(30)
    const other = await started(3)
    const gateway = getGateway({ takes: 10, slow_s: 30 })
    const requested: { at: number }[] = []
    const comparison = sender(world, gateway, {}, (ms) => requested.push({ at: ms }))
    await comparison.send(data, untilStopped)
    expect(await byStatus(batch_id)).toEqual({ accepted: 10, queued: 20 })
    // One group was in progress when the limit was reached; the others were not started.
    expect(gateway.refused()).toBeLessThanOrEqual(8)
    const waiting = (await deliveries(world, corp, batch_id)).filter((one) => one.status === 'queued')
    expect(waiting.every((one) => one.attempts === 0 && one.lease_by === null)).toBe(true)
    expect(requested.at(-1)?.at).toBeGreaterThan(25_000)
    expect(requested.at(-1)?.at).toBeLessThanOrEqual(30_500)
    // The next slot and the next batch do not contact a gateway that asked for a backoff.
    const refused = gateway.refused()
    world.clock.advance(20_000)
    await comparison.send(data, untilStopped)
    await comparison.send(other.data, untilStopped)
    expect([gateway.refused(), await byStatus(other.batch_id)]).toEqual([refused, { queued: 3 }])
    gateway.open()
    world.clock.advance(10_000)
    await comparison.send(data, untilStopped)
    await comparison.send(other.data, untilStopped)
    expect([await byStatus(batch_id), await byStatus(other.batch_id)]).toEqual([{ accepted: 30 }, { accepted: 3 }])
    expect((await deliveries(world, corp, batch_id)).every((one) => one.attempts === 1)).toBe(true)
    expect([gateway.accepted.length, gateway.doubled()]).toEqual([33, []])
  })

  test('queries an attempt with unknown outcome through a hundred backoffs, and sends it once with one more attempt', async () => {
    const { batch_id, data } = await started(1)
    let broken = true
    const gateway = getGateway({
      before() {
        if (broken) throw new Error('ECONNRESET')
      },
      takes: 0,
      slow_s: 60,
    })
    const comparison = sender(world, gateway)
    await comparison.send(data, untilStopped)
    expect((await deliveries(world, corp, batch_id))[0]).toMatchObject({ status: 'queued', attempts: 1 })
    broken = false
    for (let slot = 0; slot < 100; slot += 1) {
      world.clock.advance(61_000)
      await comparison.send(data, untilStopped)
    }
    expect((await deliveries(world, corp, batch_id))[0]).toMatchObject({ status: 'queued', attempts: 1 })
    gateway.open()
    world.clock.advance(61_000)
    await comparison.send(data, untilStopped)
    expect((await deliveries(world, corp, batch_id))[0]).toMatchObject({ status: 'accepted', attempts: 2 })
    expect([gateway.accepted.length, gateway.doubled()]).toEqual([1, []])
    await signIn()
  })

  test('marks a message without reply or query as unknown after eight attempts, and does not retry it', async () => {
    const { batch_id, data } = await started(1)
    const gateway = getGateway({
      before() {
        throw new Error('ETIMEDOUT')
      },
    })
    const comparison = sender(world, gateway)
    for (let slot = 0; slot < 12; slot += 1) {
      await comparison.send(data, untilStopped)
      world.clock.advance(19 * 60_000)
    }
    await signIn()
    expect(await byStatus(batch_id)).toEqual({ unknown: 1 })
    const [row] = await deliveries(world, corp, batch_id)
    expect(row?.attempts).toBe(8)
    const info = await caller.must(slip.getSendInfo, { batch_id })
    expect(info).toMatchObject({ status: 'sent', total: 1, sent: 0, unknown: 1, failed: 0 })
    expect(info.failures).toMatchObject([{ code: 'unknown' }])
    // The payslip itself exists: if the message did arrive, its link opens.
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['sent'])
    await comparison.send(data, untilStopped)
    expect((await deliveries(world, corp, batch_id))[0]?.attempts).toBe(8)
  })

  test("ends as unknown instead of sending a possible duplicate after an outage longer than the gateway's memory", async () => {
    const { batch_id, data } = await started(2)
    const gateway = getGateway({
      after() {
        throw new Error('ECONNRESET')
      },
      forgets: true,
    })
    const comparison = sender(world, gateway)
    await comparison.send(data, untilStopped)
    expect(gateway.accepted.length).toBe(2)
    world.clock.advance(2 * 3_600_000)
    await comparison.send(data, untilStopped)
    expect(gateway.accepted.length).toBe(2)
    expect(await byStatus(batch_id)).toEqual({ unknown: 2 })
  })

  test('does not let one payslip that always fails block the others', async () => {
    const { batch_id, data } = await started(200)
    let poison = ''
    const gateway = getGateway({
      before(id) {
        poison ||= id
        if (id === poison) throw new Error('internal error')
      },
    })
    await sender(world, gateway, { runMs: 20_000 }).send(data, untilStopped)
    expect(await byStatus(batch_id)).toEqual({ accepted: 199, queued: 1 })
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('sending')
  })

  test('does not use up the attempts of all messages while the gateway is unreachable', async () => {
    const { batch_id, data } = await started(100)
    const gateway = getGateway({
      before() {
        throw new Error('ECONNREFUSED')
      },
    })
    const comparison = sender(world, gateway)
    await comparison.send(data, untilStopped)
    const tried = (await deliveries(world, corp, batch_id)).filter((one) => one.attempts > 0)
    expect(tried.length).toBe(16)
    expect(await byStatus(batch_id)).toEqual({ queued: 100 })
  })

  test('waits for a gateway that never replies no longer than the lease', async () => {
    const { batch_id, data } = await started(1)
    const gateway = getGateway({ before: () => sleep(60_000, undefined, { ref: false }) })
    // The test asserts that the call returns at all: the message would take a minute.
    await sender(world, gateway, { sendTimeoutMs: 100 }).send(data, untilStopped)
    expect(await byStatus(batch_id)).toEqual({ queued: 1 })
  })
})

describe('several senders', () => {
  test('sends each message once with two nodes and eight concurrent slots', async () => {
    const random = seeded(400)
    const { batch_id, data } = await started(400)
    const gateway = getGateway({ before: () => sleep(random.next() * 6) })
    const nodes = [sender(world, gateway, { claimSize: 24 }), sender(world, gateway, { claimSize: 24 })]
    await Promise.all([...nodes, ...nodes, ...nodes, ...nodes].map((node) => node.send(data, untilStopped)))
    // Each worker found rows claimed by others, or reached its end, and queued the next run.
    const state = async () => (await caller.must(slip.getSendInfo, { batch_id })).status
    for (let slot = 0; slot < 20 && (await state()) !== 'sent'; slot += 1) await nodes[0]?.send(data, untilStopped)
    expect(await byStatus(batch_id)).toEqual({ accepted: 400 })
    expect([gateway.accepted.length, gateway.doubled()]).toEqual([400, []])
    expect(await state()).toBe('sent')
    const notices = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('notification').select('id').where('batch_id', '=', batch_id).execute(),
    )
    expect(notices.length).toBe(1)
  })

  test('does not let a sender that slept past its lease overwrite the later outcome of its message', async () => {
    const { batch_id } = await started(1)
    const book: OutboxTable = { table: 'delivery', inBatch: sql<boolean>`batch_id = ${batch_id}`, subjectColumn: 'salary_id' }
    const as = async <T>(fn: (of: Parameters<typeof claimRows>[0]) => Promise<T>) =>
      world.database.inCompany(corp.company_id, (tx) => fn({ db: tx, company_id: corp.company_id, now: world.clock.now() }))
    const [sleeper, other] = [newId(), newId()]
    const taking = (owner: string) => as((of) => claimRows(of, book, { owner, which: 'due', count: 10 }))
    const trying = (id: string) =>
      as((of) => startAttempts(of, book, { owner: sleeper, read: sql<{ id: string }>`select id from tried` }, [id]))
    const [{ id } = { id: '' }] = await taking(sleeper)
    expect(await trying(id)).toEqual([{ id }])
    expect(await taking(other)).toEqual([])
    world.clock.advance(leaseMs + 1_000)
    expect(await taking(other)).toMatchObject([{ id, attempts: 1 }])
    // The sender wakes up and assumes that the message was rejected, but another sender has claimed it by now.
    expect(await as((of) => recordOutcomes(of, book, sleeper, [{ id, status: 'failed', code: 'late' }]))).toEqual([])
    expect(await trying(id)).toEqual([])
    expect(await byStatus(batch_id)).toEqual({ leased: 1 })
    const marked = await as((of) => recordOutcomes(of, book, other, [{ id, status: 'accepted', ref: 'r' }]))
    expect(marked).toMatchObject([{ id, status: 'accepted', purpose: 'slip', channel: 'sms' }])
    expect(await as((of) => recordOutcomes(of, book, sleeper, [{ id, status: 'failed', code: 'late' }]))).toEqual([])
    expect(await byStatus(batch_id)).toEqual({ accepted: 1 })
  })

  test('queries and continues rows of a dead sender after a minute, or at once on the only server', async () => {
    for (const sole of [false, true]) {
      const { batch_id, data } = await started(40)
      const gateway = getGateway()
      // The sender dies with some rows claimed, some attempted, and one sent message not recorded.
      const rows = await deliveries(world, corp, batch_id)
      const dead = '01890000-0000-7000-8000-00000000dead'
      const locked = rows.slice(0, 20)
      await world.database.inCompany(corp.company_id, async (tx) => {
        const lease_until = new Date(world.clock.now().getTime() + 60_000)
        await tx
          .updateTable('delivery')
          .set({ status: 'leased', lease_by: dead, lease_until })
          .where(
            'id',
            'in',
            locked.map((one) => one.id),
          )
          .execute()
        await tx
          .updateTable('delivery')
          .set({ attempts: 1 })
          .where(
            'id',
            'in',
            locked.slice(0, 8).map((one) => one.id),
          )
          .execute()
      })
      const removed = locked
        .slice(0, 3)
        .map(({ id }) => ({ id, to: '', message: { kind: 'code', params: { code: '000000' } } as const }))
      await transfer(gateway, removed)
      const comparison = sender(world, gateway)
      if (sole) {
        await comparison.resumeAll({ sole: true })
        await comparison.send(data, untilStopped)
      } else {
        await comparison.resumeAll({ sole: false })
        await comparison.send(data, untilStopped)
        expect(await byStatus(batch_id)).toEqual({ accepted: 20, leased: 20 })
        world.clock.advance(61_000)
        await comparison.send(data, untilStopped)
      }
      expect(await byStatus(batch_id)).toEqual({ accepted: 40 })
      expect([gateway.accepted.length, gateway.doubled()]).toEqual([40, []])
    }
  })

  test('does not let a sender that slept past its lease overwrite the rows of the other sender', async () => {
    const { batch_id, data } = await started(1)
    let wake = () => undefined as void
    const asleep = new Promise<void>((resolve) => (wake = resolve))
    let attempts = 0
    const gateway = getGateway({
      async after() {
        attempts += 1
        if (attempts === 1) await asleep
        if (attempts === 1) throw new Error('too late')
      },
    })
    const zombie = sender(world, gateway).send(data, untilStopped)
    while (gateway.accepted.length === 0) await sleep(5)
    world.clock.advance(61_000)
    await sender(world, gateway).send(data, untilStopped)
    expect(await byStatus(batch_id)).toEqual({ accepted: 1 })
    wake()
    await zombie
    expect(await byStatus(batch_id)).toEqual({ accepted: 1 })
    expect(gateway.doubled()).toEqual([])
  })

  test('does not let a small company wait behind a large one', async () => {
    const { batch_id, data } = await started(600)
    const gateway = getGateway({ before: () => sleep(5) })
    const requested: unknown[] = []
    const { createPayslipSender } = await import('../../../server/modules/payslips/send/deliver.ts')
    const short = createPayslipSender({
      database: world.database,
      clock: world.clock,
      secrets: world.secrets,
      senders: {
        sms: createChannelSender(gateway),
        getPlatformSender: async () => createChannelSender(gateway),
        getMailSender: async () => null,
      },
      origin: '',
      log: { error: () => undefined, warn: () => undefined },
      jobs: { ...world.product.jobs, send: async (_tx, name, provided) => void requested.push([name, provided]) },
      limits: { runMs: 50 },
    })
    await short.send(data, untilStopped)
    expect(gateway.accepted.length).toBeLessThan(500)
    expect(requested).toEqual([['send', data]])
    expect((await byStatus(batch_id)).leased).toBe(undefined)
  })

  test('finishes messages in progress and releases the rest when a sender is told to stop', async () => {
    const { batch_id, data } = await started(200)
    const gateway = getGateway({ before: () => sleep(5) })
    const stop = new AbortController()
    const slot = sender(world, gateway).send(data, { signal: stop.signal, noTransaction })
    while (gateway.accepted.length < 20) await sleep(2)
    stop.abort()
    const requested = gateway.accepted.length
    await slot
    // Messages in progress at that moment; none is started afterwards.
    expect(gateway.accepted.length - requested).toBeLessThan(60)
    const { accepted, queued, ...rest } = await byStatus(batch_id)
    expect([accepted, (accepted ?? 0) + (queued ?? 0), rest]).toEqual([gateway.accepted.length, 200, {}])
  })
})

describe('withdrawal during sending', () => {
  const race = { full: 500, sample: 5, of: 'withdrawals', goal: 'G23' }
  const moments =
    'delivers nothing after the withdrawal response except what it names, opens nothing, and keeps the totals correct'
  trial('withdraw-race', moments, race, async ({ size, random, says }) => {
    let slowest_ms = 0
    let waited_for = 0
    let late = 0
    let notified = 0
    // Each round uses a new company: no company sends fifty batches a month, and the rounds would spend their time on
    // its roster.
    const newCompany = async () => {
      const own = await world.createCompany({ sms_left: 20 * 64 * slip_segments })
      const boss = await own.person({ power: ['2'] })
      return { corp: own, payer: boss, caller: await world.signIn(boss) }
    }
    let office = await newCompany()
    for (let round = 0; round < size; round += 1) {
      if (round % 20 === 19) office = await newCompany()
      const { batch_id, data } = await started(64, office)
      const in_flight = new Set<string>()
      // One gateway in six is slow.
      const slow_ms = random.below(6) === 0 ? 100 + random.below(400) : 3
      const gateway = getGateway({
        async before(id) {
          in_flight.add(id)
          await sleep(slow_ms + random.next() * 8)
        },
      })
      const left = await smsLeft(world, office.corp)
      // A slot ends by the clock: on a slow machine, or with a slow gateway, before that many have arrived.
      const state = { over: false }
      // Every other sender claims so few rows at a time that two workers run.
      const slot = sender(world, gateway, round % 2 === 1 ? { claimSize: 16 } : {})
        .send(data, untilStopped)
        .finally(() => {
          state.over = true
        })
      const moment = random.below(60)
      while (!state.over && gateway.accepted.length < moment) await sleep(1)
      const requested_at = performance.now()
      const at_asking = in_flight.size - gateway.accepted.length
      const answer = await office.caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '算错了' })
      const [opened, arrived] = [new Set(in_flight), gateway.accepted.length]
      slowest_ms = Math.max(slowest_ms, performance.now() - requested_at)
      waited_for += at_asking
      await slot
      expect(gateway.accepted.length - arrived).toBe(answer.in_flight)
      late += gateway.accepted.length - arrived
      notified += answer.in_flight
      expect(gateway.accepted.filter((one) => !opened.has(one.id))).toEqual([])
      expect(opened.size - gateway.accepted.length).toBe(0)
      expect(answer.withdrawn).toBe(64)
      const counts = await byStatus(batch_id, office.corp)
      expect(counts.accepted ?? 0).toBe(gateway.accepted.length)
      expect((counts.accepted ?? 0) + (counts.cancelled ?? 0)).toBe(64)
      expect(await office.caller.must(slip.getSendInfo, { batch_id })).toMatchObject({
        status: 'withdrawn',
        total: 64,
        withdrawn: 64,
        sent: 0,
        queued: 0,
        failed: 0,
      })
      // The company was charged for exactly the messages sent.
      expect(await smsLeft(world, office.corp)).toBe(left + (64 - gateway.accepted.length) * slip_segments)
    }
    const seconds = (slowest_ms / 1000).toFixed(2)
    says(
      `${waited_for} messages under way when it was asked; ${late} arrived after the answer, ${notified} named; slowest answer ${seconds} s`,
    )
  })

  /** A gateway that accepts nothing until it is released. */
  const lockedGateway = () => {
    let letGo = () => undefined as void
    const locked = new Promise<void>((resolve) => (letGo = resolve))
    let requested = 0
    const gateway = getGateway({
      async before() {
        requested += 1
        await locked
      },
    })
    return { ...gateway, request: () => requested, letGo }
  }

  test('states in the response how many messages are still in progress at a slow gateway', async () => {
    const { batch_id, data } = await started(20)
    const gateway = lockedGateway()
    const slot = sender(world, gateway).send(data, untilStopped)
    while (gateway.request() < 8) await sleep(2)
    const key = { key: 'withdraw-held-gateway' }
    const answer = await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '算错了' }, key)
    expect([answer, gateway.accepted.length]).toEqual([{ withdrawn: 20, not_sent: 12, in_flight: 8 }, 0])
    gateway.letGo()
    await slot
    expect([gateway.accepted.length, await byStatus(batch_id)]).toEqual([8, { accepted: 8, cancelled: 12 }])
    // Retried with the same key: it was done once, and by now all messages have arrived.
    const again = await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '算错了' }, key)
    expect(again).toEqual({ withdrawn: 20, not_sent: 12, in_flight: 0 })
  })

  test('waits with the response until the one message in progress has arrived', async () => {
    const { batch_id, data } = await started(1)
    const [first] = await salaries(world, corp, batch_id)
    const gateway = lockedGateway()
    const slot = sender(world, gateway).send(data, untilStopped)
    while (gateway.request() < 1) await sleep(2)
    let answered = false
    const withdrawn = caller.must(slip.withdrawSingleSalary, { salary_id: first?.id ?? '', reason: '重复' }).finally(() => {
      answered = true
    })
    // The connection is closed long before the response.
    while ((await salaries(world, corp, batch_id))[0]?.status !== 'withdrawn') await sleep(5)
    expect(answered).toBe(false)
    gateway.letGo()
    expect([await withdrawn, gateway.accepted.length]).toEqual([{ in_flight: 0 }, 1])
    await slot
  })

  test('reports an earlier attempt without a reply and never repeats it', async () => {
    const { batch_id, data } = await started(3)
    const lost = getGateway({
      after() {
        throw new Error('socket hang up')
      },
    })
    await sender(world, lost).send(data, untilStopped)
    const answer = await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '算错了' })
    expect(answer).toEqual({ withdrawn: 3, not_sent: 0, in_flight: 3 })
    world.clock.advance(61_000)
    await sender(world, lost).send(data, untilStopped)
    expect([lost.accepted.length, await byStatus(batch_id)]).toEqual([3, { unknown: 3 }])
    const info = await caller.must(slip.getSendInfo, { batch_id })
    expect(info).toMatchObject({ total: 3, withdrawn: 3, unknown: 0, failures: [] })
  })

  test('cancels the message of one withdrawn member and sends the others theirs', async () => {
    const { batch_id, data } = await started(5)
    const [first] = await salaries(world, corp, batch_id)
    await caller.must(slip.withdrawSingleSalary, { salary_id: first?.id ?? '', reason: '重复' })
    const gateway = getGateway()
    await sender(world, gateway).send(data, untilStopped)
    expect(gateway.accepted.length).toBe(4)
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ status: 'sent', total: 5, sent: 4, withdrawn: 1 })
  })

  test('settles a message started by a dead sender in a withdrawn batch later', async () => {
    const { batch_id, data } = await started(3)
    const [removed, lost] = await deliveries(world, corp, batch_id)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('delivery')
        .set({
          status: 'leased',
          attempts: 1,
          lease_by: '01890000-0000-7000-8000-00000000dead',
          lease_until: new Date(world.clock.now().getTime() + 60_000),
        })
        .where('id', 'in', [removed?.id ?? '', lost?.id ?? ''])
        .execute(),
    )
    const gateway = getGateway()
    await transfer(gateway, [{ id: removed?.id ?? '', to: '', message: { kind: 'code', params: { code: '000000' } } }])
    const answer = await caller.must(slip.withdrawBatchPaySheet, { batch_id })
    expect(answer).toEqual({ withdrawn: 3, not_sent: 1, in_flight: 2 })
    world.clock.advance(61_000)
    await sender(world, gateway).send(data, untilStopped)
    expect(await byStatus(batch_id)).toEqual({ accepted: 1, cancelled: 2 })
    expect(gateway.accepted.length).toBe(1)
  })

  test('settles a batch withdrawn after its sender died on the next start, and returns unsent messages', async () => {
    const { batch_id, data } = await started(2)
    const [removed, never] = await deliveries(world, corp, batch_id)
    const left = await smsLeft(world, corp)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('delivery')
        .set({ status: 'leased', attempts: 1, lease_by: newId(), lease_until: new Date(world.clock.now().getTime() + 60_000) })
        .where('batch_id', '=', batch_id)
        .execute(),
    )
    const gateway = getGateway()
    await transfer(gateway, [{ id: removed?.id ?? '', to: '', message: { kind: 'code', params: { code: '000000' } } }])
    expect((await caller.must(slip.withdrawBatchPaySheet, { batch_id })).in_flight).toBe(2)
    const comparison = sender(world, gateway)
    await comparison.resumeAll({ sole: true })
    world.clock.advance(130_000)
    await comparison.send(data, untilStopped)
    const now = new Map((await deliveries(world, corp, batch_id)).map(({ id, status }) => [id, status]))
    expect([now.get(removed?.id ?? ''), now.get(never?.id ?? '')]).toEqual(['accepted', 'cancelled'])
    expect([gateway.accepted.length, await smsLeft(world, corp)]).toEqual([1, left + slip_segments])
    await signIn()
  })

  test('sends two messages and one readable payslip when it is withdrawn, corrected and sent again', async () => {
    const people = await manyPeople(world, corp, 1)
    const batches: string[] = []
    const gateway = getGateway()
    for (const round of [0, 1]) {
      const batch_id = await makeBatch(world, payer, people, { title: `十月工资 ${round}`, month: '2026-09' })
      batches.push(batch_id)
      await send(caller, batch_id)
      await sender(world, gateway).send({ company_id: corp.company_id, batch_id }, untilStopped)
      if (round === 0) await caller.must(slip.withdrawBatchPaySheet, { batch_id })
    }
    expect([gateway.accepted.length, gateway.doubled()]).toEqual([2, []])
    expect(new Set(gateway.accepted.map((one) => one.text)).size).toBe(2)
    const states = await Promise.all(batches.map((batch_id) => salaries(world, corp, batch_id)))
    expect(states.flat().map((one) => one.status)).toEqual(['withdrawn', 'sent'])
    expect((await caller.call(slip.withdrawBatchPaySheet, { batch_id: batches[0] ?? '' })).code).toBe(100409)
  })
})
