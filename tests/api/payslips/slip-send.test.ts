/** Planning and sending: refusals, one send for repeated requests, schedule, pause, counts. */
import { beforeAll, describe, expect, test } from 'vitest'
import { renderMessage } from '../../../server/contract/messages/rendering.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { newId } from '../../../server/shared/ids.ts'
import { again } from '../../support/callers/http.ts'
import { demoWorld } from '../../support/demo.ts'
import {
  deliveries,
  getNet,
  getNotices,
  makeBatch,
  manyPeople,
  salaries,
  send,
  sender,
  slip_segments,
  smsLeft,
  untilStopped,
} from '../../support/slips.ts'
import { type Caller, type Corp, type Person, type World } from '../../support/world.ts'

let corp: Corp
let payer: Person
let caller: Caller
const world = demoWorld(true)

async function company(options: Parameters<World['createCompany']>[0] = {}) {
  corp = await world.createCompany(options)
  payer = await corp.person({ power: ['2'], name: '王会计' })
  caller = await world.signIn(payer)
}
const getOwn = async (batch_id: string) => {
  const ids = new Set((await deliveries(world, corp, batch_id)).map((one) => one.id))
  return (await world.outbox()).filter((one) => ids.has(String(one.delivery_id)))
}
const doubled = (list: { delivery_id: string | null }[]) => list.length - new Set(list.map((one) => one.delivery_id)).size

describe('refused planning', () => {
  beforeAll(() => company())
  test('answers an invisible batch like a nonexistent one', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(2))
    const other = await world.signIn(await corp.person({ power: ['2'] }))
    const foreign = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    const unknown = await caller.call(slip.sendPaySheet, { batch_id: newId() })
    for (const outsider of [other, foreign]) {
      const answer = await outsider.call(slip.sendPaySheet, { batch_id })
      expect([answer.code, answer.message]).toEqual([unknown.code, unknown.message])
      expect((await outsider.call(slip.getSendInfo, { batch_id })).code).toBe(100404)
      expect((await outsider.call(slip.getWageDetail, { batch_id })).code).toBe(100404)
      expect((await outsider.call(slip.withdrawBatchPaySheet, { batch_id })).code).toBe(100404)
    }
    const member = await world.signIn(await corp.person())
    expect((await member.call(slip.sendPaySheet, { batch_id })).code).toBe(100403)
  })
  test('refuses a missing title, a past time, nonexistent rows, and no recipients', async () => {
    const people = await corp.people(2)
    const batch_id = await makeBatch(world, payer, people)
    expect((await caller.call(slip.sendPaySheet, { batch_id, when: '2026-11-20T09:59:00+08:00' })).data).toMatchObject({
      field: 'when',
    })
    expect((await caller.call(slip.sendPaySheet, { batch_id, rows: [2, 99] })).data).toMatchObject({ field: 'rows' })
    expect((await caller.call(slip.sendPaySheet, { batch_id, channels: ['platform'] })).code).toBe(100409)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('batch').set({ title_id: null }).where('id', '=', batch_id).execute(),
    )
    expect((await caller.call(slip.sendPaySheet, { batch_id })).message).toContain('标题')
  })
  test('refuses a wage sheet with an error', async () => {
    const batch_id = await makeBatch(world, payer, [{ member_id: newId(), name: '没有这个人', mobile: '13900009999' }])
    const answer = await caller.call(slip.sendPaySheet, { batch_id })
    expect(answer.code).toBe(100409)
    expect(answer.data).toMatchObject({ errors: 1 })
  })
  test('refuses a batch that was sent', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(1))
    await send(caller, batch_id)
    expect((await caller.call(slip.sendPaySheet, { batch_id })).message).toContain('已经发送过')
  })
})

