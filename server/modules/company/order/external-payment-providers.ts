/** Those who take money, for whoever is outdoors. */
import type { PaymentProvider, PaymentProviderName } from '../../../../platform/pay/provider.ts'
import { type NoTransaction, requireNoTransaction } from '../../../database/no-transaction.ts'
import { fail } from '../../../http/handler.ts'

type ExternalPaymentCall<K extends 'create' | 'ask' | 'close' | 'refund' | 'statement'> = (
  outdoors: NoTransaction,
  ...args: Parameters<PaymentProvider[K]>
) => ReturnType<PaymentProvider[K]>
export type ExternalPaymentProvider = Pick<PaymentProvider, 'name' | 'read' | 'taken'> & {
  readonly [K in 'create' | 'ask' | 'close' | 'refund' | 'statement']: ExternalPaymentCall<K>
}
export type ExternalPaymentProviders = Readonly<Partial<Record<PaymentProviderName, ExternalPaymentProvider>>>

const wrapPaymentProvider = (provider: PaymentProvider): ExternalPaymentProvider => ({
  name: provider.name,
  taken: provider.taken,
  read: (...notice) => provider.read(...notice),
  create: requireNoTransaction((order) => provider.create(order)),
  ask: requireNoTransaction((order_no) => provider.ask(order_no)),
  close: requireNoTransaction((order_no) => provider.close(order_no)),
  refund: requireNoTransaction((refund) => provider.refund(refund)),
  statement: requireNoTransaction((day) => provider.statement(day)),
})

export const createExternalPaymentProviders = (providers: readonly PaymentProvider[]): ExternalPaymentProviders =>
  Object.fromEntries(providers.map((one) => [one.name, wrapPaymentProvider(one)]))

/** For whoever waits for it on a page. */
export function throwPaymentUnavailable(error: unknown): never {
  if (!(error instanceof Error && error.name === 'PayFailed')) throw error
  throw fail('platform_refused', '支付渠道暂时没有响应，订单已保留；请稍后在「订单管理」重试，或换一种支付方式')
}
