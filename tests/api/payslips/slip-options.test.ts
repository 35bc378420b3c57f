/**
 * Step 4 on the server: options are stored with the batch, the plan follows them, concurrent changes are detected, a
 * schedule can be moved.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { skipRows } from '../../../server/modules/sheets/rows/written-rows.ts'
import { toIsoTimestamp } from '../../../server/shared/clock.ts'
import { demo } from '../../support/demo.ts'
import {
  deliveries,
  getGateway,
  makeBatch,
  manyPeople,
  type PaidPerson,
  salaries,
  send,
  sender,
  slip_segments,
  smsLeft,
  untilStopped,
} from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

let caller: Caller
let people: PaidPerson[]
let batch_id: string
const { world, corp, clerk: payer } = demo({ own: true, clerk: { name: '王会计' }, each: true })
beforeEach(async () => {
  caller = await world.signIn(payer)
  people = await manyPeople(world, corp, 6)
  batch_id = await makeBatch(world, payer, people)
})
/** Another administrator with all rights. */
const head = async () => world.signIn(await corp.person({ power: ['4'], name: '李主管' }))
const start = (by = caller) => by.must(slip.getSendOptions, { batch_id })
/** An instant in the format of the product. */
const inDays = (days: number) => toIsoTimestamp(new Date(world.clock.now().getTime() + days * 86_400_000))

describe('options of a batch', () => {
  test("starts batch options with the company's settings and keeps what is selected", async () => {
    await caller.must(slip.setSendRule, { weChat: 0, watermark: false })
    const { options, version } = await start()
    expect(options).toMatchObject({ rows: null, channels: ['sms', 'link'], when: null, rules: { watermark: false } })
    const selected = { ...options, rows: [2, 4], channels: ['link' as const], when: inDays(1) }
    await caller.must(slip.setSendOptions, { batch_id, version, options: selected })
    expect(await start()).toEqual({ options: selected, version: version + 1 })
  })

  test('keeps batch options when a schedule is cancelled', async () => {
    const rules = { confirm: false, feedback: true, view_password: true, burn_after_minutes: 30, watermark: true }
    const when = inDays(1)
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'], rows: [3, 5], when, rules })
    await caller.must(slip.doSend, { plan_id, looked: true })
    await caller.must(slip.pauseSend, { batch_id })
    expect((await start()).options).toEqual({ rows: [3, 5], channels: ['link'], when, rules })
  })

  test("refuses batch options with the other user's name after a concurrent change, and allows replacing it afterwards", async () => {
    const other = await head()
    const { options, version } = await start()
    await other.must(slip.setSendOptions, { batch_id, version, options: { ...options, channels: ['sms'] } })
    const current = { ...options, channels: ['link' as const] }
    const refused = await caller.call(slip.setSendOptions, { batch_id, version, options: current })
    expect(refused).toMatchObject({ code: errorCodes.wrong_state.code, data: { version: version + 1 } })
    expect(refused.message).toContain('李主管')
    expect((await start()).options.channels).toEqual(['sms'])
    await caller.must(slip.setSendOptions, { batch_id, version: version + 1, options: current })
    expect((await start(other)).options.channels).toEqual(['link'])
  })

  test('leaves batch options unchanged when the same is saved again', async () => {
    const { options, version } = await start()
    await caller.must(slip.setSendOptions, { batch_id, version, options })
    expect((await caller.must(slip.setSendOptions, { batch_id, version: version + 1, options })).version).toBe(version + 1)
  })

  test('drops members who have been skipped since from the batch options', async () => {
    const { options, version } = await start()
    await caller.must(slip.setSendOptions, { batch_id, version, options: { ...options, rows: [2, 3, 99] } })
    await world.database.inCompany(corp.company_id, (tx) =>
      skipRows({ db: tx, company_id: corp.company_id }, batch_id, [3], true),
    )
    expect((await start()).options.rows).toEqual([2])
  })

  test('does not invalidate a frozen plan when options are saved', async () => {
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'] })
    const { options, version } = await start()
    await caller.must(slip.setSendOptions, { batch_id, version, options: { ...options, channels: ['sms'] } })
    expect((await caller.must(slip.doSend, { plan_id, looked: true })).status).toBe('sending')
  })

  test('refuses changes of batch options after sending', async () => {
    const { options, version } = await start()
    await send(caller, batch_id, ['link'])
    const { code } = await caller.call(slip.setSendOptions, { batch_id, version, options })
    expect(code).toBe(errorCodes.wrong_state.code)
  })
})

