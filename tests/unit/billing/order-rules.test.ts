/**
 * Order rules: state transitions for any order of events, prices, editions, invoices, and the two sides of the prepaid
 * balance.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Feature, features, getCurrentEdition, hasFeature } from '../../../server/contract/billing/editions.ts'
import { type InvoiceStatus, invoiceStatuses, type OrderStatus } from '../../../server/contract/billing/orders.ts'
import { priceEditionChange } from '../../../server/modules/billing/rules/edition-change.ts'
import {
  getOrderTransition,
  getStatusCheckDelayMs,
  type OrderEffect,
  type OrderEvent,
  validateInvoiceApplication,
} from '../../../server/modules/billing/rules/order.ts'
import { getLedgerEntries, isBalanceLow, type PrepaidTransactionKind } from '../../../server/modules/billing/rules/prepaid.ts'
import {
  applyPrices,
  computeEditionEnd,
  computePrice,
  getProduct,
  products,
} from '../../../server/modules/billing/rules/products.ts'
import {
  computeEditionEndAfterRefund,
  computeRefund,
  getInvoiceTransition,
  isInvoiceFinal,
  type RefundableOrder,
} from '../../../server/modules/billing/rules/refund.ts'
import { getExpiryReminder, getLowBalanceMessage } from '../../../server/modules/billing/rules/reminders.ts'
import { toShanghaiDate } from '../../../server/shared/clock.ts'

const exact: OrderEvent = { kind: 'paid', isExact: true }
const other: OrderEvent = { kind: 'paid', isExact: false }
const close: OrderEvent = { kind: 'closed' }
const refund: OrderEvent = { kind: 'refunded' }

describe('order', () => {
  it.each<[OrderStatus, string, OrderEvent, OrderStatus, OrderEffect]>([
    ['waiting', 'its sum', exact, 'paid', 'credit'],
    ['waiting', 'another sum', other, 'waiting', 'excess'],
    ['waiting', 'given up', close, 'closed', 'none'],
    ['waiting', 'paid back', refund, 'waiting', 'refuse'],
    ['paid', 'its sum again', exact, 'paid', 'excess'],
    ['paid', 'another sum', other, 'paid', 'excess'],
    ['paid', 'given up', close, 'paid', 'refuse'],
    ['paid', 'paid back', refund, 'refunded', 'take_back'],
    ['closed', 'its sum, late', exact, 'closed', 'excess'],
    ['closed', 'another sum, late', other, 'closed', 'excess'],
    ['closed', 'given up again', close, 'closed', 'none'],
    ['closed', 'paid back', refund, 'closed', 'refuse'],
    ['refunded', 'its sum', exact, 'refunded', 'excess'],
    ['refunded', 'given up', close, 'refunded', 'refuse'],
    ['refunded', 'paid back again', refund, 'refunded', 'none'],
  ])('%s: %s', (status, _, event, next, effect) => {
    expect(getOrderTransition(status, event)).toEqual({ status: next, effect })
  })

  it('credits an order at most once, and refunds every other payment, in any order (P4)', () => {
    const events = fc.array(fc.constantFrom(exact, other, close, refund), { maxLength: 12 })
    fc.assert(
      fc.property(events, (all) => {
        let status: OrderStatus = 'waiting'
        const effects = all.map((event) => {
          const slot = getOrderTransition(status, event)
          status = slot.status
          return slot.effect
        })
        const count = (effect: OrderEffect) => effects.filter((one) => one === effect).length
        expect(count('credit')).toBeLessThanOrEqual(1)
        expect(count('credit') + count('excess')).toBe(all.filter(({ kind }) => kind === 'paid').length)
        expect(count('take_back')).toBeLessThanOrEqual(count('credit'))
      }),
      { numRuns: 300 },
    )
  })

  it('queries an order after 1, 5 and 15 minutes, then every hour', () => {
    expect([0, 1, 2, 3, 9].map((attempts) => getStatusCheckDelayMs(attempts) / 60_000)).toEqual([1, 5, 15, 60, 60])
  })
})

describe('prices', () => {
  it.each([0, -1, 1.5, 1e9, Number.NaN])('refuses a count of %s (P5)', (count) => {
    for (const product of products) expect(computePrice(product, count)).toBeNull()
  })
  it('computes prices in integers of fen, multiplied by the count', () => {
    const sms = getProduct('sms-10000')
    expect(sms && computePrice(sms, 3)).toBe(240_000)
    expect(products.every(({ price_fen }) => Number.isSafeInteger(price_fen))).toBe(true)
    expect(new Set(products.map(({ id }) => id)).size).toBe(products.length)
  })
})

describe('configured prices', () => {
  it.each([
    ['sms-1000', 10_000, '0.10 元/条'],
    ['sms-1000', 9_000, '0.09 元/条'],
    ['sms-50000', 300_001, '约 0.060 元/条'],
    ['sms-10000', 75_000, '约 0.075 元/条'],
    ['plus-50', 150_000, '模板、邮件送达、按年导出，发送不限次数'],
  ])('reads the configured price of %s for %i: %s', (id, price_fen, note) => {
    const priced = applyPrices(new Map([[id, price_fen]]))
    expect(priced.find((one) => one.id === id)).toMatchObject({ price_fen, note })
    expect(priced.filter((one, at) => one.price_fen !== products[at]?.price_fen).length).toBeLessThanOrEqual(1)
  })
})

describe('editions', () => {
  it.each<[50 | 53 | 60, Feature[]]>([
    [50, []],
    [53, ['templates', 'mail', 'charts']],
    [60, ['templates', 'mail', 'charts', 'tax']],
  ])('edition %s includes %j', (edition, has) => {
    expect(features.filter((one) => hasFeature(edition, one))).toEqual(has)
  })

  const now = new Date('2026-11-20T10:00:00+08:00')
  it('falls back to the free edition at the moment of expiry', () => {
    const until = new Date('2026-11-20T10:00:00+08:00')
    expect(getCurrentEdition({ edition: 60, edition_until: until }, now)).toBe(50)
    expect(getCurrentEdition({ edition: 60, edition_until: until }, new Date(now.getTime() - 1))).toBe(60)
    expect(getCurrentEdition({ edition: 53, edition_until: null }, now)).toBe(53)
  })

  it.each([
    ['the same edition continues from its end', 60, '2027-02-01T00:00:00Z', 60, 1, '2028-02-01T00:00:00.000Z'],
    ['an expired edition begins now', 60, '2026-01-01T00:00:00Z', 60, 1, '2027-11-20T02:00:00.000Z'],
    ['another edition begins now', 53, '2027-02-01T00:00:00Z', 60, 2, '2028-11-20T02:00:00.000Z'],
    ['an edition bought on a leap day ends with February', 60, '2028-02-29T00:00:00Z', 60, 1, '2029-02-28T00:00:00.000Z'],
  ] as const)('%s', (_, edition, until, bought, years, ends) => {
    const locked = { edition, edition_until: new Date(until) }
    expect(computeEditionEnd(locked, { edition: bought, years }, now).toISOString()).toBe(ends)
  })
})

describe('invoices', () => {
  const good = { kind: 'normal', tax_no: '', email: 'fp@example.com' } as const
  it.each([
    ['an individual without a tax number', good, null],
    ['a special invoice without a taxpayer', { ...good, kind: 'special' }, 'tax_no'],
    ['a special invoice with a taxpayer', { ...good, kind: 'special', tax_no: '91350100M000100Y43' }, null],
    ['a tax number with a wrong check digit', { ...good, tax_no: '91350100M000100Y44' }, 'tax_no'],
    ['an invalid mailbox', { ...good, email: 'fp@' }, 'email'],
  ] as const)('%s', (_, billed, field) => {
    expect(validateInvoiceApplication(billed)?.field ?? null).toBe(field)
  })
})

describe('prepaid balance', () => {
  it('moves the same amount from one side of the prepaid balance to the other', () => {
    for (const kind of ['opening', 'given', 'bought', 'used', 'unused', 'returned'] satisfies PrepaidTransactionKind[]) {
      const entries = getLedgerEntries(kind, 7)
      expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(0)
      expect(entries.filter(({ side }) => side === 'stock').map(({ amount }) => Math.abs(amount))).toEqual([7])
    }
  })
  it('reports a low balance when it does not suffice for every member once', () => {
    const low = (left: number, used_last_month: number) => isBalanceLow({ left, used_last_month })
    expect([low(99, 0), low(100, 0), low(19, 20), low(20, 20), low(299, 300)]).toEqual([true, false, true, false, true])
  })
})

describe('reminders', () => {
  const until = new Date('2027-03-31T15:20:00+08:00')
  const bought = { edition: 60, on_trial: false }
  const trial = { edition: 60, on_trial: true }
  it.each([
    ['2027-02-28T23:59:59+08:00', bought, null],
    ['2027-03-01T00:00:00+08:00', bought, [30, '还有 30 天到期（3 月 31 日）']],
    ['2027-03-03T20:05:00+08:00', bought, [30, '还有 28 天']],
    ['2027-03-04T08:05:00+08:00', bought, null],
    ['2027-03-01T08:05:00+08:00', trial, null],
    ['2027-03-02T08:05:00+08:00', trial, null],
    ['2027-03-23T23:59:00+08:00', bought, null],
    ['2027-03-24T00:00:00+08:00', bought, [7, '续费']],
    ['2027-03-26T08:05:00+08:00', trial, [7, '试用还有 5 天到期']],
    ['2027-03-27T08:05:00+08:00', bought, null],
    ['2027-03-29T08:05:00+08:00', bought, null],
    ['2027-03-30T00:00:00+08:00', trial, [1, '试用还有 1 天到期']],
    ['2027-03-31T15:19:59+08:00', bought, [0, '高级版（全功能）今天到期']],
    ['2027-03-31T15:20:00+08:00', trial, [0, '试用已于 3 月 31 日到期，现为免费版']],
    ['2027-04-02T20:05:00+08:00', bought, [0, '高级版（全功能）已于 3 月 31 日到期']],
    ['2027-04-03T08:05:00+08:00', bought, null],
    ['2027-03-30T08:05:00+08:00', { ...bought, edition: 50 }, null],
  ] as const)('%s', (at, currentEdition, notified) => {
    const now = new Date(at)
    const match = getExpiryReminder(
      { ...currentEdition, last_day: toShanghaiDate(until), is_over: until <= now },
      toShanghaiDate(now),
    )
    expect(match?.daysBefore).toBe(notified?.[0])
    expect(match?.text ?? '').toContain(notified?.[1] ?? '')
  })

  it.each([
    ['the balance covers the use of the last month', 500, 500, true, false],
    ['one message less', 499, 500, true, true],
    ['a month without use requires one hundred', 100, 0, true, false],
    ['one message less', 99, 0, true, true],
    ['more messages were returned than sent', 99, -5, true, true],
    ['few messages used', 20, 20, true, false],
    ['no messages remaining', 0, 1, true, true],
    ['few messages from the beginning, none used', 10, 500, false, false],
  ])('reports a low balance: %s', (_, left, used_last_month, is_spent, isNotified) => {
    expect(getLowBalanceMessage({ left, used_last_month, is_spent }) !== null).toBe(isNotified)
  })
})

const sold = (id: string) => {
  const product = getProduct(id)
  if (product?.kind !== 'edition') throw new Error(`no edition: ${id}`)
  return product
}
const at = (day: string) => new Date(`${day}T10:00:00+08:00`)

describe('change of edition', () => {
  // The prices are 1,980, 3,980 and 9,800 a year.
  it.each([
    ['plus-50', 'plus-200', '2027-11-23', { amount_fen: 200_000, days: 365 }],
    ['plus-50', 'plus-200', '2026-11-24', { amount_fen: 548, days: 1 }],
    ['plus-50', 'plus-1000', '2027-01-02', { amount_fen: 85_699, days: 40 }],
    ['plus-200', 'plus-1000', '2028-11-23', { amount_fen: 1_164_000, days: 731 }],
    ['plus-50', 'plus-200', '2028-02-29', { amount_fen: 253_699, days: 463 }],
    ['plus-200', 'plus-50', '2027-11-23', { why: expect.stringContaining('到期后') }],
    ['plus-200', 'plus-200', '2027-11-23', { why: expect.stringContaining('续费') }],
    ['plus-50', 'plus-200', '2026-11-23', { why: expect.stringContaining('直接购买') }],
  ])('changes the edition from %s to %s until %s', (currentEdition, requested, until, notified) => {
    expect(priceEditionChange({ product: sold(currentEdition), until: at(until) }, sold(requested), at('2026-11-23'))).toEqual(
      notified,
    )
  })
  it('offers no change without an active edition', () =>
    expect(priceEditionChange(null, sold('plus-200'), at('2026-11-23'))).toHaveProperty('why'))

  it('a change never costs more than the full years it covers nor less than nothing, and costs less each day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_100 }), (days) => {
        const now = at('2026-11-23')
        const until = (more: number) => new Date(now.getTime() + (days + more) * 86_400_000)
        const costs = (more: number) => {
          const change = priceEditionChange({ product: sold('plus-50'), until: until(more) }, sold('plus-200'), now)
          return 'why' in change ? 0 : change.amount_fen
        }
        return costs(0) > 0 && costs(0) <= Math.ceil(days / 365) * 200_000 && costs(1) >= costs(0)
      }),
    )
  })
})

describe('refunds', () => {
  const order: RefundableOrder = { status: 'paid', amount_fen: 10_000, refunded_fen: 0, sms_count: 1_000 }
  it.each<[string, Partial<RefundableOrder>, number, object]>([
    ['a part of the payment', {}, 3_333, { status: 'paid', remaining_fen: 6_667, sms_returned: 333 }],
    ['the rest of the payment', { refunded_fen: 3_333 }, 6_667, { status: 'refunded', remaining_fen: 0, sms_returned: 667 }],
    ['a single fen', {}, 1, { status: 'paid', remaining_fen: 9_999, sms_returned: 0 }],
    ['the full price of an edition', { sms_count: 0 }, 10_000, { status: 'refunded', remaining_fen: 0, sms_returned: 0 }],
    ['one fen too much', { refunded_fen: 1 }, 10_000, { why: expect.stringContaining('最多可退'), field: 'amount_fen' }],
    ['nothing', {}, 0, { field: 'amount_fen', why: expect.any(String) }],
    ['half a fen', {}, 0.5, { field: 'amount_fen', why: expect.any(String) }],
    ['an unpaid order', { status: 'waiting' }, 1, { why: expect.any(String) }],
    ['a closed order', { status: 'closed' }, 1, { why: expect.any(String) }],
    ['a second full refund', { status: 'refunded' }, 1, { why: expect.stringContaining('已经全部退款') }],
  ])('%s', (_, change, requested, notified) => expect(computeRefund({ ...order, ...change }, requested)).toMatchObject(notified))

  it('takes back exactly what was bought, in any number of parts', () => {
    const bought = fc.record({
      amount_fen: fc.integer({ min: 1, max: 4_000_000_000 }),
      segments: fc.integer({ min: 0, max: 50_000_000 }),
    })
    fc.assert(
      fc.property(
        bought,
        fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 20 }),
        ({ amount_fen, segments }, sections) => {
          const all = sections.reduce((sum, part) => sum + part, 1)
          let [refunded_fen, accepted] = [0, 0]
          for (const part of [...sections, Number.POSITIVE_INFINITY]) {
            const left = amount_fen - refunded_fen
            const requested = Number.isFinite(part) ? Math.min(left - 1, Math.floor((amount_fen * part) / all)) : left
            if (requested < 1) continue
            const slot = computeRefund({ status: 'paid', amount_fen, refunded_fen, sms_count: segments }, requested)
            if ('why' in slot) return false
            refunded_fen += requested
            accepted += slot.sms_returned
          }
          return refunded_fen === amount_fen && accepted === segments
        },
      ),
    )
  })

  it.each([
    [60, '2028-11-23', { edition: 60, years: 1 }, '2027-11-23'],
    [60, '2027-05-01', { edition: 60, years: 1 }, '2026-11-23'],
    [60, '2027-11-23', { edition: 53, years: 1 }, '2027-11-23'],
    [60, '2026-11-01', { edition: 60, years: 1 }, '2026-11-01'],
  ])('edition %i until %s: refunds %o', (edition, until, removed, left) => {
    expect(computeEditionEndAfterRefund({ edition, edition_until: at(until) }, removed, at('2026-11-23'))).toEqual(at(left))
  })
})

describe('invoice', () => {
  const table: Readonly<Record<InvoiceStatus, readonly (InvoiceStatus | null)[]>> = {
    //         issue       return      reverse      refund
    waiting: ['issued', 'returned', null, 'returned'],
    issued: [null, null, 'reversing', 'reversing'],
    returned: [null, null, null, null],
    reversing: ['reversed', null, null, 'reversing'],
    reversed: [null, null, null, null],
  }
  it.each(invoiceStatuses)('%s', (status) => {
    expect((['issue', 'return', 'reverse', 'refund'] as const).map((event) => getInvoiceTransition(status, event))).toEqual(
      table[status],
    )
  })
  it('releases the orders of an invoice only in a final status', () =>
    expect(invoiceStatuses.filter(isInvoiceFinal)).toEqual(['returned', 'reversed']))
})
