/** The addresses of the pages of insurance: apart from what they show, for the router knows them before any page is open. */
import type { InsuranceState } from '../../../server/contract/tax/kinds.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../ui/search-params.ts'

/** Spelled again: their words would travel with the routed app's first file. */
const insuranceStates: readonly InsuranceState[] = ['missing', 'faulty', 'adjust']
const insuranceViews = ['schemes'] as const
export type InsuranceSearch = PageParams & {
  /** In the place of the people. */
  view?: (typeof insuranceViews)[number] | undefined
  name?: string | undefined
  state?: InsuranceState | undefined
}
export const parseInsuranceSearch = (raw: Record<string, unknown>): InsuranceSearch => ({
  ...parsePageParams(raw),
  view: parseEnum(raw.view, insuranceViews),
  name: parseText(raw.name)?.slice(0, 50),
  state: parseEnum(raw.state, insuranceStates),
})
