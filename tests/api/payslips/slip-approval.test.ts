/**
 * Sending with approval by a second administrator: no way around it, exactly what was approved is sent, and the
 * approval reveals nobody's pay.
 */
import { beforeEach, expect, test } from 'vitest'
import { getTodoList } from '../../../server/contract/agency/agency.ts'
import { getApprovalList, setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getNotificationList } from '../../../server/contract/notifications/notifications.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { getSendApproval, getSendApprovalDetail, requestSendApproval } from '../../../server/contract/payslips/send-approval.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { demo } from '../../support/demo.ts'
import { deliveries, getNet, makeBatch, manyPeople, salaries } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo({ own: true, each: true })
let head: Person
let heads: Caller
let batch_id: string
beforeEach(async () => {
  head = await corp.person({ power: ['4'] })
  heads = await world.signIn(head)
  batch_id = await makeBatch(world, clerk, await manyPeople(world, corp, 3))
  await payroll.must(slip.setSendRule, { approve_from: 1 })
})
const plan = (who: Caller = payroll, more: { when?: string } = {}) =>
  who.must(slip.sendPaySheet, { batch_id, channels: ['sms'], ...more })
const request = async (who: Caller = payroll, more: { when?: string } = {}) => {
  const { plan_id, needs_approval } = await plan(who, more)
  expect(needs_approval).toBe(true)
  return { plan_id, ...(await who.must(requestSendApproval, { plan_id, looked: true })) }
}
const decide = (who: Caller, approval_no: string, status: 1 | 2 | 3, reason?: string) =>
  who.call(setApprovalStatusByApprovalNo, { approval_no, status, ...(reason ? { reason } : {}) })
const doSend = (plan_id: string, who: Caller = payroll) => who.call(slip.doSend, { plan_id, looked: true })
const correct = (salary_id: string, fen: number, who: Caller = payroll) =>
  who.must(slip.editSalaryDetail, {
    salary_id,
    reason: '补发',
    cells: [{ key: 'c4', value: (fen / 100).toFixed(2) }],
    mismatch_reason: '补发',
  })
const getStatus = async () => (await payroll.must(getSendApproval, { batch_id })).approval
const nothingLeft = async () => expect(await deliveries(world, corp, batch_id)).toEqual([])
const inDays = (days: number) => new Date(world.clock.now().getTime() + days * 86_400_000).toISOString()

test('a request names the applicant and the warnings with which they go on', async () => {
  const people = await manyPeople(world, corp, 2)
  const title = '十月补发'
  await heads.must(slip.setSendRule, { approve_from: 0 })
  const first = await makeBatch(world, clerk, people, { title })
  const { plan_id } = await payroll.must(slip.sendPaySheet, { batch_id: first, channels: ['sms'] })
  await payroll.must(slip.doSend, { plan_id, looked: true })
  await payroll.must(slip.setSendRule, { approve_from: 1 })
  batch_id = await makeBatch(world, clerk, people, { title: '十月第二批' })
  await payroll.must(sheet.insertBatchTitle, { batch_id, title, month: '2026-10', kind: 'monthly' })
  await request()
  expect((await heads.must(getApprovalList, { status: 0 })).list[0]).toMatchObject({
    applicant: clerk.name,
    summary: expect.stringContaining('2 人本月已发过'),
  })
})

