/** The first administrator of a company that an operator creates: the link, and what an account without a proven phone cannot do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as contract from '../../../server/contract/operator/billing.ts'
import { getOperatorLog } from '../../../server/contract/operator/operators.ts'
import { createOperator } from '../../support/callers/operator.ts'
import { createClient, lastCode } from '../../support/callers/visitor.ts'
import { freshPhone } from '../../support/random.ts'
import { type Caller, startWorld, type World } from '../../support/world.ts'

const password = 'Erste-Verwaltung-7'
let world: World
let operator: Caller
beforeAll(async () => {
  world = await startWorld()
  operator = await createOperator(world)
})
afterAll(() => world.close())

let made = 0
const create = (more: Partial<{ corp_name: string; user_name: string; phone: string; corp_role: 10 | 20 }> = {}) => {
  made += 1
  const input = { corp_name: `云帆科技${made}`, user_name: '林一', phone: freshPhone(), ...more }
  return operator.must(contract.createCompany, input).then((result) => ({ ...result, ...input }))
}
const getToken = (url = ''): string => url.split('#link=')[1] ?? ''
const open = (url?: string, secret = password) =>
  createClient(world).call(account.signInByLink, { token: getToken(url), password: secret, confirm_password: secret })

describe('a company created by an operator', () => {
  it('has an administrator with all powers, who signs in by the link and later by password', async () => {
    const { link, phone, company_id } = await create({ corp_role: 20 })
    const { code, data, cookies } = await open(link?.url)
    expect(code).toBe(0)
    const admin = world.caller(data.token ?? '', cookies)
    const user = await admin.must(account.getCurrentUser)
    expect(user).toMatchObject({ corp: { corp_id: company_id, corp_role: 20 }, power: ['4'], user: { user_name: '林一' } })
    expect((await createClient(world).call(account.login, { phone, password })).code).toBe(0)
  })

  it('gives a link that works once, within an hour, and is renewed by a repeated creation', async () => {
    const first = await create()
    const again = await create({ corp_name: first.corp_name, phone: first.phone })
    expect(again).toMatchObject({ company_id: first.company_id, is_new: false })
    expect((await open(first.link?.url)).code).toBe(errorCodes.wrong_code.code)
    const both = await Promise.all([open(again.link?.url), open(again.link?.url)])
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, errorCodes.wrong_code.code])
    // In use, the account gets no link any more, and the name is taken.
    const used = { corp_name: first.corp_name, user_name: '林一', phone: first.phone }
    expect(await operator.call(contract.createCompany, used)).toMatchObject({ data: { field: 'corp_name' } })
    const late = await create()
    await world.database.withoutCompany((tx) =>
      tx.updateTable('grant_token').set({ expires_at: world.clock.now() }).where('company_id', '=', late.company_id).execute(),
    )
    expect((await open(late.link?.url)).code).toBe(errorCodes.wrong_code.code)
  })

  it('gives no link to an account that somebody uses already', async () => {
    const corp = await world.createCompany()
    const { mobile } = await corp.person()
    expect((await create({ phone: mobile })).link).toBeNull()
  })

  it('does not open the payslips of the owner of the phone to whoever opened the link', async () => {
    const corp = await world.createCompany()
    const victim = await corp.person({ joined: false, name: '林一' })
    const { link } = await create({ phone: victim.mobile })
    expect((await open(link?.url)).code).toBe(0)
    // The owner of the phone signs in by code: not into that account, unless they know its password.
    const browser = createClient(world)
    const { sms } = (await browser.call(account.getVerifyCode, { phone: victim.mobile, type: 'login' })).data
    const proof = { phone: victim.mobile, code: await lastCode(world, victim.mobile, 0), sms }
    expect((await browser.call(account.loginByCode, proof)).code).toBe(errorCodes.other_holder.code)
    const own = (await browser.call(account.loginByCode, { ...proof, is_new_owner: true })).data
    expect(own.corps.map(({ corp_id }) => corp_id)).toEqual([corp.company_id])
    expect((await createClient(world).call(account.login, { phone: victim.mobile, password })).code).not.toBe(0)
  })

  it('belongs to whoever proves the phone by a code before the link is used', async () => {
    const { link, phone, company_id } = await create()
    const browser = createClient(world)
    const { sms } = (await browser.call(account.getVerifyCode, { phone, type: 'login' })).data
    const signedIn = await browser.call(account.loginByCode, { phone, code: await lastCode(world, phone, 0), sms })
    expect(signedIn.data.corp_id).toBe(company_id)
    expect((await open(link?.url)).code).toBe(errorCodes.wrong_code.code)
  })

  it('is in the audit log of the company and in the log of the operators', async () => {
    const { company_id } = await create()
    const lines = await world.database.inCompany(company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['call', 'name']).where('company_id', '=', company_id).execute(),
    )
    expect(lines).toEqual([{ call: contract.createCompany.route, name: '系统' }])
    const { list } = await operator.must(getOperatorLog)
    expect(list[0]).toMatchObject({ call: contract.createCompany.route, outcome: 'done' })
    expect(JSON.parse(list[0]?.details ?? '{}')).toEqual({ company_id })
  })
})
