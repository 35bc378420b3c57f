/** Operators of the server: how they sign in, what they may do, and that they never see pay. */
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlipayProvider, createWechatPayProvider, type PaymentProvider } from '../../../platform/pay/index.ts'
import { PaymentSimulator } from '../../../platform/pay/simulator.ts'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as contract from '../../../server/contract/billing/orders.ts'
import type { Call } from '../../../server/contract/call.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as shop from '../../../server/contract/operator/billing.ts'
import * as ops from '../../../server/contract/operator/operators.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { examples, type Ids } from '../../contract/examples.ts'
import { createClient, freshAddress } from '../../support/callers/visitor.ts'
import { getNet, makeBatch } from '../../support/slips.ts'
import { type Caller, type Corp, startWorld, type World } from '../../support/world.ts'

const begin = '2026-11-20T10:00:00+08:00'
let now = new Date(begin)
const simulator = new PaymentSimulator(() => now)
const password = 'Runs-the-server-1'
let world: World
let operator: Caller
let secret: string
const goTo = (at: string) => {
  now = new Date(at)
  world.clock.set(now)
}
/** The code of the authenticator app; each code is valid once, so the clock advances. */
const getCode = (base32: string) => new TOTP({ secret: Secret.fromBase32(base32) }).generate({ timestamp: now.getTime() })
const later = (seconds: number) => goTo(new Date(now.getTime() + seconds * 1000).toISOString())
const as = (token: string, cookies: Record<string, string>) =>
  world.caller(token, { ops: cookies.ops ?? '', 'XSRF-TOKEN': cookies['OPS-XSRF-TOKEN'] ?? '' })

async function make(key: string, name: string) {
  const typed = { key, name, password, confirm_password: password }
  const made = await world.anybody.must(ops.startOperatorSetup, typed)
  const { data, cookies } = await world.anybody.call(ops.completeOperatorSetup, { key, name, code: getCode(made.secret) })
  return { caller: as(data.token, cookies), secret: made.secret }
}

beforeAll(async () => {
  const { alipay, wechat } = await simulator.listen()
  const providers: PaymentProvider[] = [createAlipayProvider(alipay), createWechatPayProvider(wechat)]
  world = await startWorld({ now: begin, pay: providers })
  const first = await make('only-for-tests', '林运营')
  operator = first.caller
  secret = first.secret
})
afterAll(async () => {
  await world.close()
  await simulator.close()
})

const buyer = async () => {
  const corp = await world.createCompany({ sms_left: 0 })
  return { corp, boss: await world.signIn(await corp.person({ power: ['4'] })) }
}
const paid = async (boss: Caller, product_id = 'sms-1000', count = 1, pay_type: contract.PayType = 'wechat') => {
  const { order_no, amount_fen } = await boss.must(contract.paySend, { product_id, count, pay_type })
  await settle(order_no, amount_fen, pay_type)
  return order_no
}
const settle = async (order_no: string, amount_fen: number, pay_type: contract.PayType) => {
  if (pay_type === 'transfer')
    return void (await operator.must(shop.confirmTransfer, { order_no, reference: `CMB ${order_no}`, amount_fen }))
  const { url, headers, body } = simulator.pay(order_no)
  await world.product.app.inject({ method: 'POST', url: new URL(url).pathname, headers, payload: body })
}
const left = async (boss: Caller) => (await boss.must(contract.getResourceList)).list[0]?.left
const refund = (order_no: string, amount_fen: number, reference = '') =>
  operator.call(shop.refundOrder, { order_no, amount_fen, reason: '客户多买', reference })

