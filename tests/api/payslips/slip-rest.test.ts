/** Sending a batch in parts: the rest stays with the batch, can be sent, scheduled and cancelled, and nobody receives twice. */
import { beforeEach, expect, test } from 'vitest'
import { setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import * as company from '../../../server/contract/company/company.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { getSendApproval, requestSendApproval } from '../../../server/contract/payslips/send-approval.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { demo } from '../../support/demo.ts'
import { deliveries, makeBatch, manyPeople, salaries, slip_segments, smsLeft } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp, clerk } = demo({ own: true, each: true })
let caller: Caller
let batch_id: string
beforeEach(async () => {
  caller = await world.signIn(clerk)
  batch_id = await makeBatch(world, clerk, await manyPeople(world, corp, 6), { month: '2026-11' })
})
const plan = (more: { rows?: number[]; when?: string } = {}) =>
  caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'], ...more })
const start = async (more: { rows?: number[]; when?: string } = {}) => {
  const { plan_id } = await plan(more)
  return caller.must(slip.doSend, { plan_id, looked: true })
}
const sendPart = async (rows?: number[]) => {
  await start(rows ? { rows } : {})
  await world.product.jobs.drain()
}
const detail = async () => (await caller.must(slip.getWageDetail, { batch_id })).batch
const inList = async () => (await caller.must(slip.getWageList, {})).list.find((one) => one.batch_id === batch_id)
const info = () => caller.must(slip.getSendInfo, { batch_id })
const getSlipMessages = async () => (await deliveries(world, corp, batch_id)).filter(({ purpose }) => purpose === 'slip')
const inDays = (days: number) => new Date(world.clock.now().getTime() + days * 86_400_000).toISOString()

test('the rest of a batch stays with it and is sent later, to nobody twice', async () => {
  await sendPart([2, 3])
  expect(await detail()).toMatchObject({ status: 'sent', counts: { total: 2, sent: 2, unsent: 4 } })
  expect(await inList()).toMatchObject({ people: 6, sent: 2, unsent: 4 })
  expect(await info()).toMatchObject({ total: 2, sent: 2, unsent: 4 })
  expect((await caller.must(company.getIndex, {})).batches.find((one) => one.batch_id === batch_id)).toMatchObject({
    total: 6,
    sent: 2,
  })
  expect((await caller.must(sheet.getTitleInfo, { batch_id })).unsent_count).toBe(4)
  // Step 4 offers the rest, and nobody of the part that was sent.
  expect((await caller.must(slip.getSendOptions, { batch_id })).options.rows).toBeNull()
  const members = await caller.must(sheet.getPreviewMember, { batch_id, page: 1, pagesize: 10 })
  expect(members.list.map(({ row }) => row)).toEqual([4, 5, 6, 7])
  expect((await caller.call(slip.sendPaySheet, { batch_id, rows: [2, 4] })).data).toMatchObject({ field: 'rows' })
  const before = await smsLeft(world, corp)
  const rest = await plan()
  expect(rest.count).toBe(4)
  // A plan alone changes no count.
  expect(await detail()).toMatchObject({ status: 'sent', counts: { total: 2, queued: 0, unsent: 4 } })
  expect((await caller.must(slip.doSend, { plan_id: rest.plan_id, looked: true })).status).toBe('sending')
  await world.product.jobs.drain()
  expect(before - (await smsLeft(world, corp))).toBe(4 * slip_segments)
  expect(await detail()).toMatchObject({ status: 'sent', counts: { total: 6, sent: 6, unsent: 0 } })
  const messages = await getSlipMessages()
  expect([messages.length, new Set(messages.map(({ salary_id }) => salary_id)).size]).toEqual([6, 6])
  expect((await caller.call(slip.sendPaySheet, { batch_id })).message).toContain('已经发送过')
})

test('the rest keeps the rules of the part that was sent', async () => {
  const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, rows: [2], channels: ['sms'], rules: { confirm: false } })
  await caller.must(slip.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'], rules: { confirm: true } })
  expect((await detail()).rules.confirm).toBe(false)
})