describe('send plan', () => {
  beforeAll(() => company({ provider: 'lark' }))
  test('plans the first channel that reaches each member, and sends nothing', async () => {
    const people = [await corp.person({ platform_user_id: 'ou_a' }), await corp.person(), await corp.person({ joined: false })]
    const batch_id = await makeBatch(world, payer, people)
    const plan = await caller.must(slip.sendPaySheet, { batch_id, channels: ['platform', 'sms', 'link'] })
    expect(plan).toMatchObject({
      count: 3,
      by_channel: { platform: 1, sms: 2, link: 0 },
      sms_needed: 2 * slip_segments,
      sms_left: 10_000,
      unreachable: [],
    })
    const only = await caller.must(slip.sendPaySheet, { batch_id, channels: ['platform'] })
    expect(only).toMatchObject({ count: 1, unreachable: [{ row: 3 }, { row: 4 }] })
    expect(await deliveries(world, corp, batch_id)).toEqual([])
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['waiting'])
    expect(await smsLeft(world, corp)).toBe(10_000)
  })
  test('plans selected rows, with rules of the plan instead of those of the company', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(3))
    await caller.must(slip.setSendRule, { burn_after_minutes: 60, sms: true })
    const plan = await caller.must(slip.sendPaySheet, { batch_id, rows: [3], rules: { confirm: false } })
    expect(plan.count).toBe(1)
    const detail = await caller.must(slip.getWageDetail, { batch_id })
    expect(detail.batch.rules).toMatchObject({ confirm: false, feedback: true, burn_after_minutes: 60 })
    await caller.must(slip.setSendRule, { burn_after_minutes: 0 })
  })
  test('invalidates the older send plan', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(2))
    const first = await caller.must(slip.sendPaySheet, { batch_id })
    const second = await caller.must(slip.sendPaySheet, { batch_id })
    expect((await caller.call(slip.doSend, { plan_id: first.plan_id, looked: true })).message).toContain('失效')
    expect(await caller.must(slip.doSend, { plan_id: second.plan_id, looked: true })).toEqual({ status: 'sending' })
    expect((await salaries(world, corp, batch_id)).length).toBe(2)
  })
  test('invalidates the plan after a change of the wage sheet', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(1))
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id })
    const later = new Date(world.clock.now().getTime() + 1000)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('batch').set({ updated_at: later }).where('id', '=', batch_id).execute(),
    )
    expect((await caller.call(slip.doSend, { plan_id, looked: true })).message).toContain('修改')
    expect(await deliveries(world, corp, batch_id)).toEqual([])
  })
  test('does not find a plan that belongs to another user or does not exist', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(1))
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id })
    const other = await world.signIn(await corp.person({ power: ['2'] }))
    const foreign = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    for (const answer of [
      await other.call(slip.doSend, { plan_id, looked: true }),
      await foreign.call(slip.doSend, { plan_id, looked: true }),
      await caller.call(slip.doSend, { plan_id: newId(), looked: true }),
    ])
      expect(answer.code).toBe(100404)
  })
  test('sends nothing if the messages of the plan have been used up since', async () => {
    const poor = await world.createCompany({ sms_left: 2 * slip_segments })
    const boss = await poor.person({ power: ['2'] })
    const his = await world.signIn(boss)
    const batch_id = await makeBatch(world, boss, await poor.people(2))
    const { plan_id } = await his.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    await world.database.inCompany(poor.company_id, (tx) =>
      tx.updateTable('company').set({ sms_left: 1 }).where('id', '=', poor.company_id).execute(),
    )
    const answer = await his.call(slip.doSend, { plan_id, looked: true })
    expect([answer.code, answer.data]).toEqual([100501, { needed: 2 * slip_segments, left: 1 }])
    expect(await smsLeft(world, poor)).toBe(1)
    expect((await salaries(world, poor, batch_id)).map((one) => one.status)).toEqual(['waiting', 'waiting'])
    expect((await his.must(slip.sendPaySheet, { batch_id, channels: ['sms', 'link'] })).count).toBe(2)
  })
})

