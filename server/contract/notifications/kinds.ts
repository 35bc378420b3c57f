/** What an administrator is told about, and what it is called. */
import type { Power } from '../access.ts'

/**
 * `unviewed`: how many have not looked yet. `phone`: somebody's phone was changed for him. `approval`: an application waits, or was decided.
 * `role`: powers or scope changed. `security`: a sign-in that should be looked at. `join`: somebody asks to be let in.
 * `service`: an edition ends, or prepaid messages run low.
 */
export const notificationKinds = [
  'failed',
  'sent',
  'feedback',
  'unviewed',
  'approval',
  'join',
  'phone',
  'role',
  'security',
  'service',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

export const notificationLabels: Readonly<Record<NotificationKind, string>> = {
  failed: '发送失败',
  sent: '已发送',
  feedback: '员工反馈',
  unviewed: '查看情况',
  approval: '审批',
  join: '加入申请',
  phone: '手机号变更',
  role: '权限变更',
  security: '安全提醒',
  service: '服务与余额',
}

/** Who is told of it at all; the others are everybody's. */
export const notificationPowers: Readonly<Partial<Record<NotificationKind, readonly Power[]>>> = {
  failed: ['2'],
  sent: ['2'],
  feedback: ['2'],
  join: ['3'],
  service: ['1'],
}
