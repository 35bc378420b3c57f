/**
 * Tests the actions after sending: reminders, withdrawal, corrections, lists, exports, settings, feedback. Refusals
 * first.
 */
import { readXlsx } from 'hucre'
import { beforeAll, describe, expect, test } from 'vitest'
import * as files from '../../../server/contract/files/files.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import {
  deliveries,
  getNet,
  getNotices,
  makeBatch,
  manyPeople,
  salaries,
  send,
  slip_segments,
  smsLeft,
} from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

let caller: Caller
let other: Caller
let foreign: Caller
const { world, corp, clerk: payer } = demo({ own: true, clerk: { name: '王会计' } })
beforeAll(async () => {
  caller = await world.signIn(payer)
  other = await world.signIn(await corp.person({ power: ['2'] }))
  foreign = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
})

async function sent(
  people: Parameters<typeof makeBatch>[2],
  options: Parameters<typeof makeBatch>[3] & {
    rules?: NonNullable<Parameters<typeof send>[3]>['rules']
    channels?: ('sms' | 'link')[]
  } = {},
) {
  const batch_id = await makeBatch(world, payer, people, options)
  await send(caller, batch_id, options.channels ?? ['sms'], options.rules ? { rules: options.rules } : {})
  await world.product.jobs.drain()
  return { batch_id, ids: (await salaries(world, corp, batch_id)).map((one) => one.id) }
}
const set = (id: string | undefined, values: object) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('payslip')
      .set(values)
      .where('id', '=', id ?? '')
      .execute(),
  )

test('refuses other users access to a payslip by id, and answers a foreign id like a nonexistent one', async () => {
  const { ids } = await sent(await corp.people(1))
  const salary_id = ids[0] ?? ''
  const calls = [
    [slip.getSalary, { salary_id }],
    [slip.withdrawSingleSalary, { salary_id }],
    [slip.sendSingle, { salary_id }],
    [slip.editSalaryDetail, { salary_id, cells: [{ key: 'c4', value: '1' }], reason: '试' }],
    [slip.getSalaryModifyLog, { salary_id }],
  ] as const
  for (const [call, input] of calls) {
    const unknown = await caller.call(call as typeof slip.getSalary, { ...input, salary_id: newId() })
    expect(unknown.code).toBe(100404)
    for (const outsider of [other, foreign]) {
      const answer = await outsider.call(call as typeof slip.getSalary, input)
      expect([answer.code, answer.message, answer.data]).toEqual([unknown.code, unknown.message, unknown.data])
    }
  }
  expect((await salaries(world, corp, (await salaryBatch(salary_id)) ?? ''))[0]).toMatchObject({ status: 'sent', version: 1 })
})
const salaryBatch = async (id: string) =>
  (
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('payslip').select('batch_id').where('id', '=', id).executeTakeFirst(),
    )
  )?.batch_id

