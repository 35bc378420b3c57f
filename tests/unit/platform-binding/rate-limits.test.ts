/** Waiting where a chat platform asks to slow down: nobody's message fails, and a sync is not given up too early. */
import { describe, expect, it } from 'vitest'
import { createBackoff } from '../../../platform/chat/wecom/backoff.ts'
import { getRetryDelayMs } from '../../../server/modules/platform-binding/sync/read-directory.ts'

describe("WeCom's limits, of which the answer does not say whether they last a minute, an hour or a day", () => {
  const start = () => {
    const clock = { seconds: 0 }
    const { getWaitSeconds } = createBackoff(() => clock.seconds * 1000)
    return (seconds: number, key = 'send') => {
      clock.seconds += seconds
      return getWaitSeconds(key)
    }
  }
  it('waits longer after each refusal, up to an hour', () => {
    const limit = start()
    const waits = [limit(0)]
    for (let n = 0; n < 8; n += 1) waits.push(limit(waits.at(-1) ?? 0))
    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
  })
  it('counts calls that were under way together as one refusal', () => {
    const limit = start()
    expect([limit(0), limit(0), limit(10), limit(50)]).toEqual([60, 60, 50, 120])
  })
  it('begins with a minute again after calls that were accepted, and for another call', () => {
    const limit = start()
    expect([limit(0), limit(60), limit(120 + 121)]).toEqual([60, 120, 60])
    expect(limit(0, 'users')).toBe(60)
  })
})

describe('reading a directory', () => {
  const limited = (retryAfterSeconds: number | null) => ({ kind: 'rate_limited', retryAfterSeconds })
  it.each([
    ['waits as long as the platform asks', 0, limited(40), 40_000],
    ['waits a minute at most', 0, limited(3600), 60_000],
    ['waits longer from attempt to attempt', 3, limited(1), 30_000],
    ['retries where the platform names no time', 1, limited(null), 3_000],
    ['retries after an outage', 2, { kind: 'temporary' }, 10_000],
    ['gives up after four attempts', 4, limited(1), null],
    ['does not retry what was refused', 0, { kind: 'not_permitted' }, null],
    ['does not retry an error of its own', 0, null, null],
  ] as const)('%s', (_, attempt, error, delay) => expect(getRetryDelayMs(attempt, error)).toBe(delay))
})
