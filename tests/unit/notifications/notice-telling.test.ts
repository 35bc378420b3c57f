/** Which notifications are sent beyond the desktop, in which channels, when, and how many in one message. */
import { describe, expect, test } from 'vitest'
import { notificationKinds } from '../../../server/contract/notifications/kinds.ts'
import {
  mergeNotificationPreferences,
  type NotificationPreference,
  type PendingNotification,
  planNotifications,
} from '../../../server/modules/auth/notice/notification-plan.ts'

const getKinds = (power: ('1' | '2' | '3' | '4')[]) => mergeNotificationPreferences(power, []).map(({ kind }) => kind)

describe('notification kinds for a power over', () => {
  test.each([
    ['everything', ['4'], notificationKinds],
    ['pay', ['2'], ['failed', 'sent', 'feedback', 'unviewed', 'approval', 'phone', 'role', 'security']],
    ['people', ['3'], ['unviewed', 'approval', 'join', 'phone', 'role', 'security']],
    ['the company', ['1'], ['unviewed', 'approval', 'phone', 'role', 'security', 'service']],
    ['no power any more', [], []],
  ] as const)('%s', (_, power, kinds) => {
    expect(getKinds([...power])).toEqual(kinds)
  })
  test('uses the selected preferences, and by default chat for urgent kinds', () => {
    const ways = mergeNotificationPreferences(['2'], [{ kind: 'failed', chat: false, mail: true }])
    expect(ways.filter(({ chat }) => chat).map(({ kind }) => kind)).toEqual(['feedback', 'approval', 'security'])
    expect(ways.filter(({ mail }) => mail)).toEqual([{ kind: 'failed', chat: false, mail: true }])
  })
})

const noon = new Date('2026-11-23T12:00:00+08:00')
const night = new Date('2026-11-23T23:00:00+08:00')
const both = { chat: true, mail: true }
const everything: NotificationPreference[] = notificationKinds.map((kind) => ({ kind, chat: true, mail: true }))
const ago = (id: string, kind: PendingNotification['kind'], seconds: number, now: Date, read = false): PendingNotification => ({
  id,
  kind,
  created_at: new Date(now.getTime() - seconds * 1000),
  read,
})

describe('sending notifications', () => {
  test.each<[string, PendingNotification[], Date, string[], number]>([
    ['skips a notification younger than a minute', [ago('a', 'failed', 59, noon)], noon, [], 0],
    ['sends a notification that is one minute old', [ago('a', 'failed', 60, noon)], noon, ['a'], 1],
    ['skips a notification that was read meanwhile', [ago('a', 'failed', 90, noon, true)], noon, ['a'], 0],
    ['skips a notification of yesterday', [ago('a', 'failed', 86_400, noon)], noon, ['a'], 0],
    [
      'combines several notifications',
      [ago('a', 'failed', 90, noon), ago('b', 'feedback', 80, noon), ago('c', 'feedback', 30, noon)],
      noon,
      ['a', 'b'],
      2,
    ],
    [
      "sends at night only notifications about the user's own account",
      [ago('a', 'failed', 90, night), ago('b', 'security', 90, night)],
      night,
      ['b'],
      1,
    ],
    ['completes notifications read during the night', [ago('a', 'failed', 30, night, true)], night, ['a'], 0],
  ])('%s', (_, untold, now, done, count) => {
    const notified = planNotifications(untold, everything, { now, has: both })
    expect(notified.handledIds).toEqual(done)
    expect([notified.chat?.count ?? 0, notified.mail?.count ?? 0]).toEqual([count, count])
  })
  test('uses the selected channels that are available and names each kind once', () => {
    const untold = [ago('a', 'feedback', 90, noon), ago('b', 'feedback', 80, noon), ago('c', 'failed', 70, noon)]
    const ways = mergeNotificationPreferences(['2'], [{ kind: 'feedback', chat: false, mail: true }])
    expect(planNotifications(untold, ways, { now: noon, has: both })).toEqual({
      handledIds: ['a', 'b', 'c'],
      chat: { count: 1, kinds: ['failed'], firstId: 'c' },
      mail: { count: 2, kinds: ['feedback'], firstId: 'a' },
    })
    expect(planNotifications(untold, ways, { now: noon, has: { chat: false, mail: false } })).toEqual({
      handledIds: ['a', 'b', 'c'],
      chat: null,
      mail: null,
    })
  })
})
