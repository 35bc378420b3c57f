/** Effects of the settings: automatic confirmation, reminders on schedule, and progress reports to chosen members. */
import { beforeEach, describe, expect, test } from 'vitest'
import { renderMessage } from '../../../server/contract/messages/rendering.ts'
import * as desk from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demoWorld } from '../../support/demo.ts'
import { getMessagePattern } from '../../support/message-patterns.ts'
import { deliveries, makeBatch, salaries, send, slip_segments, smsLeft } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

let corp: Corp
let payer: Person
let caller: Caller
const world = demoWorld(true)
beforeEach(async () => {
  world.clock.set('2026-11-16T10:00:00+08:00')
  corp = await world.createCompany()
  payer = await corp.person({ power: ['2'], name: '王会计' })
  caller = await world.signIn(payer)
})

/** Runs the scheduled job at this time. */
async function morning(at: string): Promise<void> {
  world.clock.set(at)
  await world.database.asSystem((tx) => world.product.jobs.send(tx, 'morning', {}))
  await world.product.jobs.drain()
}
async function sent(
  people: Parameters<typeof makeBatch>[2],
  more: {
    rules?: NonNullable<Parameters<typeof send>[3]>['rules']
    channels?: ('sms' | 'link' | 'platform')[]
    title?: string
  } = {},
) {
  const batch_id = await makeBatch(world, payer, people, more.title ? { title: more.title } : {})
  await send(caller, batch_id, more.channels ?? ['sms'], more.rules ? { rules: more.rules } : {})
  await world.product.jobs.drain()
  return { batch_id, ids: (await salaries(world, corp, batch_id)).map((one) => one.id) }
}
const statuses = async (batch_id: string) => (await salaries(world, corp, batch_id)).map((one) => one.status)
const reminders = async (batch_id: string) =>
  (await deliveries(world, corp, batch_id)).filter((one) => one.purpose.startsWith('remind'))
const notices = async (person: Person) => (await (await world.signIn(person)).must(desk.getNotificationList, {})).list