describe('operator sign-in', () => {
  it('creates one operator per key, and none without a key or with a weak password', async () => {
    const options = { key: 'only-for-tests', name: '另一位', password, confirm_password: password }
    expect((await world.anybody.call(ops.startOperatorSetup, options)).code).toBe(errorCodes.wrong_code.code)
    expect((await world.anybody.call(ops.startOperatorSetup, { ...options, key: 'guessed' })).code).toBe(
      errorCodes.wrong_code.code,
    )
    const { key } = await operator.must(ops.inviteOperator)
    for (const weak of ['1234567890', 'short-1'])
      expect(
        (await world.anybody.call(ops.startOperatorSetup, { ...options, key, password: weak, confirm_password: weak })).data,
      ).toMatchObject({
        field: 'password',
      })
    // No operator is created without the code from the phone.
    const made = await world.anybody.must(ops.startOperatorSetup, { ...options, key })
    expect((await world.anybody.call(ops.completeOperatorSetup, { key, name: '另一位', code: '000000' })).code).toBe(
      errorCodes.wrong_code.code,
    )
    expect((await world.anybody.call(ops.signInOperator, { name: '另一位', password, code: getCode(made.secret) })).code).toBe(
      errorCodes.wrong_password.code,
    )
    const other = await make(key, '另一位')
    expect((await world.anybody.call(ops.startOperatorSetup, { ...options, key })).code).toBe(errorCodes.wrong_code.code)
    const { list } = await other.caller.must(ops.getOperatorList)
    expect(list.map(({ name, is_me }) => [name, is_me])).toEqual([
      ['林运营', false],
      ['另一位', true],
    ])
    // Each operator can deactivate another, with immediate effect, and nobody can deactivate themselves.
    const [current, his] = [list[0]?.operator_id ?? '', list[1]?.operator_id ?? '']
    expect((await operator.call(ops.deactivateOperator, { operator_id: current })).code).toBe(errorCodes.wrong_state.code)
    await operator.must(ops.deactivateOperator, { operator_id: his })
    expect((await other.caller.call(ops.getOperatorList)).code).toBe(errorCodes.signed_out.code)
    later(60)
    const again = await world.anybody.call(ops.signInOperator, { name: '另一位', password, code: getCode(other.secret) })
    expect(again.code).toBe(errorCodes.wrong_password.code)
  })

  it('requires all three operator factors, accepts a code once, and locks after repeated guesses', async () => {
    later(60)
    const right = { name: '林运营', password, code: getCode(secret) }
    const { data, cookies, code } = await world.anybody.call(ops.signInOperator, right)
    expect(code).toBe(0)
    const current = as(data.token, cookies)
    await current.must(ops.getOperatorList)
    // Neither half of the credentials alone nor a page of another site gives access.
    for (const half of [world.caller(data.token, {}), as('x', cookies), world.caller(data.token, { ops: cookies.ops ?? '' })])
      expect((await half.call(ops.getOperatorList)).code).toBe(errorCodes.signed_out.code)
    expect((await world.anybody.call(ops.signInOperator, right)).code).toBe(errorCodes.wrong_password.code)
    await current.must(ops.signOutOperator)
    expect((await current.call(ops.getOperatorList)).code).toBe(errorCodes.signed_out.code)
    later(1_000)
    for (let attempts = 0; attempts < 5; attempts += 1)
      await world.anybody.call(ops.signInOperator, { ...right, password: `wrong-${attempts}`, code: getCode(secret) })
    expect((await world.anybody.call(ops.signInOperator, { ...right, code: getCode(secret) })).code).toBe(errorCodes.locked.code)
    const { list } = await operator.must(ops.getOperatorLog, { pagesize: 50 })
    // Whoever begins a setup is seen, whether or not they complete it.
    expect(list.map(({ call }) => call)).toContain(ops.startOperatorSetup.route)
    expect(list.filter(({ outcome, name }) => outcome === 'wrong_password' && name === '林运营').length).toBe(6)
    later(1_000)
  })

  it('lets strangers lock only themselves: the operator enters in a known browser and from a known network', async () => {
    later(60)
    const right = () => ({ name: '林运营', password, code: getCode(secret) })
    const browser = createClient(world)
    expect((await browser.call(ops.signInOperator, right())).code).toBe(0)
    const attack = async () => {
      for (let attempts = 0; attempts < 5; attempts += 1) {
        const wrong = { ...right(), password: `guess-${attempts}`, code: '000000' }
        expect((await createClient(world).call(ops.signInOperator, wrong)).code).toBe(errorCodes.wrong_password.code)
      }
    }
    await attack()
    // Neither the right factors nor the password alone help a stranger: guesses would have no limit.
    expect((await createClient(world).call(ops.signInOperator, right())).code).toBe(errorCodes.locked.code)
    later(60)
    // The same browser in another network, and another browser in that network.
    const address = freshAddress()
    const moved = createClient(world, address)
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
    expect((await moved.call(ops.signInOperator, right())).code).toBe(0)
    later(60)
    expect((await createClient(world, address).call(ops.signInOperator, right())).code).toBe(0)
    // A known browser and a known network have five guesses, too.
    for (const client of [moved, createClient(world, address)]) {
      for (let attempts = 0; attempts < 5; attempts += 1)
        await client.call(ops.signInOperator, { ...right(), password: `guess-${attempts}` })
      later(60)
      expect((await client.call(ops.signInOperator, right())).code).toBe(errorCodes.locked.code)
    }
    // Whoever knows the name of a new operator does not have the key.
    const { key } = await operator.must(ops.inviteOperator)
    const made = await world.anybody.must(ops.startOperatorSetup, { key, name: '新同事', password, confirm_password: password })
    for (let attempts = 0; attempts < 6; attempts += 1)
      await createClient(world).call(ops.completeOperatorSetup, { key: `guess-${attempts}`, name: '新同事', code: '000000' })
    const last = { key, name: '新同事', code: getCode(made.secret) }
    expect((await world.anybody.call(ops.completeOperatorSetup, last)).code).toBe(0)
    later(60)
  })

  it('ends an operator session after half an hour without use', async () => {
    const before = now.toISOString()
    const { data, cookies } = await world.anybody.call(ops.signInOperator, { name: '林运营', password, code: getCode(secret) })
    const current = as(data.token, cookies)
    later(1_700)
    await current.must(ops.getOperatorList)
    later(1_801)
    expect((await current.call(ops.getOperatorList)).code).toBe(errorCodes.signed_out.code)
    goTo(before)
    await operator.must(ops.getOperatorList)
  })

  it('opens no company call, whichever cookie holds the operator session', async () => {
    const token = operator.headers['user-token'] ?? ''
    const cookie = /ops=([^;]+)/.exec(operator.headers.cookie ?? '')?.[1] ?? ''
    const dressed = world.caller(token, { sid: cookie, ops: cookie, 'XSRF-TOKEN': operator.headers['x-xsrf-token'] ?? '' })
    const others = allCalls.filter(({ access }) => access !== 'public' && access !== 'operator')
    expect(others.length).toBeGreaterThan(150)
    for (const call of others) {
      const answer = await dressed.call(call as Call, examples[call.route]?.({} as Ids) ?? {})
      expect([call.route, answer.code]).toEqual([call.route, errorCodes.signed_out.code])
    }
  })
})

