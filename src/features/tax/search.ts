/** The search parameters of the insurance pages; separate, because the router needs them before any page is open. */
import type { InsuranceState } from '../../../server/contract/tax/kinds.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../components/search-params.ts'

/** Repeated here because the labels would otherwise be part of the routed app's first bundle. */
const insuranceStates: readonly InsuranceState[] = ['missing', 'faulty', 'adjust']
const insuranceViews = ['schemes'] as const
export type InsuranceSearch = PageParams & {
  /** Replaces the list of members. */
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