describe('reminders', () => {
  test('sends reminders only for payslips not viewed, at most three a day, counted per day', async () => {
    const { batch_id, ids } = await sent(await corp.people(3))
    await set(ids[1], { status: 'viewed', viewed_at: world.clock.now() })
    expect((await caller.call(slip.sendSingle, { salary_id: ids[1] ?? '' })).code).toBe(100409)
    const left = await smsLeft(world, corp)
    for (let time = 0; time < 3; time += 1)
      expect(await caller.must(slip.sendSingle, { salary_id: ids[0] ?? '' })).toEqual({ queued: 1, skipped: 0 })
    const fourth = await caller.call(slip.sendSingle, { salary_id: ids[0] ?? '' })
    expect([fourth.code, fourth.data]).toEqual([100429, { retry_after: 14 * 3600 }])
    expect(await caller.must(slip.sendBatch, { batch_id, only: 'unviewed' })).toEqual({ queued: 1, skipped: 1 })
    await world.product.jobs.drain()
    const reminders = (await deliveries(world, corp, batch_id)).filter((one) => one.purpose.startsWith('remind'))
    expect(reminders.map((one) => one.status)).toEqual(Array(4).fill('accepted'))
    expect(await smsLeft(world, corp)).toBe(left - 4 * slip_segments)
    const texts = (await world.outbox())
      .filter((one) => reminders.some((row) => row.id === one.delivery_id))
      .map((one) => one.text)
    // An SMS gateway drops no repetition; texts that a chat platform would drop are distinguished in
    // tests/unit/payslips/slip-rules.test.ts.
    expect([texts.length, new Set(texts).size]).toEqual([4, 2])
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('sent')
    world.clock.advance(86_400_000)
    const tomorrow = await world.signIn(payer)
    expect(await tomorrow.must(slip.sendBatch, { batch_id, only: 'unviewed' })).toEqual({ queued: 2, skipped: 0 })
    world.clock.advance(-86_400_000)
    caller = await world.signIn(payer)
  })
  test('sends at most three reminders for 50 concurrent requests', async () => {
    const { batch_id, ids } = await sent(await corp.people(1))
    const answers = await Promise.all(Array.from({ length: 50 }, () => caller.call(slip.sendSingle, { salary_id: ids[0] ?? '' })))
    expect(answers.filter((answer) => answer.code === 0).length).toBe(3)
    expect((await deliveries(world, corp, batch_id)).filter((one) => one.purpose.startsWith('remind')).length).toBe(3)
  })
  test('skips a payslip that was viewed between the reminder request and sending, and returns the SMS', async () => {
    const { ids } = await sent(await corp.people(1))
    const left = await smsLeft(world, corp)
    await caller.must(slip.sendSingle, { salary_id: ids[0] ?? '' })
    await set(ids[0], { status: 'viewed', viewed_at: world.clock.now() })
    await world.product.jobs.drain()
    expect(await smsLeft(world, corp)).toBe(left)
  })
  test('refuses reminders without a channel, before sending and after withdrawal', async () => {
    const linked = await sent(await corp.people(1), { channels: ['link'] })
    expect((await caller.call(slip.sendSingle, { salary_id: linked.ids[0] ?? '' })).message).toContain('链接')
    const draft = await makeBatch(world, payer, await corp.people(1))
    expect((await caller.call(slip.sendBatch, { batch_id: draft, only: 'unviewed' })).code).toBe(100409)
    await caller.must(slip.withdrawBatchPaySheet, { batch_id: linked.batch_id })
    expect((await caller.call(slip.sendSingle, { salary_id: linked.ids[0] ?? '' })).code).toBe(100409)
  })
})

describe('withdrawal', () => {
  test.each([
    ['sent', true],
    ['viewed', true],
    ['confirmed', true],
    ['failed', true],
    ['queued', true],
    ['waiting', false],
    ['withdrawn', false],
  ] as const)('withdraws a payslip with status %s: %s', async (status, allowed) => {
    const { ids } = await sent(await corp.people(2))
    await set(ids[0], { status })
    const answer = await caller.call(slip.withdrawSingleSalary, { salary_id: ids[0] ?? '' })
    expect(answer.code).toBe(allowed ? 0 : 100409)
    if (!allowed) expect(answer.data).toMatchObject({ status })
  })
  test('withdraws the batch with its last payslip, and refuses a batch that was not sent', async () => {
    const { batch_id, ids } = await sent(await corp.people(2))
    for (const salary_id of ids) await caller.must(slip.withdrawSingleSalary, { salary_id, reason: '重发' })
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).toBe('withdrawn')
    const draft = await makeBatch(world, payer, await corp.people(1))
    expect((await caller.call(slip.withdrawBatchPaySheet, { batch_id: draft })).message).toContain('还没有发送')
  })
  test('reports a repeated withdrawal of a payslip or batch and changes nothing', async () => {
    const { batch_id, ids } = await sent(await corp.people(2))
    const [salary_id = ''] = ids
    await caller.must(slip.withdrawSingleSalary, { salary_id, reason: '发错了' })
    const again = await caller.call(slip.withdrawSingleSalary, { salary_id, reason: '再来一次' })
    expect([again.code, again.message]).toEqual([100409, '这张工资条已经撤回，不用再撤'])
    expect((await caller.must(slip.getSendInfo, { batch_id })).status).not.toBe('withdrawn')
    expect(await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '都错了' })).toMatchObject({ withdrawn: 1 })
    const detail = () => caller.must(slip.getWageDetail, { batch_id })
    const before = await detail()
    const full = await caller.call(slip.withdrawBatchPaySheet, { batch_id, reason: '再来一次' })
    expect([full.code, full.message]).toEqual([100409, '这一批已经撤回，不用再撤'])
    expect(await detail()).toEqual(before)
  })
  test('returns all SMS of a scheduled batch', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(3))
    const left = await smsLeft(world, corp)
    await send(caller, batch_id, ['sms'], { when: '2026-11-25T09:00:00+08:00' })
    expect(await caller.must(slip.withdrawBatchPaySheet, { batch_id })).toEqual({ withdrawn: 3, not_sent: 3, in_flight: 0 })
    expect(await smsLeft(world, corp)).toBe(left)
  })
})

