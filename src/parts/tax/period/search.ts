/** The address of the pages about months of withholding; it travels with the routed app's first file, so it carries no words. */
import { oneOf, type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { idOf } from '../../slip/words.ts'

export type PeriodSearch = PageSearch & {
  id?: string | undefined
  name?: string | undefined
  /** The person who is open in the drawer. */
  member?: string | undefined
  /** A kind of problem, as the page knows them. */
  kind?: string | undefined
  year?: number | undefined
  /** In the place of the months. */
  view?: (typeof views)[number] | undefined
}
const views = ['year', 'preview'] as const
const yearOf = (value: unknown): number | undefined => {
  const year = Number(value)
  return Number.isInteger(year) && year > 2018 && year < 2100 ? year : undefined
}
export const periodSearch = (raw: Record<string, unknown>): PeriodSearch => ({
  ...pageOf(raw),
  id: idOf(raw.id),
  name: textOf(raw.name)?.slice(0, 50),
  member: idOf(raw.member),
  kind: textOf(raw.kind),
  year: yearOf(raw.year),
  view: oneOf(raw.view, views),
})
