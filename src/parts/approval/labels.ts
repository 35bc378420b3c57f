import type { ApprovalKind, ApprovalStatus, getApprovalList } from '../../../server/contract/approvals/approvals.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getJoinRequestList } from '../../../server/contract/directory/invite.ts'
import { type NotificationKind, notificationLabels } from '../../../server/contract/notifications/kinds.ts'
import type { StatusColor } from '../../theme.ts'

/** Who came by the picture and waits. */
export type JoinRequest = CallOutput<typeof getJoinRequestList>['list'][number]
export type Approval = CallOutput<typeof getApprovalList>['list'][number]

export const approvalKindLabels: Readonly<Record<ApprovalKind, string>> = {
  wage_transfer: '移交薪酬管理权限',
  unbind: '解除办公平台绑定',
  join_agency: '加入代理',
  phone: '确认新手机号',
  send: '发送工资条',
}
export const approvalStatusLabels: Readonly<Record<ApprovalStatus, { word: string; tone: StatusColor }>> = {
  0: { word: '待审批', tone: 'warn' },
  1: { word: '已同意', tone: 'ok' },
  2: { word: '已驳回', tone: 'danger' },
  3: { word: '已撤回', tone: 'ink3' },
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
export const getNotificationStatus = (kind: NotificationKind): { word: string; tone: StatusColor } => ({
  word: notificationLabels[kind],
  tone: notificationColors[kind],
})
