/** The payment providers, for use without an open transaction. */
import type { PaymentProvider, PaymentProviderName } from '../../../platform/pay/provider.ts'
import { type NoTransaction, requireNoTransaction } from '../../database/no-transaction.ts'
import { fail } from '../../http/handler.ts'

type ExternalPaymentCall<K extends 'createOrder' | 'queryOrder' | 'closeOrder' | 'refund' | 'getStatement'> = (
  noTransaction: NoTransaction,
  ...args: Parameters<PaymentProvider[K]>
) => ReturnType<PaymentProvider[K]>
export type ExternalPaymentProvider = Pick<PaymentProvider, 'name' | 'parseNotification' | 'acknowledgement'> & {
  readonly [K in 'createOrder' | 'queryOrder' | 'closeOrder' | 'refund' | 'getStatement']: ExternalPaymentCall<K>
}
export type ExternalPaymentProviders = Readonly<Partial<Record<PaymentProviderName, ExternalPaymentProvider>>>

const wrapPaymentProvider = (provider: PaymentProvider): ExternalPaymentProvider => ({
  name: provider.name,
  acknowledgement: provider.acknowledgement,
  parseNotification: (...notice) => provider.parseNotification(...notice),
  createOrder: requireNoTransaction((order) => provider.createOrder(order)),
  queryOrder: requireNoTransaction((order_no) => provider.queryOrder(order_no)),
  closeOrder: requireNoTransaction((order_no) => provider.closeOrder(order_no)),
  refund: requireNoTransaction((refund) => provider.refund(refund)),
  getStatement: requireNoTransaction((day) => provider.getStatement(day)),
})

export const createExternalPaymentProviders = (providers: readonly PaymentProvider[]): ExternalPaymentProviders =>
  Object.fromEntries(providers.map((one) => [one.name, wrapPaymentProvider(one)]))

/** Reports the error to a user waiting on a page. */
export function throwPaymentUnavailable(error: unknown): never {
  if (!(error instanceof Error && error.name === 'PaymentError')) throw error
  throw fail('platform_refused', '支付渠道暂时没有响应，订单已保留；请稍后在「订单管理」重试，或换一种支付方式')
}
