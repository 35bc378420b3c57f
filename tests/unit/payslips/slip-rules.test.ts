/** The rules of sending as tables. */
import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../server/contract/messages/rendering.ts'
import { type Channel, sanitizeName } from '../../../server/contract/shared/schemas.ts'
import { assignChannels, type EnabledChannels, selectChannel } from '../../../server/modules/payslips/rules/channel.ts'
import { checkDispatch, type DispatchCandidate } from '../../../server/modules/payslips/rules/dispatch.ts'
import { createMessageContent, getChatLink, maskName } from '../../../server/modules/payslips/rules/message.ts'
import { getClosesAt, parsePayslipRules } from '../../../server/modules/payslips/rules/payslip-rules.ts'
import {
  getNextReminderNumber,
  getReminderPrefix,
  toReminderPurpose,
} from '../../../server/modules/payslips/rules/reminder-purpose.ts'
import {
  decideAfterError,
  decideAfterLookup,
  getBackoffMs,
  lookupWindowMs,
  maxAttempts,
} from '../../../server/outbox/rules/outcome.ts'

describe('channel of a payslip', () => {
  const everything: EnabledChannels = { weChat: 1, sms: true, email: true, link: true }
  const bound = { isTerminated: false, mobile: '13800000000', email: '', platform_user_id: 'ou_1' }
  const unbound = { ...bound, platform_user_id: null }
  const all: Channel[] = ['platform', 'sms', 'link']
  test.each([
    ['linked to the platform, all channels', bound, all, everything, 'platform'],
    ['not linked: the next channel', unbound, all, everything, 'sms'],
    ['uses the requested order', bound, ['sms', 'platform'], everything, 'sms'],
    ['the company disabled SMS', unbound, all, { ...everything, sms: false }, 'link'],
    ['the company disabled chat', bound, all, { ...everything, weChat: 0 }, 'sms'],
    ['only the platform requested, not linked', unbound, ['platform'], everything, null],
    ['every channel disabled', bound, all, { weChat: 0, sms: false, email: false, link: false }, null],
    ['without a phone nobody can sign in', { ...unbound, mobile: '' }, all, everything, null],
    ['mail with an address', { ...unbound, email: 'a@b.cn' }, ['email', 'sms'], everything, 'email'],
    ['mail without an address', unbound, ['email', 'sms'], everything, 'sms'],
    ['the company has no mailbox', { ...unbound, email: 'a@b.cn' }, ['email', 'link'], { ...everything, email: false }, 'link'],
    ['terminated: not by the platform', { ...bound, isTerminated: true }, all, everything, 'sms'],
    ['terminated, with only the platform selected', { ...bound, isTerminated: true }, ['platform'], everything, null],
  ] as const)('%s', (_, person, channels, permitted, selected) => {
    expect(selectChannel(person, channels, permitted)).toBe(selected)
  })
})

describe('low message balance', () => {
  const everything: EnabledChannels = { weChat: 1, sms: true, email: true, link: true }
  const bound = { isTerminated: false, mobile: '13800000000', email: '', platform_user_id: 'ou_1' }
  const phone = { ...bound, platform_user_id: null }
  const removed = { ...bound, isTerminated: true }
  test.each([
    ['enough messages for all', [phone, phone], ['sms', 'link'], { remaining: 2, segmentsPerMessage: 1 }, ['sms', 'sms']],
    [
      'the last member uses the next selected channel',
      [phone, phone],
      ['sms', 'link'],
      { remaining: 1, segmentsPerMessage: 1 },
      ['sms', 'link'],
    ],
    [
      'never uses a preceding channel',
      [phone, phone],
      ['link', 'sms'],
      { remaining: 0, segmentsPerMessage: 1 },
      ['link', 'link'],
    ],
    [
      'uses the platform where it was selected next',
      [bound, phone],
      ['sms', 'platform'],
      { remaining: 0, segmentsPerMessage: 1 },
      ['platform', 'short'],
    ],
    ['no next channel selected', [phone, phone], ['sms'], { remaining: 1, segmentsPerMessage: 1 }, ['sms', 'short']],
    [
      'members reached by the platform cost no message',
      [bound, phone],
      ['platform', 'sms'],
      { remaining: 1, segmentsPerMessage: 1 },
      ['platform', 'sms'],
    ],
    [
      'terminated members are not reached by the platform',
      [removed, phone],
      ['platform', 'sms'],
      { remaining: 2, segmentsPerMessage: 1 },
      ['sms', 'sms'],
    ],
    [
      'two segments each: half of a message is not sent',
      [phone, phone],
      ['sms', 'link'],
      { remaining: 3, segmentsPerMessage: 2 },
      ['sms', 'link'],
    ],
    [
      'members without a phone need no message',
      [{ ...phone, mobile: '' }],
      ['sms'],
      { remaining: 0, segmentsPerMessage: 1 },
      [null],
    ],
  ] as const)('%s', (_, people, channels, purse, ways) => {
    expect(assignChannels(people, channels, everything, purse)).toEqual(ways)
  })
})