describe('corrections', () => {
  test('refuses corrections for unknown columns, text instead of amounts, an empty net, no change, or no reason', async () => {
    const { ids } = await sent(await corp.people(1))
    const salary_id = ids[0] ?? ''
    const wrong = async (key: string, value: string, reason = '更正') =>
      (await caller.call(slip.editSalaryDetail, { salary_id, cells: [{ key, value }], reason })).data
    expect(await wrong('c99', '1')).toEqual({ field: 'cells' })
    expect(await wrong('c4', '八千')).toEqual({ field: 'cells' })
    expect(await wrong('c4', '')).toEqual({ field: 'cells' })
    expect(await wrong('c4', (getNet(2) / 100).toFixed(2))).toEqual({ field: 'cells' })
    expect(await wrong('c4', '9000', ' ')).toEqual({ field: 'reason' })
  })
  test('creates the next version on a correction, notifies the employee, resets the confirmation, and logs it permanently', async () => {
    const { batch_id, ids } = await sent(await corp.people(1))
    const salary_id = ids[0] ?? ''
    await set(salary_id, {
      status: 'confirmed',
      viewed_at: world.clock.now(),
      confirmed_at: world.clock.now(),
      confirmed_version: 1,
    })
    const edit = {
      salary_id,
      cells: [
        { key: 'c4', value: '9,000.50' },
        { key: 'c2', value: '9123.95' },
        { key: 'c0', value: '' },
      ],
      reason: '漏了补贴',
    }
    expect(await caller.must(slip.editSalaryDetail, edit)).toEqual({ version: 2, approval_no: null })
    const detail = await caller.must(slip.getWageDetail, { batch_id })
    expect(detail.list[0]).toMatchObject({
      version: 2,
      status: 'sent',
      net_fen: 900_050,
      viewed_at: null,
      confirmed_at: null,
      cells: { c4: { value: '9,000.50', kind: 'money' } },
    })
    expect(detail.list[0]?.cells.c0).toBe(undefined)
    await world.product.jobs.drain()
    const notified = (await deliveries(world, corp, batch_id)).find((one) => one.purpose === 'corrected')
    expect(notified).toMatchObject({ version: 2, status: 'accepted' })
    const text = (await world.outbox()).find((one) => one.delivery_id === notified?.id)?.text ?? ''
    expect(text).toContain('更正')
    expect(text).not.toContain('9,000')
    const log = await caller.must(slip.getSalaryModifyLog, { batch_id })
    expect(log.page.total).toBe(3)
    expect(log.list.map((one) => [one.column, one.from, one.to, one.by, one.reason, one.version])).toContainEqual([
      '实发工资',
      formatFen(getNet(2)),
      '9,000.50',
      '王会计',
      '漏了补贴',
      2,
    ])
    const story = (await caller.must(slip.getSalary, { salary_id })).timeline.map((event) => event.kind)
    // Earlier views and confirmations remain in the history; all of it happened at one moment here.
    expect(story).toEqual(['queued', 'sent', 'viewed', 'confirmed', 'corrected'])
    expect((await caller.call(slip.getSalaryModifyLog, {})).code).toBe(100001)
    const plain = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('payslip_change').selectAll().where('salary_id', '=', salary_id).execute(),
    )
    expect(JSON.stringify(plain.map((one) => one.change.toString('latin1')))).not.toContain('9,000')
    await expect(
      world.database.inCompany(corp.company_id, (tx) =>
        tx.deleteFrom('payslip_change').where('salary_id', '=', salary_id).execute(),
      ),
    ).rejects.toThrow(/permission denied/)
  })
  test('sends no second message for a correction made before the first message was sent', async () => {
    const batch_id = await makeBatch(world, payer, await corp.people(1))
    await send(caller, batch_id)
    const [row] = await salaries(world, corp, batch_id)
    await caller.must(slip.editSalaryDetail, { salary_id: row?.id ?? '', cells: [{ key: 'c4', value: '1.00' }], reason: '更正' })
    await world.product.jobs.drain()
    expect((await deliveries(world, corp, batch_id)).map((one) => [one.purpose, one.status])).toEqual([['slip', 'accepted']])
    expect((await salaries(world, corp, batch_id))[0]).toMatchObject({ status: 'sent', version: 2, corrected_at: null })
  })
})

