/** Test send (试发): messages are marked and free, reveal nobody's pay, and appear in no count. */
import { beforeEach, expect, test } from 'vitest'
import * as company from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { getTestSend, getTestSendList, sendTest } from '../../../server/contract/payslips/test-send.ts'
import { demo } from '../../support/demo.ts'
import { deliveries, getNet, makeBatch, salaries, send, smsLeft } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo({ own: true, each: true })
let paid: Person
let friend: Person
let batch_id: string
beforeEach(async () => {
  paid = await corp.person()
  friend = await corp.person()
  batch_id = await makeBatch(world, clerk, [paid, friend])
})
const channels = ['sms', 'link'] as const
const tryOut = (more: { row?: number; member_ids?: string[] } = {}) =>
  payroll.must(sendTest, { batch_id, channels: [...channels], member_ids: [], ...more })
const open = (who: Caller, test_send_id: string) => who.call(getTestSend, { test_send_id })
const amounts = (visible: unknown) => JSON.stringify(visible)

test('sends a test with the selected row to the sender, invented amounts to a colleague, and nothing to others', async () => {
  const { list } = await tryOut({ row: 2, member_ids: [friend.member_id] })
  expect(list.map(({ name, is_own, is_sample }) => [name, is_own, is_sample])).toEqual([
    [clerk.name, true, false],
    [friend.name, false, true],
  ])
  const [current = '', his = ''] = list.map(({ test_send_id }) => test_send_id)
  const viewed = (await open(payroll, current)).data
  expect([viewed.sample, viewed.payslip.name, viewed.payslip.net?.fen, viewed.by]).toEqual([
    false,
    paid.name,
    getNet(2),
    clerk.name,
  ])
  const other = await world.signIn(friend)
  const sample = (await open(other, his)).data
  expect([sample.sample, sample.payslip.name]).toEqual([true, '张三（示例）'])
  // The message contains no amount or name of anybody in the wage sheet, including the recipient's own.
  for (const row of [2, 3]) expect(amounts(sample)).not.toContain(String(getNet(row)))
  for (const { name } of [paid, friend]) expect(amounts(sample.payslip)).not.toContain(name)
  expect(sample.payslip.groups.flatMap(({ cells }) => cells.map(({ label }) => label)).sort()).toEqual(
    viewed.payslip.groups.flatMap(({ cells }) => cells.map(({ label }) => label)).sort(),
  )

  for (const [who, id] of [
    [other, current],
    [await world.signIn(paid), current],
    [await world.signIn(paid), his],
    [payroll, his],
  ] as const)
    expect((await open(who, id)).code).toBe(errorCodes.not_found.code)
})

test('marks the test message, links to the test send, and does not charge, count or list it', async () => {
  const before = await smsLeft(world, corp)
  const home = await payroll.must(company.getIndex, {})
  const { list } = await tryOut({ row: 2, member_ids: [friend.member_id] })
  await world.product.jobs.drain()
  const out = (await world.outbox()).filter(({ mobile }) => [clerk.mobile, friend.mobile, paid.mobile].includes(mobile))
  expect(out.map(({ mobile }) => mobile).sort()).toEqual([clerk.mobile, friend.mobile].sort())
  for (const { text } of out) expect(text).toMatch(/^【薪函】试发，不是正式通知。.+\/t\/[0-9a-f]{32}$/)
  expect(await smsLeft(world, corp)).toBe(before)
  expect([await salaries(world, corp, batch_id), await deliveries(world, corp, batch_id)]).toEqual([[], []])
  const after = await payroll.must(company.getIndex, {})
  expect([after.counts, after.todos, after.trend]).toEqual([home.counts, home.todos, home.trend])
  expect((await (await world.signIn(friend)).must(getSlipList, {})).list).toEqual([])
  expect((await payroll.must(slip.getWageList, {})).list.find((one) => one.batch_id === batch_id)?.status).toBe('checked')

  const notified = (await payroll.must(getTestSendList, { batch_id })).list
  expect(
    notified.map(({ deliveries, opened_at }) => [deliveries.map(({ channel, status }) => [channel, status]), opened_at]),
  ).toEqual([
    [[['sms', 'accepted']], null],
    [[['sms', 'accepted']], null],
  ])
  await open(payroll, list[0]?.test_send_id ?? '')
  const opened = (await payroll.must(getTestSendList, { batch_id })).list
  expect(opened.map(({ opened_at }) => opened_at !== null)).toEqual([true, false])
  // The real sending is the same as without it.
  await send(payroll, batch_id)
  await world.product.jobs.drain()
  expect((await salaries(world, corp, batch_id)).map(({ status, version }) => [status, version])).toEqual([
    ['sent', 1],
    ['sent', 1],
  ])
})

test('expires a test send after a day, and at once for users who may no longer see the pay', async () => {
  const { list } = await tryOut({ row: 2 })
  const id = list[0]?.test_send_id ?? ''
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('admin')
      .set({ power: ['1'] })
      .where('id', '=', clerk.admin_id ?? '')
      .execute(),
  )
  expect((await open(await world.signIn(clerk), id)).code).toBe(errorCodes.not_found.code)
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('admin')
      .set({ power: ['2'] })
      .where('id', '=', clerk.admin_id ?? '')
      .execute(),
  )
  const again = await world.signIn(clerk)
  expect((await open(again, id)).code).toBe(0)
  world.clock.advance(86_400_000)
  expect((await open(await world.signIn(clerk), id)).code).toBe(errorCodes.not_found.code)
})

test('limits test sends to members with their own phone, to a number per day, and to batches not yet sent', async () => {
  const paper = await corp.person({ joined: false })
  const no = await payroll.call(sendTest, { batch_id, channels: ['sms'], member_ids: [paper.member_id] })
  expect([no.code, no.message]).toEqual([errorCodes.invalid.code, expect.stringContaining('还没有登录过')])
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('member').set({ mobile: '13900001234' }).where('id', '=', friend.member_id).execute(),
  )
  const changed = await payroll.call(sendTest, { batch_id, channels: ['sms'], member_ids: [friend.member_id] })
  expect([changed.code, changed.message]).toEqual([errorCodes.invalid.code, expect.stringContaining('还没有确认是本人的')])
  for (let times = 0; times < 30; times += 1) await tryOut()
  expect((await payroll.call(sendTest, { batch_id, channels: ['link'], member_ids: [] })).code).toBe(errorCodes.too_often.code)
  const other = await makeBatch(world, clerk, [paid])
  await send(payroll, other, ['link'])
  const sent = await payroll.call(sendTest, { batch_id: other, channels: ['link'], member_ids: [] })
  expect(sent.code).toBe(errorCodes.wrong_state.code)
})