describe('operator access to pay', () => {
  it('returns no amount, name or payslip title to an operator, whose transaction sees no such row', async () => {
    const corp = await world.createCompany()
    const owner = await corp.person({ power: ['2'], name: '薪酬金丝雀' })
    const people = await corp.people(3)
    const payroll = await world.signIn(owner)
    const batch_id = await makeBatch(world, owner, people, { title: '金丝雀标题' })
    const { plan_id } = await payroll.must(slip.sendPaySheet, { batch_id })
    await payroll.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    const nets = people.map((_, at) => getNet(at + 2))
    const canaries = [
      ...nets.flatMap((net) => [String(net), (net / 100).toFixed(2)]),
      '金丝雀标题',
      ...people.map(({ name }) => name),
    ]
    const current = allCalls.filter((call) => call.access === 'operator' && call.audit === 'none')
    expect(current.length).toBeGreaterThan(6)
    for (const call of current) {
      const message = JSON.stringify((await operator.must(call as Call, { pagesize: 100 })) as object)
      for (const canary of [...canaries, '薪酬金丝雀']) expect(message, call.route).not.toContain(canary)
    }
    const viewed = await world.database.asOperator(async (tx) => {
      const { rows: tables } = await sql<{ name: string }>`
        select relname as name from pg_class where relkind = 'r' and relrowsecurity and relnamespace = 'public'::regnamespace`.execute(
        tx,
      )
      const counted: string[] = []
      for (const { name } of tables) {
        const { rows } = await sql<{ some: boolean }>`select exists (select from ${sql.table(name)}) as some`.execute(tx)
        if (rows[0]?.some) counted.push(name)
      }
      return counted
    })
    // Operators see no other table of a company; tables without rows here hold purchases.
    const his = [
      'company',
      'invoice',
      'invoice_order',
      'operator',
      'operator_invite',
      'operator_log_entry',
      'operator_session',
      'pay_order',
      'payment',
      'refund',
    ]
    expect(viewed.filter((name) => !his.includes(name))).toEqual([])
    expect(viewed).toContain('company')
    await world.database.inCompany(corp.company_id, async (tx) => {
      for (const table of ['operator', 'operator_session', 'operator_log_entry'] as const)
        expect(await tx.selectFrom(table).selectAll().execute()).toEqual([])
    })
  })
})

