/**
 * The last pay of a terminated employee: confirmed once, sent, and opened only by its owner, with a code to their
 * phone.
 */
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload } from '../../support/office.ts'
import { deliveries } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld(true)
let corp: Corp
let boss: Person
let clerk: Person
let payroll: Caller

beforeEach(async () => {
  corp = await world.createCompany({ name: '旧东家' })
  boss = await corp.person({ power: ['4'] })
  clerk = await corp.person({ power: ['2'] })
  payroll = await world.signIn(clerk)
})

async function leaves(member_id: string, left_on?: string): Promise<void> {
  world.clock.advance(1000)
  await (await world.signIn(boss)).must(member.clearMember, { id: member_id, ...(left_on ? { terminated_on: left_on } : {}) })
}
async function codeFor(browser: TestClient, phone: string, type: 'login' | 'view') {
  world.clock.advance(61_000)
  const before = await codesSent(world, phone)
  const { sms } = (await browser.call(account.getVerifyCode, type === 'view' ? { type } : { phone, type })).data
  return { sms, code: await lastCode(world, phone, before) }
}
async function byCode(phone: string, more: { holder_name?: string; is_new_owner?: true } = {}) {
  const browser = createClient(world)
  const proof = await codeFor(browser, phone, 'login')
  return { browser, proof, answer: await browser.call(account.loginByCode, { phone, ...proof, ...more }) }
}
const getSheet = (people: readonly { name: string; mobile: string | null }[]) =>
  book(
    ['姓名', '手机号', '基本工资', '社保', '实发工资'],
    people.map(({ name, mobile }, at) => [name, mobile, 5000 + at, 500, 4500 + at]),
  )
async function uploaded(file: Buffer): Promise<string> {
  const { batch_id } = await getUpload(payroll, file)
  await payroll.must(wage.insertBatchTitle, { batch_id, title: '十一月', month: '2026-11' })
  return batch_id
}
const check = (batch_id: string) => payroll.must(wage.checkWageData, { batch_id })
const sendAnyway = (batch_id: string) =>
  payroll.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'left_person', fix: 'accept' }] })
async function sent(batch_id: string) {
  const plan = await payroll.must(slip.sendPaySheet, { batch_id })
  await payroll.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
  await world.product.jobs.drain()
  return plan
}

