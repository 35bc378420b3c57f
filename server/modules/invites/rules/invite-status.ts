/** The invite status of a member, computed from the newest invite and the outcome of its message. */
import type { InviteStatus } from '../../../contract/invites/invite.ts'

export type StoredInvite = {
  /** Sent to the phone that the roster has now. */
  readonly forCurrentPhone: boolean
  readonly opened_at: Date | null
  readonly used_at: Date | null
  readonly expires_at: Date
  readonly message: { readonly status: string; readonly message: string | null } | null
}
export type InviteStatusInfo = { readonly state: InviteStatus; readonly reason: string | null }

const unknownDeliveryMessage = '通道没有回执，不确定是否送达'
const formerPhoneMessage = '这次邀请发给了原来的手机号'

/** `joined`: whether the member has an account. */
export function getInviteStatus(joined: boolean, newest: StoredInvite | null, now: Date): InviteStatusInfo {
  if (joined) return { state: 'joined', reason: null }
  if (!newest) return { state: 'none', reason: null }
  if (!newest.forCurrentPhone) return { state: 'expired', reason: formerPhoneMessage }
  return getSingleInviteStatus(newest, now)
}

export function getSingleInviteStatus(
  { forCurrentPhone, opened_at, used_at, expires_at, message }: StoredInvite,
  now: Date,
): InviteStatusInfo {
  if (used_at) return { state: 'joined', reason: null }
  const { status = 'accepted', message: failureMessage = null } = message ?? {}
  if (status === 'failed' || status === 'cancelled') return { state: 'failed', reason: failureMessage ?? '没有发送成功' }
  if (opened_at && expires_at > now) return { state: 'opened', reason: null }
  if (expires_at <= now) return { state: 'expired', reason: forCurrentPhone ? null : formerPhoneMessage }
  if (status === 'queued' || status === 'leased') return { state: 'queued', reason: null }
  return { state: 'sent', reason: status === 'unknown' ? unknownDeliveryMessage : null }
}
