/**
 * Feedback on a payslip item: assignee, due date, one reply to all who asked the same, images visible to two sides
 * only.
 */
import { crc32 } from 'node:zlib'
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, test } from 'vitest'
import * as company from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as files from '../../../server/contract/files/files.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as ownCalls from '../../../server/contract/payslips/employee-data.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { deliveries, makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller, Corp, Person, World } from '../../support/world.ts'

const { invalid, not_found } = errorCodes
const world: World = demoWorld(true)
let corp: Corp
let payer: Person
let mate: Person
let caller: Caller
beforeAll(async () => {
  world.clock.set('2026-11-23T10:00:00+08:00')
  corp = await world.createCompany()
  payer = await corp.person({ power: ['2'], name: '王会计' })
  mate = await corp.person({ power: ['4'], name: '赵主管' })
  caller = await world.signIn(payer)
})

async function sent(count: number) {
  const people = await Promise.all(Array.from({ length: count }, () => corp.person()))
  const batch_id = await makeBatch(world, payer, people)
  await send(caller, batch_id, ['sms'])
  await world.product.jobs.drain()
  const all = await salaries(world, corp, batch_id)
  const own = await Promise.all(people.map((person) => world.signIn(person)))
  const slips = people.map(({ member_id }) => all.find((one) => one.member_id === member_id)?.id ?? '')
  return { batch_id, people, own, slips }
}
const call = (own: Caller | undefined, slip_id = '', line: string | undefined = 'c2', content = '基本工资少了 500') =>
  (own as Caller).must(employee.feedbackSlip, { slip_id, content, ...(line && { column_key: line }) })

test('gives an item its own thread next to that of the payslip, and shows assignee and due date to both sides', async () => {
  const { own, slips, batch_id } = await sent(1)
  const [slip_id = ''] = slips
  const me = own[0] as Caller
  const before = await me.must(employee.getFeedback, { slip_id })
  expect(before).toMatchObject({ status: null, subject: null, owner: null, due_at: null, threads: [] })
  expect(before.columns).toContainEqual({ key: 'c2', label: '基本工资' })
  for (const line of ['c0', 'c99'])
    expect((await me.call(employee.feedbackSlip, { slip_id, column_key: line, content: '？' })).data).toEqual({
      field: 'column_key',
    })
  const { id } = await call(me, slip_id)
  const { id: full } = await call(me, slip_id, '', '什么时候发奖金')
  expect(full).not.toBe(id)
  expect((await call(me, slip_id, 'c2', '再看看')).id).toBe(id)
  const current = await me.must(employee.getFeedback, { slip_id, line: 'c2' })
  expect(current).toMatchObject({
    status: 'open',
    subject: { key: 'c2', label: '基本工资' },
    owner: '王会计',
    due_at: '2026-11-26T23:59:59.000+08:00',
  })
  expect([current.messages.length, current.threads.length]).toEqual([2, 2])
  const { list } = await caller.must(feedback.getFeedBackList, { batch_id })
  expect(list.map(({ about }) => about?.label ?? null).toSorted()).toEqual([null, '基本工资'])
  expect(list[0]).toMatchObject({ assigned_to_me: true, is_overdue: false, owner: { name: '王会计' } })
  // After one reply the payslip still has an open thread; after both replies it has none.
  await caller.must(feedback.handleFeedback, { id, action: 'reply', content: '已核对' })
  expect((await caller.must(slip.getWageDetail, { batch_id })).batch.counts.feedback).toBe(1)
  expect(await me.must(employee.getFeedback, { slip_id })).toMatchObject({
    threads: [{ answer_unread: false }, { line: 'c2', answer_unread: true }],
  })
  expect((await me.must(employee.getSlip, { slip_id })).answer_unread).toBe(true)
  expect(await me.must(employee.getFeedback, { slip_id, line: 'c2' })).toMatchObject({ status: 'answered', due_at: null })
  expect((await me.must(ownCalls.getReceivedMessageList, {})).list.filter(({ read }) => read).length).toBeGreaterThan(0)
  await caller.must(feedback.handleFeedback, { id: full, action: 'resolve' })
  expect((await caller.must(slip.getWageDetail, { batch_id })).batch.counts.feedback).toBe(0)
})

test('returns threads of an assignee without payroll authority to the owner of the batch, in every list', async () => {
  const { own, slips } = await sent(1)
  const { id } = await call(own[0], slips[0])
  const leaving = await corp.person({ power: ['4'] })
  const admin_id = leaving.admin_id ?? ''
  await caller.must(feedback.setFeedbackOwner, { ids: [id], user_id: admin_id })
  const getOwn = async () => (await caller.must(feedback.getFeedBackList, { assigned_to_me: true })).list.map((one) => one.id)
  expect(await getOwn()).not.toContain(id)
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('admin').set({ power: [] }).where('id', '=', admin_id).execute(),
  )
  expect(await getOwn()).toContain(id)
})

