/** The fewest calls in which a platform can say a directory: its largest pages, its levels. */
import type { Provider } from '../../../platform/types.ts'

/**
 * `sizes`: how many people each department has, the company itself among them. Beside the token and the range, and beside DingTalk's order of departments,
 * which it tells of one at a time (`ordersAsked`).
 */
export function fewestCalls(provider: Provider, sizes: readonly number[], departments: number): number {
  const pages = (size: number): number => sizes.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / size)), 0)
  if (provider === 'lark') return Math.ceil(departments / 50) + pages(50)
  return provider === 'wecom' ? 1 + sizes.length : sizes.length + pages(100)
}

/** So many calls at most, of a reading through a binding, for what no list tells. */
export const ordersRequested = (provider: Provider, departments: number): number =>
  provider === 'dingtalk' ? Math.min(200, departments) : 0
