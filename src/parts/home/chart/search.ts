/** The address of the page of charts. It travels with the routed app's first file: there it is only texts, and the page itself says what they may be. */
import { type PageSearch, pageOf, textOf } from '../../../ui/search.ts'

const names = ['tab', 'year', 'month', 'department', 'by', 'name', 'from', 'to', 'which'] as const
export type ChartSearch = PageSearch & { readonly [name in (typeof names)[number]]?: string | undefined }

export const chartSearch = (raw: Record<string, unknown>): ChartSearch => ({
  ...pageOf(raw),
  ...Object.fromEntries(names.map((name) => [name, textOf(raw[name])])),
})