describe('lists', () => {
  test('lists own and shared batches, newest first, with consistent counts', async () => {
    const lead = await corp.person({ power: ['2'], name: '李会计' })
    const his = await world.signIn(lead)
    const people = await corp.people(4)
    const first = await makeBatch(world, lead, people, { title: '十月_工资%', month: '2026-10' })
    world.clock.advance(1000)
    const second = await makeBatch(world, lead, people, { title: '九月工资', month: '2026-09' })
    await send(his, first, ['link'])
    await world.product.jobs.drain()
    const [a, b, c] = (await salaries(world, corp, first)).map((one) => one.id)
    await set(a, { status: 'viewed', viewed_at: world.clock.now() })
    await set(b, { status: 'confirmed', viewed_at: world.clock.now(), confirmed_at: world.clock.now() })
    await set(c, { status: 'failed' })
    const all = await his.must(slip.getWageList, {})
    expect(all.list.map((one) => one.batch_id)).toEqual([second, first])
    expect(all.list[1]).toMatchObject({
      title: '十月_工资%',
      month: '2026-10',
      status: 'sent',
      people: 4,
      sent: 3,
      viewed: 2,
      confirmed: 1,
      failed: 1,
      feedback: 0,
      owner: '李会计',
      is_own: true,
    })
    const createCompany = async (filter: Parameters<typeof his.call<typeof slip.getWageList>>[1]) =>
      (await his.must(slip.getWageList, filter)).list.map((one) => one.batch_id)
    expect(await createCompany({ month: '2026-09' })).toEqual([second])
    expect(await createCompany({ status: 'sent' })).toEqual([first])
    expect(await createCompany({ name: '月_' })).toEqual([first])
    expect(await createCompany({ name: '%' })).toEqual([first])
    expect(await createCompany({ page: 2, pagesize: 1 })).toEqual([first])
    expect((await caller.must(slip.getWageList, {})).list.some((one) => one.owner === '李会计')).toBe(false)

    await world.database.inCompany(corp.company_id, async (tx) => {
      const batch = await tx.selectFrom('batch').select('title_id').where('id', '=', first).executeTakeFirstOrThrow()
      await tx
        .insertInto('title_share')
        .values({
          company_id: corp.company_id,
          id: newId(),
          title_id: batch.title_id ?? '',
          admin_id: payer.admin_id ?? '',
          rights: 'view',
        })
        .execute()
    })
    expect((await caller.must(slip.getWageList, { name: '十月_' })).list).toMatchObject([{ batch_id: first, is_own: false }])
    expect((await caller.must(slip.getWageDetail, { batch_id: first })).list.length).toBe(4)
    expect((await caller.call(slip.withdrawBatchPaySheet, { batch_id: first })).code).toBe(100403)
    expect((await caller.call(slip.sendSingle, { salary_id: a ?? '' })).code).toBe(100403)
    const boss = await world.signIn(await corp.person({ power: ['4'] }))
    expect((await boss.must(slip.getWageDetail, { batch_id: first })).batch.owner).toBe('李会计')
  })
  test('filters payslips by status, name and department with its children, and decrypts only the page', async () => {
    const sales = await corp.department('销售部')
    const north = await corp.department('华北', sales)
    const people = [
      await corp.person({ name: '甲一' }),
      await corp.person({ name: '乙二', department_ids: [north] }),
      await corp.person({ name: '丙_三', department_ids: [sales] }),
    ]
    const { batch_id, ids } = await sent(people, { channels: ['link'] })
    await set(ids[2], { status: 'viewed', has_feedback: true, viewed_at: world.clock.now() })
    const names = async (filter: object) =>
      (await caller.must(slip.getWageDetail, { batch_id, ...filter })).list.map((one) => one.name)
    expect(await names({})).toEqual(['甲一', '乙二', '丙_三'])
    expect(await names({ status: 'viewed' })).toEqual(['丙_三'])
    expect(await names({ status: 'feedback' })).toEqual(['丙_三'])
    expect(await names({ name: '_' })).toEqual(['丙_三'])
    expect(await names({ department_id: sales })).toEqual(['乙二', '丙_三'])
    expect(await names({ department_id: north })).toEqual(['乙二'])
    const detail = await caller.must(slip.getWageDetail, { batch_id, pagesize: 1, page: 2 })
    expect(detail.page).toEqual({ page: 2, pagesize: 1, total: 3 })
    expect(detail.list[0]).toMatchObject({
      row: 3,
      departments: '华北',
      status: 'sent',
      channel: 'link',
      delivery: 'accepted',
      net_fen: getNet(3),
    })
    expect(detail.batch.counts).toEqual({
      total: 3,
      sent: 2,
      viewed: 1,
      confirmed: 0,
      feedback: 1,
      failed: 0,
      withdrawn: 0,
      queued: 0,
      unsent: 0,
    })
    expect(detail.columns.map((one) => one.role)).toEqual(['name', 'mobile', 'earning', 'tax', 'net'])
  })
})

