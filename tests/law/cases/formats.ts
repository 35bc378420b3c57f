/** Parses and formats amounts, rates and months of cases (tax-rules §15). */
import { formatPlainFen } from '../../../server/contract/shared/money.ts'
import { type Quantity, roundToFen } from '../../../server/rules/law/fraction.ts'
import type { Step } from '../../../server/rules/law/steps.ts'
import type { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import type { PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'

/** The result of a case with its steps. */
export type CaseOutput = { readonly result: Readonly<Record<string, unknown>>; readonly steps: readonly Step[] }
export const toRefusedOutput = (error: string, message?: string): CaseOutput => ({
  result: message === undefined ? { error } : { error, message },
  steps: [],
})

/** Rounds half up to the fen and formats with two decimals. */
export const formatMoney = (value: Quantity): string => formatPlainFen(roundToFen(value))
/** Formats parts per million as a decimal: 100000 → `0.10`. */
export function formatRate(ppm: number): string {
  const digits = String(ppm).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`
}
export const formatBracket = ({ rate_ppm, quick_fen }: { readonly rate_ppm: number; readonly quick_fen: number }) => ({
  rate: formatRate(rate_ppm),
  quick: formatMoney(quick_fen),
})

export const yearRange = [2000, 2099] as const
export const monthRange = [1, 12] as const

/** Reads the payment month of a case whose kind has no fixed date field: from a day, a month or a year. */
export function readPaymentMonth(fields: StrictFields): PaymentMonth {
  const months = ['pay_date', 'date', 'month'].filter((name) => fields.has(name)).map((name) => fields.month(name))
  const year = ['tax_year', 'year'].filter((name) => fields.has(name)).map((name) => `${fields.integer(name, yearRange)}-12`)
  return months[0] ?? year[0] ?? null
}
export const readFlag = (fields: StrictFields, name: string): boolean => fields.flag(name, false)