describe('automatic confirmation', () => {
  test('confirms automatically only payslips sent after it was switched on', async () => {
    const people = await corp.people(2)
    const before = await sent(people, { rules: { confirm: true, feedback: true } })
    world.clock.advance(5 * 86_400_000)
    caller = await world.signIn(payer)
    await caller.must(slip.setConfirmRule, { auto_confirm_days: 2 })
    await morning('2026-11-25T09:30:00+08:00')
    expect(await statuses(before.batch_id)).toEqual(['sent', 'sent'])
    await (await world.signIn(payer)).must(slip.setConfirmRule, { auto_confirm_days: 0 })
  })

  test('confirms the current version once on its day, and marks it as automatic everywhere', async () => {
    await caller.must(slip.setConfirmRule, { auto_confirm_days: 3 })
    const [viewed, unseen, requested] = await corp.people(3)
    if (!viewed || !unseen || !requested) throw new Error('three people')
    const { batch_id, ids } = await sent([viewed, unseen, requested], { rules: { confirm: true, feedback: true } })
    await (await world.signIn(viewed)).must(employee.getSlip, { slip_id: ids[0] ?? '' })
    await (await world.signIn(requested)).must(employee.getSlip, { slip_id: ids[2] ?? '' })
    await (await world.signIn(requested)).must(employee.feedbackSlip, { slip_id: ids[2] ?? '', content: '绩效对吗' })

    await morning('2026-11-19T09:30:00+08:00')
    expect(await statuses(batch_id)).toEqual(['viewed', 'sent', 'viewed'])
    await morning('2026-11-20T09:30:00+08:00')
    // An employee with open feedback has not agreed by silence.
    expect(await statuses(batch_id)).toEqual(['confirmed', 'confirmed', 'viewed'])
    const [first, second] = await salaries(world, corp, batch_id)
    expect(first).toMatchObject({ confirmed_version: 1, confirmed_auto: true, confirmed_at: world.clock.now() })
    expect(second?.viewed_at).toBe(null)
    await morning('2026-11-21T09:30:00+08:00')
    expect((await salaries(world, corp, batch_id))[0]?.confirmed_at).toEqual(first?.confirmed_at)

    caller = await world.signIn(payer)
    const notified = (await caller.must(slip.getSalary, { salary_id: ids[1] ?? '' })).timeline.map((event) => event.text)
    expect(notified.at(-1)).toBe('到期自动确认')
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ total: 3, sent: 3, viewed: 3, confirmed: 2 })
    const current = await (await world.signIn(unseen)).must(employee.getSlip, { slip_id: ids[1] ?? '' })
    expect(current).toMatchObject({ status: 'confirmed', confirmed_auto: true, confirmed_at: '2026-11-20T09:30:00.000+08:00' })
    expect(current.receipt).toBeTruthy()
    // The first view is still logged separately.
    expect((await salaries(world, corp, batch_id))[1]).toMatchObject({ status: 'confirmed', viewed_at: world.clock.now() })
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['name', 'call', 'details']).where('call', 'like', 'job care%').execute(),
    )
    expect(lines).toEqual([{ name: '系统', call: 'job care: automatic confirmation', details: { batch_id, confirmed: 2 } }])
  })

  test('restarts the automatic confirmation period after a correction and leaves manual confirmations unchanged', async () => {
    await caller.must(slip.setConfirmRule, { auto_confirm_days: 2 })
    const [one, two] = await corp.people(2)
    if (!one || !two) throw new Error('two people')
    const { batch_id, ids } = await sent([one, two], { rules: { confirm: true } })
    const owned = await (await world.signIn(two)).must(employee.confirmSlip, { slip_id: ids[1] ?? '', version: 1 })
    await morning('2026-11-18T10:00:00+08:00')
    expect((await salaries(world, corp, batch_id)).map((row) => [row.status, row.confirmed_auto])).toEqual([
      ['confirmed', true],
      ['confirmed', false],
    ])
    const his = await (await world.signIn(two)).must(employee.getSlip, { slip_id: ids[1] ?? '' })
    expect(his).toMatchObject({ confirmed_auto: false, receipt: owned.receipt })
    caller = await world.signIn(payer)
    const cells = [{ key: 'c4', value: '9000' }]
    await caller.must(slip.editSalaryDetail, { salary_id: ids[0] ?? '', cells, reason: '漏了补贴' })
    expect((await salaries(world, corp, batch_id))[0]).toMatchObject({ status: 'sent', confirmed_auto: false })
    await morning('2026-11-20T09:30:00+08:00')
    expect((await statuses(batch_id))[0]).toBe('sent')
    await morning('2026-11-20T10:00:00+08:00')
    expect((await salaries(world, corp, batch_id))[0]).toMatchObject({ status: 'confirmed', confirmed_version: 2 })
  })

  test('skips batches without confirmation, withdrawn payslips, and companies that disabled it', async () => {
    const none = await sent(await corp.people(1), { rules: { confirm: true } })
    await morning('2026-11-26T09:30:00+08:00')
    expect(await statuses(none.batch_id)).toEqual(['sent'])
    caller = await world.signIn(payer)
    await caller.must(slip.setConfirmRule, { auto_confirm_days: 1 })
    const quiet = await sent(await corp.people(1), { rules: { confirm: false } })
    const removed = await sent(await corp.people(1), { rules: { confirm: true } })
    const stored = await sent(await corp.people(1), { rules: { confirm: true } })
    await caller.must(slip.withdrawBatchPaySheet, { batch_id: removed.batch_id })
    await morning('2026-12-02T09:30:00+08:00')
    expect([await statuses(quiet.batch_id), await statuses(removed.batch_id), await statuses(stored.batch_id)]).toEqual([
      ['sent'],
      ['withdrawn'],
      ['confirmed'],
    ])
  })
})