describe('exports', () => {
  test("requires a sent batch and access to it for an export, and shows only the user's own job", async () => {
    const draft = await makeBatch(world, payer, await corp.people(1))
    expect((await caller.call(slip.exportWageDetail, { batch_id: draft, what: 'detail' })).code).toBe(100409)
    const { batch_id } = await sent(await corp.people(1))
    for (const outsider of [other, foreign])
      expect((await outsider.call(slip.exportWageDetail, { batch_id, what: 'detail' })).code).toBe(100404)
    const { job_id } = await caller.must(slip.exportWageDetail, { batch_id, what: 'detail' })
    const boss = await world.signIn(await corp.person({ power: ['4'] }))
    for (const outsider of [other, foreign, boss])
      expect((await outsider.call(slip.getExportStatus, { job_id })).code).toBe(100404)
    expect(await caller.must(slip.getExportStatus, { job_id })).toMatchObject({
      done: false,
      progress: 0,
      failed: null,
      oss_path: null,
    })
  })
  test('exports a payslip file that other programs read, with amounts as numbers and no name as a formula', async () => {
    const people = [await corp.person({ name: '=HYPERLINK("http://evil.cn")' }), await corp.person({ name: '李四' })]
    const { batch_id } = await sent(people, { title: '导出测试' })
    const { job_id } = await caller.must(slip.exportWageDetail, { batch_id, what: 'detail' })
    await world.product.jobs.drain()
    const status = await caller.must(slip.getExportStatus, { job_id })
    expect(status).toMatchObject({ done: true, progress: 100, file_name: '导出测试-明细.xlsx' })
    const file = await caller.call(files.download, { oss_path: status.oss_path ?? '' })
    const book = await readXlsx(file.data as unknown as Buffer)
    expect(book.sheets[0]?.rows[0]?.slice(0, 6)).toEqual(['员工', '部门', '手机号', '基本工资', '个人所得税', '实发工资'])
    expect(book.sheets[0]?.rows[1]?.slice(0, 6)).toEqual([
      '=HYPERLINK("http://evil.cn")',
      corp.name,
      people[0]?.mobile,
      (getNet(2) + 12_345) / 100,
      // A deduction, with the sign shown on the payslip.
      -123.45,
      getNet(2) / 100,
    ])
    const net = getNet(2) + getNet(3)
    expect(book.sheets[0]?.rows.length).toBe(4)
    expect(book.sheets[0]?.rows[3]?.slice(0, 6)).toEqual(['合计 2 人', null, null, (net + 2 * 12_345) / 100, -246.9, net / 100])
    expect((await caller.call(files.download, { oss_path: status.oss_path ?? '' })).code).toBe(100404)
  })
  test('exports lists of views and confirmations of thousands of members', async () => {
    const { batch_id } = await sent(await manyPeople(world, corp, 1000), { channels: ['link'] })
    const { job_id } = await caller.must(slip.exportWageDetail, { batch_id, what: 'status' })
    await world.product.jobs.drain()
    const status = await caller.must(slip.getExportStatus, { job_id })
    const file = await caller.call(files.download, { oss_path: status.oss_path ?? '' })
    const rows = (await readXlsx(file.data as unknown as Buffer)).sheets[0]?.rows ?? []
    expect(rows.length).toBe(1001)
    expect(rows[1]?.slice(2, 5)).toEqual(['已发送', '链接', '2026-11-20 10:00'])
    expect(JSON.stringify(rows)).not.toContain(String(getNet(2) / 100))
  })
})