test('assigns a thread only to an administrator who can reply to it', async () => {
  const { own, slips } = await sent(1)
  const { id } = await call(own[0], slips[0])
  const outsider = await corp.person({ power: ['2'], name: '别批的' })
  const { list } = await caller.must(feedback.getFeedbackOwners, { id })
  expect(list.map(({ name }) => name).toSorted()).toEqual(['王会计', '赵主管'].toSorted())
  const give = (user_id: string) => caller.call(feedback.setFeedbackOwner, { ids: [id], user_id })
  for (const user_id of [outsider.admin_id ?? '', newId()]) expect((await give(user_id)).data).toEqual({ field: 'user_id' })
  expect((await give(mate.admin_id ?? '')).code).toBe(0)
  const his = await world.signIn(mate)
  expect((await his.must(feedback.getFeedBackList, { assigned_to_me: true })).list).toMatchObject([
    { id, owner: { name: '赵主管' }, assigned_to_me: true },
  ])
  expect((await caller.must(feedback.getFeedBackList, { assigned_to_me: true })).list.map((one) => one.id)).not.toContain(id)
  expect((await his.must(notifications.getNotificationList, {})).list[0]?.text).toMatch(/王会计 请您处理.*的反馈/)
  expect((await own[0]?.must(employee.getFeedback, { slip_id: slips[0] ?? '', line: 'c2' }))?.owner).toBe('赵主管')
  // The next message notifies the assignee, not the owner of the batch.
  await call(own[0], slips[0], 'c2', '还没有消息吗')
  expect((await his.must(notifications.getNotificationList, {})).list[0]?.text).toContain('「基本工资」提交了反馈')
})

describe('one reply to several questions', () => {
  test('sends one reply to each employee in their own thread with their own message', async () => {
    const { own, slips, people, batch_id } = await sent(4)
    const ids = (await Promise.all([0, 1, 2].map((at) => call(own[at], slips[at])))).map(({ id }) => id)
    await call(own[3], slips[3], 'c3', '个税多了')
    const [first = ''] = ids
    expect((await caller.must(feedback.getFeedBackDetail, { id: first })).similar_count).toBe(2)
    const alike = await caller.must(feedback.getFeedBackList, { batch_id, line: 'c2', status: 'open' })
    expect(alike.list.map(({ name }) => name).toSorted()).toEqual(
      people
        .slice(0, 3)
        .map(({ name }) => name)
        .toSorted(),
    )
    expect(await caller.must(feedback.answerFeedback, { ids, content: '社保基数调整，下月补发', resolve: true })).toEqual({
      answered: 3,
    })
    await world.product.jobs.drain()
    for (const at of [0, 1, 2]) {
      const thread = await own[at]?.must(employee.getFeedback, { slip_id: slips[at] ?? '', line: 'c2' })
      expect(thread).toMatchObject({
        status: 'resolved',
        messages: [{ from: 'employee' }, { from: 'admin', content: '社保基数调整，下月补发' }],
      })
    }
    expect((await caller.must(feedback.getFeedBackList, { batch_id, status: 'open' })).list).toMatchObject([
      { about: { label: '个人所得税' } },
    ])
    const notified = (await deliveries(world, corp, batch_id)).filter(({ purpose }) => purpose.startsWith('answered-'))
    expect([notified.length, new Set(notified.map(({ salary_id }) => salary_id)).size]).toEqual([3, 3])
  })
  test('replies to all threads or none if one is out of scope or there are too many', async () => {
    const { own, slips } = await sent(1)
    const { id } = await call(own[0], slips[0])
    expect((await caller.call(feedback.answerFeedback, { ids: [id, newId()], content: '好' })).code).toBe(not_found.code)
    const many = Array.from({ length: feedback.maxBulkAnswers + 1 }, () => newId())
    expect((await caller.call(feedback.answerFeedback, { ids: many, content: '好' })).code).toBe(invalid.code)
    expect((await caller.must(feedback.getFeedBackDetail, { id })).messages).toHaveLength(1)
  })
})