describe('reminders on schedule', () => {
  test('sends no reminders on a day off and includes them on the next working day', async () => {
    await caller.must(slip.setConfirmRule, { remind_day: 2 })
    world.clock.set('2026-11-19T10:00:00+08:00')
    caller = await world.signIn(payer)
    const { batch_id } = await sent(await corp.people(2))
    // The day is a Saturday, the second day after Thursday.
    await morning('2026-11-21T09:30:00+08:00')
    await morning('2026-11-22T09:30:00+08:00')
    expect(await reminders(batch_id)).toEqual([])
    await morning('2026-11-23T09:30:00+08:00')
    expect((await reminders(batch_id)).map(({ status }) => status)).toEqual(['accepted', 'accepted'])
    await morning('2026-11-24T09:30:00+08:00')
    expect(await reminders(batch_id)).toHaveLength(2)
  })

  test('sends scheduled reminders once on their day for payslips not viewed, and counts them towards the three a day', async () => {
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    await caller.must(slip.setConfirmRule, { remind_day: 3 })
    const [viewed, unseen] = await corp.people(2)
    if (!viewed || !unseen) throw new Error('two people')
    const { batch_id, ids } = await sent([viewed, unseen])
    await (await world.signIn(viewed)).must(employee.getSlip, { slip_id: ids[0] ?? '' })
    const left = await smsLeft(world, corp)
    await morning('2026-11-16T18:00:00+08:00')
    expect(await reminders(batch_id)).toEqual([])
    await morning('2026-11-17T09:30:00+08:00')
    await morning('2026-11-17T15:00:00+08:00')
    expect((await reminders(batch_id)).map((one) => [one.salary_id, one.purpose, one.status])).toEqual([
      [ids[1], 'remind-2026-11-17-auto', 'accepted'],
    ])
    expect(await smsLeft(world, corp)).toBe(left - slip_segments)
    caller = await world.signIn(payer)
    for (const more of [1, 1, 0]) expect((await caller.must(slip.sendBatch, { batch_id, only: 'unviewed' })).queued).toBe(more)
    await morning('2026-11-18T09:30:00+08:00')
    expect((await reminders(batch_id)).length).toBe(3)
    await morning('2026-11-19T09:30:00+08:00')
    expect((await reminders(batch_id)).length).toBe(4)
    const texts = (await world.outbox()).filter((one) => one.mobile === unseen.mobile).map((one) => one.text)
    expect(texts.at(-1)).toMatch(getMessagePattern('remind'))
  })

  test('sends scheduled reminders once with two concurrent jobs, and never at night', async () => {
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    const { batch_id } = await sent(await corp.people(2))
    await morning('2026-11-17T03:00:00+08:00')
    expect(await reminders(batch_id)).toEqual([])
    world.clock.set('2026-11-17T09:30:00+08:00')
    const care = () =>
      world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'care', { company_id: corp.company_id }))
    await Promise.all([care(), care(), care()])
    await Promise.all([world.product.jobs.drain(), world.product.jobs.drain()])
    expect((await reminders(batch_id)).map((one) => one.status)).toEqual(['accepted', 'accepted'])
  })

  test('uses the free channels without enough SMS, notifies the owner once, and charges nothing', async () => {
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    const poor = await world.createCompany({ sms_left: 2 * slip_segments + 1, provider: 'lark' })
    corp = poor
    payer = await poor.person({ power: ['2'] })
    caller = await world.signIn(payer)
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    const people = [...(await poor.people(2)), await poor.person({ platform_user_id: 'ou_1' })]
    const { batch_id } = await sent(people, { channels: ['platform', 'sms'] })
    expect(await smsLeft(world, poor)).toBe(1)
    await morning('2026-11-17T09:30:00+08:00')
    await morning('2026-11-17T15:00:00+08:00')
    expect((await reminders(batch_id)).map((one) => [one.channel, one.status])).toEqual([['platform', 'accepted']])
    expect(await smsLeft(world, poor)).toBe(1)
    const notified = (await notices(payer)).filter((one) => one.text.includes('短信余额不够'))
    expect(notified.map((one) => [one.batch_id, one.text.includes('2 人')])).toEqual([[batch_id, true]])
  })

  test('skip disabled channels, terminated members, and paused batches', async () => {
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    const [removed, context] = await corp.people(2)
    if (!removed || !context) throw new Error('two people')
    const { batch_id } = await sent([removed, context])
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('member').set({ status: 'left', account_id: null }).where('id', '=', removed.member_id).execute(),
    )
    await caller.must(slip.setSendRule, { sms: false })
    await morning('2026-11-17T09:30:00+08:00')
    expect(await reminders(batch_id)).toEqual([])
    caller = await world.signIn(payer)
    await caller.must(slip.setSendRule, { sms: true })
    const pause = (status: 'paused' | 'sent') =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx.updateTable('batch').set({ status }).where('id', '=', batch_id).execute(),
      )
    await pause('paused')
    await morning('2026-11-17T10:30:00+08:00')
    expect(await reminders(batch_id)).toEqual([])
    await pause('sent')
    await morning('2026-11-17T11:30:00+08:00')
    expect((await reminders(batch_id)).length).toBe(1)
  })
})