test('a rest that is scheduled and cancelled is unsent again, while the first part goes on', async () => {
  await sendPart([2, 3])
  const [first] = await salaries(world, corp, batch_id)
  const before = await smsLeft(world, corp)
  expect((await start({ when: inDays(2) })).status).toBe('scheduled')
  expect(await detail()).toMatchObject({ status: 'scheduled', counts: { sent: 2, queued: 4, unsent: 0 } })
  // The first part can be corrected and reminded meanwhile, at once; the rest cannot be withdrawn one by one.
  await caller.must(slip.editSalaryDetail, { salary_id: first?.id ?? '', reason: '补发', cells: [{ key: 'c2', value: '9000' }] })
  await caller.must(slip.sendBatch, { batch_id, only: 'unviewed' })
  await world.product.jobs.drain()
  const sent = (await deliveries(world, corp, batch_id)).filter(({ purpose }) => purpose !== 'slip')
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 'accepted'))
  expect(sent.length).toBeGreaterThan(1)
  const scheduled = (await salaries(world, corp, batch_id)).find(({ status }) => status === 'queued')
  expect((await caller.call(slip.withdrawSingleSalary, { salary_id: scheduled?.id ?? '' })).message).toContain('取消定时')
  const spent = before - (await smsLeft(world, corp))
  expect((await caller.must(slip.pauseSend, { batch_id })).status).toBe('sent')
  expect(await smsLeft(world, corp)).toBe(before - spent + 4 * slip_segments)
  expect(await detail()).toMatchObject({ status: 'sent', counts: { total: 2, queued: 0, unsent: 4 } })
  await sendPart()
  expect(await detail()).toMatchObject({ counts: { total: 6, sent: 6, unsent: 0 } })
  expect(await getSlipMessages()).toHaveLength(6)
})

test('a rest that is scheduled goes out at its time', async () => {
  await sendPart([2, 3])
  await start({ when: inDays(2) })
  await caller.must(slip.setSchedule, { batch_id, when: inDays(1) })
  await world.product.jobs.drain()
  expect(await detail()).toMatchObject({ status: 'scheduled', counts: { sent: 2, queued: 4 } })
  await caller.must(slip.sendNow, { batch_id })
  await world.product.jobs.drain()
  expect(await detail()).toMatchObject({ status: 'sent', counts: { sent: 6, unsent: 0 } })
  expect(await getSlipMessages()).toHaveLength(6)
})

test('a part that was scheduled and cancelled leaves the whole batch unsent', async () => {
  await start({ rows: [2, 3], when: inDays(2) })
  expect(await detail()).toMatchObject({ status: 'scheduled', counts: { queued: 2, unsent: 4 } })
  expect((await caller.must(slip.pauseSend, { batch_id })).status).toBe('checked')
  expect(await inList()).toMatchObject({ people: 6, sent: 0 })
  await sendPart()
  expect(await detail()).toMatchObject({ counts: { total: 6, sent: 6, unsent: 0 } })
})

test('somebody of the rest can be corrected, somebody who was sent a payslip cannot', async () => {
  await sendPart([2, 3])
  const edit = (row: number) =>
    caller.call(sheet.dealWithSalaryList, { batch_id, actions: [{ row, column: 'c2', fix: 'edit', value: '9100' }] })
  expect((await edit(2)).message).toContain('已经发送')
  expect((await edit(4)).code).toBe(0)
  await sendPart([4])
  expect(await detail()).toMatchObject({ status: 'sent', counts: { sent: 3, unsent: 3 } })
  expect((await edit(4)).message).toContain('已经发送')
})

test('the approval of a part does not cover the rest', async () => {
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  await caller.must(slip.setSendRule, { approve_from: 2 })
  const approve = async (rows?: number[]) => {
    const { plan_id } = await plan(rows ? { rows } : {})
    expect((await caller.call(slip.doSend, { plan_id, looked: true })).message).toContain('审批')
    const { approval_no } = await caller.must(requestSendApproval, { plan_id, looked: true })
    await head.must(setApprovalStatusByApprovalNo, { approval_no, status: 1 })
    await caller.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
  }
  await approve([2, 3])
  expect((await caller.must(getSendApproval, { batch_id })).approval?.status ?? null).not.toBe('approved')
  await approve()
  expect(await detail()).toMatchObject({ counts: { sent: 6, unsent: 0 } })
})
