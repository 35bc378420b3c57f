/** The addresses of the pages of insurance: apart from what they show, for the router knows them before any page is open. */
import type { InsuranceState } from '../../../server/contract/wage/kinds.ts'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'

/** Spelled again: their words would travel with the routed app's first file. */
const states: readonly InsuranceState[] = ['missing', 'faulty', 'adjust']
const insuranceViews = ['schemes'] as const
export type InsuranceSearch = PageSearch & {
  /** In the place of the people. */
  view?: (typeof insuranceViews)[number] | undefined
  name?: string | undefined
  state?: InsuranceState | undefined
}
export const insuranceSearchOf = (raw: Record<string, unknown>): InsuranceSearch => ({
  ...pageOf(raw),
  view: oneOf(raw.view, insuranceViews),
  name: textOf(raw.name)?.slice(0, 50),
  state: oneOf(raw.state, states),
})
