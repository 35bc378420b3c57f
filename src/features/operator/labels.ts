import { editionLabels } from '../../../server/contract/billing/editions.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getCompanyList } from '../../../server/contract/operator/billing.ts'
import { formatPlainFen } from '../../../server/contract/shared/money.ts'
import type { StatusColor } from '../../theme.ts'

export const operatorViews = ['health', 'company', 'order', 'invoice', 'price', 'news', 'people'] as const
export type OperatorView = (typeof operatorViews)[number]
export const operatorViewLabels: Readonly<Record<OperatorView, string>> = {
  health: '概览',
  company: '企业',
  order: '订单',
  invoice: '发票',
  price: '价格',
  news: '资讯',
  people: '人员与日志',
}

type CompanyEdition = CallOutput<typeof getCompanyList>['list'][number]
export const getEditionStatus = ({ TYPE, on_trial }: CompanyEdition): { label: string; color: StatusColor } =>
  on_trial ? { label: '试用', color: 'warn' } : { label: editionLabels[TYPE], color: TYPE === 50 ? 'ink3' : 'ok' }

/** Labels for operator actions. */
export const operatorActionLabels: Readonly<Record<string, string>> = {
  confirmOperator: '启用账号',
  signInOperator: '登录',
  signOutOperator: '退出',
  inviteOperator: '邀请运营人员',
  endOperator: '停用运营人员',
  createCompany: '新建企业',
  'npm run create-company': '用命令新建企业',
  'npm run keys -- rewrap': '更换主密钥',
  'npm run keys -- renew': '增加数据密钥',
  'npm run keys -- destroy': '计划销毁企业密钥',
  'npm run keys -- abort': '取消销毁企业密钥',
  'keys.destroyed': '销毁企业密钥',
  grantSms: '赠送短信',
  grantEdition: '赠送套餐',
  confirmTransfer: '确认到账',
  refundOrder: '退款',
  issueInvoice: '上传发票',
  returnInvoice: '退回发票申请',
  reverseInvoice: '要求红冲',
  setPrice: '调整价格',
  publishNews: '发布资讯',
  withdrawNews: '撤下资讯',
  resumeSending: '恢复发送',
}
const detailLabels: Readonly<Record<string, string>> = {
  order_no: '订单',
  company_id: '企业',
  invoice_id: '发票',
  operator_id: '人员',
  id: '资讯',
  product: '商品',
  price_fen: '价格（分）',
  pieces: '扣回短信',
  granted: '赠送短信',
  edition: '套餐',
  last_day: '有效至',
  became: '结果',
  companies: '企业数',
  keys: '密钥数',
  days: '宽限天数',
  reason: '原因',
}
const outcomeLabels: Readonly<Record<string, string>> = { credited: '已到账', excess: '金额不符', known: '之前已确认' }
/** Formats the ids and counts of a log entry; “—” if there are none. */
export const formatLogDetails = (details: string): string => {
  const values: Record<string, string | number | null> = JSON.parse(details)
  const texts = Object.entries(values).map(
    ([name, value]) => `${detailLabels[name] ?? name} ${outcomeLabels[String(value)] ?? value}`,
  )
  return texts.join(' · ') || '—'
}
export const announcementKindLabels = { strategic: '政策与产品', agency: '代理服务' } as const
/** An amount as the user typed it; the field's own rule rejects invalid input. */
export const amountRule = { required: true, pattern: /^\d{1,8}(\.\d{1,2})?$/, message: '请填写金额，例如 100 或 99.50' }
export const formatEditableAmount = (fen: number): string => formatPlainFen(fen)