describe('preview of the plan', () => {
  test('previews exactly the plan to be frozen, and stores no payslip or plan', async () => {
    const { plan_id } = await (await head()).must(slip.sendPaySheet, { batch_id, channels: ['link'] })
    const before = await salaries(world, corp, batch_id)
    const notified = await caller.must(slip.getSendPlan, { batch_id, channels: ['sms'], rows: [2, 3] })
    expect(notified).toMatchObject({
      count: 2,
      by_channel: { sms: 2 },
      sms_needed: 2 * slip_segments,
      sms_per_recipient: slip_segments,
      unreachable: [],
      sms_insufficient: [],
    })
    expect(notified.departments).toBeUndefined()
    expect(await salaries(world, corp, batch_id)).toEqual(before)
    const { plan_id: _, ...frozen } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'], rows: [2, 3] })
    expect(frozen).toEqual(notified)
    expect((await (await head()).call(slip.doSend, { plan_id })).code).toBe(errorCodes.wrong_state.code)
  })

  test("previews the lock screen text as the gateway receives it, apart from each recipient's link", async () => {
    const { plan } = await send(caller, batch_id, ['sms', 'link'])
    const gateway = getGateway()
    await sender(world, gateway).send({ company_id: corp.company_id, batch_id }, untilStopped)
    const handed = gateway.accepted.map(({ text }) => text.replace(/[^/]+$/, ''))
    expect([handed.length, new Set(handed)]).toEqual([6, new Set(plan.previews.map(({ text }) => text.replace(/[^/]+$/, '')))])
    expect(plan.previews.map(({ channel, title }) => [channel, title])).toEqual([['sms', '']])
  })

  test('previews the lock screen texts that the settings show before a batch of this month exists', async () => {
    const own = await makeBatch(world, payer, people, { title: '2026年11月工资', month: '2026-11' })
    const plan = await caller.must(slip.getSendPlan, { batch_id: own, channels: ['sms'] })
    const { provider, shown } = (await caller.must(slip.getWageSettings, {})).lock_screen
    expect([provider, shown.map(({ channel }) => channel)]).toEqual([null, ['platform', 'sms', 'email']])
    expect(shown.filter(({ channel }) => channel === 'sms')).toEqual(plan.previews)
  })

  test('lists the departments of members for selection', async () => {
    const { departments } = await caller.must(slip.getSendPlan, { batch_id, channels: ['link'], departments: true })
    expect(departments).toEqual([{ name: '', rows: [2, 3, 4, 5, 6, 7] }])
  })

  const leave = (sms_left: number) =>
    world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('company').set({ sms_left }).where('id', '=', corp.company_id).execute(),
    )

  test('uses the next selected channel in sheet order when messages run short', async () => {
    await leave(4 * slip_segments)
    const plan = await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms', 'link'] })
    expect(plan).toMatchObject({ count: 6, by_channel: { sms: 4, link: 2 }, sms_needed: 4 * slip_segments, sms_insufficient: [] })
    await caller.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
    expect((await salaries(world, corp, batch_id)).map(({ channel }) => channel)).toEqual([
      'sms',
      'sms',
      'sms',
      'sms',
      'link',
      'link',
    ])
    expect(await smsLeft(world, corp)).toBe(0)
  })

  test('names the members left out and sends to the others if no further channel was selected', async () => {
    await leave(4 * slip_segments)
    const plan = await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    expect(plan).toMatchObject({ count: 4, sms_needed: 4 * slip_segments, unreachable: [] })
    expect(plan.sms_insufficient).toEqual([4, 5].map((at) => ({ row: at + 2, name: people[at]?.name })))
    await caller.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
    expect(await salaries(world, corp, batch_id)).toHaveLength(4)
  })

  test('refuses the plan with a remedy if no message is left at all', async () => {
    await leave(0)
    const { code, message } = await caller.call(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    expect(code).toBe(errorCodes.wrong_state.code)
    expect(message).toContain('只生成链接')
  })
})