test('reads and writes settings one at a time', async () => {
  const his = await world.signIn(await (await world.createCompany()).person({ power: ['2'], name: '会计' }))
  expect((await his.call(slip.setConfirmRule, { remind_day: 29 })).message).toContain('1 到 28')
  expect((await his.call(slip.setSendRule, { remind_member: newId() })).code).toBe(100404)
  await his.must(slip.setFeedback, { status: false })
  await his.must(slip.setConfirm, { status: false })
  await his.must(slip.setConfirmRule, { auto_confirm_days: 7, remind_day: 15 })
  await his.must(slip.setConfirmRule, { remind_day: 3 })
  await his.must(slip.setSendRule, { view_password: true, burn_after_minutes: 30 })
  expect(await his.must(slip.getWageSettings)).toMatchObject({
    feedback: false,
    confirm: false,
    confirm_rule: { auto_confirm_days: 7, remind_days: [3, 15] },
    send_rule: { view_password: true, burn_after_minutes: 30, sms: true },
  })
  await his.must(slip.clearConfirmRule, { remind_day: 15 })
  expect(await his.must(slip.getConfirmRule)).toEqual({ auto_confirm_days: 7, remind_days: [3] })
  expect((await his.must(slip.getSendRule)).remind_members).toEqual([])
})

