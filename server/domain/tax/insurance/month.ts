/** What somebody and his employer pay in a month, by what was entered of him and the schemes of his city. Pure. */

import type { InsuranceEntry } from '../../../contract/wage/insurance.ts'
import type { InsuranceCode } from '../../../contract/wage/kinds.ts'
import { sum } from '../../../contract/words/money.ts'
import { type Contribution, contributions } from '../../../rules/law/insurance/contributions.ts'
import { LawRefusal } from '../../../rules/law/refused.ts'
import { said } from '../../../rules/law/steps.ts'
import type { KeptInsurance } from './document.ts'
import type { Schemes } from './schemes.ts'

export type InsuranceOfMonth =
  | {
      readonly scheme_id: string
      readonly city: string
      readonly items: readonly Contribution[]
      /** The employee's parts by the columns of the declaration: medical with what is fixed and for serious illness, the fund with what supplements it. */
      readonly special: {
        readonly pension: number
        readonly medical: number
        readonly unemployment: number
        readonly housing_fund: number
      }
      readonly employee_total: number
      readonly employer_total: number
      /** In Chinese, each with its article. */
      readonly steps: readonly string[]
    }
  /** Why it cannot be reckoned. */
  | { readonly refused: string }

/** What holds of somebody in a month: the last that had begun. */
export const entryIn = ({ entries }: KeptInsurance, month: string): InsuranceEntry | null =>
  entries.reduce<InsuranceEntry | null>(
    (found, one) => (one.from <= month && (found === null || found.from < one.from) ? one : found),
    null,
  )

const columns: Readonly<Record<InsuranceCode, 'pension' | 'medical' | 'unemployment' | 'housing_fund'>> = {
  pension: 'pension',
  medical: 'medical',
  // No part of the employee's; where a city has one, it is declared with the medical one.
  injury: 'medical',
  maternity: 'medical',
  serious_illness_fund: 'medical',
  unemployment: 'unemployment',
  housing_fund: 'housing_fund',
  housing_fund_supplementary: 'housing_fund',
}

/** Null: nothing was entered for the month, or he is not insured. */
export function insuranceIn(entry: InsuranceEntry | null, month: string, schemes: Schemes): InsuranceOfMonth | null {
  if (!entry?.insured) return null
  const own = schemes.get(entry.city) ?? []
  if (own.length === 0) return { refused: `还没有「${entry.city}」的参保方案；请先在「五险一金」里添加` }
  const of = {
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
    const found = contributions(own, of)
    if ('refused' in found) return { refused: found.message }
    const parts = (column: (typeof columns)[InsuranceCode]) =>
      sum(found.items.filter(({ code }) => columns[code] === column).map(({ employee }) => employee))
    return {
      scheme_id: own.find((one) => one === found.scheme)?.id ?? '',
      city: entry.city,
      items: found.items,
      special: {
        pension: parts('pension'),
        medical: parts('medical'),
        unemployment: parts('unemployment'),
        housing_fund: parts('housing_fund'),
      },
      employee_total: found.employee_total,
      employer_total: found.employer_total,
      // Said only where somebody reads them.
      get steps() {
        return found.steps.map(said)
      },
    }
  } catch (error) {
    if (error instanceof LawRefusal) return { refused: error.message }
    throw error
  }
}
