/** How somebody stands with his invitations: a function of the newest one and of what became of its message. */
import type { InviteState } from '../../../contract/people/invite.ts'

export type KnownInvite = {
  /** For the phone that the roster has now. */
  readonly current: boolean
  readonly opened_at: Date | null
  readonly used_at: Date | null
  readonly expires_at: Date
  readonly message: { readonly status: string; readonly message: string | null } | null
}
export type InviteStanding = { readonly state: InviteState; readonly why: string | null }

const unknown = '通道没有回执，不确定是否送达'
const elsewhere = '这次邀请发给了原来的手机号'

/** `joined`: whether the person has an account. */
export function standingOf(joined: boolean, newest: KnownInvite | null, now: Date): InviteStanding {
  if (joined) return { state: 'joined', why: null }
  if (!newest) return { state: 'none', why: null }
  if (!newest.current) return { state: 'expired', why: elsewhere }
  return stateOf(newest, now)
}

/** One invite by itself. */
export function stateOf({ current, opened_at, used_at, expires_at, message }: KnownInvite, now: Date): InviteStanding {
  if (used_at) return { state: 'joined', why: null }
  const { status = 'accepted', message: said = null } = message ?? {}
  if (status === 'failed' || status === 'cancelled') return { state: 'failed', why: said ?? '没有发送成功' }
  if (opened_at && expires_at > now) return { state: 'opened', why: null }
  if (expires_at <= now) return { state: 'expired', why: current ? null : elsewhere }
  if (status === 'queued' || status === 'leased') return { state: 'queued', why: null }
  return { state: 'sent', why: status === 'unknown' ? unknown : null }
}
