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
    ['nothing in hand', {}, 'take more'],
    ['something in hand', { ready: 8 }, 'try'],
    ['slips without a message come before what has to be carried', { direct: true }, 'direct'],
    ['but what is in hand is tried first', { ready: 1, direct: true }, 'try'],
    ['the turn is over: what is in hand goes back', { ready: 8, mustStop: true }, 'end, another turn at once'],
    ['the turn is over, nothing in hand', { mustStop: true }, 'end, another turn at once'],
    ['the carrier asked for patience', { ready: 8, pauseMs: 30_000 }, 'end, another turn in 30000 ms'],
    [
      'the carrier asked for patience, and the turn is over',
      { pauseMs: 30_000, mustStop: true },
      'end, another turn in 30000 ms',
    ],
    ['the carrier asked for a blink of patience: the turn stays', { ready: 8, pauseMs: 1_000 }, 'nap 1000 ms'],
    ['the same with nothing in hand', { pauseMs: 1_000 }, 'nap 1000 ms'],
    ['for a blink, and the turn is over', { pauseMs: 1_000, mustStop: true }, 'end, another turn in 1000 ms'],
    ['silent once too often', { ready: 8, errors: maxConsecutiveErrors }, `end, another turn in ${carrierDownPauseMs} ms`],
    ['silent, but not so often', { ready: 8, errors: maxConsecutiveErrors - 1 }, 'try'],
    ['asked for patience, and silent', { errors: maxConsecutiveErrors, pauseMs: 5_000 }, 'end, another turn in 5000 ms'],
    ['the pace holds it up for a blink', { ready: 8, rateWaitMs: 40 }, 'nap 40 ms'],
    ['the pace holds it up for the longest nap', { ready: 8, rateWaitMs: 1_000 }, 'nap 1000 ms'],
    ['the pace holds it up for longer', { ready: 8, rateWaitMs: 1_001 }, 'end, another turn in 1001 ms'],
    ['the pace matters only to what is ready', { rateWaitMs: 5_000 }, 'take more'],
    ['over, and held up by the pace', { ready: 8, mustStop: true, rateWaitMs: 700 }, 'end, another turn in 700 ms'],
  ])('%s', (_, change, step) => expect(format(change)).toBe(step))
})

describe('batch on hold (paused or not begun)', () => {
  test.each<[string, Partial<SenderState>, string]>([
    ['what is in hand goes back as it was', { ready: 8 }, 'end for good'],
    ['nothing in hand: a dead sender may have left something', {}, 'settle what the dead left'],
    ['slips without a message wait, too', { direct: true }, 'settle what the dead left'],
    ['the turn is over', { mustStop: true }, 'end for good'],
    ['the carrier asked for patience', { pauseMs: 30_000 }, 'end for good'],
  ])('%s', (_, change, step) => expect(format({ batch: 'held', ...change })).toBe(step))
})

describe('withdrawn batch', () => {
  test.each<[string, Partial<SenderState>, string]>([
    ['what is in hand never leaves', { ready: 8 }, 'end for good, cancel what is ready'],
    ['nothing in hand: a dead sender may have left something, or given it back', {}, 'settle whatever was begun'],
    ['slips without a message are not handed over any more', { direct: true }, 'settle whatever was begun'],
    ['the turn is over with something in hand', { ready: 8, mustStop: true }, 'end for good, cancel what is ready'],
    ['the turn is over with nothing in hand', { mustStop: true }, 'end for good'],
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
      // A slot waits for a paused carrier no longer than for the pace.
      if (step === 'nap') expect(one.pauseMs).toBeLessThanOrEqual(one.maxInlineWaitMs)
      if (step === 'try' || step === 'direct') expect(one.pauseMs).toBe(0)
      if (step === 'try') expect([one.ready > 0, one.rateWaitMs]).toEqual([true, 0])
      // While claiming more or stopping, the sender holds no messages.
      if (step === 'claim' || step === 'direct') expect(one.ready).toBe(0)
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})
