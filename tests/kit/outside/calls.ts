/** The fewest calls in which a platform can say a directory: its largest pages, its levels. */
import type { Provider } from '../../../platform/types.ts'

/** `sizes`: how many people each department has, the company itself among them. Beside the token and the range. */
export function fewestCalls(provider: Provider, sizes: readonly number[], departments: number): number {
  const pages = (size: number): number => sizes.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / size)), 0)
  if (provider === 'lark') return Math.ceil(departments / 50) + pages(50)
  return provider === 'wecom' ? 1 + sizes.length : sizes.length + pages(100)
}
