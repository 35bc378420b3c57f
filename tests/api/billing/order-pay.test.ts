/** Orders and payments against simulators that sign like the real providers. trust.md P1–P8, P10, P11, G20. */
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlipayProvider, createWechatPayProvider, type PaymentProvider } from '../../../platform/pay/index.ts'
import { PaymentSimulator, type SimulatedNotification } from '../../../platform/pay/simulator.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { hasFeature } from '../../../server/contract/billing/editions.ts'
import * as contract from '../../../server/contract/billing/orders.ts'
import type { Call, CallRequest } from '../../../server/contract/call.ts'
import * as company from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as desk from '../../../server/contract/notifications/notifications.ts'
import * as chart from '../../../server/contract/reports/charts.ts'
import { examples, type Ids } from '../../contract/examples.ts'
import { trial } from '../../support/run/trial.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

let now = new Date('2026-11-20T10:00:00+08:00')
const simulator = new PaymentSimulator(() => now)
const providers: PaymentProvider[] = []
let world: World
beforeAll(async () => {
  const { alipay, wechat } = await simulator.listen()
  providers.push(createAlipayProvider(alipay), createWechatPayProvider(wechat))
  world = await startWorld({ now: now.toISOString(), pay: providers })
})
afterAll(async () => {
  await world.close()
  await simulator.close()
})

type Buyer = { corp: Corp; boss: Caller }
const buyer = async (): Promise<Buyer> => {
  const corp = await world.createCompany({ sms_left: 0 })
  return { corp, boss: await world.signIn(await corp.person({ power: ['4'] })) }
}
const buy = (boss: Caller, pay_type: contract.PayType, product_id = 'sms-1000', count = 1) =>
  boss.must(contract.rechargeSMS, { product_id, count, pay_type })
const deliver = async ({ url, headers, body }: SimulatedNotification): Promise<number> =>
  (await world.product.app.inject({ method: 'POST', url: new URL(url).pathname, headers, payload: body })).statusCode
const left = async (boss: Caller) => (await boss.must(contract.getResourceList)).list[0]?.left
const status = async (boss: Caller, order_no: string) => (await boss.must(contract.getPayStatus, { order_no })).status
const asks = async ({ corp }: Buyer, order_no: string) => {
  await world.database.inCompany(corp.company_id, (tx) =>
    world.product.jobs.send(tx, 'pay-ask', { company_id: corp.company_id, order_no, tries: 3 }),
  )
  await world.product.jobs.drain()
}
const payments = ({ corp }: Buyer) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('payment').select(['state', 'amount_fen']).orderBy('id').execute(),
  )
const both = ['alipay', 'wechat'] as const

