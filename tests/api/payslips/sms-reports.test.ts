/**
 * Delivery reports of an SMS gateway: accepted is not yet delivered, undelivered messages fall back, and nobody can
 * forge a report.
 */
import { beforeEach, expect, test } from 'vitest'
import { createCarrierSender, rejectRecalls } from '../../../platform/carrier.ts'
import { getSlip } from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import { deliveries, getNotices, makeBatch, salaries, send, smsLeft } from '../../support/slips.ts'
import type { Person } from '../../support/world.ts'

const secret = 'a-secret-address-of-the-tests-0123456789'
/** A gateway that accepts everything, with its own references. */
const refs = new Map<string, string>()
let accepted = 0
const gateway = () =>
  createCarrierSender(
    'sms:reports',
    {
      describe: () => ({ maxPerCall: 50, rateLimit: null, style: 'whole', signature: '薪函', canRecall: false }),
      send: async (_, messages) =>
        messages.map(({ id, to }) => {
          accepted += 1
          refs.set(to, `biz-${accepted}^0`)
          return { id, result: 'accepted', ref: `biz-${accepted}^0` }
        }),
      find: async (_, messages) => messages.map(({ id }) => ({ id, result: 'unsure' })),
      recall: (_, messages) => rejectRecalls(messages),
    },
    null,
  )
const { world, corp, clerk, payroll } = demo({ own: { sms: gateway, sms_reports: { secret, provider: 'aliyun' } } })

let people: Person[]
let batch_id: string
beforeEach(async () => {
  people = [await corp.person(), await corp.person(), await corp.person()]
  batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id, ['sms', 'link'])
  await world.product.jobs.drain()
})
const lineFor = (
  person: Person,
  success: boolean,
  err_code = success ? 'DELIVERED' : 'MOBILE_NOT_ON_SERVICE',
  ref = refs.get(person.mobile),
) => ({
  phone_number: person.mobile,
  send_time: '2026-11-20 10:00:00',
  report_time: '2026-11-20 10:00:05',
  success,
  err_code,
  err_msg: '',
  sms_size: '1',
  biz_id: ref,
  out_id: '',
})
const report = async (lines: object[] | string, to = secret) => {
  const payload = typeof lines === 'string' ? lines : JSON.stringify(lines)
  const message = await world.product.app.inject({
    method: 'POST',
    url: `/callback/sms/${to}`,
    headers: { 'content-type': 'application/json' },
    payload,
  })
  await world.product.jobs.drain()
  return { status: message.statusCode, body: message.body }
}
const getStatus = async () => {
  const [slips, rows] = [await salaries(world, corp, batch_id), await deliveries(world, corp, batch_id)]
  return people.map(({ member_id }) => {
    const own = slips.find((one) => one.member_id === member_id)
    const current = rows.filter((row) => row.salary_id === own?.id)
    const of = (channel: string) => current.find((row) => row.channel === channel)
    return [own?.status, own?.channel, of('sms')?.status, of('sms')?.delivered_at !== null, of('link')?.status ?? null]
  })
}
const untouched = ['sent', 'sms', 'accepted', false, null]
const [first, second, third] = [0, 1, 2]
const person = (at: number): Person =>
  people[at] ??
  (() => {
    throw new Error('nobody')
  })()

