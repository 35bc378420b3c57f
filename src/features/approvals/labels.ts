import type { ApprovalKind, ApprovalStatus, getApprovalList } from '../../../server/contract/approvals/approvals.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getJoinRequestList } from '../../../server/contract/invites/invite.ts'
import { type NotificationKind, notificationLabels } from '../../../server/contract/notifications/kinds.ts'
import type { StatusColor } from '../../theme.ts'

/** A pending join request by QR code. */
export type JoinRequest = CallOutput<typeof getJoinRequestList>['list'][number]
export type Approval = CallOutput<typeof getApprovalList>['list'][number]

export const approvalKindLabels: Readonly<Record<ApprovalKind, string>> = {
  wage_transfer: '移交薪酬管理权限',
  unbind: '解除办公平台绑定',
  join_agency: '加入代理',
  phone: '确认新手机号',
  send: '发送工资条',
}
export const approvalStatusLabels: Readonly<Record<ApprovalStatus, { label: string; color: StatusColor }>> = {
  0: { label: '待审批', color: 'warn' },
  1: { label: '已同意', color: 'ok' },
  2: { label: '已驳回', color: 'danger' },
  3: { label: '已撤回', color: 'ink3' },
}
const notificationColors: Readonly<Record<NotificationKind, StatusColor>> = {
  failed: 'danger',
  sent: 'ok',
  feedback: 'warn',
  unviewed: 'info',
  approval: 'warn',
  join: 'info',
  phone: 'warn',
  role: 'info',
  security: 'danger',
  service: 'warn',
}
export const getNotificationStatus = (kind: NotificationKind): { label: string; color: StatusColor } => ({
  label: notificationLabels[kind],
  color: notificationColors[kind],
})