describe('feedback', () => {
  test("shows feedback only in the owner's inbox, and lets them reply, resolve it and be asked again", async () => {
    const person = await corp.person({ name: '提问人' })
    const { batch_id, ids } = await sent([person], { title: '问题工资' })
    const own = await world.signIn(person)
    const { id } = await own.must(employee.feedbackSlip, { slip_id: ids[0] ?? '', content: '加班费 1,234.56 少算了' })
    for (const outsider of [other, foreign]) {
      expect((await outsider.call(feedback.getFeedBackDetail, { id })).code).toBe(100404)
      expect((await outsider.call(feedback.handleFeedback, { id, action: 'resolve' })).code).toBe(100404)
      expect((await outsider.must(feedback.getFeedBackList, {})).list).toEqual([])
    }
    expect((await caller.call(feedback.handleFeedback, { id, action: 'reply', content: ' ' })).data).toEqual({ field: 'content' })
    expect((await caller.call(feedback.handleFeedback, { id, action: 'reopen' })).code).toBe(100409)
    expect((await caller.must(feedback.getFeedBackList, { status: 'open', batch_id })).list).toMatchObject([
      { id, name: '提问人', title: '问题工资', last_message: '加班费 1,234.56 少算了' },
    ])
    await caller.must(feedback.handleFeedback, { id, action: 'reply', content: '已核对' })
    // Answered threads are no longer open.
    expect((await caller.must(feedback.getFeedBackList, { status: 'open', batch_id })).list).toEqual([])
    expect((await caller.must(feedback.getFeedBackList, { status: 'answered', batch_id })).list).toMatchObject([
      { id, last_message: '已核对' },
    ])
    expect((await caller.must(slip.getWageDetail, { batch_id })).batch.counts.feedback).toBe(0)
    await caller.must(feedback.handleFeedback, { id, action: 'resolve' })
    expect((await caller.must(slip.getWageDetail, { batch_id })).batch.counts.feedback).toBe(0)
    await own.must(employee.feedbackSlip, { slip_id: ids[0] ?? '', content: '还是不对' })
    const thread = await caller.must(feedback.getFeedBackDetail, { id })
    expect(thread.status).toBe('open')
    expect(thread.messages.map((one) => [one.from, one.content])).toEqual([
      ['employee', '加班费 1,234.56 少算了'],
      ['admin', '已核对'],
      ['employee', '还是不对'],
    ])
    expect(
      (await caller.must(slip.getSalary, { salary_id: ids[0] ?? '' })).timeline.filter((one) => one.kind === 'feedback').length,
    ).toBe(3)
    const notices = (await getNotices(world, corp, batch_id)).filter((one) => one.kind === 'feedback')
    expect(notices.map((one) => one.text)).toEqual(Array(2).fill('提问人 对「问题工资」提交了反馈，请查看并回复'))
  })
  test('lets administrators with read access to the title read feedback but not answer it', async () => {
    const person = await corp.person({ name: '提问人' })
    const { batch_id, ids } = await sent([person])
    const asking = { slip_id: ids[0] ?? '', content: '少了一天' }
    const { id } = await (await world.signIn(person)).must(employee.feedbackSlip, asking)
    const reader = await corp.person({ power: ['2'] })
    await world.database.inCompany(corp.company_id, async (tx) => {
      const { title_id } = await tx.selectFrom('batch').select('title_id').where('id', '=', batch_id).executeTakeFirstOrThrow()
      const share = { company_id: corp.company_id, title_id: title_id ?? '', admin_id: reader.admin_id ?? '' }
      await tx
        .insertInto('title_share')
        .values({ ...share, id: newId(), rights: 'view' })
        .execute()
    })
    const his = await world.signIn(reader)
    expect((await his.must(feedback.getFeedBackDetail, { id })).messages.map(({ content }) => content)).toEqual(['少了一天'])
    for (const action of ['reply', 'resolve'] as const)
      expect((await his.call(feedback.handleFeedback, { id, action, content: '已核对' })).code).toBe(100404)
    expect((await caller.must(feedback.getFeedBackDetail, { id })).messages).toHaveLength(1)
  })
  test('notifies the employee of a reply once, through the channel of the payslip, and shows it until it is read', async () => {
    const person = await corp.person({ name: '等回复' })
    const { batch_id, ids } = await sent([person], { title: '等回复工资' })
    const slip_id = ids[0] ?? ''
    const own = await world.signIn(person)
    const { id } = await own.must(employee.feedbackSlip, { slip_id, content: '少了' })
    const left = await smsLeft(world, corp)
    await caller.must(feedback.handleFeedback, { id, action: 'reply', content: '已核对' })
    await caller.must(feedback.handleFeedback, { id, action: 'reply', content: '另外，下月补发' })
    await world.product.jobs.drain()
    const notified = (await deliveries(world, corp, batch_id)).filter((one) => one.purpose.startsWith('answered-'))
    expect(notified.map((one) => [one.channel, one.status])).toEqual([['sms', 'accepted']])
    expect(await smsLeft(world, corp)).toBe(left - slip_segments)
    // The SMS leads to the feedback, by a part of the payslip's id.
    const { text = '' } = (await world.outbox()).findLast(({ mobile }) => mobile === person.mobile) ?? {}
    const { location } = (await world.product.app.inject({ url: /\/s\/[\w-]+/.exec(text)?.[0] ?? '' })).headers
    const partial_id = `00000000-0000-7000-${slip_id.slice(19)}`
    expect(location).toBe(`/m/feedback/${partial_id}?from=sms`)
    const unread = async () => [
      (await own.must(employee.getSlipList, {})).list.find((one) => one.slip_id === slip_id)?.answer_unread,
      (await own.must(employee.getSlip, { slip_id })).answer_unread,
    ]
    expect(await unread()).toEqual([true, true])
    expect(await own.must(employee.getFeedback, { slip_id: partial_id })).toMatchObject({
      slip_id,
      status: 'answered',
      threads: [{ line: null, answer_unread: true }],
    })
    expect(await unread()).toEqual([false, false])
    world.clock.advance(1000)
    await own.must(employee.feedbackSlip, { slip_id, content: '谢谢，还有一项' })
    expect((await caller.must(feedback.getFeedBackDetail, { id })).status).toBe('open')
    await caller.must(feedback.handleFeedback, { id, action: 'resolve', content: '改好了' })
    expect(await unread()).toEqual([true, true])
    expect((await own.must(employee.getFeedback, { slip_id })).status).toBe('resolved')
  })
})
