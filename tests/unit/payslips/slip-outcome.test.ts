/** Whether a message is sent, its outcome, and the history of a payslip as the administrator reads it, as tables. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Channel, type DeliveryStatus, type PayslipStatus } from '../../../server/contract/shared/schemas.ts'
import { selectChannel } from '../../../server/modules/payslips/rules/channel.ts'
import {
  checkDispatch,
  type DispatchCandidate,
  getNextInboxPoll,
  getPollDelayMs,
  parsePurpose,
  toAnswerPurpose,
} from '../../../server/modules/payslips/rules/dispatch.ts'
import { createMessageContent, getChatLink, getShortLink, maskName } from '../../../server/modules/payslips/rules/message.ts'
import { getProgressReportParams } from '../../../server/modules/payslips/rules/reminder-dates.ts'
import {
  getNextReminderNumber,
  getReminderPrefix,
  maxRemindersPerDay,
  toAutomaticReminderPurpose,
  toReminderPurpose,
} from '../../../server/modules/payslips/rules/reminder-purpose.ts'
import { buildTimeline, type TimelineInput } from '../../../server/modules/payslips/rules/timeline.ts'
import {
  decideAfterLookup,
  getBackoffMs,
  getLookupDelayMs,
  lookupWindowMs,
  maxAttempts,
} from '../../../server/outbox/rules/outcome.ts'
import { isFeedbackCode, toPartialId, toShortCode } from '../../../server/rules/short-ids.ts'

const seeded = { seed: 20_261_122, numRuns: 300 }
const channels: readonly Channel[] = ['platform', 'sms', 'link']

test.each([
  [0, 25],
  [1, 50],
  [3, 200],
  [4, 400],
  [50, 400],
])('waits after poll %i of pending messages for %i ms', (looked, ms) => {
  expect(getPollDelayMs(looked)).toBe(ms)
})

test.each([
  ['10:00:30', '10:00:00', '10:01:00'],
  // The queue's clock was ahead: its minute is polled at once.
  ['10:00:50', '10:00:00', '10:02:00'],
  ['10:09:59', '10:00:00', '10:11:00'],
  ['10:10:00', '10:00:00', '10:15:00'],
  ['10:59:00', '10:00:00', '11:00:00'],
  ['12:03:00', '10:00:00', '12:15:00'],
  ['17:30:00', '10:00:00', '18:00:00'],
])('polls at %s the bounces of mail sent at %s next at %s', (now, mailed, at) => {
  const on = (time: string, day = '20') => new Date(`2026-11-${day}T${time}+08:00`)
  expect(getNextInboxPoll(on(now), on(mailed))).toEqual(on(at))
  expect(getNextInboxPoll(on(now, '25'), on(mailed))).toBeNull()
})

describe('immediately before a message is sent', () => {
  const waiting: DispatchCandidate = {
    purpose: 'slip',
    channel: 'sms',
    version: 1,
    salary_status: 'queued',
    salary_version: 1,
    member_status: 'active',
    is_for_leaver: false,
    mobile: '13800000000',
    email: '',
    platform_user_id: 'ou_1',
    blockMessage: null,
  }
  const remind = { purpose: 'remind-2026-11-20-1' }
  const format = (change: Partial<DispatchCandidate>): string => {
    const result = checkDispatch({ ...waiting, ...change })
    return result.send ? `to ${result.to}` : `${result.status}: ${result.message}`
  }
  test.each<[string, Partial<DispatchCandidate>, string]>([
    ['a message by SMS', {}, 'to 13800000000'],
    ['by link, for the user who signs in with that phone', { channel: 'link' }, 'to 13800000000'],
    ['by the platform, to the user id instead of the phone', { channel: 'platform' }, 'to ou_1'],
    ['by SMS, with or without a binding', { platform_user_id: null }, 'to 13800000000'],
    ['a message by the platform, without a phone', { channel: 'platform', mobile: '' }, 'to ou_1'],
    ['withdrawn', { salary_status: 'withdrawn' }, 'cancelled: 工资条已撤回'],
    [
      'withdrawn and terminated: reported as withdrawn',
      { salary_status: 'withdrawn', member_status: 'left' },
      'cancelled: 工资条已撤回',
    ],
    ['a reminder of a withdrawn payslip', { ...remind, salary_status: 'withdrawn' }, 'cancelled: 工资条已撤回'],
    ['already sent', { salary_status: 'sent' }, 'cancelled: 工资条已不在待发送状态'],
    ['already confirmed', { salary_status: 'confirmed' }, 'cancelled: 工资条已不在待发送状态'],
    ['a reminder of a waiting payslip', { ...remind, salary_status: 'queued' }, 'cancelled: 员工已查看，无需提醒'],
    ['a reminder of a sent payslip', { ...remind, salary_status: 'sent' }, 'to 13800000000'],
    ['a reminder of a viewed payslip', { ...remind, salary_status: 'viewed' }, 'cancelled: 员工已查看，无需提醒'],
    [
      'an automatic reminder',
      { purpose: toAutomaticReminderPurpose('2026-11-20'), salary_status: 'viewed' },
      'cancelled: 员工已查看，无需提醒',
    ],
    [
      'a reply, whatever the status of the payslip',
      { purpose: toAnswerPurpose('1'), salary_status: 'confirmed', salary_version: 3 },
      'to 13800000000',
    ],
    ['the last correction', { purpose: 'corrected', version: 3, salary_version: 3, salary_status: 'viewed' }, 'to 13800000000'],
    [
      'the previous correction',
      { purpose: 'corrected', version: 2, salary_version: 3, salary_status: 'viewed' },
      'cancelled: 已有更新的更正',
    ],
    [
      'terminated after the plan',
      { member_status: 'left' },
      'failed: 员工在确认发送之后离职，没有发送；仍要发给本人，请单独点「重发」',
    ],
    ['terminated before, and confirmed by an administrator', { member_status: 'left', is_for_leaver: true }, 'to 13800000000'],
    ['not joined yet', { member_status: 'invited' }, 'to 13800000000'],
    ['no phone', { mobile: '' }, 'failed: 员工没有手机号，请补充后重发'],
    ['by link, without a phone', { channel: 'link', mobile: '' }, 'failed: 员工没有手机号，请补充后重发'],
    ['unlinked meanwhile', { channel: 'platform', platform_user_id: null }, 'failed: 员工没有绑定办公平台，请改用短信或链接'],
  ])('%s', (_, change, expected) => expect(format(change)).toBe(expected))

  test('sends a first message only for a waiting payslip, whatever else applies', () => {
    const statuses: readonly PayslipStatus[] = ['queued', 'sent', 'viewed', 'confirmed', 'withdrawn']
    fc.assert(
      fc.property(
        fc.constantFrom(...statuses),
        fc.constantFrom(...channels),
        fc.nat(5),
        (salary_status, channel, salary_version) => {
          expect(checkDispatch({ ...waiting, salary_status, channel, salary_version }).send).toBe(salary_status === 'queued')
        },
      ),
      seeded,
    )
  })
})

describe('attempt with an unknown outcome', () => {
  test.each([
    ['may be sent again at the end of the window', 'none', 1, lookupWindowMs, 'send'],
    ['is unknown a moment later', 'none', 1, lookupWindowMs + 1, 'unknown'],
    ['may be followed by an attempt after the seventh', 'none', maxAttempts - 1, 0, 'send'],
    ['may not be followed by an attempt after the eighth', 'none', maxAttempts, 0, 'unknown'],
    ['is uncertain at the end of the window', 'unsure', 1, lookupWindowMs, 'later'],
    ['is uncertain after eight attempts: queried, not sent', 'unsure', maxAttempts, 0, 'later'],
  ] as const)('%s', (_, match, attempts, since_ms, result) =>
    expect(decideAfterLookup({ match, attempts, since_ms })).toBe(result),
  )

  test('repeats an attempt only if the gateway certainly has none, in time and within the limit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('taken', 'none', 'unsure', 'silent' as const),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 3 * lookupWindowMs }),
        (match, attempts, since_ms) => {
          const sends = decideAfterLookup({ match, attempts, since_ms }) === 'send'
          expect(sends).toBe(match === 'none' && attempts < maxAttempts && since_ms <= lookupWindowMs)
        },
      ),
      seeded,
    )
  })

  test.each([
    ['soon after, as after an attempt', 1, 0, 5_000],
    ['after a quarter of the elapsed time', 1, 60_000, 15_000],
    ['after an hour, in a quarter of an hour', 8, 3_600_000, 900_000],
    ['sooner than the next attempt', 7, 1_000, 15_000],
  ])('queries an unknown attempt again %s', (_, attempts, since_ms, wait) =>
    expect(getLookupDelayMs(attempts, since_ms)).toBe(wait),
  )

  test.each([
    ["once the gateway's records are complete, where it states when", 45_000, 15_000, 11_250],
    ['not a moment later', 56_000, 4_000, 4_000],
  ])('queries an unknown attempt again %s', (_, since_ms, tells_in_ms, wait) =>
    expect(getLookupDelayMs(1, since_ms, tells_in_ms)).toBe(wait),
  )

  test.each([
    [0, 5_000],
    [1, 5_000],
    [7, 900_000],
    [8, 900_000],
    [99, 900_000],
  ])('waits after attempt %i for %i ms', (attempts, wait) => expect(getBackoffMs(attempts)).toBe(wait))

  test('waits increasingly long, with a jitter of at most a fifth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, spread) => {
        const middle = getBackoffMs(attempts)
        expect(getBackoffMs(attempts, spread)).toBeGreaterThanOrEqual(Math.floor(middle * 0.8))
        expect(getBackoffMs(attempts, spread)).toBeLessThanOrEqual(Math.ceil(middle * 1.2))
        expect(getBackoffMs(attempts + 1)).toBeGreaterThan(middle)
      }),
      seeded,
    )
  })
})

describe('choice of the channel', () => {
  test('selects the first preferred channel that reaches the recipient, and no chat platform for terminated members', () => {
    const options = fc.record({
      person: fc.record({
        isTerminated: fc.boolean(),
        mobile: fc.constantFrom('', '13800000000'),
        email: fc.constantFrom('', 'a@b.cn'),
        platform_user_id: fc.constantFrom(null, 'ou_1'),
      }),
      permitted: fc.record({ weChat: fc.constantFrom<0 | 1>(0, 1), sms: fc.boolean(), email: fc.boolean(), link: fc.boolean() }),
      wished: fc.shuffledSubarray([...channels]),
    })
    fc.assert(
      fc.property(options, ({ person, permitted, wished }) => {
        const reaches = (channel: Channel) =>
          channel === 'platform'
            ? permitted.weChat === 1 && person.platform_user_id !== null && !person.isTerminated
            : permitted[channel] && person.mobile !== '' && (channel !== 'email' || person.email !== '')
        const selected = selectChannel(person, wished, permitted)
        expect(selected).toBe(wished.filter(reaches)[0] ?? null)
      }),
      seeded,
    )
  })
})

describe('reminders', () => {
  test.each([
    [-1, 0],
    [0, 1],
    [maxRemindersPerDay - 1, maxRemindersPerDay],
    [maxRemindersPerDay, null],
    [maxRemindersPerDay + 1, null],
  ])('returns after %i today as the next %s', (today, next) => expect(getNextReminderNumber(today)).toBe(next))

  test('uses a common prefix within a day and different ones on two days', () => {
    for (const purpose of [
      toReminderPurpose('2026-11-20', 1),
      toReminderPurpose('2026-11-20', 3),
      toAutomaticReminderPurpose('2026-11-20'),
    ]) {
      expect(purpose.startsWith(getReminderPrefix('2026-11-20'))).toBe(true)
      expect(purpose.startsWith(getReminderPrefix('2026-11-2'))).toBe(false)
      expect(purpose.startsWith(getReminderPrefix('2026-11-21'))).toBe(false)
      expect(parsePurpose(purpose)).toBe('remind')
    }
  })

  test.each([
    ['one batch', [{ title: '十月工资', unviewed: 3, unconfirmed: 5 }], { title: '十月工资', unviewed: '3', unconfirmed: '5' }],
    [
      'three batches: the first by name, all in the counts',
      [
        { title: '十月工资', unviewed: 1, unconfirmed: 0 },
        { title: '奖金', unviewed: 2, unconfirmed: 4 },
        { title: '补发', unviewed: 0, unconfirmed: 6 },
      ],
      { title: '十月工资等3批', unviewed: '3', unconfirmed: '10' },
    ],
    [
      'a long title cut by characters, not bytes',
      [{ title: '😀'.repeat(30), unviewed: 1, unconfirmed: 0 }],
      { title: '😀'.repeat(20), unviewed: '1', unconfirmed: '0' },
    ],
    ['none', [], { title: '', unviewed: '0', unconfirmed: '0' }],
  ])('names in a message: %s', (_, batches, params) => expect(getProgressReportParams(batches)).toEqual(params))
})

describe('message text', () => {
  const salary_id = '01890000-0000-7000-8000-000000000001'
  test.each([
    ['slip', 1, `/m/slip/${salary_id}`],
    ['corrected', 2, `/m/slip/${salary_id}?v=2`],
    ['remind-2026-11-20-2', 2, `/m/slip/${salary_id}?r=202611202`],
    ['remind-2026-11-20-auto', 1, `/m/slip/${salary_id}?r=20261120auto`],
    [toAnswerPurpose('01-02'), 1, `/m/feedback/${salary_id}?a=0102`],
  ])('signs in through /entry from a card about %s of version %i and leads to %s', (purpose, version, page) => {
    const { origin, pathname, searchParams } = new URL(getChatLink('https://x.cn', { salary_id, version, purpose }))
    expect([origin, pathname, [...searchParams]]).toEqual(['https://x.cn', '/entry', [['page', page]]])
  })
  test('names a payslip in a short link by 11 characters, which are a part of its id', () => {
    expect(getShortLink('', { salary_id, purpose: 'slip' })).toBe('/s/gAAAAAAAAAE')
    expect(toPartialId('gAAAAAAAAAE')).toBe('00000000-0000-7000-8000-000000000001')
    for (const other of ['gAAAAAAAAA', 'gAAAAAAAAAE1', 'AAAAAAAAAAE', '../../x/../x']) expect(toPartialId(other)).toBe(null)
  })
  test('names the feedback on a payslip in a short link of the same length', () => {
    expect(getShortLink('', { salary_id, purpose: toAnswerPurpose('01-02') })).toBe('/s/gAAAAAAAAAF')
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), (id) => {
        const [payslip, thread] = [toShortCode(id), toShortCode(id, { isFeedback: true })]
        expect([payslip.length, thread.length]).toEqual([11, 11])
        expect(toPartialId(thread)).toBe(toPartialId(payslip))
        expect([isFeedbackCode(payslip), isFeedbackCode(thread)]).toEqual([false, true])
      }),
    )
  })
  test('gives a reminder the kind remind and contains only company, title and link', () => {
    const message = createMessageContent({ corp_name: '甲', title: '工资', purpose: 'remind-2026-11-20-1', link: 'https://x.cn' })
    expect(message).toEqual({ kind: 'remind', params: { corp: '甲', title: '工资', link: 'https://x.cn' } })
  })
  test('shows only the first character of a masked name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 2, maxLength: 30 }), (name) => {
        const [first = ''] = name
        expect(maskName(name)).toMatch(/\*{1,3}$/)
        expect(maskName(name).replace(/\*{1,3}$/, '').length).toBeLessThanOrEqual(first.length)
      }),
      seeded,
    )
  })
})

describe('history of a payslip', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 2, minute))
  const nothing: TimelineInput = {
    deliveries: [],
    changes: [],
    viewed_at: null,
    confirmed_at: null,
    confirmed_auto: false,
    withdrawn_at: null,
    withdrawn_reason: null,
    previousVersions: [],
    feedback: [],
  }
  const message = (
    purpose: string,
    channel: Channel,
    status: DeliveryStatus,
    more: Partial<TimelineInput['deliveries'][number]> = {},
  ) => ({
    purpose,
    channel,
    status,
    code: null,
    message: null,
    created_at: at(0),
    done_at: at(1),
    delivered_at: null,
    ...more,
  })
  const read = (notified: Partial<TimelineInput>): string[] =>
    buildTimeline({ ...nothing, ...notified }).map(({ kind, text }) => `${kind} ${text}`)
  test.each<[string, Partial<TimelineInput>, string[]]>([
    ['has no events', {}, []],
    ['waits for sending', { deliveries: [message('slip', 'sms', 'queued', { done_at: null })] }, ['queued 安排发送（短信）']],
    [
      'a message by SMS',
      { deliveries: [message('slip', 'sms', 'accepted')] },
      ['queued 安排发送（短信）', 'sent 已通过短信发送'],
    ],
    [
      'was sent by SMS and delivered',
      { deliveries: [message('slip', 'sms', 'accepted', { delivered_at: at(4) })] },
      ['queued 安排发送（短信）', 'sent 已通过短信发送', 'delivered 短信已送达手机'],
    ],
    [
      'was sent by SMS and not delivered',
      { deliveries: [message('slip', 'sms', 'failed', { code: 'undelivered', message: '短信未送达：号码是空号' })] },
      ['queued 安排发送（短信）', 'failed 短信未送达：号码是空号'],
    ],
    [
      'was sent by the platform',
      { deliveries: [message('slip', 'platform', 'accepted')] },
      ['queued 安排发送（办公平台）', 'sent 已通过办公平台发送'],
    ],
    [
      'was released by link without a message',
      { deliveries: [message('slip', 'link', 'accepted')] },
      ['queued 安排发送（链接）', 'sent 已发放，员工登录后可查看'],
    ],
    [
      'failed without a reason',
      { deliveries: [message('slip', 'platform', 'failed')] },
      ['queued 安排发送（办公平台）', 'failed 办公平台发送失败：原因不明'],
    ],
    [
      'failed, then was sent through another channel',
      {
        deliveries: [
          message('slip', 'platform', 'failed', { message: '未安装应用' }),
          message('slip', 'sms', 'accepted', { created_at: at(2), done_at: at(3) }),
        ],
      },
      ['queued 安排发送（办公平台）', 'failed 办公平台发送失败：未安装应用', 'queued 安排发送（短信）', 'sent 已通过短信发送'],
    ],
    [
      'has an unknown outcome',
      { deliveries: [message('slip', 'sms', 'unknown')] },
      ['queued 安排发送（短信）', 'sent 已发放；短信通知是否送达无法确认，系统不会自动重发'],
    ],
    [
      'keeps views and confirmations before a correction',
      {
        previousVersions: [
          { viewed_at: at(2), confirmed_at: at(3), confirmed_auto: false, withdrawn_at: null, withdrawn_reason: null },
        ],
        changes: [{ version: 2, at: at(4), by: '王会计', reason: '漏了补贴' }],
        viewed_at: at(5),
      },
      ['viewed 员工已查看', 'confirmed 员工已确认', 'corrected 王会计 更正为第 2 版：漏了补贴', 'viewed 员工已查看'],
    ],
    [
      'was withdrawn and sent again',
      {
        previousVersions: [
          { viewed_at: null, confirmed_at: null, confirmed_auto: false, withdrawn_at: at(2), withdrawn_reason: '算错' },
        ],
        viewed_at: at(5),
      },
      ['withdrawn 已撤回：算错', 'viewed 员工已查看'],
    ],
    ['has a reminder', { deliveries: [message('remind-2026-11-20-1', 'platform', 'accepted')] }, ['reminded 已通过办公平台提醒']],
    [
      'has a failed reminder',
      { deliveries: [message('remind-2026-11-20-1', 'sms', 'failed', { message: '空号' })] },
      ['failed 短信发送失败：空号'],
    ],
    ['has an unnecessary reminder', { deliveries: [message('remind-2026-11-20-1', 'sms', 'cancelled')] }, []],
    ['shows a reply instead of its notification', { deliveries: [message(toAnswerPurpose('1'), 'sms', 'accepted')] }, []],
    ['shows a correction instead of its notification', { deliveries: [message('corrected', 'sms', 'accepted')] }, []],
    ['was confirmed by the employee', { viewed_at: at(1), confirmed_at: at(2) }, ['viewed 员工已查看', 'confirmed 员工已确认']],
    ['was confirmed automatically without a view', { confirmed_at: at(2), confirmed_auto: true }, ['confirmed 到期自动确认']],
    ['was withdrawn without a reason', { withdrawn_at: at(2) }, ['withdrawn 已撤回']],
    [
      'has two corrections, each once',
      { changes: [1, 2, 2, 3].map((version) => ({ version, at: at(version), by: '王会计', reason: '补贴' })) },
      ['corrected 王会计 更正为第 1 版：补贴', 'corrected 王会计 更正为第 2 版：补贴', 'corrected 王会计 更正为第 3 版：补贴'],
    ],
    [
      'has a question and its reply',
      {
        feedback: [
          { at: at(4), side: 'admin' },
          { at: at(3), side: 'employee' },
        ],
      },
      ['feedback 员工提交了反馈', 'feedback 管理员回复了反馈'],
    ],
    [
      'was sent, reminded, viewed, confirmed, corrected in two cells at once, questioned, withdrawn',
      {
        deliveries: [
          message('slip', 'sms', 'accepted'),
          message('remind-2026-11-20-1', 'sms', 'accepted', { created_at: at(5), done_at: at(6) }),
        ],
        viewed_at: at(7),
        confirmed_at: at(8),
        changes: [2, 2].map((version) => ({ version, at: at(9), by: '王会计', reason: '漏了补贴' })),
        feedback: [{ at: at(10), side: 'employee' }],
        withdrawn_at: at(11),
        withdrawn_reason: '算错',
      },
      [
        'queued 安排发送（短信）',
        'sent 已通过短信发送',
        'reminded 已通过短信提醒',
        'viewed 员工已查看',
        'confirmed 员工已确认',
        'corrected 王会计 更正为第 2 版：漏了补贴',
        'feedback 员工提交了反馈',
        'withdrawn 已撤回：算错',
      ],
    ],
    [
      'has all events in one instant, in the only possible order',
      {
        deliveries: [message('slip', 'sms', 'accepted', { created_at: at(1) })],
        viewed_at: at(1),
        confirmed_at: at(1),
        withdrawn_at: at(1),
      },
      ['queued 安排发送（短信）', 'sent 已通过短信发送', 'viewed 员工已查看', 'confirmed 员工已确认', 'withdrawn 已撤回'],
    ],
  ])('%s', (_, notified, story) => expect(read(notified)).toEqual(story))
})
