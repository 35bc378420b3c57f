/** The sender's next step as a table: the state of the batch and the messages in the slot, and the step that follows. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  carrierDownPauseMs,
  decideNextStep,
  maxConsecutiveErrors,
  type SenderState,
} from '../../../server/outbox/rules/next-step.ts'

const calm: SenderState = {
  batch: 'active',
  ready: 0,
  direct: false,
  mustStop: false,
  pauseMs: 0,
  rateWaitMs: 0,
  maxInlineWaitMs: 1_000,
  errors: 0,
}
/** The step as text. */
function format(change: Partial<SenderState>): string {
  const step = decideNextStep({ ...calm, ...change })
  if (step.step === 'claim')
    return { due: 'take more', left: 'settle what the dead left', begun: 'settle whatever was begun' }[step.scope]
  if (step.step === 'nap') return `nap ${step.ms} ms`
  if (step.step !== 'rest') return step.step
  const until =
    step.ms === null ? 'end for good' : step.ms === 0 ? 'end, another turn at once' : `end, another turn in ${step.ms} ms`
  return `${until}${step.cancel ? ', cancel what is ready' : ''}`
}

describe('batch being sent', () => {
  test.each<[string, Partial<SenderState>, string]>([
    ['claims messages when none is claimed', {}, 'take more'],
    ['sends claimed messages', { ready: 8 }, 'try'],
    ['releases payslips without a message before messages to be sent', { direct: true }, 'direct'],
    ['sends claimed messages before releasing payslips', { ready: 1, direct: true }, 'try'],
    ['returns claimed messages when the slot has expired', { ready: 8, mustStop: true }, 'end, another turn at once'],
    ['stops when the slot has expired and nothing is claimed', { mustStop: true }, 'end, another turn at once'],
    ['the carrier requested a backoff: ends the slot', { ready: 8, pauseMs: 30_000 }, 'end, another turn in 30000 ms'],
    [
      'stops when the carrier requested a backoff and the slot has expired',
      { pauseMs: 30_000, mustStop: true },
      'end, another turn in 30000 ms',
    ],
    ['keeps the slot for a short backoff of the carrier', { ready: 8, pauseMs: 1_000 }, 'nap 1000 ms'],
    ['keeps the slot for a short backoff with nothing claimed', { pauseMs: 1_000 }, 'nap 1000 ms'],
    ['stops for a short backoff when the slot has expired', { pauseMs: 1_000, mustStop: true }, 'end, another turn in 1000 ms'],
    [
      'pauses after too many silent calls',
      { ready: 8, errors: maxConsecutiveErrors },
      `end, another turn in ${carrierDownPauseMs} ms`,
    ],
    ['continues after fewer silent calls', { ready: 8, errors: maxConsecutiveErrors - 1 }, 'try'],
    [
      'pauses after a requested backoff and silent calls',
      { errors: maxConsecutiveErrors, pauseMs: 5_000 },
      'end, another turn in 5000 ms',
    ],
    ['waits briefly for the rate limit', { ready: 8, rateWaitMs: 40 }, 'nap 40 ms'],
    ['waits for the rate limit as long as allowed within a slot', { ready: 8, rateWaitMs: 1_000 }, 'nap 1000 ms'],
    ['stops when the rate limit requires a longer wait', { ready: 8, rateWaitMs: 1_001 }, 'end, another turn in 1001 ms'],
    ['ignores the rate limit when nothing is due', { rateWaitMs: 5_000 }, 'take more'],
    [
      'stops when the slot has expired under the rate limit',
      { ready: 8, mustStop: true, rateWaitMs: 700 },
      'end, another turn in 700 ms',
    ],
  ])('%s', (_, change, step) => expect(format(change)).toBe(step))
})

describe('batch on hold (paused or not begun)', () => {
  test.each<[string, Partial<SenderState>, string]>([
    ['returns claimed messages unchanged', { ready: 8 }, 'end for good'],
    ['checks for rows of a dead sender when nothing is claimed', {}, 'settle what the dead left'],
    ['keeps payslips without a message waiting', { direct: true }, 'settle what the dead left'],
    ['stops when the slot has expired', { mustStop: true }, 'end for good'],
    ['the carrier requested a backoff: ends the slot', { pauseMs: 30_000 }, 'end for good'],
  ])('%s', (_, change, step) => expect(format({ batch: 'held', ...change })).toBe(step))
})

describe('withdrawn batch', () => {
  test.each<[string, Partial<SenderState>, string]>([
    ['never sends claimed messages', { ready: 8 }, 'end for good, cancel what is ready'],
    ['checks for rows of a dead sender, or rows it returned, when nothing is claimed', {}, 'settle whatever was begun'],
    ['no longer releases payslips without a message', { direct: true }, 'settle whatever was begun'],
    ['stops with claimed messages when the slot has expired', { ready: 8, mustStop: true }, 'end for good, cancel what is ready'],
    ['stops with nothing claimed when the slot has expired', { mustStop: true }, 'end for good'],
  ])('%s', (_, change, step) => expect(format({ batch: 'withdrawn', ...change })).toBe(step))
})

test('stops for a deleted batch', () => expect(format({ batch: 'gone', ready: 8, direct: true })).toBe('stop'))

const state = fc.record({
  batch: fc.constantFrom('active', 'held', 'withdrawn', 'gone'),
  ready: fc.nat(100),
  direct: fc.boolean(),
  mustStop: fc.boolean(),
  pauseMs: fc.constantFrom(0, 1_000, 900_000),
  rateWaitMs: fc.constantFrom(0, 1, 1_000, 1_001, 60_000),
  maxInlineWaitMs: fc.constantFrom(0, 1_000),
  errors: fc.nat(20),
})
test('never sends for a batch that is not being sent, a paused carrier or an expired slot', () => {
  fc.assert(
    fc.property(state, (one) => {
      const { step } = decideNextStep(one)
      if (step === 'try' || step === 'direct' || step === 'nap')
        expect([one.batch, one.mustStop, one.errors < maxConsecutiveErrors]).toEqual(['active', false, true])
      // A slot waits for a paused carrier no longer than for the rate limit.
      if (step === 'nap') expect(one.pauseMs).toBeLessThanOrEqual(one.maxInlineWaitMs)
      if (step === 'try' || step === 'direct') expect(one.pauseMs).toBe(0)
      if (step === 'try') expect([one.ready > 0, one.rateWaitMs]).toEqual([true, 0])
      // While it claims more or stops, the sender holds no messages.
      if (step === 'claim' || step === 'direct') expect(one.ready).toBe(0)
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})
