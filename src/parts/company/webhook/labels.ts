import type { WebhookEvent, webhookEventStatuses, webhookStatuses } from '../../../../server/contract/webhooks/webhooks.ts'
import type { StatusColor } from '../../../theme.ts'

export const webhookEventLabels: Readonly<Record<WebhookEvent, string>> = {
  'slip.sent': '工资条已发送',
  'slip.viewed': '员工已查看',
  'slip.confirmed': '员工已确认',
  'slip.disputed': '员工有疑问',
  'slip.withdrawn': '工资条已撤回',
}
type StatusLabel = { word: string; tone: StatusColor }
export const webhookStatusLabels: Readonly<Record<(typeof webhookStatuses)[number], StatusLabel>> = {
  active: { word: '启用', tone: 'ok' },
  paused: { word: '已停用', tone: 'ink3' },
  gone: { word: '已自动停用', tone: 'danger' },
}
export const webhookEventStatusLabels: Readonly<Record<(typeof webhookEventStatuses)[number], StatusLabel>> = {
  waiting: { word: '等待发送', tone: 'warn' },
  leased: { word: '正在发送', tone: 'info' },
  taken: { word: '已接收', tone: 'ok' },
  failed: { word: '没有送达', tone: 'danger' },
}
const deliveryErrorLabels: Readonly<Record<string, string>> = {
  not_public: '地址在内网，不能发送',
  no_address: '域名解析不到',
  no_connection: '连接失败或证书有误',
  timeout: '15 秒内没有答复',
}
/** What the receiver answered, in words. */
export const formatWebhookResponse = (response: string | null): string =>
  response === null
    ? '—'
    : (deliveryErrorLabels[response] ?? (response.startsWith('2') ? `HTTP ${response}` : `HTTP ${response}，应答复 2xx`))
