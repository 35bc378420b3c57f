/** Registration of companies: open, closed, or closed once there is a company; joining by invite stays possible. */
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import { createClient, lastCode } from '../../support/callers/visitor.ts'
import { freshPhone } from '../../support/random.ts'
import { startWorld } from '../../support/world.ts'

const refused = { code: errorCodes.wrong_state.code, message: expect.stringContaining('不开放自行注册') }
const anyCode = { code: '000000', sms: '00000000-0000-4000-8000-000000000000' }
const founder = { corp_name: '晨星贸易', user_name: '林一', password: '长河落日圆 5' }

describe('registration', () => {
  it('is closed in production once there is a company, and never in the demo', () => {
    const production = { NODE_ENV: 'production', XINHAN_ORIGIN: 'https://pay.example.cn' }
    const policies = [{}, production, { ...production, XINHAN_REGISTRATION: 'open' }, { XINHAN_REGISTRATION: 'closed' }]
    expect(policies.map((env) => readConfig(env).registration)).toEqual(['open', 'until_first_company', 'open', 'closed'])
  })

  it('is open until the first company exists', async () => {
    const world = await startWorld({ registration: 'until_first_company' })
    const [browser, phone] = [createClient(world), freshPhone()]
    const { sms } = (await browser.call(account.getVerifyCode, { phone, type: 'register' })).data
    const proof = { phone, sms, code: await lastCode(world, phone) }
    expect((await browser.call(account.getPublicInfo)).data.registration_open).toBe(true)
    expect((await browser.call(account.registerCorp, { ...founder, ...proof })).code).toBe(0)
    expect((await browser.call(account.getPublicInfo)).data.registration_open).toBe(false)
    expect(await browser.call(account.registerCorp, { ...founder, ...proof })).toMatchObject(refused)
    await world.close()
  })

  it('sends no code and creates nothing where it is closed, and lets people on a roster join by invite', async () => {
    const world = await startWorld({ registration: 'closed' })
    const [browser, phone] = [createClient(world), freshPhone()]
    expect(await browser.call(account.getVerifyCode, { phone, type: 'register' })).toMatchObject(refused)
    expect(await browser.call(account.registerCorp, { ...founder, ...anyCode, phone })).toMatchObject(refused)
    expect(await world.outbox()).toEqual([])
    const corp = await world.createCompany()
    const head = await world.signIn(await corp.person({ power: ['1', '2', '4'] }))
    const invited = await corp.person({ joined: false })
    const { url } = await head.must(invite.getJoinQrCode)
    const { sms } = (await browser.call(account.getVerifyCode, { phone: invited.mobile, type: 'invite' })).data
    const joined = await browser.call(invite.acceptInvite, {
      code: url.split('/').at(-1)?.split('code=').at(-1) ?? '',
      phone: invited.mobile,
      verify_code: await lastCode(world, invited.mobile),
      sms,
      password: founder.password,
    })
    expect(joined.data.corp_id).toBe(corp.company_id)
    await world.close()
  })
})