test('marks delivered messages, and falls back to the link with the reason for undelivered ones', async () => {
  const before = await smsLeft(world, corp)
  expect(await report([lineFor(person(first), true), lineFor(person(second), false)])).toEqual({
    status: 200,
    body: JSON.stringify({ code: 0, msg: '成功' }),
  })
  expect(await getStatus()).toEqual([
    ['sent', 'sms', 'accepted', true, null],
    ['sent', 'link', 'failed', false, 'accepted'],
    untouched,
  ])
  const info = await payroll.must(slip.getSendInfo, { batch_id })
  expect(info).toMatchObject({ status: 'sent', delivered: 1, sent: 3, failed: 0, fallback_count: 1 })
  expect(info.fallbacks[0]).toMatchObject({ from: 'sms', to: 'link', message: expect.stringMatching(/^短信未送达：/) })
  expect(await smsLeft(world, corp)).toBe(before)
  const rows = await salaries(world, corp, batch_id)
  const story = async (at: number) => {
    const salary_id = rows.find(({ member_id }) => member_id === person(at).member_id)?.id ?? ''
    return (await payroll.must(slip.getSalary, { salary_id })).timeline.map(({ text }) => text)
  }
  expect(await story(first)).toContain('短信已送达手机')
  expect((await story(second)).some((text) => text.startsWith('短信未送达'))).toBe(true)
})

test('ignores repeated and contradicting reports, and late ones for viewed or withdrawn payslips', async () => {
  await report([lineFor(person(first), true), lineFor(person(second), false)])
  const once = await getStatus()
  await report([
    lineFor(person(first), true),
    lineFor(person(second), false),
    lineFor(person(first), false),
    lineFor(person(second), true),
  ])
  expect(await getStatus()).toEqual(once)

  const salary = (await salaries(world, corp, batch_id)).find(({ member_id }) => member_id === person(third).member_id)
  await (await world.signIn(person(third))).must(getSlip, { slip_id: salary?.id ?? '' })
  await report([lineFor(person(third), false)])
  expect((await getStatus())[third]).toEqual(['viewed', 'sms', 'failed', false, null])

  await payroll.must(slip.withdrawBatchPaySheet, { batch_id })
  const other = await makeBatch(world, clerk, [person(first)])
  await send(payroll, other, ['sms', 'link'])
  await world.product.jobs.drain()
  await payroll.must(slip.withdrawBatchPaySheet, { batch_id: other })
  await report([lineFor(person(first), false)])
  expect((await salaries(world, corp, other)).map(({ status }) => status)).toEqual(['withdrawn'])
})

test('fails an undelivered message without another channel, notifies the owner, and sends again with 重发, ignoring the old report', async () => {
  batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id, ['sms'])
  await world.product.jobs.drain()
  const old = refs.get(person(first).mobile)
  await report([lineFor(person(first), false, 'EXPIRED')])
  expect((await getStatus())[first]).toEqual(['failed', 'sms', 'failed', false, null])
  expect((await getNotices(world, corp, batch_id)).at(-1)?.text).toContain('1 人的短信没有送到手机')
  await payroll.must(slip.sendBatch, { batch_id, only: 'failed' })
  await world.product.jobs.drain()
  expect((await getStatus())[first]).toEqual(untouched)
  await report([lineFor(person(first), false, 'EXPIRED', old)])
  expect((await getStatus())[first]).toEqual(untouched)
  await report([lineFor(person(first), true)])
  expect((await getStatus())[first]).toEqual(['sent', 'sms', 'accepted', true, null])
})

test('changes nothing for an unknown address or invented references', async () => {
  const all = people.map((one) => lineFor(one, false))
  for (const to of ['x', `${secret}x`, secret.slice(1), '%00']) expect((await report(all, to)).status).toBe(404)
  const made = all.map((one, at) => ({ ...one, biz_id: ['biz-0^0', '', "' or true --"][at] }))
  expect((await report(made)).status).toBe(200)
  for (const body of ['', '{}', '[[[', '[null, 1, "x"]']) expect([200, 400]).toContain((await report(body)).status)
  expect(await getStatus()).toEqual([untouched, untouched, untouched])
})

test('waits a week for a delivery report, and no longer', async () => {
  world.clock.advance(6 * 86_400_000)
  await report([lineFor(person(first), true)])
  expect((await getStatus())[first]).toEqual(['sent', 'sms', 'accepted', true, null])
  world.clock.advance(2 * 86_400_000)
  await report([lineFor(person(second), true)])
  expect((await getStatus())[second]).toEqual(untouched)
})
