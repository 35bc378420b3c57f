/** Ways to be paid. Knows no payroll, and no products. */
export { createAlipayProvider } from './alipay.ts'
export type { PaymentProvider, PaymentProviderName } from './provider.ts'
export { createWechatPayProvider } from './wechat.ts'