describe.each(both)('%s', (channel) => {
  it('shows a payment code, recognizes the payment and credits the purchase once for fifty notifications', async () => {
    const one = await buyer()
    const { order_no, amount_fen, code_url } = await buy(one.boss, channel, 'sms-10000', 2)
    expect([amount_fen, code_url?.includes(order_no)]).toEqual([160_000, true])
    expect(await status(one.boss, order_no)).toBe('waiting')
    const notice = simulator.pay(order_no)
    const many = await Promise.all(Array.from({ length: 50 }, () => deliver(notice)))
    expect(new Set(many)).toEqual(new Set([200]))
    await asks(one, order_no)
    expect([await status(one.boss, order_no), await left(one.boss)]).toEqual(['paid', 20_000])
    expect(await payments(one)).toEqual([{ state: 'credited', amount_fen: 160_000 }])
    // The record names the buyer and the order.
    expect((await one.boss.must(contract.getUseList, {})).list).toMatchObject([{ kind: 'bought', change: 20_000, order_no }])
  })

  it('queries the provider if the notification is lost (P3)', async () => {
    const one = await buyer()
    const { order_no } = await buy(one.boss, channel)
    simulator.pay(order_no)
    expect(await left(one.boss)).toBe(0)
    await asks(one, order_no)
    expect([await status(one.boss, order_no), await left(one.boss)]).toEqual(['paid', 1_000])
  })

  it.each([
    [
      'another order',
      { alipay: { out_trade_no: 'XH000000000000000000000000' }, wechat: { out_trade_no: 'XH000000000000000000000000' } },
    ],
    ['another application', { alipay: { app_id: '2021999999999999' }, wechat: { appid: 'wx9999999999999999' } }],
    ['another merchant', { alipay: { seller_id: '2088999999999999' }, wechat: { mchid: '1999999999' } }],
    ['a negative sum', { alipay: { total_amount: '-100.00' }, wechat: { amount: { total: -10_000, currency: 'CNY' } } }],
    ['no merchant, or a time that is none', { alipay: { seller_id: '' }, wechat: { success_time: 'yesterday' } }],
    ['an unpaid order', { alipay: { trade_status: 'WAIT_BUYER_PAY' }, wechat: { trade_state: 'NOTPAY' } }],
    ['a missing amount', { alipay: { total_amount: '1e9' }, wechat: { amount: { total: 1.5, currency: 'CNY' } } }],
    ['another currency', { alipay: { total_amount: 'USD 100' }, wechat: { amount: { total: 10_000, currency: 'USD' } } }],
  ])('rejects a correctly signed notification of %s (P1)', async (_, change) => {
    const one = await buyer()
    const { order_no } = await buy(one.boss, channel)
    simulator.pay(order_no)
    expect(await deliver(simulator.createNotification(order_no, change[channel]))).toBe(400)
    expect([await status(one.boss, order_no), await left(one.boss)]).toEqual(['waiting', 0])
  })

  it('rejects a notification that was altered in transit (P1)', async () => {
    const one = await buyer()
    const { order_no } = await buy(one.boss, channel)
    const notice = simulator.pay(order_no)
    for (const forged of [
      { ...notice, body: notice.body.replace(/[a-z]/, 'q') },
      { ...notice, body: '' },
      { ...notice, body: '{}' },
      { ...notice, headers: { ...notice.headers, 'wechatpay-signature': 'AAAA' }, body: notice.body.replace('sign=', 'sign=A') },
    ])
      expect(await deliver(forged)).toBe(400)
    expect(await left(one.boss)).toBe(0)
  })

  it('refunds payments that are too low, duplicate or too late (P4)', async () => {
    const one = await buyer()
    const short = await buy(one.boss, channel)
    await deliver(simulator.pay(short.order_no, { amount_fen: 9_999 }))
    expect(await status(one.boss, short.order_no)).toBe('waiting')
    await deliver(simulator.pay(short.order_no))
    await deliver(simulator.pay(short.order_no))
    const closed = await buy(one.boss, channel)
    await one.boss.must(contract.closeOrder, { order_no: closed.order_no })
    await deliver(simulator.pay(closed.order_no))
    await world.product.jobs.drain()
    expect(await left(one.boss)).toBe(1_000)
    expect((await payments(one)).map(({ state }) => state).toSorted()).toEqual(['credited', 'refunded', 'refunded', 'refunded'])
    const statement = simulator.sumByOrder()
    expect([statement.get(short.order_no), statement.get(closed.order_no)]).toEqual([10_000, 0])
  })

  it('repeats the code of a response as errcode, refused or not (spec §3)', async () => {
    const { boss } = await buyer()
    const answer = async (url: string, headers: Record<string, string> = {}) =>
      (await world.product.app.inject({ method: 'POST', url, headers, payload: {} })).json()
    const answers = [await answer(contract.getProductList.path, boss.headers), await answer(contract.getProductList.path)]
    expect(answers.map(({ error_code }) => error_code === 0)).toEqual([true, false])
    for (const { error_code, errcode } of answers) expect(errcode).toBe(error_code)
    expect(await answer(company.getIndex.path, boss.headers)).not.toHaveProperty('errcode')
  })

  it('closes an unpaid order, both locally and at the provider', async () => {
    const one = await buyer()
    const { order_no } = await buy(one.boss, channel)
    now = new Date('2026-11-20T12:00:01+08:00')
    world.clock.set(now)
    await asks(one, order_no).finally(() => {
      now = new Date('2026-11-20T10:00:00+08:00')
      world.clock.set(now)
    })
    expect([await status(one.boss, order_no), simulator.trades.get(order_no)?.state]).toEqual(['closed', 'closed'])
  })

  it('keeps an order that never reached the provider open, then closes it', async () => {
    const one = await buyer()
    const { order_no } = await buy(one.boss, channel)
    simulator.trades.delete(order_no)
    await asks(one, order_no)
    expect(await status(one.boss, order_no)).toBe('waiting')
    await one.boss.must(contract.closeOrder, { order_no })
    expect(await status(one.boss, order_no)).toBe('closed')
    const next = await buy(one.boss, channel)
    simulator.trades.delete(next.order_no)
    now = new Date('2026-11-20T12:00:01+08:00')
    world.clock.set(now)
    await asks(one, next.order_no).finally(() => {
      now = new Date('2026-11-20T10:00:00+08:00')
      world.clock.set(now)
    })
    expect(await status(one.boss, next.order_no)).toBe('closed')
  })

  it('keeps an order whose provider does not respond and reports that', async () => {
    const one = await buyer()
    simulator.dropsResponses = true
    const answer = await one.boss.call(contract.paySend, { product_id: 'sms-1000', count: 1, pay_type: channel })
    simulator.dropsResponses = false
    expect(answer.code).toBe(errorCodes.platform_refused.code)
    const { list } = await one.boss.must(contract.getOrderList, {})
    expect(list).toMatchObject([{ status: 'waiting', code_url: null }])
    // The request arrived nevertheless: a payment for it is a purchase.
    await deliver(simulator.pay(list[0]?.order_no ?? ''))
    expect(await left(one.boss)).toBe(1_000)
  })
})

