/** Labels of insurance in lists and forms. */
import type { InsuranceEntry, SchemeItemView, SchemeTemplate } from '../../../../server/contract/tax/insurance.ts'
import { type InsuranceCode, isHousingFund } from '../../../../server/contract/tax/kinds.ts'
import { formatRate } from '../fields.tsx'

export const roundingLabels = { half_up: '四舍五入', up: '进位', down: '舍去' } as const
const unitLabels: Readonly<Record<number, string>> = { 1: '到分', 10: '到角', 100: '到元' }
export const formatRounding = ({ unit_fen, mode }: Pick<SchemeItemView, 'unit_fen' | 'mode'>): string =>
  `${roundingLabels[mode]}${unitLabels[unit_fen] ?? ''}`

/** Formats the rate of one side: `8%`, `2% + 3 元`, `5%–7%`. */
export function formatSchemeRate(item: SchemeItemView, side: 'employee' | 'employer'): string {
  if (item.from_ppm !== null && item.to_ppm !== null) return `${formatRate(item.from_ppm)}%–${formatRate(item.to_ppm)}%`
  const ppm = side === 'employee' ? item.employee_ppm : item.employer_ppm
  const fixed = side === 'employee' ? item.employee_fixed_fen : item.employer_fixed_fen
  return `${formatRate(ppm ?? 0)}%${fixed > 0 ? ` + ${fixed / 100} 元` : ''}`
}

export const createEmptySchemeItem = (code: InsuranceCode): SchemeItemView => ({
  code,
  floor_fen: 0,
  ceiling_fen: null,
  employee_ppm: isHousingFund(code) ? null : 0,
  employer_ppm: isHousingFund(code) ? null : 0,
  from_ppm: isHousingFund(code) ? 50_000 : null,
  to_ppm: isHousingFund(code) ? 120_000 : null,
  employee_fixed_fen: 0,
  employer_fixed_fen: 0,
  unit_fen: isHousingFund(code) ? 100 : 1,
  mode: 'half_up',
  check: null,
})
const defaultCodes = ['pension', 'medical', 'unemployment', 'injury', 'housing_fund'] as const
export const createEmptyScheme = (valid_from: string): SchemeTemplate => ({
  city: '',
  valid_from,
  valid_to: null,
  document: '',
  items: defaultCodes.map(createEmptySchemeItem),
})

export const createEmptyEntry = (from: string, city: string): InsuranceEntry => ({
  from,
  insured: true,
  city,
  social_fen: 0,
  housing_fund_fen: null,
  housing_fund_ppm: null,
  supplementary_ppm: null,
  not_enrolled: [],
})
export const formatValidity = ({ valid_from, valid_to }: Pick<SchemeTemplate, 'valid_from' | 'valid_to'>): string =>
  `${valid_from} 至 ${valid_to ?? '今'}`

/** Parses which item and field an error such as `items.2.to_ppm` or `members.0.entries.1.city` refers to. */
export function parseFieldError(field: string | undefined): { at: number; name: string } | null {
  const [, index, name = ''] = /(?:items|entries)\.(\d+)\.(\w+)$/.exec(field ?? '') ?? []
  return index === undefined ? null : { at: Number(index), name }
}
