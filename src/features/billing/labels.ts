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
