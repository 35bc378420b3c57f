/**
 * The rate limit of a channel, stored in the database: the total rate of independent servers, and the share of each
 * company.
 */
import { describe, expect, test } from 'vitest'
import { createCarrierRateLimiter } from '../../../server/outbox/carrier-rate.ts'
import { createChannelSender } from '../../../server/outbox/channel-senders.ts'
import { demo } from '../../support/demo.ts'
import { trial } from '../../support/run/trial.ts'
import { deliveries, getGateway, makeBatch, manyPeople, sender, sendManually, untilStopped } from '../../support/slips.ts'
import type { Corp } from '../../support/world.ts'

const { world, corp } = demo({ own: true })

/** A started batch that no sender is processing; the test drives the senders. */
async function started(of: Corp, count: number) {
  const payer = await of.person({ power: ['2'] })
  const batch_id = await makeBatch(world, payer, await manyPeople(world, of, count))
  return sendManually({ world, corp: of, caller: await world.signIn(payer) }, batch_id)
}

const per_ms = 1_000
const count = 10
/**
 * A gateway with a documented rate limit that records when it received each message, by the test clock, and from which
 * company.
 */
function pacedGateway() {
  const at: number[] = []
  const gateway = getGateway({ pace: { count, perMs: per_ms }, before: () => void at.push(world.clock.now().getTime()) })
  const busiest = () => Math.max(...at.map((from) => at.filter((one) => one >= from && one < from + per_ms).length))
  return { gateway, at, busiest }
}
// The clock stands still within a step, so a slot does not wait inline.
const node = (gateway: ReturnType<typeof getGateway>) => sender(world, gateway, { maxInlineWaitMs: 0 })

describe('rate limit of one channel', () => {
  test('keeps two servers together within the limit and lets them nearly reach it', async () => {
    const data = await started(corp, 24)
    const { gateway, at, busiest } = pacedGateway()
    const nodes = [node(gateway), node(gateway)]
    const began = world.clock.now().getTime()
    for (let step = 0; step < 80 && at.length < 24; step += 1) {
      await Promise.all(nodes.map((one) => one.send(data, untilStopped)))
      world.clock.advance(50)
    }
    expect([at.length, gateway.doubled()]).toEqual([24, []])
    expect(busiest()).toBeLessThanOrEqual(count)
    // 24 messages at 10 a second: the last one is sent after 2.3 s. A sender that pauses for a second with a permit
    // returns it, which costs a tenth of a second.
    expect((at.at(-1) ?? 0) - began).toBeLessThanOrEqual(2_700)
    expect((await deliveries(world, corp, data.batch_id)).every((one) => one.status === 'accepted' && one.attempts === 1)).toBe(
      true,
    )
  })

  test('divides the limit among active companies and no longer counts inactive ones', async () => {
    const line = createChannelSender(pacedGateway().gateway)
    const pace = createCarrierRateLimiter(world.database, world.clock)
    /** Returns how many of these messages may be sent within a second in which these companies ask as often as possible. */
    const inASecond = async (...all: string[]) => {
      let current = 0
      for (let step = 0; step < 20; step += 1) {
        for (const one of all) {
          const granted = await pace.acquire(line, one, 1)
          if (one === 'mine') current += granted.count
        }
        world.clock.advance(50)
      }
      return current
    }
    expect(await inASecond('theirs', 'mine')).toBeLessThanOrEqual(count / 2 + 1)
    world.clock.advance(10_000)
    expect(await inASecond('mine')).toBeGreaterThanOrEqual(count - 1)
  })

  test('applies a backoff requested of one server on the other server too', async () => {
    const [current, theirs] = [await started(corp, 3), await started(corp, 3)]
    const gateway = getGateway({ takes: 0, slow_s: 30 })
    await sender(world, gateway).send(current, untilStopped)
    const refused = gateway.refused()
    expect(refused).toBeGreaterThan(0)
    await sender(world, gateway).send(theirs, untilStopped)
    expect(gateway.refused()).toBe(refused)
    gateway.open()
    world.clock.advance(30_000)
    await sender(world, gateway).send(theirs, untilStopped)
    expect(gateway.accepted.length).toBe(3)
  })
})

const large = { full: 10_000, sample: 200, of: 'slips of the large company', goal: 'D17' }
trial('post-fair', 'does not let a company with five messages wait behind one with thousands', large, async ({ size, says }) => {
  const [big, small] = [await world.createCompany({ sms_left: 50_000 }), await world.createCompany()]
  const [many, few] = [await started(big, size), await started(small, 5)]
  const { gateway, at, busiest } = pacedGateway()
  const nodes = [node(gateway), node(gateway)]
  const own = new Set((await deliveries(world, small, few.batch_id)).map(({ id }) => id))
  const done = () => gateway.accepted.filter(({ id }) => own.has(id)).length
  // The large company is always first in the queue; the small one arrives after a second.
  let before = 0
  for (let step = 0; step < 120 && done() < 5; step += 1) {
    if (step === 20) before = at.length
    for (const one of nodes) {
      await one.send(many, untilStopped)
      if (step >= 20) await one.send(few, untilStopped)
    }
    world.clock.advance(50)
  }
  const meanwhile = at.length - before - done()
  says(`five messages gone while ${meanwhile} of ${size} went; at most ${busiest()} in a second, ${count} allowed`)
  expect(before).toBeGreaterThanOrEqual(8)
  expect(done()).toBe(5)
  // Each company gets half of the limit: about one message of the large company for one of the small.
  expect(meanwhile).toBeLessThanOrEqual(8)
  expect(busiest()).toBeLessThanOrEqual(count)
  expect(gateway.doubled()).toEqual([])
})