describe('purchase permissions', () => {
  it('ignores client prices and accepts only whole quantities of products on sale (P5)', async () => {
    const { boss } = await buyer()
    for (const wrong of [{ count: 0 }, { count: -1 }, { count: 1.5 }, { count: 1e9 }, { count: 101 }, { pay_type: 'cash' }])
      expect(
        (await boss.call(contract.paySend, { product_id: 'sms-1000', count: 1, pay_type: 'transfer', ...wrong } as never)).code,
      ).toBe(errorCodes.invalid.code)
    expect((await boss.call(contract.rechargeSMS, { product_id: 'plus-50', count: 1, pay_type: 'transfer' })).code).toBe(
      errorCodes.not_found.code,
    )
    const cheap = { product_id: 'sms-1000', count: 1, pay_type: 'transfer', amount_fen: 1, price_fen: 1 } as const
    expect((await boss.must(contract.paySend, cheap)).amount_fen).toBe(10_000)
  })

  it('creates one order per idempotency key', async () => {
    const { boss } = await buyer()
    const input = { product_id: 'sms-1000', count: 1, pay_type: 'wechat' } as const
    const [a, b] = [
      await boss.must(contract.paySend, input, { key: 'one-press-1' }),
      await boss.must(contract.paySend, input, { key: 'one-press-1' }),
    ]
    expect(a.order_no).toBe(b.order_no)
    expect((await boss.must(contract.getOrderList, {})).page.total).toBe(1)
  })

  it('replaces the free edition by a bought one and extends it from its end', async () => {
    const one = await buyer()
    await world.database.inCompany(one.corp.company_id, (tx) => tx.updateTable('company').set({ edition: 50 }).execute())
    const service = async () => (await one.boss.must(contract.getResourceList)).service
    expect((await service()).TYPE).toBe(50)
    for (const ends of ['2027-11-20', '2028-11-20']) {
      const { order_no } = await one.boss.must(contract.paySend, { product_id: 'plus-200', count: 1, pay_type: 'wechat' })
      await deliver(simulator.pay(order_no))
      expect(await service()).toMatchObject({ TYPE: 60, expires_at: expect.stringContaining(ends), on_trial: false })
    }
  })

  it('falls back to the free edition after a trial, and to a bought one after purchase', async () => {
    const { corp, boss } = await buyer()
    const head = await corp.person({ power: ['4'] })
    const over = new Date(now.getTime() + 30 * 86_400_000)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('company').set({ edition: 60, edition_until: over, trial_until: over }).execute(),
    )
    const service = async (caller: Caller) => (await caller.must(contract.getResourceList)).service
    const trial = async (caller: Caller) => (await caller.must(account.getCurrentUser)).trail_info.trail_status
    const isRefused = async (caller: Caller) =>
      (await caller.call(chart.exportMemberWageByYear, { year: 2026 })).code === errorCodes.not_in_edition.code
    expect(await service(boss)).toMatchObject({ TYPE: 60, on_trial: true, days_left: 30, product_id: null })
    expect([await trial(boss), await isRefused(boss)]).toEqual([10, false])
    await boss.must(company.closeTrailServiceInfo)
    expect(await trial(boss)).toBe(20)
    world.clock.set(over)
    const late = await world.signIn(head)
    expect(await service(late)).toMatchObject({ TYPE: 50, on_trial: false, days_left: 0 })
    expect([await trial(late), await isRefused(late)]).toEqual([0, true])
    const { order_no } = await late.must(contract.paySend, { product_id: 'plus-50', count: 1, pay_type: 'alipay' })
    await deliver(simulator.pay(order_no))
    expect(await service(late)).toMatchObject({ TYPE: 53, on_trial: false, product_id: 'plus-50', days_left: 365 })
    expect(await isRefused(late)).toBe(false)
    world.clock.set(now)
  })

  it('debits the prepaid balance manually with a purpose, and never below zero', async () => {
    const one = await buyer()
    const { order_no } = await buy(one.boss, 'wechat')
    await deliver(simulator.pay(order_no))
    const use = (count: number) =>
      one.boss.call(contract.consumptionPublicBySalaryAdmin, { resource: 'sms', count, purpose: '年会通知' })
    const many = await Promise.all(Array.from({ length: 50 }, () => use(30)))
    expect(many.filter(({ code }) => code === 0)).toHaveLength(33)
    expect(many.filter(({ code }) => code === errorCodes.sms_used_up.code)).toHaveLength(17)
    const { list } = await one.boss.must(contract.getResourceList)
    expect(list).toMatchObject([{ left: 10, used: 990, used_month: 990, bought: 1_000, low: true }])
    expect((await one.boss.must(contract.getUseList, { kind: 'used' })).list[0]).toMatchObject({
      change: -30,
      purpose: '年会通知',
    })
  })
})

