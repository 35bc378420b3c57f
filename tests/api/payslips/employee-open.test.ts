/** A payslip on the employee's screen: whether it is current, how it closes, what remains of it, and where a link leads. */
import { describe, expect, test } from 'vitest'
import { getVerifyCode, selectCorp } from '../../../server/contract/auth/sign-in.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getSlipChanges } from '../../../server/contract/payslips/employee-data.ts'
import { getSlipTax } from '../../../server/contract/payslips/employee-tax.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { sessionLifetimes } from '../../../server/http/session-lifetime.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { payOne, salaries } from '../../support/slips.ts'
import { type Caller, type Person } from '../../support/world.ts'

let caller: Caller
const { world, corp, clerk: payer } = demo({ own: true, company: { name: '甲公司' } })

async function paid(person: Person, options: Parameters<typeof payOne>[2] = {}) {
  caller = await world.signIn(payer)
  return payOne({ world, corp, clerk: payer, caller }, person, options)
}
const correct = (salary_id: string, value: string) =>
  caller.must(slip.editSalaryDetail, { salary_id, cells: [{ key: 'c4', value }], reason: '补发' })

describe('polling an open payslip', () => {
  test('reports a new version, a new status and a withdrawal, marks nothing as viewed, and is limited to its owner', async () => {
    const person = await corp.person()
    const { slip_id, batch_id } = await paid(person, { rules: { confirm: true } })
    const own = await world.signIn(person)
    const watch = () => own.call(employee.getSlipStatus, { slip_id })
    expect((await watch()).data).toEqual({ version: 1, status: 'sent', closed: false, answer_unread: false })
    expect((await salaries(world, corp, batch_id))[0]?.viewed_at).toBe(null)
    await own.must(employee.getSlip, { slip_id })
    await correct(slip_id, '8100')
    expect((await watch()).data).toMatchObject({ version: 2, status: 'sent' })
    await own.must(employee.confirmSlip, { slip_id, version: 2 })
    expect((await watch()).data).toMatchObject({ version: 2, status: 'confirmed' })
    const colleague = await world.signIn(await corp.person())
    const never = await colleague.call(employee.getSlipStatus, { slip_id: newId() })
    const his = await colleague.call(employee.getSlipStatus, { slip_id })
    expect([his.code, his.message, his.data]).toEqual([never.code, never.message, never.data])
    await caller.must(slip.withdrawSingleSalary, { salary_id: slip_id })
    expect((await watch()).code).toBe(100404)
  })

  test('does not extend the session: a phone with an open payslip is signed out like any other', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    const used = await world.signIn(person)
    await own.must(employee.getSlip, { slip_id })
    for (let passed_s = 0; passed_s <= sessionLifetimes.employee.idle_s; passed_s += 600) {
      await own.call(employee.getSlipStatus, { slip_id })
      await used.must(employee.getSlip, { slip_id })
      world.clock.advance(600_000)
    }
    expect((await own.call(employee.getSlipStatus, { slip_id })).code).toBe(100018)
    await used.must(employee.getSlip, { slip_id })
  })
})