test('a request is shown in totals, approved and sent; requester and approver are notified', async () => {
  const { plan_id } = await plan()
  const early = await doSend(plan_id)
  expect([early.code, early.message]).toEqual([errorCodes.wrong_state.code, expect.stringContaining('请提交审批')])
  const { approval_no } = await payroll.must(requestSendApproval, { plan_id, looked: true })
  expect((await doSend(plan_id)).message).toContain('还在等审批')
  expect((await heads.must(getTodoList, {})).list.find(({ kind }) => kind === 'approval')?.count).toBe(1)
  expect((await heads.must(getNotificationList)).list[0]?.text).toMatch(/申请发送「.+」3 人，请审批/)
  expect((await heads.must(getApprovalList, { status: 0 })).list[0]).toMatchObject({
    kind: 'send',
    can_decide: true,
    summary: expect.stringMatching(/^申请发送「.+」3 人$/),
  })

  const visible = await heads.must(getSendApprovalDetail, { approval_no })
  const all = [2, 3, 4].map(getNet)
  expect(visible).toMatchObject({
    people: 3,
    by_channel: [{ channel: 'sms', count: 3 }],
    is_current: true,
    totals: { net_fen: all.reduce((a, b) => a + b) },
  })
  for (const one of all) expect(JSON.stringify(visible)).not.toContain(String(one))

  expect((await decide(heads, approval_no, 1)).code).toBe(0)
  expect(await getStatus()).toMatchObject({ status: 'approved', decided_by: head.name, people: 3 })
  expect((await payroll.must(getNotificationList)).list[0]?.text).toContain('已通过')
  await nothingLeft()
  expect((await doSend(plan_id)).data.status).toBe('sending')
  await world.product.jobs.drain()
  const sent = await salaries(world, corp, batch_id)
  expect(sent.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])

  // Later corrections within the bound need no approval and are visible to the approver.
  for (const { id } of sent.slice(0, 2)) expect((await correct(id, getNet(2) + 50_000)).approval_no).toBe(null)
  const heard = (await heads.must(getNotificationList)).list.filter(({ text }) => text.includes('在发出后更正了其中的工资条'))
  expect(heard).toHaveLength(1)
  expect(heard[0]?.text).not.toContain('8502')
})

test('a correction beyond the bound waits for a second person, who approves exactly it', async () => {
  const { plan_id, approval_no } = await request()
  await decide(heads, approval_no, 1)
  await doSend(plan_id)
  await world.product.jobs.drain()
  const [first, second] = await salaries(world, corp, batch_id)
  const [id, other] = [first?.id ?? '', second?.id ?? '']
  const versions = async () => (await salaries(world, corp, batch_id)).map(({ version }) => version).toSorted()
  const pending = await correct(id, 7_777_700)
  expect(pending).toEqual({ version: 1, approval_no: expect.any(String) })
  // Nothing changes; a repetition is the same request.
  expect((await correct(id, 7_777_700)).approval_no).toBe(pending.approval_no)
  expect(await versions()).toEqual([1, 1, 1])
  const visible = await heads.must(getSendApprovalDetail, { approval_no: pending.approval_no ?? '' })
  expect(visible).toMatchObject({ people: 1, totals: null, is_current: true })
  expect((await decide(payroll, pending.approval_no ?? '', 1)).code).not.toBe(0)
  expect((await decide(heads, pending.approval_no ?? '', 1)).code).toBe(0)
  // Another amount was not approved.
  expect((await correct(id, 8_888_800)).approval_no).not.toBe(null)
  expect(await correct(id, 7_777_700)).toEqual({ version: 2, approval_no: null })
  // Many small steps add up, of one payslip and of the batch.
  expect((await correct(other, getNet(3) + 60_000)).approval_no).toBe(null)
  expect((await correct(other, getNet(3))).approval_no).not.toBe(null)
  expect(await versions()).toEqual([1, 2, 2])
})

