/** Input of wage cases about an employee: employment, opening balance, a bonus. */

import { LawError } from '../../../server/rules/law/law-error.ts'
import { defaultTaxSettings } from '../../../server/rules/law/settings.ts'
import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import type { Employment } from '../../../server/rules/law/wages/employment.ts'
import type { OpeningBalance } from '../../../server/rules/law/wages/withholding.ts'
import { readFlag } from './formats.ts'

const employmentFlags = ['first_income_of_year', 'prior_year_under_60000', 'disabled'] as const
/**
 * Reads employment. The flags are given separately from the hire month, or together under `employmentFlags`, as
 * booleans or as a list of the true ones.
 */
export function readEmployment(fields: StrictFields, year: number): Employment & { resident: boolean } {
  const rawFlags = fields.raw('flags')
  const listed = Array.isArray(rawFlags) ? fields.textList('flags') : []
  const inside = rawFlags !== undefined && !Array.isArray(rawFlags) ? fields.nested('flags') : null
  const hasFlag = (name: (typeof employmentFlags)[number]) =>
    readFlag(fields, name) || listed.includes(name) || (inside !== null && readFlag(inside, name))
  const employment = {
    year,
    hire_month: fields.month('hire'),
    leave_month: fields.has('leave') ? fields.month('leave') : null,
    earlier: fields.list(
      'earlier',
      (value, path) => {
        const span = new StrictFields(value, path)
        const employment = { hire_month: span.month('hire'), leave_month: span.month('leave') }
        span.close()
        return employment
      },
      true,
    ),
    first_income_of_year: hasFlag('first_income_of_year'),
    prior_year_under_60000: hasFlag('prior_year_under_60000'),
    disabled: hasFlag('disabled'),
    resident: fields.flag('resident', true),
  }
  inside?.close()
  fields.close()
  return employment
}

/** The cumulative method applies to residents; months of non-residents are taxed individually. */
export function readResidentEmployment(fields: StrictFields, year: number): Employment {
  const { resident, ...employment } = readEmployment(fields, year)
  if (!resident)
    throw new LawError(fields.getPath('resident'), '累计预扣只用于居民个人；非居民请用 nonresident_salary 或 nonresident_year')
  return employment
}

export function readOpening(fields: StrictFields): OpeningBalance | undefined {
  if (!fields.has('opening')) return undefined
  const from = fields.nested('opening')
  const opening = {
    through_month: from.integer('through_month', [0, 12]),
    income: from.money('cum_income', 0),
    exempt: from.money('cum_exempt', 0),
    special: from.money('cum_special', 0),
    additional: from.money('cum_additional', 0),
    other: from.money('cum_other', 0),
    donation: from.money('cum_donation', 0),
    reduction: from.money('cum_reduction', 0),
    withheld: from.money('cum_withheld', 0),
  }
  from.close()
  return opening
}

/** A bonus without a method is a thirteenth month salary. */
export type BonusInput = { readonly amount: number; readonly method: 'separate' | 'merged' }
export function readBonus(fields: StrictFields): BonusInput | undefined {
  if (!fields.has('bonus')) return undefined
  const from = fields.nested('bonus')
  const bonus = {
    amount: from.money('amount', 0),
    method: from.choice('method', ['separate', 'merged'], defaultTaxSettings.thirteenth_month),
  }
  from.close()
  return bonus
}