describe('schedule', () => {
  test('shows the schedule in list and details', async () => {
    const when = inDays(2)
    await send(caller, batch_id, ['link'], { when })
    expect((await caller.must(slip.getWageDetail, { batch_id })).batch).toMatchObject({ status: 'scheduled', scheduled_at: when })
    expect((await caller.must(slip.getWageList, {})).list[0]).toMatchObject({ batch_id, scheduled_at: when })
  })

  test('moves a schedule to an earlier time and then sends once', async () => {
    await send(caller, batch_id, ['sms'], { when: inDays(5) })
    const when = inDays(1)
    expect(await caller.must(slip.setSchedule, { batch_id, when })).toEqual({ scheduled_at: when })
    expect((await caller.must(slip.getSendInfo, { batch_id })).scheduled_at).toBe(when)
    expect((await start()).options.when).toBe(when)
    const gateway = getGateway()
    const rests: number[] = []
    await sender(world, gateway, {}, (ms) => rests.push(ms)).send({ company_id: corp.company_id, batch_id }, untilStopped)
    // The job comes too early, so it queues a slot for the new time.
    expect([gateway.accepted.length, rests.map((ms) => Math.round(ms / 3_600_000))]).toEqual([0, [24]])
    world.clock.advance(86_400_000 + 1000)
    await sender(world, gateway).send({ company_id: corp.company_id, batch_id }, untilStopped)
    caller = await world.signIn(payer)
    expect((await caller.must(slip.getSendInfo, { batch_id })).sent).toBe(6)
    expect(gateway.accepted).toHaveLength(6)
    expect((await deliveries(world, corp, batch_id)).every(({ attempts }) => attempts === 1)).toBe(true)
  })

  test('moves a schedule to a later time and waits for it', async () => {
    await send(caller, batch_id, ['sms'], { when: inDays(1) })
    await caller.must(slip.setSchedule, { batch_id, when: inDays(3) })
    world.clock.advance(86_400_000 + 1000)
    const gateway = getGateway()
    await sender(world, gateway).send({ company_id: corp.company_id, batch_id }, untilStopped)
    expect(gateway.accepted).toHaveLength(0)
    caller = await world.signIn(payer)
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('scheduled')
  })

  test.each([
    ['a time in the past', -1],
    ['a time half a year ahead', 180],
  ])('refuses to move a schedule to %s', async (_what, days) => {
    await send(caller, batch_id, ['link'], { when: inDays(1) })
    expect(await caller.call(slip.setSchedule, { batch_id, when: inDays(days) })).toMatchObject({ data: { field: 'when' } })
  })

  test('refuses to move the schedule of a batch that is not scheduled', async () => {
    expect((await caller.call(slip.setSchedule, { batch_id, when: inDays(1) })).code).toBe(errorCodes.wrong_state.code)
  })
})

describe('concurrent changes of a layout', () => {
  test('tells the second administrator that the layout was changed, and allows replacing it deliberately', async () => {
    const other = await head()
    const { version } = await caller.must(sheet.getLayout, { batch_id })
    const theirs = await other.must(sheet.editPaySheetTitle, { batch_id, hint: '奖金下月发', version })
    const refused = await caller.call(sheet.editPaySheetTitle, { batch_id, hint: '如有疑问请反馈', version })
    expect(refused).toMatchObject({ code: errorCodes.wrong_state.code, data: { version: theirs.version } })
    expect(refused.message).toContain('李主管')
    for (const [call, more] of [
      [sheet.insertClassify, { name: '津贴' }],
      [sheet.updateClassify, { class_id: 'pay', name: '津贴' }],
      [sheet.clearClassify, { class_id: 'pay' }],
    ] as const)
      expect((await caller.call(call, { batch_id, version, ...more })).code).toBe(errorCodes.wrong_state.code)
    expect((await caller.must(sheet.getLayout, { batch_id })).hint).toBe('奖金下月发')
    await caller.must(sheet.editPaySheetTitle, { batch_id, hint: '如有疑问请反馈', version: theirs.version })
    expect((await other.must(sheet.getLayout, { batch_id })).hint).toBe('如有疑问请反馈')
  })

  test('accepts layout changes made one after the other with the returned version', async () => {
    let { version } = await caller.must(sheet.getLayout, { batch_id })
    for (const hint of ['一', '二']) version = (await caller.must(sheet.editPaySheetTitle, { batch_id, hint, version })).version
    version = (await caller.must(sheet.insertClassify, { batch_id, name: '津贴', version })).version
    await caller.must(sheet.editPaySheetTitle, { batch_id, hint: '三', version })
  })
})
