/** Payment providers. This module knows nothing about payroll or products. */
export { createAlipayProvider } from './alipay.ts'
export type { PaymentProvider, PaymentProviderName } from './provider.ts'
export { createWechatPayProvider } from './wechat.ts'
