/** Ways to be paid. Knows no payroll, and no products. */
export { openAlipay } from './alipay.ts'
export type { PayName, PayProvider } from './provider.ts'
export { openWechatPay } from './wechat.ts'
