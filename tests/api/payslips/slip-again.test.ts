/**
 * Payslips corrected and sent again: totals follow their items, the history is kept, withdrawn payslips are sent once
 * more.
 */
import { describe, expect, test } from 'vitest'
import { MessageRejectedError } from '../../../platform/carrier.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import {
  deliveries,
  getGateway,
  getNet,
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

const { world, corp, clerk: payer, payroll: caller } = demo({ own: true, clerk: { name: '王会计' }, each: true })
const formula = { net: 'c4', plus: ['c2'], minus: ['c3'], holds: 2, of: 2, by: 'found' as const }
const yuan = (fen: number) => (fen / 100).toFixed(2)
async function out(count: number, channels: ('sms' | 'link')[] = ['link']) {
  const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, count), { formula })
  await send(caller, batch_id, channels)
  await world.product.jobs.drain()
  const rows = await salaries(world, corp, batch_id)
  return { batch_id, ids: rows.map(({ id }) => id), first: rows[0]?.id ?? '' }
}
const set = (id: string, change: object) =>
  world.database.inCompany(corp.company_id, (tx) => tx.updateTable('payslip').set(change).where('id', '=', id).execute())
const line = async (batch_id: string, at = 0) => (await caller.must(slip.getWageDetail, { batch_id })).list[at]
const story = async (salary_id: string) => (await caller.must(slip.getSalary, { salary_id })).timeline.map(({ kind }) => kind)

describe('correction', () => {
  test('updates net pay, in the log as well, when an item is corrected', async () => {
    const { batch_id, first } = await out(1)
    await caller.must(slip.editSalaryDetail, {
      salary_id: first,
      cells: [{ key: 'c3', value: yuan(12_345 + 5_000) }],
      reason: '个税少扣',
    })
    expect(await line(batch_id)).toMatchObject({ net_fen: getNet(2) - 5_000, cells: { c4: { value: yuan(getNet(2) - 5_000) } } })
    const log = await caller.must(slip.getSalaryModifyLog, { salary_id: first })
    expect(log.list.map(({ column }) => column).sort()).toEqual(['个人所得税', '实发工资'])
    expect((await caller.must(slip.getWageDetail, { batch_id })).sums).toEqual([{ key: 'c4', plus: ['c2'], minus: ['c3'] }])
  })

  test('refuses a correction with inconsistent amounts and names the difference unless a reason is given', async () => {
    const { batch_id, first } = await out(1)
    const options = { salary_id: first, cells: [{ key: 'c4', value: '1.00' }], reason: '更正' }
    const refused = await caller.call(slip.editSalaryDetail, options)
    expect(refused).toMatchObject({ code: errorCodes.invalid.code, data: { field: 'mismatch_reason' } })
    expect(refused.message).toContain('1.00')
    expect(await line(batch_id)).toMatchObject({ version: 1, net_fen: getNet(2) })
    await caller.must(slip.editSalaryDetail, { ...options, mismatch_reason: '现金已预支' })
    expect(await line(batch_id)).toMatchObject({ version: 2, net_fen: 100 })
    expect((await caller.must(slip.getSalaryModifyLog, { salary_id: first })).list[0]?.reason).toContain('现金已预支')
  })

  test('keeps the failed status when a failed payslip is corrected', async () => {
    const { batch_id, first } = await out(1)
    await set(first, { status: 'failed', sent_at: null })
    await caller.must(slip.editSalaryDetail, { salary_id: first, cells: [{ key: 'c3', value: '0' }], reason: '更正' })
    expect(await line(batch_id)).toMatchObject({ status: 'failed', version: 2 })
  })

  test('keeps earlier views and confirmations in the history at each correction', async () => {
    const { first } = await out(1)
    const now = world.clock.now()
    for (const value of ['1', '2']) {
      await set(first, { status: 'confirmed', viewed_at: now, confirmed_at: now })
      await caller.must(slip.editSalaryDetail, { salary_id: first, cells: [{ key: 'c3', value }], reason: '更正' })
    }
    const notified = await story(first)
    expect(notified.filter((what) => what === 'viewed')).toHaveLength(2)
    expect(notified.filter((what) => what === 'confirmed')).toHaveLength(2)
  })
})

