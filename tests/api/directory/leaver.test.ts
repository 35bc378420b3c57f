/**
 * Terminated employees: their own payslips, each time after a code to their phone, for the period set by the company;
 * nobody else's, and by no other path.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getReceipt, getSlipChanges } from '../../../server/contract/payslips/employee-data.ts'
import { getSlipTax } from '../../../server/contract/payslips/employee-tax.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { getTerminatedAccessEnd } from '../../../server/contract/shared/statuses.ts'
import { codesSent, createClient, givePassword, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import { getNet, makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld(true)
const secret = '梅兰竹菊 2026'
let corp: Corp
let clerk: Person
let head: Caller
let payroll: Caller
const { view_locked, signed_out, not_found, other_holder } = errorCodes
/** Administrator sessions do not last overnight. */
const headNow = async () => world.signIn(boss)
let boss: Person

beforeEach(async () => {
  corp = await world.createCompany({ name: '旧东家' })
  boss = await corp.person({ power: ['4'] })
  clerk = await corp.person({ power: ['2'] })
  head = await headNow()
  payroll = await world.signIn(clerk)
})
const days = (count: number) => world.clock.advance(count * 86_400_000)

const withPassword = (person: Person) => givePassword(world, person, secret)
/** Sends payslips of these employees; the first has row 2. */
async function paid(people: readonly Person[], month = '2026-10'): Promise<string[]> {
  const batch_id = await makeBatch(world, clerk, people, { month })
  await send(payroll, batch_id)
  await world.product.jobs.drain()
  return (await salaries(world, corp, batch_id)).map(({ id }) => id)
}
async function byPassword(phone: string) {
  const browser = createClient(world)
  const answer = await browser.call(account.login, { phone, password: secret })
  return { browser, answer, corps: answer.code === 0 ? answer.data.corps.map(({ name }) => name) : [] }
}
async function codeFor(browser: TestClient, phone: string, type: 'login' | 'view') {
  world.clock.advance(61_000)
  const before = await codesSent(world, phone)
  const { sms } = (await browser.call(account.getVerifyCode, type === 'view' ? { type } : { phone, type })).data
  return { sms, code: await lastCode(world, phone, before) }
}
async function leaver(name = '老赵') {
  const person = await withPassword(await corp.person({ name }))
  const other = await corp.person({ name: '金丝雀' })
  const [slip_id = '', others = ''] = await paid([person, other])
  return { person, slip_id, others }
}
async function leaves(person: Person, left_on?: string): Promise<void> {
  // The clock is later than the entry.
  world.clock.advance(1000)
  await (await headNow()).must(member.clearMember, { id: person.member_id, ...(left_on ? { terminated_on: left_on } : {}) })
}

describe('access period after termination', () => {
  it.each([
    ['2026-11-20', 24, '2028-11-20'],
    ['2024-02-29', 24, '2026-02-28'],
    ['2026-08-31', 6, '2027-02-28'],
    ['2026-11-20', 0, null],
  ])('ends payslip access for a last day of %s and %i months at %s', (on, months, until) => {
    expect(getTerminatedAccessEnd(on, months)).toBe(until)
  })

  it('lets only a company-wide payroll administrator set the access period', async () => {
    const sales = await corp.department('销售部')
    const some = await world.signIn(await corp.person({ power: ['2'], scope: { all: false, department_ids: [sales] } }))
    expect((await some.call(slip.setTerminatedAccess, { months: 0 })).code).toBe(errorCodes.not_permitted.code)
    expect((await payroll.call(slip.setTerminatedAccess, { months: 121 })).code).toBe(errorCodes.invalid.code)
    expect((await payroll.must(slip.getWageSettings)).terminated_access_months).toBe(24)
    await payroll.must(slip.setTerminatedAccess, { months: 6 })
    expect((await payroll.must(slip.getWageSettings)).terminated_access_months).toBe(6)
  })
})