describe('feedback images', () => {
  const render = (side: number) => {
    const png = new PNG({ width: side, height: side })
    for (let at = 0; at < png.data.length; at += 1) png.data[at] = (at * 7919) % 251
    return PNG.sync.write(png)
  }
  /** Adds text that no viewer shows, before the end of the file. */
  const withText = (png: Buffer) => {
    const text = Buffer.from('\0\0\0\x0ctEXta\0hidden\0\0\0\0\0\0\0\0', 'latin1')
    text.writeUInt32BE(crc32(text.subarray(4, 20)), 20)
    return Buffer.concat([png.subarray(0, -12), text, png.subarray(-12)])
  }
  const upload = async (who: Caller, bytes: Buffer) =>
    who.call(files.uploadFile, { for: 'question' }, { file: { name: '考勤.png', bytes } })

  test('re-encodes and encrypts feedback images, shows them to the two sides and limits their number', async () => {
    const { own, slips } = await sent(2)
    const [me, other] = own as [Caller, Caller]
    const [slip_id = '', their_slip = ''] = slips
    const { data } = await upload(me, withText(render(300)))
    const requested = { slip_id, column_key: 'c2', content: '见图', pictures: [data.file_id] }
    // Another user's file is rejected, and so is the company's logo.
    expect((await other.call(employee.feedbackSlip, { ...requested, slip_id: their_slip })).code).toBe(not_found.code)
    const { id } = await me.must(employee.feedbackSlip, requested)
    const [picture = ''] = (await caller.must(feedback.getFeedBackDetail, { id })).messages[0]?.pictures ?? []
    const current = await me.must(employee.getFeedbackImage, { slip_id, id: picture })
    expect(await caller.must(feedback.getFeedbackPicture, { id: picture })).toEqual(current)
    const bytes = Buffer.from(current.picture.replace('data:image/png;base64,', ''), 'base64')
    expect([bytes.includes('hidden'), PNG.sync.read(bytes).width]).toEqual([false, 300])
    const stored = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('feedback_picture').select('picture').execute(),
    )
    expect(stored.every((row) => !row.picture.includes('IHDR'))).toBe(true)
    const outsider = await world.signIn(await corp.person({ power: ['2'] }))
    for (const answer of [
      await other.call(employee.getFeedbackImage, { slip_id: their_slip, id: picture }),
      await other.call(employee.getFeedbackImage, { slip_id, id: picture }),
      await outsider.call(feedback.getFeedbackPicture, { id: picture }),
    ])
      expect(answer.code).toBe(not_found.code)
    const back = await upload(caller, render(40))
    await caller.must(feedback.handleFeedback, { id, action: 'reply', content: '这是考勤记录', pictures: [back.data.file_id] })
    const answered = (await me.must(employee.getFeedback, { slip_id, line: 'c2' })).messages[1]
    expect((await me.must(employee.getFeedbackImage, { slip_id, id: answered?.pictures[0] ?? '' })).picture).toMatch(
      /^data:image/,
    )
  })
  test.each([
    ['a file that is no picture', Buffer.from('<svg onload=alert(1)>')],
    ['a truncated picture', render(300).subarray(0, 200)],
    ['a picture of 1,700 pixels', PNG.sync.write(new PNG({ width: 1700, height: 4 }))],
    ['a picture whose header declares more pixels than it contains', Object.assign(render(8), {}).fill(0x7f, 16, 20)],
  ])('rejects %s as a feedback image', async (_, bytes) => {
    const { code, data } = await upload(caller, bytes)
    expect([code, data]).toEqual([invalid.code, { field: 'file' }])
  })
  test('never uses a feedback photo as the logo on every page', async () => {
    const head = await world.signIn(mate)
    const { data } = await upload(head, render(500))
    expect((await head.call(company.setLogo, { file_id: data.file_id })).data).toEqual({ field: 'file_id' })
  })
})

test('reminds of the due date once on the day, then shows the thread as late in list and home; a setting defines the days', async () => {
  const corp_of_own = await world.createCompany()
  const head = await corp_of_own.person({ power: ['4'], name: '周主管' })
  corp = corp_of_own
  payer = head
  world.clock.set('2026-11-23T10:00:00+08:00')
  caller = await world.signIn(head)
  await caller.must(slip.setFeedback, { answer_days: 2 })
  expect((await caller.must(slip.getWageSettings, {})).answer_within_days).toBe(2)
  const { own, slips } = await sent(2)
  await call(own[0], slips[0])
  await caller.must(slip.setFeedback, { answer_days: 0 })
  const { id: timeless } = await call(own[1], slips[1])
  const morning = async (at: string) => {
    world.clock.set(at)
    await world.database.asSystem((tx) => world.product.jobs.send(tx, 'morning', {}))
    await world.product.jobs.drain()
    caller = await world.signIn(head)
    const { list } = await caller.must(notifications.getNotificationList, {})
    return list.filter(({ text }) => text.startsWith('员工反馈有')).map(({ text }) => text)
  }
  expect(await morning('2026-11-24T09:30:00+08:00')).toEqual([])
  expect(await morning('2026-11-25T09:30:00+08:00')).toEqual(['员工反馈有 1 条今天到期，请尽快回复'])
  expect(await morning('2026-11-25T11:30:00+08:00')).toHaveLength(1)
  expect((await caller.must(feedback.getFeedBackList, { overdue_only: true })).list).toEqual([])
  expect(await morning('2026-11-26T09:30:00+08:00')).toEqual([
    '员工反馈有 1 条已超时，请尽快回复',
    '员工反馈有 1 条今天到期，请尽快回复',
  ])
  const { list } = await caller.must(feedback.getFeedBackList, {})
  expect(list.map(({ is_overdue }) => is_overdue)).toEqual([true, false])
  expect(list[1]).toMatchObject({ id: timeless, due_at: null })
  const home = await caller.must(company.getIndex, {})
  expect(home.todos.find(({ kind }) => kind === 'feedback')).toMatchObject({ count: 2, late: 1 })
  // Saturday is a day off.
  expect(await morning('2026-11-28T09:30:00+08:00')).toHaveLength(2)
})