describe('invoices (P8)', () => {
  const billed = { kind: 'normal', title: '甲方 <b>有限公司</b>', tax_no: '', email: 'fp@example.com' } as const
  it('invoices each paid order once, for its exact sum', async () => {
    const one = await buyer()
    const orders = [await buy(one.boss, 'wechat'), await buy(one.boss, 'alipay', 'sms-10000')]
    const waiting = await buy(one.boss, 'transfer')
    for (const { order_no } of orders) await deliver(simulator.pay(order_no))
    const order_nos = orders.map(({ order_no }) => order_no)
    const apply = (nos: string[]) => one.boss.call(contract.createInvoice, { ...billed, order_nos: nos })
    expect((await apply([...order_nos, waiting.order_no])).code).toBe(errorCodes.wrong_state.code)
    const outsider = await buyer()
    expect((await outsider.boss.call(contract.createInvoice, { ...billed, order_nos })).code).toBe(errorCodes.not_found.code)
    const answers = await Promise.all(Array.from({ length: 50 }, () => apply(order_nos)))
    expect(answers.filter(({ code }) => code === 0).map(({ data }) => data.amount_fen)).toEqual([90_000])
    expect(answers.filter(({ code }) => code === errorCodes.wrong_state.code)).toHaveLength(49)
    const { list } = await one.boss.must(contract.getInvoiceList, {})
    expect(list).toMatchObject([{ amount_fen: 90_000, status: 'waiting', order_nos: order_nos.toSorted() }])
    expect((await one.boss.must(contract.getOrderList, { status: 'paid' })).list.every(({ invoiced }) => invoiced)).toBe(true)
  })

  it('rejects a tax number with a wrong check digit', async () => {
    const { boss } = await buyer()
    const answer = await boss.call(contract.createInvoice, {
      ...billed,
      tax_no: '91350100M000100Y44',
      order_nos: [`XH${'0'.repeat(24)}`],
    })
    expect(answer).toMatchObject({ code: errorCodes.invalid.code, data: { field: 'tax_no' } })
  })
})

