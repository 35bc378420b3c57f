/** How a case writes amounts, rates and months (tax-rules §15), both ways. */
import { plainFen } from '../../../contract/words/money.ts'
import { type Quantity, shown } from '../exact.ts'
import type { StrictFields } from '../read.ts'
import type { Step } from '../steps.ts'
import type { When } from '../tables/dated.ts'

/** A case's answer, and how it came about. */
export type CaseAnswer = { readonly result: Readonly<Record<string, unknown>>; readonly steps: readonly Step[] }
export const refusedAs = (error: string, message?: string): CaseAnswer => ({
  result: message === undefined ? { error } : { error, message },
  steps: [],
})

/** Half up to the fen, two decimals. */
export const money = (value: Quantity): string => plainFen(shown(value))
/** 100000 → `0.10`. */
export function rate(ppm: number): string {
  const digits = String(ppm).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`
}
export const level = ({ rate_ppm, quick_fen }: { readonly rate_ppm: number; readonly quick_fen: number }) => ({
  rate: rate(rate_ppm),
  quick: money(quick_fen),
})

export const years = [2000, 2099] as const
export const monthsOfYear = [1, 12] as const

/** When it is paid, where a case of a kind without a date says it: a day, a month or a year. */
export function whenOf(of: StrictFields): When {
  const given = ['pay_date', 'date', 'month'].filter((name) => of.has(name)).map((name) => of.month(name))
  const year = ['tax_year', 'year'].filter((name) => of.has(name)).map((name) => `${of.whole(name, years)}-12`)
  return given[0] ?? year[0] ?? null
}
export const flag = (of: StrictFields, name: string): boolean => of.flag(name, false)