describe('withdrawn payslips', () => {
  test('sends a corrected payslip of one member again after its withdrawal with a new message and keeps the withdrawal in the history', async () => {
    const { batch_id, ids } = await out(2, ['sms'])
    const [one = '', other = ''] = ids
    await set(one, { status: 'viewed', viewed_at: world.clock.now() })
    await caller.must(slip.withdrawSingleSalary, { salary_id: one, reason: '算错了' })
    const left = await smsLeft(world, corp)
    await caller.must(slip.editSalaryDetail, { salary_id: one, cells: [{ key: 'c3', value: '0' }], reason: '免税' })
    await world.product.jobs.drain()
    expect(await line(batch_id)).toMatchObject({ status: 'withdrawn', version: 2 })
    // A reminder does not count.
    expect((await caller.call(slip.sendSingle, { salary_id: one })).code).toBe(errorCodes.wrong_state.code)
    expect(await caller.must(slip.sendBatch, { batch_id, only: 'withdrawn', salary_ids: [one] })).toEqual({
      queued: 1,
      skipped: 0,
    })
    await world.product.jobs.drain()
    expect(await line(batch_id)).toMatchObject({ status: 'sent', version: 3, net_fen: getNet(2) + 12_345, viewed_at: null })
    expect(await smsLeft(world, corp)).toBe(left - slip_segments)
    const all = (await deliveries(world, corp, batch_id)).filter(({ purpose }) => purpose === 'slip')
    expect(all.map(({ salary_id, version, status }) => [salary_id === one, version, status]).sort()).toEqual([
      [false, 1, 'accepted'],
      [true, 1, 'accepted'],
      [true, 3, 'accepted'],
    ])
    expect((await story(one)).filter((what) => ['viewed', 'withdrawn'].includes(what))).toEqual(['viewed', 'withdrawn'])
    expect(await line(batch_id, 1)).toMatchObject({ salary_id: other, status: 'sent', version: 1 })
  })

  test('shows both messages if the former one was delivered and the new one is rejected, and succeeds when sent again', async () => {
    const refused = { now: false }
    const sms = getGateway({
      before: () => {
        if (refused.now) throw new MessageRejectedError('MOBILE_BLACK', '在黑名单中')
      },
    })
    const batch_id = await makeBatch(world, payer, await manyPeople(world, corp, 1), { formula })
    const data = await sendManually({ world, corp, caller }, batch_id, ['sms'])
    const rotate = () => sender(world, sms).send(data, untilStopped)
    await rotate()
    const salary_id = (await salaries(world, corp, batch_id))[0]?.id ?? ''
    const left = await smsLeft(world, corp)
    await caller.must(slip.withdrawSingleSalary, { salary_id, reason: '算错了' })
    await caller.must(slip.editSalaryDetail, { salary_id, cells: [{ key: 'c3', value: '0' }], reason: '免税' })
    world.clock.advance(1_000)
    await caller.must(slip.sendBatch, { batch_id, only: 'withdrawn' })
    refused.now = true
    await rotate()
    const rows = (await deliveries(world, corp, batch_id)).map(({ version, status }) => [version, status])
    expect(rows.sort()).toEqual([
      [1, 'accepted'],
      [3, 'failed'],
    ])
    expect(await line(batch_id)).toMatchObject({ status: 'failed', version: 3 })
    const notified = await story(salary_id)
    expect(notified.filter((what) => ['sent', 'withdrawn', 'failed'].includes(what))).toEqual(['sent', 'withdrawn', 'failed'])
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ status: 'sent', sent: 0, failed: 1, total: 1 })
    // A message that was not sent is not charged; the first one is.
    expect(await smsLeft(world, corp)).toBe(left)
    // The remedy works: after sending once more, the message is out.
    refused.now = false
    await caller.must(slip.sendBatch, { batch_id, only: 'failed' })
    await rotate()
    expect(await line(batch_id)).toMatchObject({ status: 'sent', version: 3 })
    expect(sms.accepted).toHaveLength(2)
  })

  test('sends a whole withdrawn batch again to all members, once', async () => {
    const { batch_id } = await out(3)
    await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '重发' })
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('withdrawn')
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => caller.call(slip.sendBatch, { batch_id, only: 'withdrawn' })),
    )
    expect(answers.reduce((sum, { data }) => sum + data.queued, 0)).toBe(3)
    await world.product.jobs.drain()
    expect(await caller.must(slip.getSendInfo, { batch_id })).toMatchObject({ status: 'sent', sent: 3, withdrawn: 0, total: 3 })
  })

  test('requires enough SMS to send withdrawn payslips again, and otherwise changes nothing', async () => {
    const { batch_id } = await out(2, ['sms'])
    await caller.must(slip.withdrawBatchPaySheet, { batch_id })
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('company').set({ sms_left: 1 }).where('id', '=', corp.company_id).execute(),
    )
    const { code } = await caller.call(slip.sendBatch, { batch_id, only: 'withdrawn' })
    expect(code).toBe(errorCodes.sms_used_up.code)
    expect((await salaries(world, corp, batch_id)).map(({ status, version }) => [status, version])).toEqual([
      ['withdrawn', 1],
      ['withdrawn', 1],
    ])
  })

  test('does not find withdrawn payslips of another owner', async () => {
    const { batch_id } = await out(1)
    await caller.must(slip.withdrawBatchPaySheet, { batch_id })
    const outsider = await world.signIn(await corp.person({ power: ['2'] }))
    expect((await outsider.call(slip.sendBatch, { batch_id, only: 'withdrawn' })).code).toBe(errorCodes.not_found.code)
  })
})
