/** Decides which notifications are sent outside the app, through which channels and when. */

import { hasPower, type Power } from '../../../contract/access.ts'
import { type NotificationKind, notificationKinds, notificationPowers } from '../../../contract/notifications/kinds.ts'
import { isContactHour } from '../../../rules/contact-hours.ts'

export type NotificationPreference = { readonly kind: NotificationKind; readonly chat: boolean; readonly mail: boolean }

/** Urgent kinds, sent by chat by default where chat is available. Mail is opt-in. */
const defaultChatKinds: ReadonlySet<NotificationKind> = new Set(['failed', 'feedback', 'approval', 'security'])

/** Returns the kinds that a user with these powers may receive, with their saved preferences or else the defaults. */
export function mergeNotificationPreferences(
  power: readonly Power[],
  saved: readonly NotificationPreference[],
): NotificationPreference[] {
  const savedByKind = new Map(saved.map((one) => [one.kind, one]))
  return notificationKinds
    .filter((kind) => hasPower(power, notificationPowers[kind] ?? power))
    .map((kind) => savedByKind.get(kind) ?? { kind, chat: defaultChatKinds.has(kind), mail: false })
}

/** A notification read in the app within a minute is not sent through any other channel. */
export const notifyDelayMs = 60_000
/** Older notifications are no longer sent. */
const maxNotificationAgeMs = 24 * 3_600_000

export type PendingNotification = {
  readonly id: string
  readonly kind: NotificationKind
  readonly created_at: Date
  readonly read: boolean
}
/** One message for all pending notifications: their number, their kinds, and the first id, which identifies the message. */
export type NotificationDigest = { readonly count: number; readonly kinds: readonly NotificationKind[]; readonly firstId: string }
export type NotificationPlan = {
  /** Notifications that need no further check. */
  readonly handledIds: readonly string[]
  readonly chat: NotificationDigest | null
  readonly mail: NotificationDigest | null
}

/** `has`: the channels of this user. At night only notifications about their own account are sent; the rest wait. */
export function planNotifications(
  pending: readonly PendingNotification[],
  preferences: readonly NotificationPreference[],
  { now, has }: { readonly now: Date; readonly has: { readonly chat: boolean; readonly mail: boolean } },
): NotificationPlan {
  const getAgeMs = ({ created_at }: PendingNotification) => now.getTime() - created_at.getTime()
  const preferenceByKind = new Map(preferences.map((one) => [one.kind, one]))
  const due = pending.filter((one) => getAgeMs(one) >= notifyDelayMs && (one.kind === 'security' || isContactHour(now)))
  const unread = due.filter((one) => !one.read && getAgeMs(one) < maxNotificationAgeMs)
  const createDigest = (channel: 'chat' | 'mail'): NotificationDigest | null => {
    const included = has[channel] ? unread.filter(({ kind }) => preferenceByKind.get(kind)?.[channel]) : []
    const [first] = included
    if (!first) return null
    return {
      count: included.length,
      kinds: notificationKinds.filter((kind) => included.some((one) => one.kind === kind)),
      firstId: first.id,
    }
  }
  const handledIds = pending
    .filter((one) => one.read || getAgeMs(one) >= maxNotificationAgeMs || due.includes(one))
    .map(({ id }) => id)
  return { handledIds, chat: createDigest('chat'), mail: createDigest('mail') }
}
