/** Registering a company and its trial: refusals, the created data, and the end of the trial. */
import { describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { getProductList } from '../../../server/contract/billing/orders.ts'
import * as company from '../../../server/contract/company/company.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'

const world = demoWorld(true)

const { invalid, wrong_code, wrong_password, locked } = errorCodes
const password = '长河落日圆 5'
const later = (seconds: number) => world.clock.advance(seconds * 1000)

async function codeOn(browser: TestClient, phone: string) {
  later(61)
  const before = await codesSent(world, phone)
  const { sms } = (await browser.call(account.getVerifyCode, { phone, type: 'register' })).data
  return { phone, sms, code: await lastCode(world, phone, before) }
}
async function register(
  browser: TestClient,
  phone: string,
  options: { corp_name?: string; user_name?: string; password?: string } = {},
) {
  const proof = await codeOn(browser, phone)
  return browser.call(account.registerCorp, { corp_name: '晨星贸易', user_name: '林一', password, ...proof, ...options })
}

describe('company registration', () => {
  it.each([
    ['a company name of brackets and an address', { corp_name: '【】 http://bank.example' }, 'corp_name'],
    ['a company name of punctuation', { corp_name: '!!! ---' }, 'corp_name'],
    ['a missing personal name', { user_name: '\u200b' }, 'user_name'],
    ['a common password', { password: '123456' }, 'password'],
    ['the company name as the password', { password: '晨星贸易有限', corp_name: '晨星贸易有限' }, 'password'],
  ])('refuses %s at registration before checking the code', async (_what, options, field) => {
    const browser = createClient(world)
    const proof = await codeOn(browser, freshPhone())
    const input = { corp_name: '晨星贸易', user_name: '林一', password, ...proof }
    expect(await browser.call(account.registerCorp, { ...input, ...options })).toMatchObject({
      code: invalid.code,
      data: { field },
    })
    expect((await browser.call(account.registerCorp, input)).code).toBe(0)
  })

  it('requires a registration code for this purpose, this phone and this browser', async () => {
    const [browser, phone] = [createClient(world), freshPhone()]
    const proof = await codeOn(browser, phone)
    const input = { corp_name: '晨星贸易', user_name: '林一', password, ...proof }
    const attempts: [string, TestClient, object][] = [
      ['another browser', createClient(world), {}],
      ['another phone', browser, { phone: freshPhone() }],
      ['another code', browser, { code: proof.code === '000000' ? '000001' : '000000' }],
    ]
    for (const [what, who, options] of attempts)
      expect([what, (await who.call(account.registerCorp, { ...input, ...options })).code]).toEqual([what, wrong_code.code])
    expect((await browser.call(account.registerCorp, input)).code).toBe(0)
    expect((await browser.call(account.registerCorp, input)).code).toBe(wrong_code.code)
  })

  it('creates the company on trial with root department, member, power 4 and SMS balance, and signs in', async () => {
    const [browser, phone] = [createClient(world), freshPhone()]
    const answer = await register(browser, phone, { corp_name: '【银河】 餐饮  有限公司' })
    expect(answer).toMatchObject({ code: 0, data: { corps: [{ name: '银河 餐饮 有限公司', as: ['admin', 'employee'] }] } })
    expect(await browser.call(account.getCurrentUser)).toMatchObject({
      code: 0,
      data: {
        corp: { corp_role: 10, name: '银河 餐饮 有限公司' },
        power: ['4'],
        user: { user_name: '林一', pass_status: 20, is_employee: true, totp_on: false },
        trail_info: { trail_status: 10, days_left: 30 },
        service_info: { TYPE: 60 },
      },
    })
    expect((await browser.call(member.getDepartList)).data.list).toMatchObject([{ NAME: '银河 餐饮 有限公司', count: 1 }])
    expect((await browser.call(company.getIndex)).data.sms_left).toBe(100)
    const entries = await world.database.inCompany(answer.data.corp_id ?? '', (tx) =>
      tx.selectFrom('prepaid_movement').select(['kind', 'count', 'reason']).execute(),
    )
    expect(entries).toEqual([{ kind: 'given', count: 100, reason: 'trial' }])
    expect((await createClient(world).call(account.login, { phone, password })).code).toBe(0)
  })

  it('requires the password of an existing account, keeps it, and signs in to the new company', async () => {
    const [browser, phone] = [createClient(world), freshPhone()]
    await register(browser, phone)
    const proof = await codeOn(browser, phone)
    const input = { corp_name: '第二家', user_name: '林一', ...proof }
    expect(await browser.call(account.registerCorp, { ...input, password: '不是这个密码' })).toMatchObject({
      code: wrong_password.code,
      data: { field: 'password' },
    })
    // The code was correct and is still valid.
    const second = await browser.call(account.registerCorp, { ...input, password })
    expect(second.data.corps.map(({ name }) => name)).toEqual(['晨星贸易', '第二家'])
    expect((await browser.call(account.getCurrentUser)).data.corp.name).toBe('第二家')
    expect((await browser.call(account.getAvailableCorps)).data.corps).toHaveLength(2)
  })

  it('limits registrations to three companies a day', async () => {
    const [browser, phone] = [createClient(world), freshPhone()]
    for (const requested of [0, 0, 0, locked.code]) expect((await register(browser, phone)).code).toBe(requested)
    later(86_400)
    expect((await register(browser, phone)).code).toBe(0)
  })

  it('links the verified phone to the rosters that name it, and lets a member without a password set one', async () => {
    const corp = await world.createCompany({ name: '老东家' })
    const person = await corp.person({ joined: false })
    const browser = createClient(world)
    const answer = await register(browser, person.mobile)
    expect(answer.data.corps.map(({ name }) => name).toSorted()).toEqual(['晨星贸易', '老东家'].toSorted())
    expect((await createClient(world).call(account.login, { phone: person.mobile, password })).code).toBe(0)
  })
})

describe('trial', () => {
  it('explains the trial until each administrator dismisses the explanation', async () => {
    const browser = createClient(world)
    const { corp_id } = (await register(browser, freshPhone())).data
    const { service_list } = (await browser.call(company.getTrialServiceInstruction)).data
    // The products of the service page, with their labels and prices.
    const { list } = (await browser.call(getProductList)).data
    const editions = list.filter(({ kind }) => kind === 'edition')
    expect(editions).toHaveLength(3)
    const sold = editions.map(({ name, note, price_fen }) => ({ DESC: `${name}：${note}`, PRICE: price_fen / 100 }))
    expect(service_list).toEqual(sold)
    const status = async (who: Pick<TestClient, 'call'>) => (await who.call(account.getCurrentUser)).data.trail_info.trail_status
    expect(await status(browser)).toBe(10)
    expect((await browser.call(company.closeTrailServiceInfo)).code).toBe(0)
    expect((await browser.call(company.closeTrailServiceInfo)).code).toBe(0)
    expect(await status(browser)).toBe(20)
    expect(corp_id).not.toBeNull()
  })

  it('ends the trial after thirty days with the free edition and no explanation left to show', async () => {
    const [browser, phone] = [createClient(world), freshPhone()]
    await register(browser, phone)
    later(30 * 86_400 - 1)
    await browser.call(account.login, { phone, password })
    expect((await browser.call(account.getCurrentUser)).data).toMatchObject({
      trail_info: { trail_status: 10, days_left: 1 },
      service_info: { TYPE: 60 },
    })
    later(1)
    expect((await browser.call(account.getCurrentUser)).data).toMatchObject({
      trail_info: { trail_status: 0, days_left: 0 },
      service_info: { TYPE: 50 },
    })
  })

  it('does not show the trial to a company with a purchase', async () => {
    const corp = await world.createCompany()
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    expect((await head.must(account.getCurrentUser)).trail_info.trail_status).toBe(0)
  })
})
