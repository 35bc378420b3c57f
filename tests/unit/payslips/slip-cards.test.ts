/** Updates of a chat card after it was sent. */
import { expect, test } from 'vitest'
import {
  type ChatUpdateCapabilities,
  type ChatUpdateStep,
  decideAfterRecall,
  decideAfterUpdate,
  decideFirstStep,
} from '../../../server/modules/payslips/rules/chat-status.ts'

const lark: ChatUpdateCapabilities = { updateSupport: 'often', canRecall: true }
const wecom: ChatUpdateCapabilities = { updateSupport: 'once', canRecall: true }
const outbox: ChatUpdateCapabilities = { canRecall: false }
const amend: ChatUpdateStep = { step: 'amend' }
const recall: ChatUpdateStep = { step: 'recall' }
const done = (displayedStatus: string | null, failure: string | null = null) => ({ step: 'done', displayedStatus, failure })

test.each([
  ['read, on a card that is written on often', 'viewed', lark, amend],
  ['read, on one that is written on once: that is kept for a withdrawal', 'viewed', wecom, done(null)],
  ['confirmed, on one that is written on once', 'confirmed', wecom, done(null)],
  ['withdrawn, on one that is written on once', 'withdrawn', wecom, amend],
  ['withdrawn, where it can only be taken away', 'withdrawn', { canRecall: true }, recall],
  ['read, where it can only be taken away', 'viewed', { canRecall: true }, done(null, 'unsupported')],
  ['withdrawn, where nothing can be done', 'withdrawn', outbox, done(null, 'unsupported')],
  ['withdrawn, after the binding has ended', 'withdrawn', null, done(null, 'unbound')],
] as const)('%s', (_, requested, line, step) => {
  expect(decideFirstStep(requested, line)).toEqual(step)
})

test.each([
  ['written', 'withdrawn', 'updated', 1, lark, done('withdrawn')],
  ['taken away by somebody else', 'withdrawn', 'gone', 1, lark, done('gone')],
  ['too late to write: it is taken away', 'withdrawn', 'too_late', 1, lark, recall],
  ['its one time was used: it is taken away', 'withdrawn', 'refused', 1, wecom, recall],
  ['too late for a word that is only kind', 'viewed', 'too_late', 1, lark, done(null, 'too_late')],
  ['unclear: in a minute', 'withdrawn', 'unclear', 1, lark, { step: 'again', delayMs: 60_000 }],
  ['unclear: then later and later', 'withdrawn', 'unclear', 3, lark, { step: 'again', delayMs: 960_000 }],
  ['unclear to the end', 'withdrawn', 'unclear', 6, lark, done(null, 'unclear')],
] as const)('%s', (_, requested, result, attempts, line, step) => {
  expect(decideAfterUpdate(requested, result, attempts, line)).toEqual(step)
})

test.each([
  ['recalled', 1, done('recalled')],
  ['refused', 1, done(null, 'too_late')],
  ['unclear', 2, { step: 'again', delayMs: 240_000 }],
  ['unclear', 6, done(null, 'unclear')],
] as const)('recall result %s at attempt %i', (result, attempts, step) => {
  expect(decideAfterRecall(result, attempts)).toEqual(step)
})
