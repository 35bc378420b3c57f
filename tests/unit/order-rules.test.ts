/** Orders: what may become of them, whatever happens in whatever order; prices; editions; invoices; the two sides of the pool. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allows, editionNow, type Feature, features } from '../../server/contract/corp/editions.ts'
import type { OrderStatus } from '../../server/contract/corp/order.ts'
import { after, type Effect, invoiceFault, nextAskMs, type OrderEvent } from '../../server/domain/company/rules/order.ts'
import { entriesOf, isLow, type PoolKind } from '../../server/domain/company/rules/pool.ts'
import { boughtUntil, priceOf, productOf, products } from '../../server/domain/company/rules/products.ts'
import { endingOf, lowOf } from '../../server/domain/company/rules/reminders.ts'
import { dayOf } from '../../server/runtime/clock.ts'

const exact: OrderEvent = { kind: 'paid', exact: true }
const other: OrderEvent = { kind: 'paid', exact: false }
const close: OrderEvent = { kind: 'closed' }
const refund: OrderEvent = { kind: 'refunded' }

describe('the order', () => {
  it.each<[OrderStatus, string, OrderEvent, OrderStatus, Effect]>([
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
  ])('%s, %s', (status, _, event, next, effect) => {
    expect(after(status, event)).toEqual({ status: next, effect })
  })

  it('is credited at most once, and whatever else came in goes back, in any order (P4)', () => {
    const events = fc.array(fc.constantFrom(exact, other, close, refund), { maxLength: 12 })
    fc.assert(
      fc.property(events, (all) => {
        let status: OrderStatus = 'waiting'
        const effects = all.map((event) => {
          const turn = after(status, event)
          status = turn.status
          return turn.effect
        })
        const count = (effect: Effect) => effects.filter((one) => one === effect).length
        expect(count('credit')).toBeLessThanOrEqual(1)
        expect(count('credit') + count('excess')).toBe(all.filter(({ kind }) => kind === 'paid').length)
        expect(count('take_back')).toBeLessThanOrEqual(count('credit'))
      }),
      { numRuns: 300 },
    )
  })

  it('is asked about after 1, 5 and 15 minutes, then every hour', () => {
    expect([0, 1, 2, 3, 9].map((tries) => nextAskMs(tries) / 60_000)).toEqual([1, 5, 15, 60, 60])
  })
})

describe('prices', () => {
  it.each([0, -1, 1.5, 1e9, Number.NaN])('%s of it is not sold (P5)', (count) => {
    for (const product of products) expect(priceOf(product, count)).toBeNull()
  })
  it('are whole fen, by number', () => {
    const sms = productOf('sms-10000')
    expect(sms && priceOf(sms, 3)).toBe(240_000)
    expect(products.every(({ price_fen }) => Number.isSafeInteger(price_fen))).toBe(true)
    expect(new Set(products.map(({ id }) => id)).size).toBe(products.length)
  })
})

describe('editions', () => {
  it.each<[50 | 53 | 60, Feature[]]>([
    [50, []],
    [53, ['templates', 'mail', 'charts']],
    [60, ['templates', 'mail', 'charts', 'tax']],
  ])('%s may do %j', (edition, has) => {
    expect(features.filter((one) => allows(edition, one))).toEqual(has)
  })

  const now = new Date('2026-11-20T10:00:00+08:00')
  it('is the free one from the moment it ends', () => {
    const until = new Date('2026-11-20T10:00:00+08:00')
    expect(editionNow({ edition: 60, edition_until: until }, now)).toBe(50)
    expect(editionNow({ edition: 60, edition_until: until }, new Date(now.getTime() - 1))).toBe(60)
    expect(editionNow({ edition: 53, edition_until: null }, now)).toBe(53)
  })

  it.each([
    ['the same one goes on where it ends', 60, '2027-02-01T00:00:00Z', 60, 1, '2028-02-01T00:00:00.000Z'],
    ['one that has ended begins now', 60, '2026-01-01T00:00:00Z', 60, 1, '2027-11-20T02:00:00.000Z'],
    ['another one begins now', 53, '2027-02-01T00:00:00Z', 60, 2, '2028-11-20T02:00:00.000Z'],
    ['a leap day ends with February', 60, '2028-02-29T00:00:00Z', 60, 1, '2029-02-28T00:00:00.000Z'],
  ] as const)('%s', (_, edition, until, bought, years, ends) => {
    const held = { edition, edition_until: new Date(until) }
    expect(boughtUntil(held, { edition: bought, years }, now).toISOString()).toBe(ends)
  })
})

describe('invoices', () => {
  const good = { kind: 'normal', tax_no: '', email: 'fp@example.com' } as const
  it.each([
    ['a person has no tax number', good, null],
    ['a special one is for a taxpayer', { ...good, kind: 'special' }, 'tax_no'],
    ['with one', { ...good, kind: 'special', tax_no: '91350100M000100Y43' }, null],
    ['its check digit is wrong', { ...good, tax_no: '91350100M000100Y44' }, 'tax_no'],
    ['no mailbox', { ...good, email: 'fp@' }, 'email'],
  ] as const)('%s', (_, billed, field) => {
    expect(invoiceFault(billed)?.field ?? null).toBe(field)
  })
})

describe('the pool', () => {
  it('gives to one side what it takes from another', () => {
    for (const kind of ['opening', 'given', 'bought', 'used', 'unused', 'returned'] satisfies PoolKind[]) {
      const entries = entriesOf(kind, 7)
      expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(0)
      expect(entries.filter(({ side }) => side === 'stock').map(({ amount }) => Math.abs(amount))).toEqual([7])
    }
  })
  it('is low when it does not reach everybody once', () => {
    expect([isLow(19, 3), isLow(20, 3), isLow(99, 100), isLow(100, 100)]).toEqual([true, false, true, false])
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
  ] as const)('%s', (at, held, told) => {
    const now = new Date(at)
    const found = endingOf({ ...held, last_day: dayOf(until), is_over: until <= now }, dayOf(now))
    expect(found?.mark).toBe(told?.[0])
    expect(found?.text ?? '').toContain(told?.[1] ?? '')
  })

  it.each([
    ['what the last month took is there', 500, 500, true, false],
    ['one less', 499, 500, true, true],
    ['a month without: a hundred', 100, 0, true, false],
    ['one less', 99, 0, true, true],
    ['more came back than went out', 99, -5, true, true],
    ['few used', 20, 20, true, false],
    ['nothing left', 0, 1, true, true],
    ['little from the beginning, none taken', 10, 500, false, false],
  ])('low: %s', (_, left, used_last_month, is_spent, told) => {
    expect(lowOf({ left, used_last_month, is_spent }) !== null).toBe(told)
  })
})