describe('a payslip that closes after its first view', () => {
  test('announces the closing before opening, counts down from the first view, then states why the payslip closed, and still accepts questions and its confirmation', async () => {
    const person = await corp.person()
    const { slip_id, batch_id } = await paid(person, { rules: { burn_after_minutes: 30, confirm: true, feedback: true } })
    const own = await world.signIn(person)
    const before = await own.call(employee.getSlip, { slip_id })
    expect([before.code, before.data]).toEqual([100107, { minutes: 30 }])
    expect((await salaries(world, corp, batch_id))[0]?.viewed_at).toBe(null)
    // Until then, no other call returns its net pay either, because a view there would not count.
    const [line] = (await own.must(employee.getSlipList, {})).list
    expect(line).toMatchObject({ closed: false, burn_after_minutes: 30, net_fen: null })
    const other = [getSlipChanges, getSlipTax].map(async (call) => (await own.call(call, { slip_id })).code)
    expect(await Promise.all(other)).toEqual([100107, 100107])
    // An employee cannot confirm what was not shown to them, including the list of its items.
    expect((await own.call(employee.confirmSlip, { slip_id, version: 1 })).code).toBe(100107)
    expect((await own.must(employee.getFeedback, { slip_id })).columns).toEqual([])
    expect((await own.call(employee.feedbackSlip, { slip_id, column_key: 'c2', content: '少了' })).code).toBe(100001)
    expect((await salaries(world, corp, batch_id))[0]?.viewed_at).toBe(null)
    const year = await own.must(employee.getYearSummary, { year: Number(line?.month?.slice(0, 4)) })
    expect(year.total).toMatchObject({ slips: 1, kept_back: 1, net_fen: null })

    expect((await own.must(employee.getSlip, { slip_id, confirm_open: true })).closes_in_seconds).toBe(1800)
    await own.must(employee.feedbackSlip, { slip_id, column_key: 'c2', content: '少了' })
    world.clock.advance(29 * 60_000)
    expect((await own.must(employee.getSlip, { slip_id })).closes_in_seconds).toBe(60)
    world.clock.advance(60_000)
    expect((await own.must(employee.getSlipStatus, { slip_id })).closed).toBe(true)
    const after = await own.call(employee.getSlip, { slip_id, confirm_open: true })
    expect([after.code, after.message]).toEqual([100108, '这张工资条已按公司设置阅后即焚，如需再看请联系薪酬管理员'])
    expect(after.data).toMatchObject({
      version: 1,
      confirm: true,
      feedback: true,
      confirmed_at: null,
      closed_at: expect.any(String),
    })
    // The payslip remains in the list without an amount.
    expect((await own.must(employee.getSlipList, {})).list[0]).toMatchObject({ slip_id, closed: true, net_fen: null })

    await own.must(employee.feedbackSlip, { slip_id, content: '没来得及看' })
    expect((await own.must(employee.getFeedback, { slip_id })).messages.length).toBe(1)
    // An existing thread about an item continues; a new one about another item is refused, because the item is no
    // longer visible.
    const again = (line: string) => own.call(employee.feedbackSlip, { slip_id, column_key: line, content: '还有' })
    expect([(await again('c2')).code, (await again('c3')).code]).toEqual([0, 100001])
    const { confirmed_at } = await own.must(employee.confirmSlip, { slip_id, version: 1 })
    expect((await own.call(employee.getSlip, { slip_id })).data).toMatchObject({
      confirm: false,
      confirmed_at,
      confirmed_auto: false,
    })
    // A correction allows another first view.
    await correct(slip_id, '8100')
    expect((await own.call(employee.getSlip, { slip_id })).code).toBe(100107)
    expect((await own.call(employee.confirmSlip, { slip_id, version: 2 })).code).toBe(100107)
  })

  test('requires the view password before opening a payslip that closes', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person, { rules: { burn_after_minutes: 30, view_password: true } })
    expect((await (await world.signIn(person)).call(employee.getSlip, { slip_id })).code).toBe(100104)
  })

  test('reports no closing time for a payslip that stays open', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    expect((await (await world.signIn(person)).must(employee.getSlip, { slip_id })).closes_in_seconds).toBe(null)
  })
})

test('states the automatic confirmation time, which does not apply while a question is open', async () => {
  const person = await corp.person()
  caller = await world.signIn(payer)
  await caller.must(slip.setConfirmRule, { auto_confirm_days: 3 })
  const { slip_id } = await paid(person, { rules: { confirm: true, feedback: true } })
  const own = await world.signIn(person)
  const visible = await own.must(employee.getSlip, { slip_id })
  expect(Date.parse(visible.auto_confirms_at ?? '') - Date.parse(visible.sent_at ?? '')).toBe(3 * 86_400_000)
  await own.must(employee.feedbackSlip, { slip_id, content: '不对' })
  expect((await own.must(employee.getSlip, { slip_id })).auto_confirms_at).toBe(null)
  const quiet = await paid(person, { rules: { confirm: false } })
  expect((await own.must(employee.getSlip, { slip_id: quiet.slip_id })).auto_confirms_at).toBe(null)
  caller = await world.signIn(payer)
  await caller.must(slip.setConfirmRule, { auto_confirm_days: 0 })
})

