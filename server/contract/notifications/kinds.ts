/** Kinds of notifications for administrators, with their labels. */
import type { Power } from '../access.ts'

/**
 * `unviewed`: how many employees have not viewed their payslip. `phone`: an administrator changed a member's phone.
 * `approval`: an application waits, or was decided. `role`: powers or scope changed. `security`: a suspicious sign-in.
 * `join`: someone applies to join.
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

/** Powers that receive a kind of notification; kinds not listed go to all administrators. */
export const notificationPowers: Readonly<Partial<Record<NotificationKind, readonly Power[]>>> = {
  failed: ['2'],
  sent: ['2'],
  feedback: ['2'],
  join: ['3'],
  service: ['1'],
}
