import type { WebhookEvent, webhookEventStatuses, webhookStatuses } from '../../../../server/contract/wage/webhook.ts'
import type { Tone } from '../../../theme.ts'

export const eventWords: Readonly<Record<WebhookEvent, string>> = {
  'slip.sent': '工资条已发送',
  'slip.viewed': '员工已查看',
  'slip.confirmed': '员工已确认',
  'slip.disputed': '员工有疑问',
  'slip.withdrawn': '工资条已撤回',
}
type Word = { word: string; tone: Tone }
export const webhookWords: Readonly<Record<(typeof webhookStatuses)[number], Word>> = {
  active: { word: '启用', tone: 'ok' },
  paused: { word: '已停用', tone: 'ink3' },
  gone: { word: '已自动停用', tone: 'danger' },
}
export const toldWords: Readonly<Record<(typeof webhookEventStatuses)[number], Word>> = {
  waiting: { word: '等待发送', tone: 'warn' },
  leased: { word: '正在发送', tone: 'info' },
  taken: { word: '已接收', tone: 'ok' },
  failed: { word: '没有送达', tone: 'danger' },
}
const faults: Readonly<Record<string, string>> = {
  not_public: '地址在内网，不能发送',
  no_address: '域名解析不到',
  no_connection: '连接失败或证书有误',
  timeout: '15 秒内没有答复',
}
/** What the receiver answered, in words. */
export const answerWords = (answer: string | null): string =>
  answer === null ? '—' : (faults[answer] ?? (answer.startsWith('2') ? `HTTP ${answer}` : `HTTP ${answer}，应答复 2xx`))
