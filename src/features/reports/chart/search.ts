/**
 * The search parameters of the chart page. This file is part of the routed app's first bundle: here they are only
 * strings, and the page itself validates them.
 */
import { type PageParams, parsePageParams, parseText } from '../../../components/search-params.ts'

const paramNames = ['tab', 'year', 'month', 'department', 'by', 'name', 'from', 'to', 'which'] as const
export type ChartSearch = PageParams & { readonly [name in (typeof paramNames)[number]]?: string | undefined }

export const parseChartSearch = (raw: Record<string, unknown>): ChartSearch => ({
  ...parsePageParams(raw),
  ...Object.fromEntries(paramNames.map((name) => [name, parseText(raw[name])])),
})
