import type {
  getUseList,
  InvoiceKind,
  invoiceStatuses,
  OrderStatus,
  PayType,
} from '../../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { StatusColor } from '../../../theme.ts'

export const payTypeLabels: Readonly<Record<PayType, string>> = { alipay: '支付宝', wechat: '微信支付', transfer: '对公转账' }
export const orderStatusLabels: Readonly<Record<OrderStatus, { word: string; tone: StatusColor }>> = {
  waiting: { word: '待支付', tone: 'warn' },
  paid: { word: '已支付', tone: 'ok' },
  closed: { word: '已关闭', tone: 'ink3' },
  refunded: { word: '已退款', tone: 'ink3' },
}
export const invoiceStatusLabels: Readonly<Record<(typeof invoiceStatuses)[number], { word: string; tone: StatusColor }>> = {
  waiting: { word: '开具中', tone: 'warn' },
  issued: { word: '已开具', tone: 'ok' },
  returned: { word: '已退回', tone: 'danger' },
  reversing: { word: '待红冲', tone: 'warn' },
  reversed: { word: '已红冲', tone: 'ink3' },
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
