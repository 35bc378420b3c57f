/**
 * Members not reached by one channel continue with the next: each step is a delivery with its reason, no channel is
 * used twice, nothing is lost.
 */
import { beforeEach, expect, test } from 'vitest'
import { MessageRejectedError } from '../../../platform/carrier.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as mail from '../../../server/contract/payslips/mailbox.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
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
import type { Caller, Person } from '../../support/world.ts'

type Behave = Parameters<typeof getGateway>[0] & object
const [platformChannel, smsChannel]: [Behave, Behave] = [{}, {}]
const platform = getGateway(platformChannel)
const sms = getGateway(smsChannel)
const { world, corp, clerk } = demo({ own: { platform: () => platform, sms: () => sms }, company: { provider: 'lark' } })
let payroll: Caller
beforeEach(async () => {
  // Time passes in these tests, and sessions end.
  payroll = await world.signIn(clerk)
  for (const channel of [platformChannel, smsChannel])
    for (const key of Object.keys(channel)) Reflect.deleteProperty(channel, key)
})

const says = (code: string, message: string) => () => {
  throw new MessageRejectedError(code, message)
}
let made = 0
const colleague = (): Promise<Person> => {
  made += 1
  return corp.person({ platform_user_id: `ou_fall_${made}` })
}
const getRows = async (batch_id: string) =>
  (await deliveries(world, corp, batch_id))
    .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
    .map(({ channel, status, message }) => [channel, status, message])
const work = () => world.product.jobs.drain()

test('falls back from platform to SMS to mail, shows each rejection, and charges nothing unsent', async () => {
  const person = await colleague()
  await payroll.must(member.editMemberInfo, { id: person.member_id, email: 'a@corp.example' })
  const mailbox = {
    host: 'smtp.corp.example',
    port: 465,
    security: 'tls',
    user: 'hr@corp.example',
    from: 'hr@corp.example',
  } as const
  const head = await world.signIn(await corp.person({ power: ['1'] }))
  await head.must(mail.saveMailbox, { ...mailbox, sender: '人事部', password: 'authorised' })
  await head.must(mail.testMailbox, { to: 'hr@corp.example' })
  platformChannel.before = says('60020', '员工不在应用的可见范围内')
  smsChannel.before = says('blocked', '这个手机号已退订短信')
  const before = await smsLeft(world, corp)
  const batch_id = await makeBatch(world, clerk, [person])
  const { plan } = await send(payroll, batch_id, ['platform', 'sms', 'email', 'link'])
  expect([plan.by_channel.platform, plan.sms_needed, plan.sms_fallback_max]).toEqual([1, 0, slip_segments])
  await work()

  const rows = await getRows(batch_id)
  expect(rows.toSorted()).toEqual([
    ['email', 'accepted', null],
    ['platform', 'failed', '员工不在应用的可见范围内'],
    ['sms', 'failed', '这个手机号已退订短信'],
  ])
  expect(await smsLeft(world, corp)).toBe(before)
  expect((await world.outbox()).filter(({ mobile }) => mobile === 'a@corp.example')).toHaveLength(1)
  const info = await payroll.must(slip.getSendInfo, { batch_id })
  expect(info).toMatchObject({ status: 'sent', sent: 1, failed: 0, unknown: 0, failures: [], fallback_count: 2 })
  expect(info.fallbacks.map(({ from, to, message }) => [from, to, message]).toSorted()).toEqual([
    ['platform', 'email', '员工不在应用的可见范围内'],
    ['sms', 'email', '这个手机号已退订短信'],
  ])
  const [row] = await salaries(world, corp, batch_id)
  const { timeline } = await payroll.must(slip.getSalary, { salary_id: row?.id ?? '' })
  expect(timeline.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      '办公平台发送失败：员工不在应用的可见范围内',
      '短信发送失败：这个手机号已退订短信',
      '已通过邮件发送',
    ]),
  )
})

test('does not fall back for a message that may have been sent', async () => {
  Object.assign(platformChannel, { bookless: true, after: says('silence', '') })
  platformChannel.after = () => {
    throw new Error('the reply was lost')
  }
  const batch_id = await makeBatch(world, clerk, [await colleague()])
  await send(payroll, batch_id, ['platform', 'sms'])
  await work()
  world.clock.advance(60_000)
  await sender(world, platform).send({ company_id: corp.company_id, batch_id }, untilStopped)
  expect((await getRows(batch_id)).map(([channel, status]) => [channel, status])).toEqual([['platform', 'unknown']])
  expect(platform.doubled()).toEqual([])

  // An administrator asks the employee and records the answer.
  const one = await payroll.must(slip.getSendInfo, { batch_id })
  expect([one.sent, one.unknown, one.failures]).toEqual([
    0,
    1,
    [expect.objectContaining({ status: 'unknown', is_viewed: false })],
  ])
  const accepted = platform.accepted.length
  expect(await payroll.must(slip.resolveUnknownDeliveries, { batch_id, resolution: 'sent' })).toEqual({ count: 1 })
  expect(await payroll.must(slip.getSendInfo, { batch_id })).toMatchObject({ sent: 1, unknown: 0, failures: [] })
  expect(await payroll.must(slip.resolveUnknownDeliveries, { batch_id, resolution: 'again' })).toEqual({ count: 0 })
  await work()
  expect(platform.accepted.length).toBe(accepted)
  expect((await getRows(batch_id))[0]?.[2]).toContain('按已发送处理')
})

