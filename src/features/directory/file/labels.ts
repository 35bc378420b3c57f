/** Labels of the member file. */
import type { CallOutput } from '../../../../server/contract/call.ts'
import {
  type FieldChange,
  type MemberEventKind,
  memberFieldLabels,
} from '../../../../server/contract/directory/member-history.ts'
import type { getMemberInfo } from '../../../../server/contract/directory/members.ts'
import type { InviteStatus } from '../../../../server/contract/invites/invite.ts'
import type { ReachIssue } from '../../../../server/contract/shared/enums.ts'
import type { StatusColor } from '../../../theme.ts'

export type MemberFile = CallOutput<typeof getMemberInfo>

export const inviteStatusLabels: Record<InviteStatus, { label: string; color: StatusColor }> = {
  none: { label: '未邀请', color: 'ink3' },
  queued: { label: '正在发送', color: 'info' },
  sent: { label: '已发送，未打开', color: 'ink' },
  opened: { label: '打开过，未加入', color: 'info' },
  joined: { label: '已加入', color: 'ok' },
  failed: { label: '没有送达', color: 'danger' },
  expired: { label: '已过期', color: 'warn' },
}
/** The label and consequence of each reason why a payslip may not reach a member. */
export const reachIssueLabels: Record<ReachIssue, { label: string; note: string; color: StatusColor }> = {
  no_phone: { label: '没有手机号', note: '收不到短信，也不能登录', color: 'danger' },
  unconfirmed: { label: '手机号待确认', note: '确认之前不会发给他', color: 'danger' },
  bounced: { label: '上次没送达', note: '最近一条消息被退回', color: 'danger' },
  not_joined: { label: '还没有加入', note: '收到链接后要先登录', color: 'warn' },
  never_viewed: { label: '从未查看', note: '发过工资条，都没有查看', color: 'warn' },
  no_platform: { label: '未匹配平台账号', note: '改用短信，按条计费', color: 'info' },
}

export const memberEventLabels: Record<MemberEventKind, string> = {
  changed: '修改资料',
  left: '标记离职',
  looked: '查看身份证号',
  looked_tax: '查看个税与社保',
  undone: '撤销导入',
}

/** Formats a change: 「岗位 由 旧岗 改为 新岗」; for encrypted fields only that they changed. */
export function formatFieldChange({ field, from, to }: FieldChange): string {
  const label = memberFieldLabels[field]
  if (from === null || to === null) return `${label}已更换，内容不显示`
  if (from === '') return `${label} ${to}`
  return to === '' ? `${label} ${from} 已清空` : `${label}由 ${from} 改为 ${to}`
}

/**
 * Formats a period such as 「2024-03-01 至 2026-09-30」. Without an entry date, the roster only knows when the member was
 * added.
 */
export function formatEmploymentPeriod({ ENTRY_DATE, SINCE, TERMINATED_ON }: MemberFile['EMPLOYMENT'][number]): string {
  const from = ENTRY_DATE ?? `${SINCE.slice(0, 10)}（录入花名册）`
  return `${from} 至 ${TERMINATED_ON ?? '今'}`
}