test('a request is returned with a reason, and any change after the approval requires a new one', async () => {
  const first = await request()
  await decide(heads, first.approval_no, 2, '十月的奖金还没有定')
  expect(await getStatus()).toMatchObject({ status: 'returned', reason: '十月的奖金还没有定' })
  expect((await doSend(first.plan_id)).message).toContain('被驳回')

  const second = await request()
  await decide(heads, second.approval_no, 1)
  world.clock.advance(1_000)
  await payroll.must(sheet.editPaySheetTitle, { batch_id, hint: '另外一句话' })
  expect((await doSend(second.plan_id)).code).toBe(errorCodes.wrong_state.code)
  expect(await getStatus()).toMatchObject({ status: 'void' })

  const third = await request()
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('payslip').set({ channel: 'link' }).where('batch_id', '=', batch_id).where('row_no', '=', 3).execute(),
  )
  expect((await decide(heads, third.approval_no, 1)).message).toContain('又有改变')
  expect((await heads.must(getSendApprovalDetail, { approval_no: third.approval_no })).people).toBe(3)
  const fourth = await request()
  expect((await decide(heads, third.approval_no, 1)).code).toBe(errorCodes.wrong_state.code)
  await decide(heads, fourth.approval_no, 1)
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('payslip').set({ channel: 'link' }).where('batch_id', '=', batch_id).where('row_no', '=', 3).execute(),
  )
  expect((await doSend(fourth.plan_id)).message).toContain('审批之后内容又有改变')
  // A new plan does not inherit the approval.
  const { plan_id } = await plan()
  expect((await doSend(plan_id)).message).toContain('请提交审批')
  await nothingLeft()
})

test('nobody approves their own request, nor a plan they made for another requester', async () => {
  const { approval_no } = await request(heads)
  expect((await decide(heads, approval_no, 1)).code).toBe(errorCodes.not_permitted.code)
  const own = await decide(payroll, approval_no, 1)
  expect(own.code).toBe(0)
  const { plan_id } = await plan(heads)
  const asking = await payroll.must(requestSendApproval, { plan_id, looked: true })
  const made = await decide(heads, asking.approval_no, 1)
  expect([made.code, made.message]).toEqual([errorCodes.not_permitted.code, expect.stringContaining('是您做的')])
  const outsider = await world.signIn(await corp.person({ power: ['3'] }))
  expect((await outsider.call(getSendApprovalDetail, { approval_no })).code).toBe(errorCodes.not_found.code)
  expect((await decide(outsider, approval_no, 2)).code).toBe(errorCodes.not_found.code)
})

test('an approved schedule keeps its time; after cancelling it, a new approval is required', async () => {
  const { plan_id, approval_no } = await request(payroll, { when: inDays(2) })
  await decide(heads, approval_no, 1)
  expect((await doSend(plan_id)).data.status).toBe('scheduled')
  for (const early of [
    await payroll.call(slip.sendNow, { batch_id }),
    await payroll.call(slip.setSchedule, { batch_id, when: inDays(1) }),
  ])
    expect([early.code, early.message]).toEqual([errorCodes.wrong_state.code, expect.stringContaining('审批时的时间')])
  await payroll.must(slip.pauseSend, { batch_id })
  expect((await doSend(plan_id)).code).toBe(errorCodes.wrong_state.code)
  expect((await doSend((await plan()).plan_id)).message).toContain('请提交审批')
  await nothingLeft()
})

test('batches of a month that together reach the threshold are reported; the same members twice are not', async () => {
  await heads.must(slip.setSendRule, { approve_from: 4 })
  const people = await manyPeople(world, corp, 3)
  const sendTo = async (some: typeof people, options: { month?: string; kind?: 'bonus' } = {}) => {
    // On different days: within one day the people count together.
    world.clock.advance(86_400_000)
    const today = await world.signIn(clerk)
    const own = await makeBatch(world, clerk, some, options)
    const { plan_id } = await today.must(slip.sendPaySheet, { batch_id: own, channels: ['link'] })
    expect((await doSend(plan_id, today)).code).toBe(0)
  }
  const notify = async () =>
    (await (await world.signIn(head)).must(getNotificationList)).list
      .filter(({ text }) => text.includes('拆开发送'))
      .map(({ text }) => text)
  await sendTo(people)
  await sendTo(people, { kind: 'bonus' })
  await sendTo(await manyPeople(world, corp, 3), { month: '2026-09' })
  expect(await notify()).toEqual([])
  await sendTo(await manyPeople(world, corp, 2))
  await sendTo(await manyPeople(world, corp, 1))
  expect(await notify()).toEqual([
    expect.stringContaining('2026-10 的工资条没有经过审批，分 3 批共发给 5 人，合起来已到审批线 4 人'),
  ])
})