describe('operator payments', () => {
  it('counts a transfer once per bank reference and credits only its exact sum', async () => {
    const { boss, corp } = await buyer()
    const { order_no, transfer_account } = await boss.must(contract.paySend, {
      product_id: 'sms-1000',
      count: 1,
      pay_type: 'transfer',
    })
    expect(transfer_account).toContain('招商银行')
    // A bank's form takes few characters, and people type them.
    expect(order_no).toMatch(/^[0-9]{6}$/)
    const came = (reference: string, amount_fen: number) =>
      operator.must(shop.confirmTransfer, { order_no, reference, amount_fen })
    expect([await came('CMB-1', 9_999), await came('CMB-2', 10_000), await came('CMB-2', 10_000)]).toEqual([
      { result: 'excess' },
      { result: 'credited' },
      { result: 'known' },
    ])
    expect(await left(boss)).toBe(1_000)
    const online = await boss.must(contract.paySend, { product_id: 'sms-1000', count: 1, pay_type: 'wechat' })
    const wrong = { order_no: online.order_no, reference: 'CMB-3', amount_fen: 10_000 }
    expect((await operator.call(shop.confirmTransfer, wrong)).code).toBe(errorCodes.not_found.code)
    const { list } = await operator.must(shop.getOpsOrderList, { query: corp.name })
    expect(list.map((one) => [one.status, one.excess_fen])).toEqual([
      ['waiting', 0],
      ['paid', 9_999],
    ])
    const { list: log } = await operator.must(ops.getOperatorLog, {})
    expect(log.slice(0, 2).map(({ outcome, call }) => [call.split('/').at(-1), outcome])).toEqual([
      ['confirmTransfer', 'not_found'],
      ['confirmTransfer', 'done'],
    ])
  })

  it.each(['wechat', 'alipay', 'transfer'] as const)(
    '%s: refunds an order in parts and then fully, and revokes what it bought',
    async (channel) => {
      const { boss, corp } = await buyer()
      const order_no = await paid(boss, 'sms-1000', 1, channel)
      const reference = channel === 'transfer' ? 'BACK-1' : ''
      if (channel === 'transfer') expect((await refund(order_no, 1)).data).toMatchObject({ field: 'reference' })
      expect((await refund(order_no, 10_001, reference)).data).toMatchObject({ field: 'amount_fen' })
      expect((await refund(order_no, 3_333, reference)).data).toEqual({
        remaining_fen: 6_667,
        sms_returned: 333,
        invoice: 'none',
      })
      await boss.must(contract.consumptionPublicBySalaryAdmin, { resource: 'sms', count: 1, purpose: '年会' })
      expect((await refund(order_no, 6_667, reference)).code).toBe(errorCodes.sms_used_up.code)
      expect((await refund(order_no, 6_657, reference)).data).toEqual({ remaining_fen: 10, sms_returned: 666, invoice: 'none' })
      expect(await left(boss)).toBe(0)
      await world.product.jobs.drain()
      if (channel !== 'transfer') expect(simulator.sumByOrder().get(order_no)).toBe(10)
      expect((await boss.must(contract.getOrderList, {})).list).toMatchObject([{ status: 'paid', refunded_fen: 9_990 }])
      const sums = await world.database.inCompany(corp.company_id, (tx) =>
        tx
          .selectFrom('prepaid_entry')
          .select(({ fn }) => fn.sum<string>('amount').as('sum'))
          .executeTakeFirstOrThrow(),
      )
      expect(Number(sums.sum)).toBe(0)
    },
  )

  it('refunds no fen too much in fifty concurrent refunds', async () => {
    const { boss } = await buyer()
    const order_no = await paid(boss)
    const many = await Promise.all(Array.from({ length: 50 }, () => refund(order_no, 900)))
    expect(many.filter(({ code }) => code === 0)).toHaveLength(11)
    expect(await left(boss)).toBe(10)
    expect((await refund(order_no, 100)).data).toMatchObject({ remaining_fen: 0 })
    expect((await refund(order_no, 1)).code).toBe(errorCodes.wrong_state.code)
  })

  it('ends an edition that is fully refunded', async () => {
    const { boss } = await buyer()
    const order_no = await paid(boss, 'plus-50')
    const service = async () => (await boss.must(contract.getResourceList)).service
    expect(await service()).toMatchObject({ TYPE: 53, product_id: 'plus-50' })
    await refund(order_no, 100_000)
    expect(await service()).toMatchObject({ TYPE: 53 })
    await refund(order_no, 98_000)
    expect(await service()).toMatchObject({ TYPE: 50, product_id: null })
  })

  it('finds the same refunds in the daily statements of the providers', async () => {
    await world.product.jobs.drain()
    const day = now.toISOString()
    goTo('2026-11-21T09:40:00+08:00')
    await world.database.asSystem((tx) => world.product.jobs.send(tx, 'pay-statements', {}))
    await world.product.jobs.drain()
    goTo(day)
    const { statements } = await operator.must(shop.getOpsHealth)
    expect(statements.map(({ provider, day: of, differences }) => [provider, of, differences])).toEqual(
      expect.arrayContaining([
        ['alipay', '2026-11-20', 0],
        ['wechat', '2026-11-20', 0],
      ]),
    )
    expect(statements.find(({ provider }) => provider === 'wechat')?.refunded_fen).toBeGreaterThan(10_000)
  })
})

