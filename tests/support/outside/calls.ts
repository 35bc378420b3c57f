/** The minimum number of calls in which a platform can return a directory, by its largest pages and its levels. */
import type { Provider } from '../../../platform/types.ts'

/**
 * Returns that number. `sizes`: the number of users in each department, the company included. Without the token, the
 * range, and DingTalk's department order, which it returns one at a time (`ordersRequested`).
 */
export function fewestCalls(provider: Provider, sizes: readonly number[], departments: number): number {
  const pages = (size: number): number => sizes.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / size)), 0)
  if (provider === 'lark') return Math.ceil(departments / 50) + pages(50)
  return provider === 'wecom' ? 1 + sizes.length : sizes.length + pages(100)
}

/** Returns the maximum number of calls of a directory sync for what no list returns. */
export const ordersRequested = (provider: Provider, departments: number): number =>
  provider === 'dingtalk' ? Math.min(200, departments) : 0
