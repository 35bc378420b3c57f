/** Which notices are told outside of the desk, by which ways, and when. */
import { type NoticeKind, noticeKinds, noticeReaders } from '../../../contract/people/notices.ts'
import { holds, type Power } from '../../../contract/who.ts'
import { mayDisturb } from '../../../rules/hours.ts'

export type NoticeWay = { readonly kind: NoticeKind; readonly chat: boolean; readonly mail: boolean }

/** What cannot wait until somebody happens to look: by chat, where there is one. Mail is chosen. */
const usualChat: ReadonlySet<NoticeKind> = new Set(['failed', 'feedback', 'approval', 'security'])

/** The kinds that somebody with these powers may be told, with what he chose, else what is usual. */
export function waysOf(power: readonly Power[], chosen: readonly NoticeWay[]): NoticeWay[] {
  const own = new Map(chosen.map((one) => [one.kind, one]))
  return noticeKinds
    .filter((kind) => holds(power, noticeReaders[kind] ?? power))
    .map((kind) => own.get(kind) ?? { kind, chat: usualChat.has(kind), mail: false })
}

/** Whoever sits at the desk reads it there: what was read within a minute is told nowhere else. */
export const patience_ms = 60_000
/** News older than that is none. */
const news_ms = 24 * 3_600_000

export type UntoldNotice = { readonly id: string; readonly kind: NoticeKind; readonly created_at: Date; readonly read: boolean }
/** One message of all of them: how many, of what kinds, and by which of them it is known again. */
export type News = { readonly count: number; readonly kinds: readonly NoticeKind[]; readonly first: string }
export type Telling = {
  /** These need not be looked at again. */
  readonly done: readonly string[]
  readonly chat: News | null
  readonly mail: News | null
}

/** `has`: which ways there are for this person. At night only what is about one's own account is told; the rest waits for the morning. */
export function tellingOf(
  untold: readonly UntoldNotice[],
  ways: readonly NoticeWay[],
  { now, has }: { readonly now: Date; readonly has: { readonly chat: boolean; readonly mail: boolean } },
): Telling {
  const ageOf = ({ created_at }: UntoldNotice) => now.getTime() - created_at.getTime()
  const wayOf = new Map(ways.map((one) => [one.kind, one]))
  const due = untold.filter((one) => ageOf(one) >= patience_ms && (one.kind === 'security' || mayDisturb(now)))
  const fresh = due.filter((one) => !one.read && ageOf(one) < news_ms)
  const by = (way: 'chat' | 'mail'): News | null => {
    const told = has[way] ? fresh.filter(({ kind }) => wayOf.get(kind)?.[way]) : []
    const [first] = told
    if (!first) return null
    return { count: told.length, kinds: noticeKinds.filter((kind) => told.some((one) => one.kind === kind)), first: first.id }
  }
  const done = untold.filter((one) => one.read || ageOf(one) >= news_ms || due.includes(one)).map(({ id }) => id)
  return { done, chat: by('chat'), mail: by('mail') }
}