describe('sending', () => {
  beforeAll(() => company({ provider: 'lark' }))
  test('sends one message per member for 50 concurrent requests', async () => {
    const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, 60))
    const plan = await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    const before = await smsLeft(world, corp)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => caller.call(slip.doSend, { plan_id: plan.plan_id, looked: true })),
    )
    expect(answers.map((answer) => [answer.code, answer.data])).toEqual(
      Array.from({ length: 50 }, () => [0, { status: 'sending' }]),
    )
    await world.product.jobs.drain()
    const messages = await getOwn(batch_id)
    expect([messages.length, doubled(messages)]).toEqual([60, 0])
    expect(await smsLeft(world, corp)).toBe(before - 60 * slip_segments)
    expect(await caller.must(slip.doSend, { plan_id: plan.plan_id, looked: true })).toEqual({ status: 'sent' })
    await world.product.jobs.drain()
    expect((await getOwn(batch_id)).length).toBe(60)
  })
  test('sends once for 50 concurrent plans and sends', async () => {
    const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, 5))
    const go = async () => {
      const plan = await again(() => caller.call(slip.sendPaySheet, { batch_id, channels: ['sms'] }))
      if (plan.code !== 0) return plan.code
      return (await again(() => caller.call(slip.doSend, { plan_id: plan.data.plan_id, looked: true }))).code
    }
    const codes = await Promise.all(Array.from({ length: 50 }, go))
    expect(codes.filter((code) => code === 0).length).toBe(1)
    expect(codes.filter((code) => code !== 0 && code !== 100409)).toEqual([])
    await world.product.jobs.drain()
    const messages = await getOwn(batch_id)
    expect([messages.length, doubled(messages)]).toEqual([5, 0])
  })
  test('returns the first response for a repeated send with the same key', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(1))
    const key = newId()
    const first = await caller.must(slip.sendPaySheet, { batch_id }, { key })
    const again = await caller.must(slip.sendPaySheet, { batch_id }, { key })
    expect(again).toEqual(first)
  })
  test('mentions neither amount nor name, uses a different link for each member, and needs no message for links', async () => {
    const people = [
      await corp.person({ name: '赵钱孙', platform_user_id: 'ou_z' }),
      await corp.person({ name: '周吴郑' }),
      await corp.person({ name: '冯陈褚' }),
    ]
    const batch_id = await makeBatch(world, payer, people, { title: '2026年10月工资' })
    const left = await smsLeft(world, corp)
    await send(caller, batch_id, ['platform', 'link'])
    await world.product.jobs.drain()
    const messages = await getOwn(batch_id)
    expect(messages.length).toBe(1)
    const [slipRow] = await salaries(world, corp, batch_id)
    expect(messages[0]).toMatchObject({
      channel: 'platform',
      mobile: 'ou_z',
      text: renderMessage({
        kind: 'slip',
        params: {
          corp: corp.name,
          title: '2026年10月工资',
          link: `http://127.0.0.1:8080/entry?page=/m/slip/${slipRow?.id}`,
        },
      }),
    })
    for (const person of people) expect(messages[0]?.text).not.toContain(person.name)
    expect(messages[0]?.text).not.toContain(String(getNet(2) / 100))
    expect((await salaries(world, corp, batch_id)).map((one) => [one.status, one.channel])).toEqual([
      ['sent', 'platform'],
      ['sent', 'link'],
      ['sent', 'link'],
    ])
    expect(await smsLeft(world, corp)).toBe(left)
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({
      status: 'sent',
      title: '2026年10月工资',
      total: 3,
      queued: 0,
      sent: 3,
      failed: 0,
      unknown: 0,
      withdrawn: 0,
      by_channel: [
        { channel: 'platform', count: 1, failed: 0 },
        { channel: 'link', count: 2, failed: 0 },
      ],
      failures: [],
      eta_seconds: null,
      link: 'http://127.0.0.1:8080/m/slips',
    })
    const notice = await getNotices(world, corp, batch_id)
    expect(notice.map((one) => [one.admin_id, one.kind, one.text])).toEqual([
      [payer.admin_id, 'sent', '「2026年10月工资」已发送给 3 人'],
    ])
  })
  test('records an error instead of a delivery for members who became unreachable', async () => {
    const people = [
      await corp.person(),
      await corp.person(),
      await corp.person({ platform_user_id: 'ou_gone' }),
      await corp.person(),
    ]
    const batch_id = await makeBatch(world, payer, people)
    const left = await smsLeft(world, corp)
    await send(caller, batch_id, ['platform', 'sms'])
    // Between plan and message one member is terminated, one has a new phone, and one is not bound any more.
    const change = (at: number, set: object) =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx
          .updateTable('member')
          .set(set)
          .where('id', '=', people[at]?.member_id ?? '')
          .execute(),
      )
    await change(0, { status: 'left' })
    await change(1, { mobile: '13712345678' })
    await change(2, { platform_user_id: null })
    await world.product.jobs.drain()
    const messages = await getOwn(batch_id)
    expect(messages.map((one) => one.mobile)).toEqual([people[3]?.mobile])
    const info = await caller.must(slip.getSendInfo, { batch_id })
    expect(info).toMatchObject({ status: 'sent', total: 4, sent: 1, failed: 3 })
    expect(info.failures.map((one) => one.code).sort()).toEqual(['identity', 'identity', 'left'])
    expect(await smsLeft(world, corp)).toBe(left - slip_segments)
    const notice = await getNotices(world, corp, batch_id)
    expect(notice).toMatchObject([{ kind: 'failed' }])
  })
  test('delivers nothing to members terminated meanwhile, not even by link', async () => {
    const [removed, there] = [await corp.person(), await corp.person()]
    const batch_id = await makeBatch(world, payer, [removed, there])
    await send(caller, batch_id, ['link'])
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('member')
        .set({ status: 'left' })
        .where('id', '=', removed.member_id ?? '')
        .execute(),
    )
    await world.product.jobs.drain()
    const info = await caller.must(slip.getSendInfo, { batch_id })
    expect(info).toMatchObject({ status: 'sent', total: 2, sent: 1, failed: 1, failures: [{ code: 'left' }] })
    expect((await salaries(world, corp, batch_id)).map(({ status, sent_at }) => [status, sent_at !== null])).toEqual([
      ['failed', false],
      ['sent', true],
    ])
  })
  test('sends a scheduled batch once at its time, and allows cancelling before', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(2))
    const left = await smsLeft(world, corp)
    const now = world.clock.now()
    const when = new Date(now.getTime() + 3_600_000).toISOString()
    expect((await send(caller, batch_id, ['sms'], { when })).status).toBe('scheduled')
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ status: 'scheduled', queued: 2, sent: 0 })
    const comparison = sender(world, world.sms)
    const rotate = () => comparison.send({ company_id: corp.company_id, batch_id }, untilStopped)
    await rotate()
    expect((await getOwn(batch_id)).length).toBe(0)
    expect(await caller.must(slip.pauseSend, { batch_id })).toEqual({ status: 'checked' })
    expect(await smsLeft(world, corp)).toBe(left)
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['waiting', 'waiting'])
    await rotate()
    await send(caller, batch_id, ['sms'], { when })
    world.clock.advance(3_600_000)
    await Promise.all([rotate(), rotate(), rotate()])
    await rotate()
    const messages = await getOwn(batch_id)
    expect([messages.length, doubled(messages)]).toEqual([2, 0])
    caller = await world.signIn(payer)
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('sent')
    world.clock.set(now)
  })
  test('pauses and resumes sending', async () => {
    const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, 30))
    expect((await caller.call(slip.pauseSend, { batch_id })).code).toBe(100409)
    await send(caller, batch_id)
    expect(await caller.must(slip.pauseSend, { batch_id })).toEqual({ status: 'paused' })
    await world.product.jobs.drain()
    expect((await getOwn(batch_id)).length).toBe(0)
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ status: 'paused', queued: 30 })
    expect((await caller.call(slip.pauseSend, { batch_id })).code).toBe(100409)
    expect(await caller.must(slip.resumeSend, { batch_id })).toEqual({ status: 'sending' })
    expect((await caller.call(slip.resumeSend, { batch_id })).code).toBe(100409)
    await world.product.jobs.drain()
    expect((await getOwn(batch_id)).length).toBe(30)
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('sent')
  })
})