test('sends an unknown message again on request, only if the payslip was not viewed, and charges it again', async () => {
  Object.assign(smsChannel, { bookless: true })
  smsChannel.after = () => {
    throw new Error('the reply was lost')
  }
  const [first, second] = [await colleague(), await colleague()]
  const batch_id = await makeBatch(world, clerk, [first, second])
  await send(payroll, batch_id, ['sms'])
  await work()
  world.clock.advance(60_000)
  await sender(world, sms).send({ company_id: corp.company_id, batch_id }, untilStopped)
  const slips = await salaries(world, corp, batch_id)
  await (await world.signIn(first)).must(employee.getSlip, { slip_id: slips[0]?.id ?? '' })
  delete smsChannel.after
  const before = await smsLeft(world, corp)
  expect(await payroll.must(slip.resolveUnknownDeliveries, { batch_id, resolution: 'again' })).toEqual({ count: 1 })
  await work()
  expect(await smsLeft(world, corp)).toBe(before - slip_segments)
  const ids = (await deliveries(world, corp, batch_id)).map(({ id, status }) => [
    status,
    sms.accepted.filter((one) => one.id === id).length,
  ])
  expect(ids.toSorted()).toEqual([
    ['accepted', 2],
    ['unknown', 1],
  ])
  expect((await payroll.must(slip.getSendInfo, { batch_id })).failures).toMatchObject([{ status: 'unknown', is_viewed: true }])
})

test('skips a channel without enough messages; with none left it fails and starts with the first channel when sent again', async () => {
  platformChannel.before = says('60020', '员工不在应用的可见范围内')
  await world.database.inCompany(corp.company_id, (tx) => tx.updateTable('company').set({ sms_left: slip_segments }).execute())
  const batch_id = await makeBatch(world, clerk, [await colleague(), await colleague()])
  await send(payroll, batch_id, ['platform', 'sms'])
  await work()
  const info = await payroll.must(slip.getSendInfo, { batch_id })
  expect(info).toMatchObject({ sent: 1, failed: 1, fallback_count: 1 })
  expect(info.failures).toMatchObject([{ channel: 'platform', message: '员工不在应用的可见范围内' }])
  expect(await smsLeft(world, corp)).toBe(0)

  delete platformChannel.before
  expect(await payroll.must(slip.sendBatch, { batch_id, only: 'failed' })).toEqual({ queued: 1, skipped: 0 })
  await work()
  expect(await payroll.must(slip.getSendInfo, { batch_id })).toMatchObject({ sent: 2, failed: 0, failures: [] })
  await world.database.inCompany(corp.company_id, (tx) => tx.updateTable('company').set({ sms_left: 1000 }).execute())
})

test('counts link-only and terminated members as not reachable by reminders', async () => {
  const [reached, left, linked] = [await colleague(), await colleague(), await corp.person()]
  const batch_id = await makeBatch(world, clerk, [reached, left, linked])
  await send(payroll, batch_id, ['platform', 'link'])
  await work()
  await payroll.must(member.clearMember, { id: left.member_id })
  const { batch } = await payroll.must(slip.getWageDetail, { batch_id })
  expect([batch.counts.sent, batch.remindable]).toEqual([3, 1])
  const before = platform.accepted.length
  await payroll.must(slip.sendBatch, { batch_id, only: 'unviewed' })
  await work()
  expect(platform.accepted.length - before).toBe(1)
})

test('reaches each member once with two servers, whichever channel rejects', async () => {
  const people = await manyPeople(world, corp, 24, { platform: true })
  const refused = new Set(people.filter((_, at) => at % 2 === 0).map(({ member_id }) => `ou_${member_id}`))
  const away = getGateway({
    before: (_, to) => {
      if (refused.has(to)) throw new MessageRejectedError('60020', '员工不在应用的可见范围内')
    },
  })
  const batch_id = await makeBatch(world, clerk, people)
  const data = await sendManually({ world, corp, caller: payroll }, batch_id, ['platform', 'sms'])
  await Promise.all([sender(world, away).send(data, untilStopped), sender(world, away).send(data, untilStopped)])
  await sender(world, away).send(data, untilStopped)
  expect(away.doubled()).toEqual([])
  expect(away.accepted).toHaveLength(24)
  const info = await payroll.must(slip.getSendInfo, { batch_id })
  expect(info).toMatchObject({ status: 'sent', sent: 24, failed: 0, queued: 0, fallback_count: 12 })
  expect(info.by_channel).toEqual([
    { channel: 'platform', count: 12, failed: 0 },
    { channel: 'sms', count: 12, failed: 0 },
  ])
})

test('sends nothing more if withdrawn before the next channel starts', async () => {
  const [person] = [await colleague()]
  const batch_id = await makeBatch(world, clerk, [person])
  const before = sms.accepted.length
  const data = await sendManually({ world, corp, caller: payroll }, batch_id, ['platform', 'sms'])
  const [reject, stop] = [says('60020', '员工不在应用的可见范围内'), new AbortController()]
  // Stops with the first message, so that the second channel waits for another slot.
  const refusing = getGateway({ before: () => (stop.abort(), reject()) })
  await sender(world, refusing).send(data, { ...untilStopped, signal: stop.signal })
  expect((await getRows(batch_id)).map(([channel, status]) => [channel, status]).toSorted()).toEqual([
    ['platform', 'failed'],
    ['sms', 'queued'],
  ])
  const left = await smsLeft(world, corp)
  await payroll.must(slip.withdrawBatchPaySheet, { batch_id })
  await work()
  expect(sms.accepted.length).toBe(before)
  expect(await smsLeft(world, corp)).toBe(left + slip_segments)
})