describe('editions × calls (P11)', () => {
  const needing = allCalls.filter(({ requiredFeature }) => requiredFeature)
  const soon = (ms: number) => new Date(now.getTime() + ms)
  // The times are without an end, the moment before the end, the end itself, and long after.
  const ends = [null, soon(1), soon(0), soon(-1)]
  it.each(needing.map((call) => [call.route, call] as const))('%s', async (at, call: Call) => {
    const corp = await world.createCompany()
    const boss = await world.signIn(await corp.person({ power: ['4'] }))
    const input = examples[at]?.({
      period_id: corp.company_id,
      batch_id: corp.company_id,
      member_id: corp.company_id,
    } as Ids) as CallRequest<Call>
    for (const edition of [50, 53, 60] as const)
      for (const until of ends) {
        await world.database.inCompany(corp.company_id, (tx) =>
          tx.updateTable('company').set({ edition, edition_until: until }).execute(),
        )
        const { code } = await boss.call(call, input)
        const runs = until === null || until > now
        const has = call.requiredFeature !== undefined && runs && hasFeature(edition, call.requiredFeature)
        expect([edition, until, code === errorCodes.not_in_edition.code]).toEqual([edition, until, !has])
      }
  })
  it('finds calls to check against editions', () => expect(needing.length).toBeGreaterThan(4))
})

/** Returns what the morning job finds in the providers' statements of a day. */
const getStatements = async (day: string) => {
  const morning = new Date(new Date(`${day}T09:40:00+08:00`).getTime() + 86_400_000)
  world.clock.set(morning)
  await world.database.inCompany((await world.createCompany()).company_id, (tx) =>
    world.product.jobs.send(tx, 'pay-statements', {}),
  )
  await world.product.jobs.drain()
  world.clock.set(now)
  return world.database.withoutCompany((tx) =>
    tx
      .selectFrom('payment_statement')
      .select(['provider', 'paid_fen', 'refunded_fen', 'discrepancy_count', 'differences'])
      .where('day', '=', day)
      .orderBy('provider')
      .execute(),
  )
}

