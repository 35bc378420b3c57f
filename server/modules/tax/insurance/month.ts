/** The monthly contributions of a member and their employer, from the member's entries and the city's schemes. Pure. */

import { sumFen } from '../../../contract/shared/money.ts'
import type { InsuranceEntry } from '../../../contract/tax/insurance.ts'
import type { InsuranceCode } from '../../../contract/tax/kinds.ts'
import { type Contribution, computeContributions } from '../../../rules/law/insurance/contributions.ts'
import { LawError } from '../../../rules/law/law-error.ts'
import { formatStep } from '../../../rules/law/steps.ts'
import type { SchemesByCity } from './schemes.ts'
import type { StoredInsurance } from './store.ts'

export type MonthInsurance =
  | {
      readonly scheme_id: string
      readonly city: string
      readonly items: readonly Contribution[]
      /**
       * The employee's contributions by column of the declaration: medical includes the fixed amount and serious
       * illness, the housing fund includes its supplement.
       */
      readonly special: {
        readonly pension: number
        readonly medical: number
        readonly unemployment: number
        readonly housing_fund: number
      }
      readonly employee_total: number
      readonly employer_total: number
      /** The explanation is in Chinese and contains the article of law of each step. */
      readonly steps: readonly string[]
    }
  /** Why it cannot be computed. */
  | { readonly refused: string }

/** Returns the entry that applies in a month: the latest one that has begun. */
export const findEntry = ({ entries }: StoredInsurance, month: string): InsuranceEntry | null =>
  entries.reduce<InsuranceEntry | null>(
    (latest, one) => (one.from <= month && (latest === null || latest.from < one.from) ? one : latest),
    null,
  )

const declarationColumns: Readonly<Record<InsuranceCode, 'pension' | 'medical' | 'unemployment' | 'housing_fund'>> = {
  pension: 'pension',
  medical: 'medical',
  // Employees pay no such contribution; if a city requires one, it is declared with medical.
  injury: 'medical',
  maternity: 'medical',
  serious_illness_fund: 'medical',
  unemployment: 'unemployment',
  housing_fund: 'housing_fund',
  housing_fund_supplementary: 'housing_fund',
}

/** The value is null if nothing was entered for the month, or if the member is not insured. */
export function computeMonthInsurance(
  entry: InsuranceEntry | null,
  month: string,
  schemes: SchemesByCity,
): MonthInsurance | null {
  if (!entry?.insured) return null
  const citySchemes = schemes.get(entry.city) ?? []
  if (citySchemes.length === 0) return { refused: `还没有「${entry.city}」的参保方案；请先在「五险一金」里添加` }
  const params = {
    month,
    bases: new Map([
      ['social', entry.social_fen],
      ['housing_fund', entry.housing_fund_fen ?? entry.social_fen],
    ]),
    housing_fund_ppm: entry.housing_fund_ppm,
    supplementary_ppm: entry.supplementary_ppm,
    not_enrolled: entry.not_enrolled,
  }
  try {
    const result = computeContributions(citySchemes, params)
    if ('refused' in result) return { refused: result.message }
    const sumColumn = (column: (typeof declarationColumns)[InsuranceCode]) =>
      sumFen(result.items.filter(({ code }) => declarationColumns[code] === column).map(({ employee }) => employee))
    return {
      scheme_id: citySchemes.find((one) => one === result.scheme)?.id ?? '',
      city: entry.city,
      items: result.items,
      special: {
        pension: sumColumn('pension'),
        medical: sumColumn('medical'),
        unemployment: sumColumn('unemployment'),
        housing_fund: sumColumn('housing_fund'),
      },
      employee_total: result.employee_total,
      employer_total: result.employer_total,
      // Formatted only on access.
      get steps() {
        return result.steps.map(formatStep)
      },
    }
  } catch (error) {
    if (error instanceof LawError) return { refused: error.message }
    throw error
  }
}
