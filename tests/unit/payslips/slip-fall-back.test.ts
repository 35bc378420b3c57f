/** The next channel for recipients that the previous one did not reach. */
import { expect, test } from 'vitest'
import type { Channel } from '../../../server/contract/shared/schemas.ts'
import type { EnabledChannels } from '../../../server/modules/payslips/rules/channel.ts'
import { type FailedRecipient, selectFallbackChannels } from '../../../server/modules/payslips/rules/fallback.ts'

const everything: EnabledChannels = { weChat: 1, sms: true, email: true, link: true }
const person = { isTerminated: false, mobile: '13800000000', email: 'a@b.cn', platform_user_id: 'ou_1' }
const of = (failed: Channel, more: Partial<FailedRecipient> = {}): FailedRecipient => ({
  failedChannel: failed,
  code: 'refused',
  recipient: person,
  used: [],
  ...more,
})
const all: Channel[] = ['platform', 'sms', 'email', 'link']
const plenty = { remaining: 100, segmentsPerMessage: 2 }

test.each<
  [string, FailedRecipient[], Channel[], EnabledChannels, { remaining: number; segmentsPerMessage: number }, (Channel | null)[]]
>([
  ['falls back to the next channel', [of('platform')], all, everything, plenty, ['sms']],
  ['never falls back to a previous channel', [of('sms')], ['platform', 'sms'], everything, plenty, [null]],
  ['follows the order of the plan', [of('sms')], ['sms', 'link', 'email'], everything, plenty, ['link']],
  [
    'skips a channel that does not reach the recipient',
    [of('sms', { recipient: { ...person, email: '' } })],
    all,
    everything,
    plenty,
    ['link'],
  ],
  ['skips a channel that the company disabled', [of('platform')], all, { ...everything, sms: false }, plenty, ['email']],
  ['skips SMS when they do not suffice', [of('platform')], all, everything, { remaining: 1, segmentsPerMessage: 2 }, ['email']],
  [
    'uses SMS as far as they suffice',
    [of('platform'), of('platform')],
    ['platform', 'sms'],
    everything,
    { remaining: 3, segmentsPerMessage: 2 },
    ['sms', null],
  ],
  [
    'does not fall back from a message that may have been sent',
    [of('platform', { used: ['sms'] })],
    all,
    everything,
    plenty,
    ['email'],
  ],
  ['does not fall back for a terminated member', [of('platform', { code: 'left' })], all, everything, plenty, [null]],
  ['does not fall back for a changed identity', [of('platform', { code: 'identity' })], all, everything, plenty, [null]],
  ['does not fall back for a withdrawn payslip', [of('platform', { code: 'withdrawn' })], all, everything, plenty, [null]],
  ['stops at the last channel', [of('link')], all, everything, plenty, [null]],
  ['ignores a channel that the plan does not contain', [of('platform')], ['sms'], everything, plenty, [null]],
])('%s', (_, people, order, permitted, purse, ways) => {
  expect(selectFallbackChannels(people, order, permitted, purse)).toEqual(ways)
})