describe('the last pay of a terminated employee', () => {
  it('reaches an employee who never signed in by the code and their name after one confirmation (07)', async () => {
    const head = await world.signIn(boss)
    const add = async (name: string, mobile: string) => (await head.must(member.insertMember, { name, mobile })).id
    const id = await add('钱进', '19911160009')
    await add('林昭宁', '19911160000')
    await leaves(id)
    const batch_id = await uploaded(
      readFileSync(new URL('../../cases/bug-reports/07-last-pay-of-a-leaver.xlsx', import.meta.url)),
    )
    const requested = await check(batch_id)
    expect(requested.problems.map(({ kind, level, row, fix }) => [kind, level, row, fix])).toEqual([
      ['left_person', 'warning', 2, ['accept', 'skip']],
    ])
    await sendAnyway(batch_id)
    expect((await check(batch_id)).counts).toMatchObject({ kinds: [], status: 'checked', totals: { people: 2 } })
    expect(await sent(batch_id)).toMatchObject({ count: 2, unreachable: [], blocked: [] })

    const { browser, proof, answer } = await byCode('19911160009')
    expect(answer).toMatchObject({ code: errorCodes.other_holder.code, data: { field: 'holder_name' } })
    const wrong = await browser.call(account.loginByCode, { phone: '19911160009', ...proof, holder_name: '林昭宁' })
    expect(wrong.code).toBe(errorCodes.other_holder.code)
    const right = await browser.call(account.loginByCode, { phone: '19911160009', ...proof, holder_name: '钱进' })
    expect([right.code, right.data.corps.map(({ name }) => name)]).toEqual([0, ['旧东家']])
    const [line] = (await browser.call(employee.getSlipList, {})).data.list
    expect(line).toMatchObject({ locked: true, net_fen: null })
    const slip_id = line?.slip_id ?? ''
    expect((await browser.call(employee.getSlip, { slip_id })).code).toBe(errorCodes.view_locked.code)
    await browser.call(employee.unlock, await codeFor(browser, '19911160009', 'view'))
    expect((await browser.call(employee.getSlip, { slip_id, confirm_open: true })).data.slip).toMatchObject({
      name: '钱进',
      net: { fen: 300_000 },
    })
  })

  it("opens nothing for the phone's new owner who states that they are someone else", async () => {
    const head = await world.signIn(boss)
    const { id } = await head.must(member.insertMember, { name: '周末', mobile: '19911160021' })
    await leaves(id)
    const batch_id = await uploaded(getSheet([{ name: '周末', mobile: '19911160021' }]))
    await sendAnyway(batch_id)
    await sent(batch_id)
    const { answer } = await byCode('19911160021', { is_new_owner: true })
    expect(answer.code).toBe(errorCodes.not_found.code)
    // A colleague to whom the company has given the number is not even asked to verify it.
    const next = await (await world.signIn(boss)).must(member.insertMember, { name: '吴新', mobile: '19911160021' })
    const colleague = await byCode('19911160021')
    expect([colleague.answer.code, next.id === id]).toEqual([0, false])
    expect((await colleague.browser.call(employee.getSlipList, {})).data.list).toEqual([])
  })

  it('reaches an employee who had signed in by a code only', async () => {
    const person = await corp.person({ name: '老赵' })
    await leaves(person.member_id)
    const batch_id = await uploaded(getSheet([person]))
    await sendAnyway(batch_id)
    expect(await sent(batch_id)).toMatchObject({ count: 1, by_channel: { sms: 1 } })
    const { browser, answer } = await byCode(person.mobile, { holder_name: '老赵' })
    expect(answer.code).toBe(0)
    const [line] = (await browser.call(employee.getSlipList, {})).data.list
    expect((await browser.call(employee.unlock, { password: '任意密码 2026' })).code).toBe(errorCodes.invalid.code)
    await browser.call(employee.unlock, await codeFor(browser, person.mobile, 'view'))
    expect((await browser.call(employee.getSlip, { slip_id: line?.slip_id ?? '', confirm_open: true })).code).toBe(0)
    expect(await payroll.must(slip.sendBatch, { batch_id, only: 'unviewed' })).toMatchObject({ queued: 0 })
  })

  it('includes the last payslip of a terminated employee in reminders', async () => {
    const person = await corp.person({ name: '老钱' })
    await leaves(person.member_id)
    const batch_id = await uploaded(getSheet([person]))
    await sendAnyway(batch_id)
    await sent(batch_id)
    expect(await payroll.must(slip.sendBatch, { batch_id, only: 'unviewed' })).toMatchObject({ queued: 1 })
    await world.product.jobs.drain()
    expect((await deliveries(world, corp, batch_id)).map(({ status }) => status)).toEqual(['accepted', 'accepted'])
  })

  it('does not send the last payslip if the phone went to a new owner', async () => {
    const person = await corp.person({ name: '老孙' })
    await leaves(person.member_id)
    const next = await byCode(person.mobile, { is_new_owner: true })
    expect(next.answer.code).toBe(errorCodes.not_found.code)
    const batch_id = await uploaded(getSheet([person, await corp.person({ name: '在职' })]))
    await sendAnyway(batch_id)
    const plan = await sent(batch_id)
    expect([plan.count, plan.blocked.map(({ name }) => name)]).toEqual([1, ['老孙']])
  })

  it('waits for a manual check if the employee was terminated between plan and send, and then sends manually', async () => {
    const person = await corp.person({ name: '老李' })
    const batch_id = await uploaded(getSheet([person]))
    const { plan_id } = await payroll.must(slip.sendPaySheet, { batch_id })
    await leaves(person.member_id)
    payroll = await world.signIn(clerk)
    await payroll.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    const [failed] = (await payroll.must(slip.getWageDetail, { batch_id, page: 1, pagesize: 10 })).list
    expect(failed).toMatchObject({ status: 'failed', failure_message: expect.stringContaining('在确认发送之后离职') })
    await payroll.must(slip.sendSingle, { salary_id: failed?.salary_id ?? '' })
    await world.product.jobs.drain()
    expect((await payroll.must(slip.getWageDetail, { batch_id, page: 1, pagesize: 10 })).list[0]).toMatchObject({
      status: 'sent',
    })
  })

  it('keeps an issue with its reason if the employee could not open the payslip', async () => {
    const person = await corp.person({ name: '老周' })
    await leaves(person.member_id)
    const batch_id = await uploaded(getSheet([person]))
    await payroll.must(slip.setTerminatedAccess, { months: 0 })
    const closed = await check(batch_id)
    expect(closed.problems.map(({ level, fix, message }) => [level, fix, message])).toEqual([
      ['error', ['skip'], '老周已离职，公司没有开放「离职后查看」，发了也打不开；请跳过，用别的方式给工资条（例如打印）'],
    ])
    await payroll.must(slip.setTerminatedAccess, { months: 24 })
    expect((await check(batch_id)).problems).toMatchObject([{ level: 'warning', fix: ['accept', 'skip'] }])
  })
})