test('lists a withdrawn payslip as a note without an amount for two months', async () => {
  const person = await corp.person()
  const { slip_id } = await paid(person, { title: '十月工资' })
  const own = await world.signIn(person)
  await caller.must(slip.withdrawSingleSalary, { salary_id: slip_id })
  const { list, page } = await own.must(employee.getSlipList, {})
  expect(list).toMatchObject([
    { slip_id, title: '十月工资', status: 'withdrawn', net_fen: null, withdrawn_at: expect.any(String) },
  ])
  expect(page.total).toBe(1)
  // A payslip that was never sent leaves no note.
  const { slip_id: unsent } = await paid(person, { title: '没发出' })
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('payslip')
      .set({ status: 'withdrawn', sent_at: null, withdrawn_at: world.clock.now() })
      .where('id', '=', unsent)
      .execute(),
  )
  expect((await own.must(employee.getSlipList, {})).list.map((one) => one.slip_id)).toEqual([slip_id])
  world.clock.advance(63 * 86_400_000)
  expect((await (await world.signIn(person)).must(employee.getSlipList, {})).list).toEqual([])
})

test('opens a payslip by the partial id of an SMS link for its owner only', async () => {
  const person = await corp.person()
  const { slip_id } = await paid(person)
  const partial = { slip_id: `00000000-0000-7000-${slip_id.slice(19)}` }
  expect((await (await world.signIn(person)).must(employee.getSlip, partial)).slip_id).toBe(slip_id)
  expect((await (await world.signIn(await corp.person())).call(employee.getSlip, partial)).code).toBe(100404)
  const second = await world.createCompany({ name: '丙公司' })
  const there = await world.signIn(await second.person({ same_as: person }))
  expect((await there.call(employee.getSlip, partial)).code).toBe(100404)
  expect(await there.must(employee.locateSlip, partial)).toEqual({ corp_id: corp.company_id, corp_name: '甲公司' })
})

describe('a link to a payslip of another company of the employee', () => {
  test('resolves a link to a payslip of another company for its owner only, and for nobody after a withdrawal', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const second = await world.createCompany({ name: '乙公司' })
    const twin = await second.person({ same_as: person })
    const there = await world.signIn(twin)
    expect((await there.call(employee.getSlip, { slip_id })).code).toBe(100404)
    expect(await there.must(employee.locateSlip, { slip_id })).toEqual({ corp_id: corp.company_id, corp_name: '甲公司' })
    const { token } = await there.must(selectCorp, { corp_id: corp.company_id })
    expect(token).not.toBe('')
    const never = await (await world.signIn(await second.person())).call(employee.locateSlip, { slip_id })
    expect(never.code).toBe(100404)
    // A colleague in the same two companies is not its owner.
    const colleague = await corp.person()
    expect(
      (await (await world.signIn(await second.person({ same_as: colleague }))).call(employee.locateSlip, { slip_id })).code,
    ).toBe(100404)
    // In the payslip's own company there is nothing to resolve.
    const context = await world.signIn(person)
    expect((await context.call(employee.locateSlip, { slip_id })).code).toBe(100404)
    caller = await world.signIn(payer)
    await caller.must(slip.withdrawSingleSalary, { salary_id: slip_id })
    expect((await (await world.signIn(twin)).call(employee.locateSlip, { slip_id })).code).toBe(100404)
  })
})

test("sends a view code to the signed-in user's own phone without an input, while a stranger must enter a phone", async () => {
  const person = await corp.person()
  const own = await world.signIn(person)
  const { sms } = await own.must(getVerifyCode, { type: 'view' })
  const row = await world.database.withoutCompany((tx) =>
    tx.selectFrom('challenge').select('mobile').where('id', '=', sms).executeTakeFirst(),
  )
  expect(row?.mobile).toBe(person.mobile)
  expect((await own.call(getVerifyCode, { type: 'login' })).data).toEqual({ field: 'phone' })
  expect((await world.anybody.call(getVerifyCode, { type: 'view' })).data).toEqual({ field: 'phone' })
})