describe('edition change', () => {
  it('costs the difference for the remaining days and keeps the end date', async () => {
    const { boss } = await buyer()
    await paid(boss, 'plus-50')
    const again = { product_id: 'plus-200', count: 1, pay_type: 'wechat' } as const
    expect((await boss.call(contract.paySend, again)).code).toBe(errorCodes.wrong_state.code)
    expect((await boss.call(contract.getChangePrice, { product_id: 'plus-50' })).code).toBe(errorCodes.wrong_state.code)
    // The price is 2,000.00 more per year, with a whole year left.
    const price = await boss.must(contract.getChangePrice, { product_id: 'plus-200' })
    expect(price).toMatchObject({ amount_fen: 200_000, days: 365, from: '高级版 · 50 人以内', to: '高级版 · 200 人以内' })
    const { order_no, amount_fen } = await boss.must(contract.changeEdition, { product_id: 'plus-200', pay_type: 'wechat' })
    await settle(order_no, amount_fen, 'wechat')
    const service = async () => (await boss.must(contract.getResourceList)).service
    expect(await service()).toMatchObject({ TYPE: 60, expires_at: price.until, product_id: 'plus-200' })
    await refund(order_no, amount_fen)
    expect(await service()).toMatchObject({ TYPE: 53, expires_at: price.until, product_id: 'plus-50' })
  })

  it('does not replace a running higher edition by a lower one', async () => {
    const { boss, corp } = await buyer()
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('company')
        .set({ edition: 60, edition_until: new Date('2027-05-01T00:00:00+08:00') })
        .execute(),
    )
    const call = (product_id: string) => boss.call(contract.paySend, { product_id, count: 1, pay_type: 'wechat' })
    expect([(await call('plus-50')).code, (await call('plus-200')).code]).toEqual([errorCodes.wrong_state.code, 0])
  })

  it('credits nothing for a price computed for another end date, and refunds the payment', async () => {
    const { boss } = await buyer()
    await paid(boss, 'plus-50')
    const { order_no } = await boss.must(contract.changeEdition, { product_id: 'plus-200', pay_type: 'alipay' })
    await paid(boss, 'plus-50')
    await settle(order_no, 0, 'alipay')
    await world.product.jobs.drain()
    expect((await boss.must(contract.getResourceList)).service).toMatchObject({ TYPE: 53 })
    expect(simulator.sumByOrder().get(order_no)).toBe(0)
  })
})

