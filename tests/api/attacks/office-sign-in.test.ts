/** Pay day in an office: everybody signs in from one address, while guesses from there and on one account stay bounded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { rateLimits } from '../../../server/http/limits/config.ts'
import { HttpCaller } from '../../support/callers/http.ts'
import { createProgram } from '../../support/callers/program.ts'
import { cheapHash, createClient } from '../../support/callers/visitor.ts'
import { startWorld, type World } from '../../support/world.ts'

const { wrong_password, locked, signed_out, too_often } = errorCodes
const secret = '月落乌啼霜满天 9'
const people = 200
/** Their arrivals; the goal is two minutes. */
const arrival_ms = 8_000
const goal_ms = 120_000

let world: World
let address: string
let phones: string[]
beforeAll(async () => {
  world = await startWorld({ shed: { loop_ms: 3_000 }, rateLimitScale: 1 })
  const corp = await world.createCompany()
  const members = await corp.people(people)
  phones = members.map(({ mobile }) => mobile)
  const password_hash = await cheapHash(secret)
  await world.database.withoutCompany((tx) =>
    tx
      .updateTable('account')
      .set({ password_hash })
      .where(
        'id',
        'in',
        members.map(({ account_id }) => account_id),
      )
      .execute(),
  )
  address = (await world.listen()).origin
})
afterAll(() => world?.close())

it('admits two hundred people from one address within two minutes, each with the calls of a page', async () => {
  const began = performance.now()
  const failures = await Promise.all(
    phones.map(async (phone, at) => {
      await sleep((at / people) * arrival_ms)
      const browser = new HttpCaller(address)
      try {
        await browser.must(account.getTimeInfo, {})
        await browser.signIn(phone, secret)
        await Promise.all([1, 2, 3].map(() => browser.must(employee.getCurrentEmployee, {})))
        return []
      } catch (error) {
        return [String(error)]
      }
    }),
  )
  expect(failures.flat()).toEqual([])
  expect(performance.now() - began).toBeLessThan(goal_ms)
})

it('bounds guesses of passwords from that address and on one account', async () => {
  const guesser = new HttpCaller(address)
  const counts = new Map<number, number>()
  const guess = async (phone: string) => {
    const { error_code } = await guesser.call(account.login, { phone, password: 'not the password' })
    counts.set(error_code, (counts.get(error_code) ?? 0) + 1)
  }
  const [victim = '', ...others] = phones
  for (let count = 0; count < 12; count += 1) await guess(victim)
  expect(counts.get(wrong_password.code)).toBe(10)
  expect(counts.get(locked.code)).toBe(2)
  const began = performance.now()
  for (const phone of others.slice(0, 100)) await guess(phone)
  const refilled = ((performance.now() - began) / 60_000) * rateLimits.guess + 2
  expect((counts.get(wrong_password.code) ?? 0) + (counts.get(locked.code) ?? 0)).toBeLessThanOrEqual(rateLimits.guess + refilled)
  expect(counts.get(too_often.code)).toBeGreaterThan(0)
})

it('counts the calls of an ended session against its address, like those of a stranger', async () => {
  const corp = await world.createCompany()
  const person = await corp.person()
  await world.database.withoutCompany(async (tx) =>
    tx
      .updateTable('account')
      .set({ password_hash: await cheapHash(secret) })
      .where('id', '=', person.account_id)
      .execute(),
  )
  const browser = createClient(world)
  expect((await browser.call(account.login, { phone: person.mobile, password: secret })).code).toBe(0)
  const call = async () => (await browser.call(employee.getCurrentEmployee, {})).code
  expect(await call()).toBe(0)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('session').set({ ended: 'signed_out' }).where('account_id', '=', person.account_id).execute(),
  )
  const began = performance.now()
  const codes: number[] = []
  // As many as the address may have refused, and what has refilled meanwhile.
  while (codes.length < rateLimits.refused * (1 + (performance.now() - began) / 60_000) + 50) codes.push(await call())
  expect(codes[0]).toBe(signed_out.code)
  expect(codes.at(-1)).toBe(too_often.code)
})

it('serves a program with a proven API key while its address floods the server with refused requests', async () => {
  const corp = await world.createCompany()
  const admin = await world.signIn(await corp.person({ power: ['4'] }))
  const { key } = await createProgram(world, admin)
  const callWithProgram = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const { method, path } = getMemberList
    return (await fetch(address + path, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) })).status
  }
  expect(await callWithProgram()).toBe(200)
  const knock = () =>
    fetch(`${address}/api/nothing`).then(
      ({ status }) => status,
      () => 0,
    )
  const statuses = new Set<number>()
  while (!statuses.has(0) && !statuses.has(503))
    for (const status of await Promise.all(Array.from({ length: 100 }, knock))) statuses.add(status)
  expect(await callWithProgram()).toBe(200)
})
