/** Attacks on sending: changes that race a plan, the state after a schedule is cancelled, ids of other batches. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { again } from '../../support/callers/http.ts'
import { demo } from '../../support/demo.ts'
import { getMessagePattern } from '../../support/message-patterns.ts'
import { openFreshDatabase } from '../../support/run/database.ts'
import { makeBatch, salaries, send, slip_segments, smsLeft } from '../../support/slips.ts'
import { type Person, startWorld } from '../../support/world.ts'

let people: Person[]
const { world, corp, clerk: admin, payroll } = demo({ own: true, clerk: { name: '出纳' }, each: true })
beforeEach(async () => {
  people = await corp.people(4)
})

const wrong_state = errorCodes.wrong_state.code
const soon = () => new Date(world.clock.now().getTime() + 3_600_000).toISOString()
const messages = async (batch_people: readonly Person[]) => {
  const phones = new Set(batch_people.map((one) => one.mobile))
  return (await world.outbox()).filter((one) => phones.has(one.mobile))
}

describe('cancelled send schedule', () => {
  it('can plan and send a batch after a refused correction of one of its payslips', async () => {
    const batch_id = await makeBatch(world, admin, people)
    await send(payroll, batch_id, ['sms'], { when: soon() })
    const [first] = await salaries(world, corp, batch_id)
    // Nothing was sent, so the wage sheet is authoritative, and a separate correction would be lost when the batch is
    // planned again.
    const edit = await payroll.call(slip.editSalaryDetail, {
      salary_id: first?.id ?? '',
      cells: [{ key: 'c4', value: '1.00' }],
      reason: '改错',
    })
    expect([edit.code, edit.message]).toEqual([wrong_state, expect.stringContaining('定时')])
    await payroll.must(slip.pauseSend, { batch_id })
    await send(payroll, batch_id)
    await world.product.jobs.drain()
    expect(await messages(people)).toHaveLength(4)
  })

  it('loses nobody and sends nothing twice after a refused withdrawal of one payslip', async () => {
    const batch_id = await makeBatch(world, admin, people)
    await send(payroll, batch_id, ['sms'], { when: soon() })
    const [first] = await salaries(world, corp, batch_id)
    const one = await payroll.call(slip.withdrawSingleSalary, { salary_id: first?.id ?? '' })
    expect([one.code, one.message]).toEqual([wrong_state, expect.stringContaining('定时')])
    await payroll.must(slip.pauseSend, { batch_id })
    await send(payroll, batch_id)
    await world.product.jobs.drain()
    expect(await messages(people)).toHaveLength(4)
  })

  it('allows deleting a batch with a cancelled schedule and refunds the prepaid messages', async () => {
    const before = await smsLeft(world, corp)
    const batch_id = await makeBatch(world, admin, people)
    await send(payroll, batch_id, ['sms'], { when: soon() })
    await payroll.must(slip.pauseSend, { batch_id })
    await payroll.must(sheet.clearBatchTitle, { batch_id })
    world.clock.advance(7_200_000)
    await world.product.jobs.drain()
    expect([await messages(people), await smsLeft(world, corp)]).toEqual([[], before])
  })

  it('sends nothing at the scheduled time if the batch was withdrawn before', async () => {
    const before = await smsLeft(world, corp)
    const batch_id = await makeBatch(world, admin, people)
    await send(payroll, batch_id, ['sms'], { when: soon() })
    await payroll.must(slip.withdrawBatchPaySheet, { batch_id })
    world.clock.advance(7_200_000)
    await world.product.jobs.drain()
    expect([await messages(people), await smsLeft(world, corp)]).toEqual([[], before])
    const reader = await world.signIn(people[0] as Person)
    expect((await reader.must(employee.getSlipList, {})).list).toEqual([])
  })
})

describe('changes between plan and send', () => {
  it.each([
    ['later', 1_000],
    ['by a server whose clock is behind', -5_000],
  ] as const)('voids the plan if the wage sheet was changed %s', async (_, ms) => {
    const batch_id = await makeBatch(world, admin, people)
    const plan = await payroll.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    world.clock.advance(ms)
    await payroll.must(sheet.editPaySheetTitle, { batch_id, hint: '以此为准' })
    world.clock.advance(-ms)
    const answer = await payroll.call(slip.doSend, { plan_id: plan.plan_id, looked: true })
    expect(answer.code).toBe(wrong_state)
    await world.product.jobs.drain()
    expect(await messages(people)).toEqual([])
  })

  it('excludes a terminated member and one whose new phone is unconfirmed from sending', async () => {
    const batch_id = await makeBatch(world, admin, people)
    const plan = await payroll.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    const [removed, moved] = people as [Person, Person]
    await payroll.must(member.clearMember, { id: removed.member_id })
    await payroll.must(member.editMemberInfo, { id: moved.member_id, mobile: '19912340001' })
    await payroll.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
    await world.product.jobs.drain()
    // The old phone is notified of the replacement, but receives nothing about the payslip.
    const phones = (await world.outbox()).filter((one) => one.text.includes('/s/')).map((one) => one.mobile)
    expect(phones).not.toContain(removed.mobile)
    expect(phones).not.toContain(moved.mobile)
    expect(phones.filter((one) => one === '19912340001')).toHaveLength(0)
  })

  it('does not allow turning a roster row into another member who would receive the payslip', async () => {
    const batch_id = await makeBatch(world, admin, people)
    const plan = await payroll.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    const somebody_else = { id: people[0]?.member_id ?? '', name: '另一个人', mobile: '19912340002' }
    const edit = await payroll.call(member.editMemberInfo, somebody_else)
    expect([edit.code, edit.data]).toEqual([errorCodes.invalid.code, { field: 'mobile' }])
    await payroll.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
    await world.product.jobs.drain()
    expect((await world.outbox()).filter((one) => one.mobile === '19912340002')).toEqual([])
    // A member without payslips can be corrected freely.
    await payroll.must(member.editMemberInfo, { ...somebody_else, id: (await corp.person()).member_id })
  })

  it('sends one message to each recipient when two plans are started fifty times in parallel', async () => {
    const batch_id = await makeBatch(world, admin, people)
    const plans = await Promise.all([1, 2].map(() => payroll.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => payroll.call(slip.doSend, { plan_id: plans[at % 2]?.plan_id ?? '', looked: true })),
    )
    expect(new Set(answers.map((one) => one.code))).toEqual(new Set([0, wrong_state]))
    await world.product.jobs.drain()
    expect(await messages(people)).toHaveLength(4)
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['sent', 'sent', 'sent', 'sent'])
  })

  it('sends nothing when a plan is started after the withdrawal', async () => {
    const batch_id = await makeBatch(world, admin, people)
    const { plan } = await send(payroll, batch_id)
    await payroll.must(slip.withdrawBatchPaySheet, { batch_id })
    const again = await payroll.call(slip.doSend, { plan_id: plan.plan_id, looked: true })
    expect([again.code, again.data]).toEqual([0, { status: 'withdrawn' }])
    expect((await payroll.call(slip.sendPaySheet, { batch_id })).code).toBe(wrong_state)
    await world.product.jobs.drain()
    expect(await messages(people)).toEqual([])
  })
})

describe('parallel actions on a batch', () => {
  it('sends, pauses, resumes, withdraws, reminds and edits in parallel without a 500, with at most one message each and a correct balance', async () => {
    for (let round = 0; round < 6; round += 1) {
      const crowd = await corp.people(6)
      const left = await smsLeft(world, corp)
      const batch_id = await makeBatch(world, admin, crowd)
      const { plan } = await send(payroll, batch_id)
      const rows = await salaries(world, corp, batch_id)
      const salary_id = rows[0]?.id ?? ''
      const drained = world.product.jobs.drain()
      // The result is checked below.
      drained.catch(() => undefined)
      const answers = await Promise.all([
        payroll.call(slip.doSend, { plan_id: plan.plan_id, looked: true }),
        payroll.call(slip.pauseSend, { batch_id }),
        payroll.call(slip.resumeSend, { batch_id }),
        payroll.call(slip.editSalaryDetail, { salary_id, cells: [{ key: 'c4', value: '2.00' }], reason: '改' }),
        payroll.call(slip.sendBatch, { batch_id, only: 'unviewed' }),
        payroll.call(slip.withdrawSingleSalary, { salary_id: rows[1]?.id ?? '' }),
        payroll.call(slip.getSendInfo, { batch_id }),
      ])
      for (const answer of answers) expect([0, wrong_state], answer.message).toContain(answer.code)
      await drained
      await payroll.call(slip.resumeSend, { batch_id })
      await world.product.jobs.drain()
      const out = await messages(crowd)
      const slips = out.filter((one) => getMessagePattern('slip').test(one.text))
      expect(new Set(slips.map((one) => one.mobile)).size).toBe(slips.length)
      expect(new Set(out.map((one) => one.delivery_id)).size).toBe(out.length)
      expect(left - (await smsLeft(world, corp))).toBe(out.length * slip_segments)
    }
  })

  it('keeps all messages when an employee asks while the administrator replies repeatedly', async () => {
    const batch_id = await makeBatch(world, admin, people)
    await send(payroll, batch_id, ['link'])
    await world.product.jobs.drain()
    const [row] = await salaries(world, corp, batch_id)
    const slip_id = row?.id ?? ''
    const reader = await world.signIn(people[0] as Person)
    await reader.must(employee.feedbackSlip, { slip_id, content: '请核对' })
    const id = (await payroll.must(feedback.getFeedBackList, {})).list[0]?.id ?? ''
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        at % 2
          ? again(() => reader.call(employee.feedbackSlip, { slip_id, content: `问 ${at}` }))
          : again(() => payroll.call(feedback.handleFeedback, { id, action: 'reply', content: `答 ${at}` })),
      ),
    )
    expect(answers.map((one) => [one.status, one.code]).filter(([status, code]) => status !== 200 || code !== 0)).toEqual([])
  })

  it('reminds an employee with three batches at most three times a day, whoever sends the reminders', async () => {
    const batches: string[] = []
    for (const month of ['2026-08', '2026-09', '2026-10']) {
      const batch_id = await makeBatch(world, admin, people, { month })
      await send(payroll, batch_id)
      batches.push(batch_id)
    }
    await world.product.jobs.drain()
    const before = (await messages(people)).length
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => payroll.call(slip.sendBatch, { batch_id: batches[at % 3] ?? '', only: 'unviewed' })),
    )
    await world.product.jobs.drain()
    expect((await messages(people)).length - before).toBe(3 * people.length)
  })

  it('uses the last prepaid message only once', async () => {
    const poor = await world.createCompany({ sms_left: 4 * slip_segments })
    const clerk = await poor.person({ power: ['2'] })
    const caller = await world.signIn(clerk)
    const crowd = await poor.people(3)
    const plans: string[] = []
    for (let at = 0; at < 6; at += 1) {
      const batch_id = await makeBatch(world, clerk, crowd)
      plans.push((await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })).plan_id)
    }
    const answers = await Promise.all(plans.map((plan_id) => caller.call(slip.doSend, { plan_id, looked: true })))
    expect(answers.filter((one) => one.code === 0)).toHaveLength(1)
    expect(new Set(answers.map((one) => one.code))).toEqual(new Set([0, errorCodes.sms_used_up.code]))
    await world.product.jobs.drain()
    expect(await smsLeft(world, poor)).toBe(slip_segments)
    expect(await messages(crowd)).toHaveLength(3)
  })
})

it('answers a request that waits too long for a lock with a retry message instead of an internal error', async () => {
  // Uses the product's own timeouts instead of those of the test environment.
  const hurried = await startWorld({ database: await openFreshDatabase({ max: 4, statement_ms: 5_000 }) })
  const context = await hurried.createCompany()
  const clerk = await context.person({ power: ['2'] })
  const batch_id = await makeBatch(hurried, clerk, await context.people(2))
  const caller = await hurried.signIn(clerk)
  await send(caller, batch_id)
  const answer = await hurried.database.inCompany(
    context.company_id,
    async (tx) => {
      await tx.selectFrom('batch').select('id').where('id', '=', batch_id).forUpdate().execute()
      return caller.call(slip.withdrawBatchPaySheet, { batch_id })
    },
    { timeout_ms: 20_000 },
  )
  expect([answer.status, answer.code]).toEqual([503, errorCodes.too_often.code])
  await caller.must(slip.withdrawBatchPaySheet, { batch_id })
  await hurried.close()
})

describe('ids of another batch', () => {
  it('does not let a reminder for one batch affect payslips of another', async () => {
    const current = await makeBatch(world, admin, people)
    await send(payroll, current)
    const colleague = await corp.person({ power: ['2'] })
    const others = await makeBatch(world, colleague, people)
    const caller = await world.signIn(colleague)
    await send(caller, others)
    await world.product.jobs.drain()
    const before = (await world.outbox()).length
    const ids = (await salaries(world, corp, others)).map((one) => one.id)
    for (const only of ['unviewed', 'failed'] as const)
      expect((await payroll.must(slip.sendBatch, { batch_id: current, salary_ids: ids, only })).queued).toBe(0)
    await world.product.jobs.drain()
    expect((await world.outbox()).length).toBe(before)
    for (const call of [slip.sendSingle, slip.withdrawSingleSalary, slip.getSalary])
      expect((await payroll.call(call, { salary_id: ids[0] ?? '' })).code).toBe(errorCodes.not_found.code)
    expect((await payroll.call(sheet.getPreview, { batch_id: current, salary_id: ids[0] ?? '' })).code).toBe(
      errorCodes.not_found.code,
    )
  })

  it('creates one payslip for a row requested twice, and refuses a plan with a nonexistent row', async () => {
    const batch_id = await makeBatch(world, admin, people)
    expect((await payroll.must(slip.sendPaySheet, { batch_id, rows: [2, 2, 3, 2] })).count).toBe(2)
    for (const rows of [[2, 99], [-1], [2 ** 53 - 1]])
      expect((await payroll.call(slip.sendPaySheet, { batch_id, rows })).code).toBe(errorCodes.invalid.code)
  })
})
