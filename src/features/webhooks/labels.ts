import type { WebhookEvent, webhookEventStatuses, webhookStatuses } from '../../../server/contract/webhooks/webhooks.ts'
import type { StatusColor } from '../../theme.ts'

export const webhookEventLabels: Readonly<Record<WebhookEvent, string>> = {
  'slip.sent': '工资条已发送',
  'slip.viewed': '员工已查看',
  'slip.confirmed': '员工已确认',
  'slip.disputed': '员工有疑问',
  'slip.withdrawn': '工资条已撤回',
  'payslip.failed': '工资条发送失败',
  'batch.sent': '批次开始发送',
  'batch.finished': '批次发送完成',
  'employee.terminated': '员工离职',
  'feedback.created': '员工提交新反馈',
}
type StatusLabel = { label: string; color: StatusColor }
export const webhookStatusLabels: Readonly<Record<(typeof webhookStatuses)[number], StatusLabel>> = {
  active: { label: '启用', color: 'ok' },
  paused: { label: '已停用', color: 'ink3' },
  gone: { label: '已自动停用', color: 'danger' },
}
export const webhookEventStatusLabels: Readonly<Record<(typeof webhookEventStatuses)[number], StatusLabel>> = {
  waiting: { label: '等待发送', color: 'warn' },
  leased: { label: '正在发送', color: 'info' },
  taken: { label: '已接收', color: 'ok' },
  failed: { label: '没有送达', color: 'danger' },
}
const deliveryErrorLabels: Readonly<Record<string, string>> = {
  not_public: '地址在内网，不能发送',
  no_address: '域名解析不到',
  no_connection: '连接失败或证书有误',
  timeout: '15 秒内没有答复',
}
/** Formats the receiver's response. */
export const formatWebhookResponse = (response: string | null): string =>
  response === null
    ? '—'
    : (deliveryErrorLabels[response] ?? (response.startsWith('2') ? `HTTP ${response}` : `HTTP ${response}，应答复 2xx`))
