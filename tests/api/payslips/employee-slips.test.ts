/**
 * Employees and their payslips. Refusals first: a payslip that is not the employee's own, or not readable now, is not
 * found.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { getNet, payOne, salaries } from '../../support/slips.ts'
import { type Caller, type Person } from '../../support/world.ts'

let caller: Caller
const { world, corp, clerk: payer } = demo({ own: true, company: { name: '甲公司' } })
beforeAll(async () => {
  caller = await world.signIn(payer)
})

async function paid(person: Person, options: Parameters<typeof payOne>[2] = {}) {
  caller = await world.signIn(payer)
  return payOne({ world, corp, clerk: payer, caller }, person, options)
}
const set = (id: string, values: object) =>
  world.database.inCompany(corp.company_id, (tx) => tx.updateTable('payslip').set(values).where('id', '=', id).execute())

describe('not-found response for payslips', () => {
  test('returns the same not-found text for payslips of other employees as for nonexistent ones', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const colleague = await world.signIn(await corp.person())
    const outsider = await world.signIn(await (await world.createCompany()).person())
    for (const call of [employee.getSlip, employee.getFeedback] as const) {
      const unknown = await colleague.call(call, { slip_id: newId() })
      expect(unknown.code).toBe(100404)
      for (const one of [colleague, outsider, caller]) {
        const answer = await one.call(call, { slip_id })
        expect([answer.code, answer.message, answer.data]).toEqual([unknown.code, unknown.message, unknown.data])
      }
    }
    expect((await colleague.call(employee.confirmSlip, { slip_id, version: 1 })).code).toBe(100404)
    expect((await colleague.call(employee.feedbackSlip, { slip_id, content: '?' })).code).toBe(100404)
    expect((await colleague.must(employee.getSlipList, {})).list).toEqual([])
    expect((await world.anybody.call(employee.getSlip, { slip_id })).code).toBe(100018)
    const own = await salaries(
      world,
      corp,
      (
        await world.database.inCompany(corp.company_id, (tx) =>
          tx.selectFrom('payslip').select('batch_id').where('id', '=', slip_id).executeTakeFirstOrThrow(),
        )
      ).batch_id,
    )
    expect(own[0]).toMatchObject({ status: 'sent', viewed_at: null })
  })
  test.each(['waiting', 'queued', 'failed', 'withdrawn'] as const)(
    'returns not found for a payslip that is %s',
    async (status) => {
      const person = await corp.person()
      const { slip_id } = await paid(person)
      await set(slip_id, { status })
      const own = await world.signIn(person)
      expect((await own.call(employee.getSlip, { slip_id })).code).toBe(100404)
      expect((await own.must(employee.getSlipList, {})).list).toEqual([])
    },
  )
  test('returns not found from the response of the withdrawal on', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    expect((await own.call(employee.getSlip, { slip_id })).code).toBe(0)
    await caller.must(slip.withdrawSingleSalary, { salary_id: slip_id })
    for (const answer of [
      await own.call(employee.getSlip, { slip_id }),
      await own.call(employee.getFeedback, { slip_id }),
      await own.call(employee.confirmSlip, { slip_id, version: 1 }),
    ])
      expect(answer.code).toBe(100404)
  })
  test('returns not found to every read that starts after the withdrawal, with 30 parallel reads', async () => {
    const person = await corp.person()
    const own = await world.signIn(person)
    for (let round = 0; round < 5; round += 1) {
      const { slip_id } = await paid(person, { title: `轮 ${round}`, month: '2025-01', kind: 'bonus' })
      let withdrawn = false
      const reads = Array.from({ length: 30 }, async () => {
        const after = withdrawn
        const answer = await own.call(employee.getSlip, { slip_id })
        if (after) expect(answer.code).toBe(100404)
      })
      await caller.must(slip.withdrawSingleSalary, { salary_id: slip_id })
      withdrawn = true
      reads.push(own.call(employee.getSlip, { slip_id }).then((answer) => expect(answer.code).toBe(100404)))
      await Promise.all(reads)
    }
  })
})

describe('payslip', () => {
  test('shows the values of the wage sheet, marks the payslip as viewed once, and compares with last month', async () => {
    const person = await corp.person({ name: '张三', mobile: '13911112222' })
    await paid(person, { title: '九月工资', month: '2026-09' })
    await paid(person, { title: '年终奖', month: '2026-08', kind: 'bonus' })
    const { slip_id, batch_id } = await paid(person, { title: '十月工资', month: '2026-10' })
    const own = await world.signIn(person)
    const list = await own.must(employee.getSlipList, {})
    expect(list.list.map((one) => [one.title, one.month, one.status, one.net_fen])).toEqual([
      ['十月工资', '2026-10', 'sent', getNet(2)],
      ['九月工资', '2026-09', 'sent', getNet(2)],
      ['年终奖', '2026-08', 'sent', getNet(2)],
    ])
    expect([list.years, list.page.total]).toEqual([[2026], 3])
    const other_year = await own.must(employee.getSlipList, { year: 2025 })
    expect([other_year.list, other_year.page.total]).toEqual([[], 0])
    const visible = await own.must(employee.getSlip, { slip_id })
    expect(visible).toMatchObject({
      status: 'viewed',
      version: 1,
      corrected: null,
      receipt: null,
      confirmed_at: null,
      feedback_id: null,
      watermark: '张三 2222',
      pay_hide: false,
      sent_at: list.list[0]?.sent_at,
      previous: { month: '2026-09', net_fen: getNet(2) },
      slip: {
        title: '十月工资',
        month: '2026-10',
        corp_name: '甲公司',
        name: '张三',
        net: { label: '实发工资', fen: getNet(2) },
      },
    })
    const viewed = (await salaries(world, corp, batch_id))[0]?.viewed_at
    world.clock.advance(60_000)
    await own.must(employee.getSlip, { slip_id })
    expect((await salaries(world, corp, batch_id))[0]?.viewed_at).toEqual(viewed)
  })
  test.each([
    ['wages compare with the previous wages, not with the bonus in between', 'monthly', 'bonus'],
    ['a bonus compares with the previous bonus, not with the wages in between', 'bonus', 'monthly'],
  ] as const)('%s', async (_, kind, between) => {
    const person = await corp.person()
    await paid(person, { month: '2026-09', kind })
    await paid(person, { month: '2026-10', kind: between })
    const { slip_id } = await paid(person, { month: '2026-11', kind })
    const own = await world.signIn(person)
    expect((await own.must(employee.getSlip, { slip_id })).previous).toEqual({ month: '2026-09', net_fen: getNet(2) })
  })
  test('shows what a correction changed and why', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    await own.must(employee.getSlip, { slip_id })
    await caller.must(slip.editSalaryDetail, { salary_id: slip_id, cells: [{ key: 'c4', value: '8100' }], reason: '补发' })
    const visible = await own.must(employee.getSlip, { slip_id })
    expect(visible).toMatchObject({
      version: 2,
      status: 'viewed',
      corrected: { reason: '补发', changes: [{ label: '实发工资', from: '8,002.02', to: '8,100.00' }] },
      slip: { net: { fen: 810_000 } },
    })
    expect((await own.must(employee.getSlipList, {})).list[0]?.corrected).toBe(true)
  })
  test('shows deductions with a minus sign on the payslip, in its correction, for administrators and in the log', async () => {
    const person = await corp.person()
    const { slip_id, batch_id } = await paid(person)
    const own = await world.signIn(person)
    await caller.must(slip.editSalaryDetail, { salary_id: slip_id, cells: [{ key: 'c3', value: '3950' }], reason: '补税' })
    const visible = await own.must(employee.getSlip, { slip_id })
    const change = { from: '−123.45', to: '−3,950.00' }
    expect(visible.corrected?.changes).toEqual([{ label: '个人所得税', ...change }])
    expect(visible.slip.groups.flatMap(({ cells }) => cells).filter(({ is_deduction }) => is_deduction)).toMatchObject([
      { key: 'c3', fen: 395_000 },
    ])
    const { columns } = await caller.must(slip.getWageDetail, { batch_id })
    expect(columns.map(({ key, sign }) => `${key} ${sign}`)).toContain('c3 minus')
    expect(columns.filter(({ sign }) => sign !== 'own')).toHaveLength(1)
    expect((await caller.must(slip.getSalaryModifyLog, { salary_id: slip_id })).list).toMatchObject([change])
  })
})

describe('confirmation', () => {
  test('accepts a confirmation only of the displayed version, only if required, and only once', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person, { rules: { confirm: true } })
    const own = await world.signIn(person)
    await own.must(employee.getSlip, { slip_id })
    await caller.must(slip.editSalaryDetail, { salary_id: slip_id, cells: [{ key: 'c4', value: '8100' }], reason: '补发' })
    const stale = await own.call(employee.confirmSlip, { slip_id, version: 1 })
    expect([stale.code, stale.message]).toEqual([100409, '工资条已更正，请重新查看后确认'])
    expect((await own.call(employee.confirmSlip, { slip_id, version: 2, signature: '<script>' })).code).toBe(100001)
    const all = await Promise.all(
      Array.from({ length: 10 }, () => own.call(employee.confirmSlip, { slip_id, version: 2, signature: 'M0 0 L10 10' })),
    )
    expect(all.filter((answer) => answer.code === 0).length).toBe(1)
    const done = all.find((answer) => answer.code === 0)
    const visible = await own.must(employee.getSlip, { slip_id })
    expect(visible).toMatchObject({ status: 'confirmed', receipt: done?.data.receipt, confirmed_at: done?.data.confirmed_at })
    expect(visible.receipt).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/)
    // A correction ends the confirmation and invalidates its receipt.
    await caller.must(slip.editSalaryDetail, { salary_id: slip_id, cells: [{ key: 'c4', value: '8200' }], reason: '再补' })
    expect(await own.must(employee.getSlip, { slip_id })).toMatchObject({ status: 'viewed', receipt: null })
    const quiet = await paid(person, { rules: { confirm: false }, month: '2026-07' })
    expect((await own.call(employee.confirmSlip, { slip_id: quiet.slip_id, version: 1 })).message).toContain('没有要求')
  })
})

describe('view password', () => {
  test('requires the view password for payslips, questions and confirmations, counts failed attempts, and accepts it for ten minutes', async () => {
    const person = await corp.person()
    const password_hash = await hashPassword('keep-it-secret-7')
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
    )
    const { slip_id } = await paid(person, { rules: { view_password: true } })
    const own = await world.signIn(person)
    for (const answer of [
      await own.call(employee.getSlip, { slip_id }),
      await own.call(employee.confirmSlip, { slip_id, version: 1 }),
      await own.call(employee.feedbackSlip, { slip_id, content: '?' }),
      await own.call(employee.getFeedback, { slip_id }),
    ])
      expect(answer.code).toBe(100104)
    expect((await own.must(employee.getSlipList, {})).list).toMatchObject([{ slip_id, net_fen: null, status: 'sent' }])
    expect((await own.call(employee.unlock, {})).data).toEqual({ field: 'password' })
    expect((await own.call(employee.unlock, { password: 'wrong' })).code).toBe(100101)
    await own.must(employee.unlock, { password: 'keep-it-secret-7' })
    expect((await own.must(employee.getSlip, { slip_id })).slip.net?.fen).toBe(getNet(2))
    expect((await own.must(employee.getSlipList, {})).list[0]?.net_fen).toBe(getNet(2))
    const elsewhere = await world.signIn(person)
    expect((await elsewhere.call(employee.getSlip, { slip_id })).code).toBe(100104)
    world.clock.advance(10 * 60_000)
    expect((await own.call(employee.getSlip, { slip_id })).code).toBe(100104)
    const codes: number[] = []
    for (let time = 0; time < 8; time += 1) codes.push((await own.call(employee.unlock, { password: `wrong ${time}` })).code)
    expect(codes.slice(-3)).toEqual([100103, 100103, 100103])
    expect((await own.call(employee.unlock, { password: 'keep-it-secret-7' })).code).toBe(100103)
    world.clock.advance(15 * 60_000)
    await own.must(employee.unlock, { password: 'keep-it-secret-7' })
  })
})

test("allows questions only if the company enabled them, in a thread of the employee's own", async () => {
  const person = await corp.person()
  const quiet = await paid(person, { rules: { feedback: false }, month: '2026-06' })
  const own = await world.signIn(person)
  expect((await own.call(employee.feedbackSlip, { slip_id: quiet.slip_id, content: '为什么' })).code).toBe(100409)
  expect((await own.call(employee.feedbackSlip, { slip_id: quiet.slip_id, content: '' })).data).toEqual({ field: 'content' })
  const { slip_id } = await paid(person, { title: '可以问' })
  expect(await own.must(employee.getFeedback, { slip_id })).toMatchObject({
    status: null,
    title: '可以问',
    messages: [],
    threads: [],
    owner: null,
  })
  const { id } = await own.must(employee.feedbackSlip, { slip_id, content: '为什么少了' })
  expect(await own.must(employee.getFeedback, { slip_id })).toMatchObject({
    status: 'open',
    messages: [{ from: 'employee', content: '为什么少了' }],
  })
  expect((await own.must(employee.getSlip, { slip_id })).feedback_id).toBe(id)
})

test('returns the employee in all their companies and the setting that hides amounts', async () => {
  const person = await corp.person({ name: '两家', mobile: '13900001111' })
  const second = await world.createCompany({ name: '乙公司' })
  await second.person({ same_as: person })
  const own = await world.signIn(person)
  expect(await own.must(employee.getCurrentEmployee)).toEqual({
    name: '两家',
    corp_id: corp.company_id,
    corp_name: '甲公司',
    corp_logo: null,
    phone_masked: '139****1111',
    pay_hide: false,
    pass_status: 10,
    is_admin: false,
    terminated: null,
    phone_unconfirmed: null,
    corps: [
      { corp_id: corp.company_id, name: '甲公司' },
      { corp_id: second.company_id, name: '乙公司' },
    ],
  })
  // A setting of one employee does not affect a colleague.
  const colleague = await world.signIn(await corp.person())
  await own.must(employee.setPayHide, { hide: true })
  expect((await own.must(employee.getCurrentEmployee)).pay_hide).toBe(true)
  expect((await colleague.must(employee.getCurrentEmployee)).pay_hide).toBe(false)
})