describe('daily provider statement', () => {
  it('settles payments without a notification once, and reports those known only to the provider', async () => {
    now = new Date('2026-11-18T10:00:00+08:00')
    world.clock.set(now)
    const corp = await world.createCompany({ sms_left: 0 })
    const head = await corp.person({ power: ['4'] })
    const one = { head, boss: await world.signIn(head) }
    for (const channel of both) {
      const { order_no } = await buy(one.boss, channel)
      simulator.pay(order_no)
    }
    const outsider = await buy(one.boss, 'wechat')
    simulator.pay(outsider.order_no)
    const trade = simulator.trades.get(outsider.order_no)
    simulator.trades.delete(outsider.order_no)
    if (trade) simulator.trades.set('ANOTHER-SHOP', { ...trade, order_no: 'ANOTHER-SHOP' })
    for (const again of [1, 2]) {
      const compared = await getStatements('2026-11-18')
      expect(compared.map(({ discrepancy_count }) => discrepancy_count)).toEqual(again === 1 ? [1, 1] : [0, 0])
      expect(compared.flatMap(({ differences }) => differences)).toMatchObject([
        { kind: 'only_there', of: 'paid', order_no: 'ANOTHER-SHOP', ours_fen: null, theirs_fen: 10_000 },
      ])
    }
    simulator.trades.delete('ANOTHER-SHOP')
    now = new Date('2026-11-20T10:00:00+08:00')
    world.clock.set(now)
    expect(await left(await world.signIn(one.head))).toBe(2_000)
  })
})

describe('purchase reminders', () => {
  /** Runs the scheduled job at these times and returns the notifications on the desktop. */
  const notifiedAt = async (shop: World, head: Person, ...times: string[]) => {
    for (const at of times) {
      shop.clock.set(at)
      await shop.database.asSystem((tx) => shop.product.jobs.send(tx, 'service-reminders', {}))
      await shop.product.jobs.drain()
    }
    const { list } = await (await shop.signIn(head)).must(desk.getNotificationList, { pagesize: 50 })
    shop.clock.set(now)
    return list.map(({ kind, text }) => `${kind} ${text}`).toSorted()
  }
  const until = new Date('2026-12-20T12:00:00+08:00')
  const ending = async (shop: World): Promise<Corp> => {
    const corp = await shop.createCompany()
    await shop.database.inCompany(corp.company_id, (tx) => tx.updateTable('company').set({ edition_until: until }).execute())
    return corp
  }
  const days = ['11-19', '11-20', '11-21', '12-13', '12-19', '12-20', '12-20']
  const times = days.map((day) => `2026-${day}T14:05:00+08:00`)

  it('reminds buyers once each before an edition ends and on the day', async () => {
    const corp = await ending(world)
    const [head, buying, payer] = [
      await corp.person({ power: ['4'] }),
      await corp.person({ power: ['1'] }),
      await corp.person({ power: ['2'] }),
    ]
    const notified = ['还有 30 天到期', '还有 7 天到期', '还有 1 天到期', '已于 12 月 20 日到期']
    expect(await notifiedAt(world, head, ...times)).toEqual(
      notified.toSorted().map((text) => expect.stringContaining(`service 高级版（全功能）${text}`)),
    )
    expect([(await notifiedAt(world, buying)).length, await notifiedAt(world, payer)]).toEqual([4, []])
  })

  it('sends no purchase reminders where nothing is sold', async () => {
    const free = await startWorld({ billing: false })
    const head = await (await ending(free)).person({ power: ['4'] })
    expect(await notifiedAt(free, head, '2026-12-19T14:05:00+08:00')).toEqual([])
    await free.close()
  })

  it('reports a low balance once, and again only after it was refilled', async () => {
    const { corp, boss } = await buyer()
    const head = await corp.person({ power: ['1'] })
    const refill = async () => deliver(simulator.pay((await buy(boss, 'wechat')).order_no))
    const use = (count: number) =>
      boss.must(contract.consumptionPublicBySalaryAdmin, { resource: 'sms', count, purpose: '年会通知' })
    const notify = () => notifiedAt(world, head, '2026-11-20T11:05:00+08:00')
    await refill()
    await use(900)
    expect(await notify()).toEqual([])
    await use(1)
    const low = [expect.stringContaining('service 短信余额还剩 99 条')]
    expect(await notify()).toEqual(low)
    await use(50)
    expect(await notify()).toEqual(low)
    await refill()
    expect(await notify()).toEqual(low)
    await use(1_000)
    expect(await notify()).toEqual([expect.stringContaining('service 短信余额还剩 49 条'), ...low])
    // With 1,951 messages used in the month before, 1,049 are too few.
    await refill()
    await use(1)
    expect(await notifiedAt(world, head, '2026-12-01T08:05:00+08:00')).toHaveLength(3)
  })
})

