import type { getUseList, InvoiceKind, invoiceStatuses, OrderStatus, PayType } from '../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { StatusColor } from '../../theme.ts'

export const payTypeLabels: Readonly<Record<PayType, string>> = { alipay: '支付宝', wechat: '微信支付', transfer: '对公转账' }
export const orderStatusLabels: Readonly<Record<OrderStatus, { label: string; color: StatusColor }>> = {
  waiting: { label: '待支付', color: 'warn' },
  paid: { label: '已支付', color: 'ok' },
  closed: { label: '已关闭', color: 'ink3' },
  refunded: { label: '已退款', color: 'ink3' },
}
export const invoiceStatusLabels: Readonly<Record<(typeof invoiceStatuses)[number], { label: string; color: StatusColor }>> = {
  waiting: { label: '开具中', color: 'warn' },
  issued: { label: '已开具', color: 'ok' },
  returned: { label: '已退回', color: 'danger' },
  reversing: { label: '待红冲', color: 'warn' },
  reversed: { label: '已红冲', color: 'ink3' },
}
export const invoiceKindLabels: Readonly<Record<InvoiceKind, string>> = { normal: '普通发票', special: '专用发票' }
type PrepaidChange = CallOutput<typeof getUseList>['list'][number]
export const prepaidChangeLabels: Readonly<Record<PrepaidChange['kind'], string>> = {
  opening: '期初',
  given: '赠送',
  bought: '购买',
  used: '使用',
  unused: '未发出退回',
  returned: '退款扣回',
}

/** What SMS were used for, by the occasion that the ledger stores; every other one concerns the messages of a batch. */
const occasionLabels: Readonly<Record<string, string>> = {
  plan: '发送工资条',
  retry: '改用其他渠道重发',
  again: '撤回后重新发送',
  remind: '提醒查看',
  unknown: '重发结果不明的消息',
  corrected: '更正通知',
  answered: '反馈回复',
  slip: '发送工资条',
  invite: '邀请员工加入',
  'invite-unsent': '邀请未发出',
  unsent: '消息未发出',
}
export const formatOccasion = (occasion: string): string => occasionLabels[occasion] ?? '工资条消息'
