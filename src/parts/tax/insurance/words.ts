/** How insurance is spoken of in lists and forms. */
import type { InsuranceEntry, SchemeItemInfo, SchemeTemplate } from '../../../../server/contract/wage/insurance.ts'
import { type InsuranceCode, isFund } from '../../../../server/contract/wage/kinds.ts'
import { rateText } from '../fields.tsx'

export const roundingWords = { half_up: '四舍五入', up: '进位', down: '舍去' } as const
const unitWords: Readonly<Record<number, string>> = { 1: '到分', 10: '到角', 100: '到元' }
export const roundingOf = ({ unit_fen, mode }: Pick<SchemeItemInfo, 'unit_fen' | 'mode'>): string =>
  `${roundingWords[mode]}${unitWords[unit_fen] ?? ''}`

/** What one side pays: `8%`, `2% + 3 元`, `5%–7%`. */
export function rateOf(item: SchemeItemInfo, side: 'employee' | 'employer'): string {
  if (item.from_ppm !== null && item.to_ppm !== null) return `${rateText(item.from_ppm)}%–${rateText(item.to_ppm)}%`
  const ppm = side === 'employee' ? item.employee_ppm : item.employer_ppm
  const fixed = side === 'employee' ? item.employee_fixed_fen : item.employer_fixed_fen
  return `${rateText(ppm ?? 0)}%${fixed > 0 ? ` + ${fixed / 100} 元` : ''}`
}

export const emptySchemeItem = (code: InsuranceCode): SchemeItemInfo => ({
  code,
  floor_fen: 0,
  ceiling_fen: null,
  employee_ppm: isFund(code) ? null : 0,
  employer_ppm: isFund(code) ? null : 0,
  from_ppm: isFund(code) ? 50_000 : null,
  to_ppm: isFund(code) ? 120_000 : null,
  employee_fixed_fen: 0,
  employer_fixed_fen: 0,
  unit_fen: isFund(code) ? 100 : 1,
  mode: 'half_up',
  check: null,
})
const usual = ['pension', 'medical', 'unemployment', 'injury', 'housing_fund'] as const
export const emptyScheme = (valid_from: string): SchemeTemplate => ({
  city: '',
  valid_from,
  valid_to: null,
  document: '',
  items: usual.map(emptySchemeItem),
})

export const emptyEntry = (from: string, city: string): InsuranceEntry => ({
  from,
  insured: true,
  city,
  social_fen: 0,
  housing_fund_fen: null,
  housing_fund_ppm: null,
  supplementary_ppm: null,
  not_enrolled: [],
})
export const validity = ({ valid_from, valid_to }: Pick<SchemeTemplate, 'valid_from' | 'valid_to'>): string =>
  `${valid_from} 至 ${valid_to ?? '今'}`

/** What is wrong where, of a refusal such as `items.2.to_ppm` or `members.0.entries.1.city`. */
export function wrongAt(field: string | undefined): { at: number; name: string } | null {
  const [, at, name = ''] = /(?:items|entries)\.(\d+)\.(\w+)$/.exec(field ?? '') ?? []
  return at === undefined ? null : { at: Number(at), name }
}
