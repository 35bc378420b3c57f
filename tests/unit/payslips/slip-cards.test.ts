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
  ['viewed, on a card that can be updated often', 'viewed', lark, amend],
  ['viewed, on a card that can be updated once, which is reserved for a withdrawal', 'viewed', wecom, done(null)],
  ['confirmed, on a card that can be updated once', 'confirmed', wecom, done(null)],
  ['withdrawn, on a card that can be updated once', 'withdrawn', wecom, amend],
  ['withdrawn, where the card can only be removed', 'withdrawn', { canRecall: true }, recall],
  ['viewed, where the card can only be removed', 'viewed', { canRecall: true }, done(null, 'unsupported')],
  ['withdrawn, where the card cannot be changed', 'withdrawn', outbox, done(null, 'unsupported')],
  ['a withdrawn payslip, after the binding has ended', 'withdrawn', null, done(null, 'unbound')],
] as const)('%s', (_, requested, line, step) => {
  expect(decideFirstStep(requested, line)).toEqual(step)
})

test.each([
  ['written', 'withdrawn', 'updated', 1, lark, done('withdrawn')],
  ['removed by another user', 'withdrawn', 'gone', 1, lark, done('gone')],
  ['too late to update: removes the card', 'withdrawn', 'too_late', 1, lark, recall],
  ['the only update was used: removes the card', 'withdrawn', 'refused', 1, wecom, recall],
  ['too late for an optional update', 'viewed', 'too_late', 1, lark, done(null, 'too_late')],
  ['unclear: retries in a minute', 'withdrawn', 'unclear', 1, lark, { step: 'again', delayMs: 60_000 }],
  ['unclear: retries at growing intervals', 'withdrawn', 'unclear', 3, lark, { step: 'again', delayMs: 960_000 }],
  ['an unclear outcome until the end', 'withdrawn', 'unclear', 6, lark, done(null, 'unclear')],
] as const)('%s', (_, requested, result, attempts, line, step) => {
  expect(decideAfterUpdate(requested, result, attempts, line)).toEqual(step)
})

test.each([
  ['recalled', 1, done('recalled')],
  ['refused', 1, done(null, 'too_late')],
  ['unclear', 2, { step: 'again', delayMs: 240_000 }],
  ['unclear', 6, done(null, 'unclear')],
] as const)('handles recall result %s at attempt %i', (result, attempts, step) => {
  expect(decideAfterRecall(result, attempts)).toEqual(step)
})
