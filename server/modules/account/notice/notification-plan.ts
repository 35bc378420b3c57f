/** Which notices are told outside of the desk, by which ways, and when. */

import { hasPower, type Power } from '../../../contract/access.ts'
import { type NotificationKind, notificationKinds, notificationPowers } from '../../../contract/notifications/kinds.ts'
import { isContactHour } from '../../../rules/contact-hours.ts'

export type NotificationPreference = { readonly kind: NotificationKind; readonly chat: boolean; readonly mail: boolean }

/** What cannot wait until somebody happens to look: by chat, where there is one. Mail is chosen. */
const defaultChatKinds: ReadonlySet<NotificationKind> = new Set(['failed', 'feedback', 'approval', 'security'])

/** The kinds that somebody with these powers may be told, with what he chose, else what is usual. */
export function mergeNotificationPreferences(
  power: readonly Power[],
  saved: readonly NotificationPreference[],
): NotificationPreference[] {
  const savedByKind = new Map(saved.map((one) => [one.kind, one]))
  return notificationKinds
    .filter((kind) => hasPower(power, notificationPowers[kind] ?? power))
    .map((kind) => savedByKind.get(kind) ?? { kind, chat: defaultChatKinds.has(kind), mail: false })
}

/** Whoever sits at the desk reads it there: what was read within a minute is told nowhere else. */
export const notifyDelayMs = 60_000
/** News older than that is none. */
const maxNotificationAgeMs = 24 * 3_600_000

export type PendingNotification = {
  readonly id: string
  readonly kind: NotificationKind
  readonly created_at: Date
  readonly read: boolean
}
/** One message of all of them: how many, of what kinds, and by which of them it is known again. */
export type NotificationDigest = { readonly count: number; readonly kinds: readonly NotificationKind[]; readonly firstId: string }
export type NotificationPlan = {
  /** These need not be looked at again. */
  readonly handledIds: readonly string[]
  readonly chat: NotificationDigest | null
  readonly mail: NotificationDigest | null
}

/** `has`: which ways there are for this person. At night only what is about one's own account is told; the rest waits for the morning. */
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
  return { handledIds: handledIds, chat: createDigest('chat'), mail: createDigest('mail') }
}
