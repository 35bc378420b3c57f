/**
 * Every count has one meaning in the list, home, details and the page after sending, with members in every status; and
 * the monthly totals of home.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { getIndex } from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { payslipStatuses } from '../../../server/contract/shared/schemas.ts'
import { demo } from '../../support/demo.ts'
import { deliveries, getNet, makeBatch, manyPeople, salaries, send, slip_segments, smsLeft } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

let caller: Caller
const { world, corp, clerk: payer } = demo({ own: true, clerk: { name: '王会计' }, each: true })
beforeEach(async () => {
  caller = await world.signIn(payer)
})
const set = (id: string, change: object) =>
  world.database.inCompany(corp.company_id, (tx) => tx.updateTable('payslip').set(change).where('id', '=', id).execute())
async function out(count: number, options: Parameters<typeof makeBatch>[3] = {}, channels: ('sms' | 'link')[] = ['link']) {
  const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, count), options)
  await send(caller, batch_id, channels)
  await world.product.jobs.drain()
  return { batch_id, ids: (await salaries(world, corp, batch_id)).map(({ id }) => id) }
}
const nets = (rows: readonly number[]) => rows.reduce((sum, row) => sum + getNet(row), 0)

test('shows equal counts in list, home, details and the page after sending for members in every status', async () => {
  const now = world.clock.now()
  // Two payslips of each status, one of them with open feedback. Planned ones are no payslips yet: their rows are unsent.
  const { batch_id, ids } = await out(payslipStatuses.length * 2)
  for (const [at, id] of ids.entries()) {
    const status = payslipStatuses[Math.floor(at / 2)] ?? 'sent'
    await set(id, { status, has_feedback: at % 2 === 1, viewed_at: ['viewed', 'confirmed'].includes(status) ? now : null })
  }
  const line = (await caller.must(slip.getWageList, {})).list.find((one) => one.batch_id === batch_id)
  const home = (await caller.must(getIndex, {})).batches.find((one) => one.batch_id === batch_id)
  const { counts } = (await caller.must(slip.getWageDetail, { batch_id })).batch
  const info = await caller.must(slip.getSendInfo, { batch_id })
  const message = { sent: 6, viewed: 4, confirmed: 2, failed: 2, feedback: 5 }
  expect(line).toMatchObject({ ...message, people: 14 })
  expect(home).toMatchObject({ ...message, total: 14 })
  expect(info).toMatchObject({ sent: 6, viewed: 4, confirmed: 2, failed: 2, queued: 2, withdrawn: 2, total: 12, unsent: 2 })
  // Payslips are counted separately, each once, as a filter lists them.
  expect(counts).toEqual({
    total: 12,
    sent: 2,
    viewed: 2,
    confirmed: 2,
    failed: 2,
    withdrawn: 2,
    queued: 2,
    feedback: 5,
    unsent: 2,
  })
  for (const status of ['sent', 'viewed', 'confirmed', 'failed', 'withdrawn', 'queued', 'feedback'] as const)
    expect((await caller.must(slip.getWageDetail, { batch_id, status })).page.total, status).toBe(counts[status])
})

test('shows the net pay of the sent payslips in list and details, in the list only for three people or more', async () => {
  const { batch_id, ids } = await out(4)
  const getSums = async () => [
    (await caller.must(slip.getWageList, {})).list.find((one) => one.batch_id === batch_id)?.net_fen,
    (await caller.must(slip.getWageDetail, { batch_id, status: 'failed' })).batch.net_fen,
  ]
  const sum = nets([2, 3, 4, 5])
  expect(await getSums()).toEqual([sum, sum])
  await caller.must(slip.withdrawSingleSalary, { salary_id: ids[1] ?? '' })
  expect(await getSums()).toEqual([sum - getNet(3), sum - getNet(3)])
  await caller.must(slip.editSalaryDetail, { salary_id: ids[0] ?? '', cells: [{ key: 'c4', value: '1.00' }], reason: '更正' })
  await caller.must(slip.withdrawSingleSalary, { salary_id: ids[2] ?? '' })
  expect(await getSums()).toEqual([null, 100 + getNet(5)])
})

describe('monthly totals in home', () => {
  const trend = async (by = caller) => (await by.must(getIndex, {})).trend
  test('equals the totals of the wage sheet when everything was sent', async () => {
    await out(3)
    expect(await trend()).toEqual([{ month: '2026-10', people: 3, gross_fen: null, net_fen: nets([2, 3, 4]) }])
  })

  test('excludes a withdrawn member from members and pay in the monthly totals', async () => {
    const { ids } = await out(3)
    await caller.must(slip.withdrawSingleSalary, { salary_id: ids[1] ?? '' })
    expect(await trend()).toMatchObject([{ people: 2, net_fen: nets([2, 4]) }])
  })

  test('includes a member whose message failed in the monthly totals', async () => {
    const { ids } = await out(3)
    await set(ids[1] ?? '', { status: 'failed' })
    expect(await trend()).toMatchObject([{ people: 3, net_fen: nets([2, 3, 4]) }])
  })

  test('includes corrections in the monthly totals', async () => {
    const { ids } = await out(2)
    await caller.must(slip.editSalaryDetail, { salary_id: ids[0] ?? '', cells: [{ key: 'c4', value: '1.00' }], reason: '更正' })
    expect(await trend()).toMatchObject([{ people: 2, net_fen: 100 + getNet(3) }])
  })

  test('covers only the selected members in the monthly totals', async () => {
    const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, 4))
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'], rows: [3, 5] })
    await caller.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect(await trend()).toMatchObject([{ people: 2, net_fen: nets([3, 5]) }])
  })

  test('hides the monthly totals of a batch with members out of scope', async () => {
    const { batch_id } = await out(3)
    expect((await trend())[0]?.net_fen).toBe(nets([2, 3, 4]))
    // The scope was reduced: it contains none of these three members, and the total would reveal their pay.
    const shop = await corp.department('门店')
    const current = await corp.person({ department_ids: [shop], name: '店员' })
    await world.database.inCompany(corp.company_id, async (tx) => {
      const row = tx.updateTable('payslip').set({ member_id: current.member_id }).where('batch_id', '=', batch_id)
      await row.where('row_no', '=', 2).execute()
      await tx
        .updateTable('admin')
        .set({ scope_all: false })
        .where('id', '=', payer.admin_id ?? '')
        .execute()
      await tx
        .insertInto('admin_department')
        .values({ company_id: corp.company_id, id: batch_id, admin_id: payer.admin_id ?? '', department_id: shop })
        .execute()
    })
    expect(await trend(await world.signIn(payer))).toMatchObject([{ people: 1, net_fen: null }])
  })

  test('uses the month in Shanghai: at half past midnight there it is the first', async () => {
    const before = world.clock.now()
    world.clock.set(new Date('2026-11-30T16:30:00Z'))
    caller = await world.signIn(payer)
    expect((await caller.must(getIndex, {})).month).toBe('2026-12')
    // A batch sent in the last hour of November there does not belong to this month.
    world.clock.set(new Date('2026-12-31T15:30:00Z'))
    caller = await world.signIn(payer)
    const { batch_id } = await out(1, { month: '2026-06' })
    expect((await caller.must(getIndex, {})).batches.map((one) => one.batch_id)).toContain(batch_id)
    world.clock.set(new Date('2026-12-31T16:30:00Z'))
    caller = await world.signIn(payer)
    expect((await caller.must(getIndex, {})).batches.map((one) => one.batch_id)).not.toContain(batch_id)
    world.clock.set(before)
  })
})

describe('message charges', () => {
  const change = (batch_id: string, to: object) =>
    world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('delivery').set(to).where('batch_id', '=', batch_id).execute(),
    )

  test('returns only messages that were certainly not sent when a batch is withdrawn', async () => {
    const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, 2))
    await send(caller, batch_id, ['sms'])
    const left = await smsLeft(world, corp)
    const [one] = await deliveries(world, corp, batch_id)
    // The message was attempted once with unknown outcome, and is waiting for the next attempt.
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('delivery')
        .set({ attempts: 1 })
        .where('id', '=', one?.id ?? '')
        .execute(),
    )
    await caller.must(slip.withdrawBatchPaySheet, { batch_id })
    expect(await smsLeft(world, corp)).toBe(left + slip_segments)
  })

  test('sends failed payslips again through another channel at no SMS cost', async () => {
    const { batch_id, ids } = await out(1)
    await change(batch_id, { status: 'failed' })
    await set(ids[0] ?? '', { status: 'failed' })
    const left = await smsLeft(world, corp)
    expect(await caller.must(slip.sendBatch, { batch_id, only: 'failed' })).toMatchObject({ queued: 1 })
    expect(await smsLeft(world, corp)).toBe(left)
  })

  test('does not count a cancelled reminder towards the three of a day', async () => {
    const people = await manyPeople(world, corp, 1)
    const slips: string[] = []
    for (const month of ['2026-09', '2026-10']) {
      const batch_id = await makeBatch(world, payer, people, { month })
      await send(caller, batch_id, ['sms'])
      await world.product.jobs.drain()
      slips.push((await salaries(world, corp, batch_id))[0]?.id ?? '')
    }
    const [one = '', other = ''] = slips
    for (const _ of [1, 2, 3]) await caller.must(slip.sendSingle, { salary_id: one })
    // Reminders are counted over all payslips of the member.
    expect((await caller.call(slip.sendSingle, { salary_id: other })).code).toBe(errorCodes.too_often.code)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('delivery')
        .set({ status: 'cancelled' })
        .where('salary_id', '=', one)
        .where('purpose', 'like', 'remind%3')
        .execute(),
    )
    expect((await caller.call(slip.sendSingle, { salary_id: other })).code).toBe(0)
  })
})
