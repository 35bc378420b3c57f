import type { OutputOf } from '../../../../server/contract/call.ts'
import { editionWords } from '../../../../server/contract/corp/editions.ts'
import type { getCompanyList } from '../../../../server/contract/corp/ops-shop.ts'
import { plainFen } from '../../../../server/contract/words/money.ts'
import type { Tone } from '../../../theme.ts'

export const views = ['health', 'company', 'order', 'invoice', 'price', 'news', 'people'] as const
export type OpsView = (typeof views)[number]
export const viewWords: Readonly<Record<OpsView, string>> = {
  health: '概览',
  company: '企业',
  order: '订单',
  invoice: '发票',
  price: '价格',
  news: '资讯',
  people: '人员与日志',
}

type Seen = OutputOf<typeof getCompanyList>['list'][number]
export const editionOf = ({ TYPE, on_trial }: Seen): { word: string; tone: Tone } =>
  on_trial ? { word: '试用', tone: 'warn' } : { word: editionWords[TYPE], tone: TYPE === 50 ? 'ink3' : 'ok' }

/** What an operator did, in words. */
export const deedWords: Readonly<Record<string, string>> = {
  confirmOperator: '启用账号',
  signInOperator: '登录',
  signOutOperator: '退出',
  inviteOperator: '邀请运营人员',
  endOperator: '停用运营人员',
  confirmTransfer: '确认到账',
  refundOrder: '退款',
  issueInvoice: '上传发票',
  returnInvoice: '退回发票申请',
  reverseInvoice: '要求红冲',
  setPrice: '调整价格',
  publishNews: '发布资讯',
  withdrawNews: '撤下资讯',
}
const aboutWords: Readonly<Record<string, string>> = {
  order_no: '订单',
  company_id: '企业',
  invoice_id: '发票',
  operator_id: '人员',
  id: '资讯',
  product: '商品',
  price_fen: '价格（分）',
  pieces: '扣回短信',
  became: '结果',
}
const outcomes: Readonly<Record<string, string>> = { credited: '已到账', excess: '金额不符', known: '之前已确认' }
/** Ids and counts of a line, in words; — where there are none. */
export const aboutOf = (about: string): string => {
  const said: Record<string, string | number | null> = JSON.parse(about)
  const parts = Object.entries(said).map(([name, value]) => `${aboutWords[name] ?? name} ${outcomes[String(value)] ?? value}`)
  return parts.join(' · ') || '—'
}
export const kindWords = { strategic: '政策与产品', agency: '代理企业' } as const
/** As one types it; what is no amount is refused by the field's own rule. */
export const amountRule = { required: true, pattern: /^\d{1,8}(\.\d{1,2})?$/, message: '请填写金额，例如 100 或 99.50' }
export const typed = (fen: number): string => plainFen(fen)
