/** Those who take money, for whoever is outdoors. */
import type { PayName, PayProvider } from '../../../../platform/pay/provider.ts'
import { type Outdoors, onlyOutdoors } from '../../../runtime/data/outdoors.ts'
import { refuse } from '../../../runtime/handle.ts'

type Asked<K extends 'create' | 'ask' | 'close' | 'refund' | 'statement'> = (
  outdoors: Outdoors,
  ...args: Parameters<PayProvider[K]>
) => ReturnType<PayProvider[K]>
export type OutsidePay = Pick<PayProvider, 'name' | 'read' | 'taken'> & {
  readonly [K in 'create' | 'ask' | 'close' | 'refund' | 'statement']: Asked<K>
}
export type OutsidePays = Readonly<Partial<Record<PayName, OutsidePay>>>

const outside = (it: PayProvider): OutsidePay => ({
  name: it.name,
  taken: it.taken,
  read: (...notice) => it.read(...notice),
  create: onlyOutdoors((order) => it.create(order)),
  ask: onlyOutdoors((order_no) => it.ask(order_no)),
  close: onlyOutdoors((order_no) => it.close(order_no)),
  refund: onlyOutdoors((refund) => it.refund(refund)),
  statement: onlyOutdoors((day) => it.statement(day)),
})

export const outsidePays = (providers: readonly PayProvider[]): OutsidePays =>
  Object.fromEntries(providers.map((one) => [one.name, outside(one)]))

/** For whoever waits for it on a page. */
export function sayFailed(error: unknown): never {
  if (!(error instanceof Error && error.name === 'PayFailed')) throw error
  throw refuse('platform_refused', '支付渠道暂时没有响应，订单已保留；请稍后在「订单管理」重试，或换一种支付方式')
}
