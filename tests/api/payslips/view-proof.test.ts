/** A sign-in by password or code proves the identity that a company asks for before its payslips are viewed. */
import { beforeEach, expect, it } from 'vitest'
import { verifyIdentity } from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { createClient, givePassword } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Corp, Person } from '../../support/world.ts'

const world = demoWorld(true)
const secret = '梅兰竹菊 2026'
const tenMinutesMs = 10 * 60_000
const locked = errorCodes.view_locked.code
let corp: Corp
let person: Person
let slip_id: string

beforeEach(async () => {
  corp = await world.createCompany({ name: '谨慎公司' })
  const clerk = await corp.person({ power: ['2'] })
  person = await givePassword(world, await corp.person(), secret)
  const batch_id = await makeBatch(world, clerk, [person])
  await send(await world.signIn(clerk), batch_id, ['link'], { rules: { view_password: true } })
  await world.product.jobs.drain()
  slip_id = (await salaries(world, corp, batch_id))[0]?.id ?? ''
})

async function signInByPassword() {
  const browser = createClient(world)
  expect((await browser.call(account.login, { phone: person.mobile, password: secret })).code).toBe(0)
  const open = async () => (await browser.call(employee.getSlip, { slip_id })).code
  return { browser, open }
}

it('opens payslips for ten minutes after a sign-in by password, and again after a later proof', async () => {
  const { browser, open } = await signInByPassword()
  world.clock.advance(tenMinutesMs - 1000)
  expect(await open()).toBe(0)
  world.clock.advance(2000)
  expect(await open()).toBe(locked)
  expect((await browser.call(verifyIdentity, { password: secret })).code).toBe(0)
  expect(await open()).toBe(0)
  world.clock.advance(tenMinutesMs)
  expect(await open()).toBe(locked)
})

it('keeps the time of the proof when the company is chosen again', async () => {
  const { browser, open } = await signInByPassword()
  world.clock.advance(tenMinutesMs - 1000)
  expect((await browser.call(account.selectCorp, { corp_id: corp.company_id })).code).toBe(0)
  expect(await open()).toBe(0)
  world.clock.advance(2000)
  expect(await open()).toBe(locked)
})

it('does not count a sign-in without password and code, nor one of another session', async () => {
  const { open } = await signInByPassword()
  const vouched = await world.signIn(person)
  expect((await vouched.call(employee.getSlip, { slip_id })).code).toBe(locked)
  expect(await open()).toBe(0)
})

it('asks a terminated employee for a code despite a sign-in by password', async () => {
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  await head.must(member.clearMember, { id: person.member_id })
  const { open } = await signInByPassword()
  expect(await open()).toBe(locked)
})
