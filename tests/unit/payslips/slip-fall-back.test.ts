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
  ['to the next one', [of('platform')], all, everything, plenty, ['sms']],
  ['never back to one before', [of('sms')], ['platform', 'sms'], everything, plenty, [null]],
  ['in the order of the plan', [of('sms')], ['sms', 'link', 'email'], everything, plenty, ['link']],
  ['past one that does not reach him', [of('sms', { recipient: { ...person, email: '' } })], all, everything, plenty, ['link']],
  ['past one that the company has switched off', [of('platform')], all, { ...everything, sms: false }, plenty, ['email']],
  ['past SMS when they do not suffice', [of('platform')], all, everything, { remaining: 1, segmentsPerMessage: 2 }, ['email']],
  [
    'as far as they suffice',
    [of('platform'), of('platform')],
    ['platform', 'sms'],
    everything,
    { remaining: 3, segmentsPerMessage: 2 },
    ['sms', null],
  ],
  ['not by one that may have left already', [of('platform', { used: ['sms'] })], all, everything, plenty, ['email']],
  ['who has left goes nowhere', [of('platform', { code: 'left' })], all, everything, plenty, [null]],
  ['nor who is somebody else', [of('platform', { code: 'identity' })], all, everything, plenty, [null]],
  ['nor what was withdrawn', [of('platform', { code: 'withdrawn' })], all, everything, plenty, [null]],
  ['the last way', [of('link')], all, everything, plenty, [null]],
  ['a way that the plan does not know', [of('platform')], ['sms'], everything, plenty, [null]],
])('%s', (_, people, order, permitted, purse, ways) => {
  expect(selectFallbackChannels(people, order, permitted, purse)).toEqual(ways)
})
