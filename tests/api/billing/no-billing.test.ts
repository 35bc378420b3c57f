/** Where nothing is sold nothing is counted or limited; where it is, operators can grant messages and editions. */
import { describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { getResourceList, getUseList } from '../../../server/contract/billing/orders.ts'
import { getIndex } from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as operatorCalls from '../../../server/contract/operator/billing.ts'
import { createCompany as createByOperator } from '../../../server/contract/operator/billing.ts'
import { getOperatorLog } from '../../../server/contract/operator/operators.ts'
import { createOperator } from '../../support/callers/operator.ts'
import { createClient } from '../../support/callers/visitor.ts'
import { freshPhone } from '../../support/random.ts'
import { makeBatch, manyPeople, send, smsLeft } from '../../support/slips.ts'
import { startWorld } from '../../support/world.ts'

const password = 'Erste-Verwaltung-7'

describe('without billing', () => {
  it('sends the 101st SMS, and books none', async () => {
    const world = await startWorld({ billing: false })
    const corp = await world.createCompany({ sms_left: 100 })
    const head = await corp.person({ power: ['1', '2', '3', '4'] })
    const boss = await world.signIn(head)
    await world.product.start({ sole: true })
    const batch = await makeBatch(world, head, await manyPeople(world, corp, 101))
    const { plan } = await send(boss, batch, ['sms'])
    expect([plan.sms_left, plan.sms_insufficient, plan.by_channel.sms]).toEqual([null, [], 101])
    await expect.poll(async () => (await world.outbox()).length, { timeout: 60_000, interval: 200 }).toBe(101)
    expect([await smsLeft(world, corp), (await boss.must(getIndex)).sms_left]).toEqual([100, null])
    expect((await boss.must(getUseList)).page.total).toBe(0)
    await world.close()
  })

  it('shows a new company no trial and no end, and nothing to grant', async () => {
    const world = await startWorld({ billing: false })
    const operator = await createOperator(world)
    const made = { corp_name: '云帆科技', user_name: '林一', phone: freshPhone() }
    const { company_id, link } = await operator.must(createByOperator, made)
    const token = link?.url.split('#link=')[1] ?? ''
    const opened = await createClient(world).call(account.signInByLink, { token, password, confirm_password: password })
    const user = await world.caller(opened.data.token ?? '', opened.cookies).must(account.getCurrentUser)
    expect([user.trail_info, user.service_info]).toEqual([
      { trail_status: 0, days_left: 0 },
      { TYPE: 60, expires_at: null },
    ])
    const grant = { company_id, count: 10, reason: '补偿' }
    expect((await operator.call(operatorCalls.grantSms, grant)).code).toBe(errorCodes.wrong_state.code)
    await world.close()
  })
})

it('lets an operator grant messages, in the ledger with the name, and an edition until a date, each with its reason', async () => {
  const world = await startWorld()
  const operator = await createOperator(world)
  const corp = await world.createCompany({ sms_left: 0, edition: 50 })
  const boss = await world.signIn(await corp.person({ power: ['4'] }))
  const { company_id } = corp
  expect(await operator.must(operatorCalls.grantSms, { company_id, count: 300, reason: '补偿' })).toEqual({ sms_left: 300 })
  expect((await boss.must(getUseList)).list).toMatchObject([{ kind: 'given', change: 300, by: '林运营', purpose: '补偿' }])
  const edition = { company_id, TYPE: 53, reason: '试点' } as const
  expect((await operator.call(operatorCalls.grantEdition, { ...edition, last_day: '2026-11-19' })).code).not.toBe(0)
  await operator.must(operatorCalls.grantEdition, { ...edition, last_day: '2027-03-31' })
  expect((await boss.must(getResourceList)).service).toMatchObject({ TYPE: 53, expires_at: '2027-03-31T23:59:59.000+08:00' })
  const grants = (await operator.must(getOperatorLog, {})).list.filter(({ call }) => /grant/.test(call))
  expect(grants.map(({ name, outcome, details }) => ({ name, outcome, ...JSON.parse(details) }))).toEqual([
    { name: '林运营', outcome: 'done', company_id, edition: 53, last_day: '2027-03-31', reason: '试点' },
    { name: '林运营', outcome: 'invalid', company_id, edition: 53, last_day: '2026-11-19', reason: '试点' },
    { name: '林运营', outcome: 'done', company_id, granted: 300, reason: '补偿' },
  ])
  await world.close()
})
