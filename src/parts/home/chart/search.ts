/** The address of the page of charts. It travels with the routed app's first file: there it is only texts, and the page itself says what they may be. */
import { type PageParams, parsePageParams, parseText } from '../../../ui/search-params.ts'

const paramNames = ['tab', 'year', 'month', 'department', 'by', 'name', 'from', 'to', 'which'] as const
export type ChartSearch = PageParams & { readonly [name in (typeof paramNames)[number]]?: string | undefined }

export const parseChartSearch = (raw: Record<string, unknown>): ChartSearch => ({
  ...parsePageParams(raw),
  ...Object.fromEntries(paramNames.map((name) => [name, parseText(raw[name])])),
})
