/** A member's insurance entries, month by month. Pure: validation and order. */
import type { InsuranceEntry } from '../../../contract/tax/insurance.ts'
import { findScheme } from '../../../rules/law/insurance/scheme.ts'
import { computeMonthInsurance } from './month.ts'
import type { SchemesByCity } from './schemes.ts'

type InsuranceEntryError = { readonly field: string; readonly message: string }

/** Oldest first; an uninsured member has no hidden amounts. */
export const normalizeEntries = (entries: readonly InsuranceEntry[]): InsuranceEntry[] =>
  entries
    .map((one) =>
      one.insured
        ? one
        : { ...one, social_fen: 0, housing_fund_fen: null, housing_fund_ppm: null, supplementary_ppm: null, not_enrolled: [] },
    )
    .toSorted((a, b) => (a.from < b.from ? -1 : 1))

/** A month without a scheme of the city is not an error of the entry: it is reported when the month is computed. */
export function validateEntries(entries: readonly InsuranceEntry[], schemes: SchemesByCity): InsuranceEntryError | null {
  for (const [at, entry] of entries.entries()) {
    const createError = (field: string, message: string): InsuranceEntryError => ({ field: `entries.${at}.${field}`, message })
    if (entries.findIndex(({ from }) => from === entry.from) !== at)
      return createError('from', `从 ${entry.from} 起的基数填写了两次，请删去一条`)
    if (!entry.insured) continue
    if (entry.city === '') return createError('city', '请选择参保城市')
    const citySchemes = schemes.get(entry.city)
    if (!citySchemes) return createError('city', `还没有「${entry.city}」的参保方案；请先添加方案`)
    if (entry.social_fen === 0) return createError('social_fen', '请填写社保缴费基数')
    // The item is computed by the scheme of its first month, or of the first one after it.
    const scheme = findScheme(citySchemes, entry.from) ?? citySchemes.find(({ valid_from }) => valid_from > entry.from)
    const month = scheme && (entry.from > scheme.valid_from ? entry.from : scheme.valid_from)
    const result = month === undefined ? null : computeMonthInsurance(entry, month, schemes)
    if (result && 'refused' in result) return createError('housing_fund_ppm', result.refused)
  }
  return null
}
