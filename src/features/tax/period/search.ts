/** The search parameters of the tax period pages. Part of the routed app's first bundle, so it contains no labels. */
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../../components/search-params.ts'
import { parseId } from '../../payslips/labels.ts'

export type PeriodSearch = PageParams & {
  id?: string | undefined
  name?: string | undefined
  /** The employee who is open in the drawer. */
  member?: string | undefined
  /** A kind of issue; the page validates it. */
  kind?: string | undefined
  year?: number | undefined
  /** Replaces the list of periods. */
  view?: (typeof periodViews)[number] | undefined
}
const periodViews = ['year', 'preview'] as const
const parseYear = (value: unknown): number | undefined => {
  const year = Number(value)
  return Number.isInteger(year) && year > 2018 && year < 2100 ? year : undefined
}
export const parsePeriodSearch = (raw: Record<string, unknown>): PeriodSearch => ({
  ...parsePageParams(raw),
  id: parseId(raw.id),
  name: parseText(raw.name)?.slice(0, 50),
  member: parseId(raw.member),
  kind: parseText(raw.kind),
  year: parseYear(raw.year),
  view: parseEnum(raw.view, periodViews),
})