const g20 = { full: 1_000, sample: 6, of: 'orders', goal: 'G20' }
trial(
  'paying',
  "makes the ledger equal to the provider's statement, whatever happens to notifications",
  g20,
  async ({ size: rounds, random }) => {
    const one = await buyer()
    const notices: SimulatedNotification[] = []
    const nos: string[] = []
    for (let at = 0; at < rounds; at += 1) {
      const channel = both[at % 2] ?? 'wechat'
      const { order_no } = await buy(one.boss, channel)
      nos.push(order_no)
      const fate = random.below(6)
      if (fate === 1) await one.boss.must(contract.closeOrder, { order_no })
      if (fate === 2) notices.push(simulator.pay(order_no, { amount_fen: 1 + random.below(9_998) }))
      const notice = simulator.pay(order_no)
      // Notifications are lost, duplicated, late, and in any order.
      if (fate !== 3) notices.push(notice)
      if (fate === 4) notices.push(notice, simulator.pay(order_no))
    }
    for (const notice of random.shuffled(notices)) await deliver(notice)
    for (const order_no of nos) await asks(one, order_no)
    await world.product.jobs.drain()
    // The providers' statements of the day, downloaded and compared line by line.
    const compared = await getStatements('2026-11-20')
    expect(compared.flatMap(({ differences }) => differences)).toEqual([])
    const bought = (await one.boss.must(contract.getOrderList, { status: 'paid', pagesize: 1 })).page.total
    const statement = simulator.sumByOrder()
    // All payments of that day minus refunds, according to the statements and to the stored payments.
    const message = compared.reduce((sum, { paid_fen, refunded_fen }) => sum + paid_fen - refunded_fen, 0)
    const onTheDay = [...simulator.trades.values()].filter(({ payments: [first] }) => first?.paid_at.getTime() === now.getTime())
    expect(message).toBe(onTheDay.reduce((sum, { order_no }) => sum + (statement.get(order_no) ?? 0), 0))
    const stored = nos.reduce((sum, order_no) => sum + (statement.get(order_no) ?? 0), 0)
    expect(stored).toBe(bought * 10_000)
    expect(await left(one.boss)).toBe(bought * 1_000)
  },
)

const p7 = { full: 60, sample: 3, of: 'orders', goal: 'P7' }
trial(
  'paid-and-killed',
  'credits a payment once when connections are lost between payment and credit',
  p7,
  async ({ size: rounds, random, says }) => {
    const owner = new Client(world.owner)
    await owner.connect()
    let lost = 0
    for (let round = 0; round < rounds; round += 1) {
      const one = await buyer()
      const { order_no } = await buy(one.boss, both[round % 2] ?? 'wechat')
      const notice = simulator.pay(order_no)
      const killing = (async () => {
        for (let times = 0; times < 4; times += 1) {
          await new Promise((done) => setTimeout(done, 1 + random.below(15)))
          await owner.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'xinhan' and state <> 'idle'`,
          )
        }
      })()
      const heard = await Promise.all([...Array.from({ length: 20 }, () => deliver(notice)), killing.then(() => 200)])
      lost += heard.filter((status) => status !== 200).length
      // A connection killed during a query is detected by its next user.
      await Promise.allSettled(Array.from({ length: 8 }, () => world.database.withoutCompany((tx) => sql`select 1`.execute(tx))))
      // Unanswered notifications are sent again, or the order is queried: either way it is credited once.
      await deliver(notice)
      await asks(one, order_no)
      expect([await status(one.boss, order_no), await left(one.boss)]).toEqual(['paid', 1_000])
      expect(await payments(one)).toEqual([{ state: 'credited', amount_fen: 10_000 }])
    }
    await owner.end()
    says(`${lost} notices not answered`)
  },
)