describe('operator invoices', () => {
  const pdf = Buffer.from('%PDF-1.7 an invoice')
  const billed = { kind: 'special', title: '甲方有限公司', tax_no: '91350100M000100Y43', email: 'fp@example.com' } as const
  const apply = (boss: Caller, ...order_nos: string[]) => boss.call(contract.createInvoice, { ...billed, order_nos })
  const issue = (corp: Corp, invoice_id: string, number: string, bytes = pdf) =>
    operator.call(shop.issueInvoice, { company_id: corp.company_id, invoice_id, number }, { file: { name: '发票.pdf', bytes } })
  const getOwn = async (boss: Caller) => (await boss.must(contract.getInvoiceList, {})).list

  it('issues an invoice with number and file, which only its company can download', async () => {
    const { boss, corp } = await buyer()
    const { invoice_id } = (await apply(boss, await paid(boss))).data
    expect((await operator.must(shop.getOpsInvoiceList, { status: 'waiting' })).list).toMatchObject([
      { invoice_id, tax_no: billed.tax_no },
    ])
    expect((await issue(corp, invoice_id, '1234')).data).toMatchObject({ field: 'number' })
    expect((await issue(corp, invoice_id, '12345678', Buffer.from('<script>'))).data).toMatchObject({ field: 'file' })
    expect((await issue(corp, invoice_id, '24312000000012345678')).data).toEqual({ status: 'issued' })
    expect((await issue(corp, invoice_id, '24312000000012345678')).code).toBe(errorCodes.wrong_state.code)
    expect(await getOwn(boss)).toMatchObject([{ status: 'issued', number: '24312000000012345678', has_file: true }])
    const got = await boss.call(contract.getInvoiceFile, { invoice_id })
    expect(Buffer.compare(got.data as unknown as Buffer, pdf)).toBe(0)
    const outsider = await buyer()
    expect((await outsider.boss.call(contract.getInvoiceFile, { invoice_id })).code).toBe(errorCodes.not_found.code)
    await world.product.jobs.drain()
    const { list } = await boss.must(notifications.getNotificationList, {})
    expect(list.map(({ text }) => text)).toEqual([expect.stringContaining('已开具')])
  })

  it('returns an application with a reason and accepts a new one', async () => {
    const { boss, corp } = await buyer()
    const order_no = await paid(boss)
    const { invoice_id } = (await apply(boss, order_no)).data
    await operator.must(shop.returnInvoice, { company_id: corp.company_id, invoice_id, reason: '抬头与税号不符' })
    expect(await getOwn(boss)).toMatchObject([{ status: 'returned', reason: '抬头与税号不符' }])
    expect((await issue(corp, invoice_id, '12345678')).code).toBe(errorCodes.wrong_state.code)
    expect((await apply(boss, order_no)).code).toBe(0)
  })

  it('reverses an issued invoice with a red invoice on refund and invoices the rest again', async () => {
    const { boss, corp } = await buyer()
    const [one, other] = [await paid(boss), await paid(boss, 'sms-10000')]
    const { invoice_id, amount_fen } = (await apply(boss, one, other)).data
    expect(amount_fen).toBe(90_000)
    await issue(corp, invoice_id, '12345678')
    expect((await refund(one, 4_000)).data).toMatchObject({ invoice: 'reversing' })
    expect((await apply(boss, one)).code).toBe(errorCodes.wrong_state.code)
    expect((await issue(corp, invoice_id, '87654321')).data).toEqual({ status: 'reversed' })
    expect(await getOwn(boss)).toMatchObject([{ status: 'reversed', number: '12345678', red_number: '87654321', has_red: true }])
    expect((await apply(boss, one, other)).data).toMatchObject({ amount_fen: 86_000 })
    // The invoice is not issued yet, so it is returned and needs no reversal.
    expect((await refund(one, 1_000)).data).toMatchObject({ invoice: 'returned' })
    expect((await apply(boss, one, other)).data).toMatchObject({ amount_fen: 85_000 })
  })
})