describe('default settings', () => {
  it('ends the session on termination, and requires a code first on every path to the payslip', async () => {
    const { person, slip_id, others } = await leaver()
    const before = await byPassword(person.mobile)
    await leaves(person, '2026-11-18')
    expect((await before.browser.call(employee.getSlip, { slip_id })).code).toBe(signed_out.code)
    const { browser, corps } = await byPassword(person.mobile)
    expect(corps).toEqual(['旧东家'])
    expect((await browser.call(employee.getCurrentEmployee)).data).toMatchObject({
      name: '老赵',
      terminated: { terminated_on: '2026-11-18', access_until: '2028-11-18' },
      is_admin: false,
    })
    const list = (await browser.call(employee.getSlipList, {})).data.list
    expect(list.map((line) => [line.slip_id, line.locked, line.net_fen])).toEqual([[slip_id, true, null]])
    for (const answer of [
      await browser.call(employee.getSlip, { slip_id }),
      await browser.call(employee.getFeedback, { slip_id }),
      await browser.call(employee.feedbackSlip, { slip_id, content: '少了一天' }),
      await browser.call(employee.confirmSlip, { slip_id, version: 1 }),
      await browser.call(getSlipChanges, { slip_id }),
      await browser.call(getSlipTax, { slip_id }),
      await browser.call(getReceipt, { slip_id }),
    ])
      expect([answer.code, JSON.stringify(answer.data)]).toEqual([view_locked.code, expect.not.stringContaining('net')])
    const { total } = (await browser.call(employee.getYearSummary, { year: Number(list[0]?.month?.slice(0, 4)) })).data
    expect(total).toMatchObject({ slips: 1, kept_back: 1, net_fen: null })
    // A password proves less than before: former colleagues may know it.
    expect(await browser.call(employee.unlock, { password: secret })).toMatchObject({
      code: errorCodes.invalid.code,
      message: '您已离职，请用短信验证码验证',
    })
    await browser.call(employee.unlock, await codeFor(browser, person.mobile, 'view'))
    expect((await browser.call(employee.getSlip, { slip_id })).data.slip.net).toMatchObject({ fen: getNet(2) })
    expect((await browser.call(employee.getSlip, { slip_id: others })).code).toBe(not_found.code)
    expect((await browser.call(employee.getSlipStatus, { slip_id: others })).code).toBe(not_found.code)
    world.clock.advance(11 * 60_000)
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(view_locked.code)
  })

  it("asks, with a code alone, a question that the number's new owner could not answer", async () => {
    const person = await corp.person({ name: '钱嫂' })
    const [slip_id = ''] = await paid([person])
    await leaves(person)
    days(30)
    const browser = createClient(world)
    const first = await browser.call(account.loginByCode, {
      phone: person.mobile,
      ...(await codeFor(browser, person.mobile, 'login')),
    })
    expect(first).toMatchObject({ code: other_holder.code, data: { field: 'holder_name' } })
    const proof = await codeFor(browser, person.mobile, 'login')
    const wrong = await browser.call(account.loginByCode, { phone: person.mobile, ...proof, holder_name: '孙嫂' })
    expect(wrong.code).toBe(other_holder.code)
    const right = await browser.call(account.loginByCode, { phone: person.mobile, ...proof, holder_name: '钱嫂' })
    expect([right.code, right.data.corps.map(({ name }) => name)]).toEqual([0, ['旧东家']])
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(view_locked.code)
  })

  it("gives the number's new owner no access, even if the roster lists someone else for it", async () => {
    const { person } = await leaver()
    await leaves(person)
    await (await headNow()).must(member.insertMember, { name: '小钱', mobile: person.mobile })
    const browser = createClient(world)
    const answer = await browser.call(account.loginByCode, {
      phone: person.mobile,
      ...(await codeFor(browser, person.mobile, 'login')),
    })
    expect(answer.code).toBe(0)
    expect((await browser.call(employee.getCurrentEmployee)).data).toMatchObject({ name: '小钱', terminated: null })
    expect((await browser.call(employee.getSlipList, {})).data.list).toEqual([])
  })
})

describe('company settings', () => {
  it('can deny access to terminated employees, at once and in open sessions', async () => {
    const { person, slip_id } = await leaver()
    await leaves(person)
    const { browser } = await byPassword(person.mobile)
    await browser.call(employee.unlock, await codeFor(browser, person.mobile, 'view'))
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(0)
    await (await world.signIn(clerk)).must(slip.setTerminatedAccess, { months: 0 })
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(signed_out.code)
    expect((await byPassword(person.mobile)).answer.code).toBe(not_found.code)
  })
})

describe('an employee of several employers', () => {
  it('starts an employee of several employers in the current company and finds earlier payslips from there', async () => {
    const { person, slip_id } = await leaver()
    const next = await world.createCompany({ name: '新东家' })
    await next.person({ name: '老赵', same_as: person })
    await leaves(person)
    const { browser, answer } = await byPassword(person.mobile)
    expect([answer.data.corp_id, answer.data.corps.map(({ name }) => name)]).toEqual([next.company_id, ['旧东家', '新东家']])
    expect((await browser.call(employee.getCurrentEmployee)).data).toMatchObject({ corp_name: '新东家', terminated: null })
    expect((await browser.call(employee.locateSlip, { slip_id })).data).toEqual({ corp_id: corp.company_id, corp_name: '旧东家' })
  })

  it('shows the payslips of both employment periods without another code after returning with the same account', async () => {
    const { person, slip_id } = await leaver()
    await leaves(person, '2026-11-01')
    const keeper = await headNow()
    const { id } = await keeper.must(member.insertMember, { name: '老赵', mobile: person.mobile })
    const browser = createClient(world)
    const proof = await codeFor(browser, person.mobile, 'login')
    await browser.call(account.loginByCode, { phone: person.mobile, ...proof, password: secret })
    payroll = await world.signIn(clerk)
    const [again = ''] = await paid([{ ...person, member_id: id }], '2026-11')
    const list = (await browser.call(employee.getSlipList, {})).data.list
    expect(list.map((line) => [line.slip_id, line.locked])).toEqual([
      [again, false],
      [slip_id, false],
    ])
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(0)
  })
})

describe('an employee with an unconfirmed phone at termination', () => {
  it('denies access to a terminated employee whose phone, entered by others, identifies nobody', async () => {
    const { person, slip_id } = await leaver()
    await head.must(member.editMemberInfo, { id: person.member_id, mobile: freshPhone() })
    await leaves(person)
    expect((await byPassword(person.mobile)).answer.code).toBe(not_found.code)
    expect(slip_id).not.toBe('')
  })
})

// The clock advances by years, so this test comes last.
describe('end of the access period', () => {
  it('ends the access period two years after the last day', async () => {
    const { person, slip_id } = await leaver()
    await leaves(person, '2026-11-20')
    world.clock.set('2028-11-20T23:50:00+08:00')
    const { browser, corps } = await byPassword(person.mobile)
    expect(corps).toEqual(['旧东家'])
    await browser.call(employee.unlock, await codeFor(browser, person.mobile, 'view'))
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(0)
    // The existing session ends with that day as well.
    world.clock.set('2028-11-21T00:00:30+08:00')
    expect((await browser.call(employee.getSlip, { slip_id })).code).not.toBe(0)
    expect((await byPassword(person.mobile)).answer.code).toBe(not_found.code)
  })
})