describe('progress reports', () => {
  test('sends progress reports once a day in counts, to administrators as notifications and to others as messages', async () => {
    const boss = await corp.person({ power: ['4'] })
    const helper = await corp.person({ name: '小助' })
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    for (const person of [boss, payer, helper]) await caller.must(slip.setSendRule, { remind_member: person.member_id })
    const [viewed, ...rest] = await corp.people(3)
    if (!viewed) throw new Error('people')
    const { batch_id, ids } = await sent([viewed, ...rest], { rules: { confirm: true }, title: '十月工资' })
    await (await world.signIn(viewed)).must(employee.getSlip, { slip_id: ids[0] ?? '' })
    const left = await smsLeft(world, corp)
    await morning('2026-11-16T15:00:00+08:00')
    expect((await world.outbox()).filter((one) => one.mobile === helper.mobile)).toEqual([])
    await morning('2026-11-17T09:30:00+08:00')
    await morning('2026-11-17T14:00:00+08:00')
    const text = '「十月工资」还有 2 人没有查看、3 人没有确认'
    for (const person of [boss, payer])
      expect((await notices(person)).filter((one) => one.kind === 'unviewed')).toMatchObject([{ text, batch_id }])
    const messages = (await world.outbox()).filter((one) => one.mobile === helper.mobile)
    expect(messages.map((one) => one.text)).toEqual([
      renderMessage({ kind: 'standing', params: { corp: corp.name, title: '十月工资', unviewed: '2', unconfirmed: '3' } }),
    ])
    // Two reminders need two messages, but only one is left.
    expect(await smsLeft(world, corp)).toBe(left - 2 * slip_segments - 1)
    await morning('2026-11-18T09:30:00+08:00')
    expect((await world.outbox()).filter((one) => one.mobile === helper.mobile).length).toBe(1)
  })

  test('sends no progress reports when nothing is pending, nor to another company', async () => {
    const boss = await corp.person({ power: ['4'] })
    const outsider = await (await world.createCompany()).person({ power: ['4'] })
    await caller.must(slip.setConfirmRule, { remind_day: 1 })
    await caller.must(slip.setSendRule, { remind_member: boss.member_id })
    const [one] = await corp.people(1)
    if (!one) throw new Error('people')
    const { ids } = await sent([one], { rules: { confirm: false } })
    await (await world.signIn(one)).must(employee.getSlip, { slip_id: ids[0] ?? '' })
    await morning('2026-11-17T09:30:00+08:00')
    expect([await notices(boss), await notices(outsider)]).toEqual([[], []])
  })
})
