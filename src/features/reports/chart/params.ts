/** Parses the search parameters of the chart page. */
import { parseEnum } from '../../../components/search-params.ts'
import type { ChartSearch } from './search.ts'

export const chartTabs = ['charts', 'average', 'compare'] as const
export type ChartTab = (typeof chartTabs)[number]
export const compareFilters = ['more', 'less', 'joined', 'left'] as const

const parseMonth = (text: string | undefined): string | undefined =>
  text !== undefined && /^(19|20)\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : undefined

export const parseChartParams = ({ tab, by, which, name, from, to, page = 1, pagesize = 20 }: ChartSearch) => ({
  tab: parseEnum(tab, chartTabs) ?? ('charts' as const),
  by: parseEnum(by, ['department', 'person'] as const) ?? ('department' as const),
  which: parseEnum(which, compareFilters),
  name: name?.slice(0, 50),
  from: parseMonth(from),
  to: parseMonth(to),
  page,
  pagesize,
})
