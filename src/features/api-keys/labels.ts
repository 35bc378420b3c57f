import type { ApiKeyScope, ApiKeyStatus } from '../../../server/contract/api-keys/api-keys.ts'
import type { StatusColor } from '../../theme.ts'

export const apiKeyScopeLabels: Readonly<Record<ApiKeyScope, string>> = {
  'roster.read': '查看花名册',
  'roster.write': '导入花名册',
  'sheets.write': '上传、核对工资表',
  'payslips.send': '安排、发送工资条',
  'payslips.read': '查看发送和查看状态',
  'reports.read': '查看薪酬报表',
  webhooks: '管理事件通知',
}
export const apiKeyStatusLabels: Readonly<Record<ApiKeyStatus, { label: string; color: StatusColor }>> = {
  active: { label: '可用', color: 'ok' },
  expired: { label: '已过期', color: 'ink3' },
  revoked: { label: '已停用', color: 'ink3' },
  creator_left: { label: '创建人已不是管理员，不能再用', color: 'danger' },
}