describe('outcome of a message', () => {
  test('makes eight attempts with growing intervals, all inside the window', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => getBackoffMs(attempts))
    expect(waits).toEqual([5, 15, 45, 120, 300, 600, 900].map((seconds) => seconds * 1000))
    const longest = [1, 2, 3, 4, 5, 6, 7].reduce((sum, attempts) => sum + getBackoffMs(attempts, 1), 0)
    expect(longest).toBeLessThan(lookupWindowMs)
    expect(getBackoffMs(3, 0)).toBe(36_000)
    expect(getBackoffMs(3, 1)).toBe(54_000)
    expect(decideAfterError(maxAttempts - 1)).toBe('retry')
    expect(decideAfterError(maxAttempts)).toBe('unknown')
  })
  test.each([
    ['the gateway has the message: never again', 'taken', 1, 0, 'accepted'],
    ['the gateway has the message, however late', 'taken', 8, lookupWindowMs * 5, 'accepted'],
    ['the gateway does not know the message', 'none', 1, 60_000, 'send'],
    ["the gateway's memory may have ended", 'none', 1, lookupWindowMs + 1, 'unknown'],
    ['the attempts are used up', 'none', 8, 1000, 'unknown'],
    ['the gateway cannot be queried', 'silent', 3, 1000, 'later'],
    ['the gateway cannot be queried for an hour', 'silent', 3, lookupWindowMs + 1, 'later'],
    ["the gateway's records are delayed: not repeated", 'unsure', 1, 60_000, 'later'],
    ["the gateway's records stay delayed", 'unsure', 1, lookupWindowMs + 1, 'unknown'],
  ] as const)('%s', (_, match, attempts, since_ms, result) => {
    expect(decideAfterLookup({ match, attempts, since_ms })).toBe(result)
  })

  const slip: DispatchCandidate = {
    purpose: 'slip',
    channel: 'sms',
    version: 1,
    salary_status: 'queued',
    salary_version: 1,
    member_status: 'active',
    is_for_leaver: false,
    mobile: '13800000000',
    email: '',
    platform_user_id: null,
    blockMessage: null,
  }
  test.each([
    ['a waiting payslip', {}, 'send'],
    ['a member who has not joined yet and may sign in later', { member_status: 'invited' }, 'send'],
    ['corrected while waiting: the link leads to the new version', { salary_version: 2 }, 'send'],
    ['withdrawn', { salary_status: 'withdrawn' }, 'cancelled'],
    ['already released', { salary_status: 'sent' }, 'cancelled'],
    ['the member is terminated', { member_status: 'left' }, 'failed'],
    ['no phone', { mobile: '' }, 'failed'],
    ['platform, no longer linked', { channel: 'platform' }, 'failed'],
    ['a reminder, not viewed yet', { purpose: 'remind-2026-11-20-1', salary_status: 'sent' }, 'send'],
    ['a reminder, viewed meanwhile', { purpose: 'remind-2026-11-20-1', salary_status: 'viewed' }, 'cancelled'],
    ['a correction', { purpose: 'corrected', version: 2, salary_version: 2, salary_status: 'sent' }, 'send'],
    [
      'a correction followed by another one',
      { purpose: 'corrected', version: 2, salary_version: 3, salary_status: 'sent' },
      'cancelled',
    ],
  ] as const)('decides for a message: %s → %s', (_, change, expected) => {
    const result = checkDispatch({ ...slip, ...change })
    expect(result.send ? 'send' : result.status).toBe(expected)
  })
})

describe('message text', () => {
  const salary_id = '01890000-0000-7000-8000-000000000001'
  test('a message states what and where, and nothing else', () => {
    const link = getChatLink('https://x.cn', { salary_id, version: 1, purpose: 'slip' })
    expect(createMessageContent({ corp_name: '甲公司', title: '2026年10月工资', purpose: 'slip', link })).toEqual({
      kind: 'slip',
      params: { corp: '甲公司', title: '2026年10月工资', link: `https://x.cn/entry?page=/m/slip/${salary_id}` },
    })
  })
  test('differs for every version and reminder, so that no platform treats it as a repetition', () => {
    const texts = [
      ['slip', 1],
      ['corrected', 2],
      ['corrected', 3],
      ['remind-2026-11-20-1', 1],
      ['remind-2026-11-20-2', 1],
      ['remind-2026-11-21-1', 1],
    ] as const
    const all = texts.map(([purpose, version]) =>
      renderMessage(
        createMessageContent({
          corp_name: '甲',
          title: '工资',
          purpose,
          link: getChatLink('https://x.cn', { salary_id, version, purpose }),
        }),
      ),
    )
    expect(new Set(all).size).toBe(texts.length)
  })
  test.each([
    ['【招商银行】您的账户', '招商银行您的账户'],
    ['工资 http://evil.cn/a 请点击', '工资 请点击'],
    ['十月\u202e资工\n', '十月资工'],
    ['   ', ''],
    ['甲'.repeat(60), '甲'.repeat(40)],
  ])('does not let a title impersonate a bank: %j', (provided, plain) => {
    expect(sanitizeName(provided, 40)).toBe(plain)
  })
  test('masks names', () => {
    expect([maskName('张三'), maskName('欧阳小娜'), maskName('李'), maskName('')]).toEqual(['张*', '欧***', '李*', '*'])
  })
})

test('allows three reminders a day', () => {
  expect([0, 1, 2, 3, 9].map(getNextReminderNumber)).toEqual([1, 2, 3, null, null])
  expect(toReminderPurpose('2026-11-20', 2)).toBe('remind-2026-11-20-2')
  expect(toReminderPurpose('2026-11-20', 2).startsWith(getReminderPrefix('2026-11-20'))).toBe(true)
})

test('closes a payslip some minutes after the first view', () => {
  const at = new Date('2026-11-20T10:00:00+08:00')
  expect(getClosesAt(parsePayslipRules({}), at)).toBe(null)
  expect(getClosesAt(parsePayslipRules({ burn_after_minutes: 30 }), null)).toBe(null)
  expect(getClosesAt(parsePayslipRules({ burn_after_minutes: 30 }), at)).toEqual(new Date('2026-11-20T10:30:00+08:00'))
})