describe('published prices and news', () => {
  it('applies a new price from now on and keeps the price of existing orders', async () => {
    const { boss } = await buyer()
    const before = await boss.must(contract.paySend, { product_id: 'sms-50000', count: 1, pay_type: 'wechat' })
    await operator.must(shop.setPrice, { product_id: 'sms-50000', price_fen: 300_001 })
    expect((await boss.must(contract.getProductInfo, { product_id: 'sms-50000' })).price_fen).toBe(300_001)
    const after = await boss.must(contract.paySend, { product_id: 'sms-50000', count: 2, pay_type: 'wechat' })
    expect([before.amount_fen, after.amount_fen]).toEqual([350_000, 600_002])
    await settle(before.order_no, 350_000, 'wechat')
    expect(await left(boss)).toBe(50_000)
    const { list } = await operator.must(shop.getPriceList)
    expect(list.find(({ product_id }) => product_id === 'sms-50000')).toMatchObject({ usual_fen: 350_000, by: '林运营' })
    expect((await operator.call(shop.setPrice, { product_id: 'nothing', price_fen: 1 })).code).toBe(errorCodes.not_found.code)
  })

  it('shows news to companies until it is withdrawn', async () => {
    const { boss } = await buyer()
    const text = '第一段。\n\n第二段 <b>不是标签</b>。'
    const { id } = await operator.must(shop.publishNews, {
      kind: 'strategic',
      title: '系统维护通知',
      summary: '周六凌晨维护',
      text,
    })
    const first = async () => (await boss.must(agency.getNewsList, {})).list[0]
    expect(await first()).toMatchObject({ id, title: '系统维护通知', at: '2026-11-20' })
    expect((await boss.must(agency.getNewsDetail, { id })).paragraphs).toEqual(['第一段。', '第二段 <b>不是标签</b>。'])
    await operator.must(shop.withdrawNews, { id })
    expect((await first())?.id).not.toBe(id)
    expect((await operator.call(shop.withdrawNews, { id })).code).toBe(errorCodes.not_found.code)
    expect((await operator.must(shop.getOpsNews, {})).list).toMatchObject([
      { id, by: '林运营', withdrawn_at: expect.any(String) },
    ])
  })
})