test('the people of all batches of a day count together, also when they are sent at once', async () => {
  await heads.must(slip.setSendRule, { approve_from: 4 })
  const prepare = async (count: number) => {
    const own = await makeBatch(world, clerk, await manyPeople(world, corp, count))
    return payroll.must(slip.sendPaySheet, { batch_id: own, channels: ['link'] })
  }
  // One batch a person: three are sent, and the fourth waits, however late it was planned.
  const plans = []
  for (let at = 0; at < 4; at += 1) plans.push(await prepare(1))
  expect(plans.map(({ needs_approval }) => needs_approval)).toEqual([false, false, false, false])
  const answers = await Promise.all(plans.map(({ plan_id }) => doSend(plan_id)))
  expect(answers.map(({ code }) => code).toSorted()).toEqual([0, 0, 0, errorCodes.wrong_state.code])
  expect(answers.find(({ code }) => code !== 0)?.message).toContain(
    '24 小时内没有经过审批的，加上这一批共 4 人，已到审批线 4 人，由另一位管理员（系统管理员）同意后才能发出',
  )
  const next = await prepare(2)
  expect(next).toMatchObject({ needs_approval: true, approval_reason: expect.stringContaining('共 5 人') })
  const { approval_no } = await payroll.must(requestSendApproval, { plan_id: next.plan_id, looked: true })
  expect((await decide(heads, approval_no, 1)).code).toBe(0)
  expect((await doSend(next.plan_id)).code).toBe(0)
  // What was approved does not count, and the next day begins without the others.
  world.clock.advance(86_400_001)
  const tomorrow = await world.signIn(clerk)
  const own = await makeBatch(world, clerk, await manyPeople(world, corp, 3))
  expect((await tomorrow.must(slip.sendPaySheet, { batch_id: own, channels: ['link'] })).needs_approval).toBe(false)
})

test('senders cannot change the threshold, totals of few members are hidden, and a company with one administrator cannot require approval', async () => {
  const off = await payroll.call(slip.setSendRule, { approve_from: 0 })
  expect([off.code, off.message]).toEqual([errorCodes.not_permitted.code, expect.stringContaining('系统管理员')])
  expect((await payroll.call(slip.setSendRule, { approve_from: 5 })).code).toBe(errorCodes.not_permitted.code)
  await heads.must(slip.setSendRule, { approve_from: 3 })
  expect((await payroll.must(getNotificationList)).list[0]?.text).toContain('3 人及以上')
  const few = await makeBatch(world, clerk, await manyPeople(world, corp, 2))
  const small = await payroll.must(slip.sendPaySheet, { batch_id: few, channels: ['link'] })
  expect(small.needs_approval).toBe(false)
  expect((await payroll.call(requestSendApproval, { plan_id: small.plan_id, looked: true })).message).toContain('不需要审批')
  expect((await doSend(small.plan_id)).code).toBe(0)

  await heads.must(slip.setSendRule, { approve_from: 1 })
  const two = await makeBatch(world, clerk, await manyPeople(world, corp, 2))
  const { plan_id } = await payroll.must(slip.sendPaySheet, { batch_id: two, channels: ['link'] })
  const { approval_no } = await payroll.must(requestSendApproval, { plan_id, looked: true })
  expect(await heads.must(getSendApprovalDetail, { approval_no })).toMatchObject({ people: 2, totals: null })

  const alone = await world.createCompany({})
  const only = await world.signIn(await alone.person({ power: ['4'] }))
  expect((await only.call(slip.setSendRule, { approve_from: 1 })).message).toContain('没有另一位管理员')
})
