/** How many messages may be sent: a table, and an invariant for any request times. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grantRate } from '../../../server/outbox/rules/rate.ts'

const at = 1_000_000
const calm = { pace: { count: 20, perMs: 1_000 }, want: 8, now_ms: at, line_due_ms: 0, asker_due_ms: 0, askers: 1 }

describe('rate of 20 a second', () => {
  test.each<[string, Partial<typeof calm>, { count: number; wait_ms: number; line_due_ms: number }]>([
    ['first request: one now, the others evenly', {}, { count: 1, wait_ms: 0, line_due_ms: at + 50 }],
    ['just granted: the next message in 50 ms', { line_due_ms: at + 50 }, { count: 0, wait_ms: 50, line_due_ms: at + 50 }],
    ['30 ms after the last message', { line_due_ms: at + 20 }, { count: 0, wait_ms: 20, line_due_ms: at + 20 }],
    ['nothing requested', { want: 0 }, { count: 0, wait_ms: 0, line_due_ms: at }],
    ['last granted long ago', { line_due_ms: at - 60_000 }, { count: 1, wait_ms: 0, line_due_ms: at + 50 }],
  ])('%s', (_, change, grant) => expect(grantRate({ ...calm, ...change })).toMatchObject(grant))
})

describe('rate of 1,000 a minute: ten at once, then evenly', () => {
  const pace = { count: 1_000, perMs: 60_000 }
  test.each<[string, Partial<typeof calm>, { count: number; wait_ms: number }]>([
    ['a group of messages', {}, { count: 8, wait_ms: 0 }],
    ['more than available', { want: 50 }, { count: 10, wait_ms: 0 }],
    ['all messages granted just now', { line_due_ms: at + 616 }, { count: 0, wait_ms: 62 }],
    [
      "shared by ten companies: the company's share is used up, the channel's is not",
      { asker_due_ms: at + 6_166, askers: 10 },
      { count: 0, wait_ms: 617 },
    ],
    ['shared by ten companies: a new company', { askers: 10 }, { count: 8, wait_ms: 0 }],
    ['one a minute', { pace: { count: 1, perMs: 60_000 }, line_due_ms: at + 60_000 }, { count: 0, wait_ms: 60_000 }],
  ])('%s', (_, change, grant) => expect(grantRate({ ...calm, pace, ...change })).toMatchObject(grant))
})

test('never exceeds the documented limit in any window and lets every persistent sender through', () => {
  const asks = fc.array(
    fc.record({ after_ms: fc.integer({ min: 0, max: 40 }), who: fc.nat(2), want: fc.integer({ min: 1, max: 30 }) }),
    {
      minLength: 200,
      maxLength: 400,
    },
  )
  const paces = fc.constantFrom({ count: 7, perMs: 500 }, { count: 50, perMs: 1_000 }, { count: 400, perMs: 1_000 })
  fc.assert(
    fc.property(asks, paces, (all, pace) => {
      let now_ms = at
      let line_due_ms = 0
      const due = [0, 0, 0]
      const removed: number[] = []
      for (const { after_ms, who, want } of all) {
        now_ms += after_ms
        const grant = grantRate({ pace, want, now_ms, line_due_ms, asker_due_ms: due[who] ?? 0, askers: 3 })
        line_due_ms = grant.line_due_ms
        due[who] = grant.asker_due_ms
        for (let one = 0; one < grant.count; one += 1) removed.push(now_ms)
        // After waiting as told, a request gets a message if no other took it meanwhile.
        if (grant.count === 0)
          expect(
            grantRate({ pace, want, now_ms: now_ms + grant.wait_ms, line_due_ms, asker_due_ms: due[who] ?? 0, askers: 3 }).count,
          ).toBeGreaterThan(0)
      }
      for (const from of removed)
        expect(removed.filter((one) => one >= from && one < from + pace.perMs).length).toBeLessThanOrEqual(pace.count)
    }),
    { seed: 20_261_122, numRuns: 60 },
  )
})
