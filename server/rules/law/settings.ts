/** Where the law is silent and offices differ (tax-rules §16): a choice of the company, with what we take where nobody chose. */
export type TaxSettings = {
  /** Own insurance of a non-resident: the law names only the basic deduction. */
  readonly nonresident_insurance: 'not_deducted' | 'deducted'
  /** Left and hired again by the same company within the year. */
  readonly rehired: 'one_cumulation' | 'start_again'
  /** Pay in a month after that of leaving. */
  readonly after_leaving: 'no_further_basic' | 'counts_on'
  /** 十三薪. */
  readonly thirteenth_month: 'merged' | 'separate'
  /** Fixed amounts of an insurance, as the three yuan of Beijing. */
  readonly fixed_medical: 'deductible' | 'not_deductible'
  /** The base of an insurance: as declared, or whole yuan. */
  readonly insurance_base: 'not_rounded' | 'whole_yuan'
  /** Where a city's scheme does not say. */
  readonly insurance_rounding: { readonly unit_fen: number; readonly mode: 'half_up' | 'up' | 'down' }
  /** How 应补(退)税额 is written: never below zero, or below zero as in the client's result file. Nothing is paid back either way. */
  readonly refund: 'credit_only' | 'negative'
  /** 减免税额: as entered, or a province's share of the tax up to a sum a year. */
  readonly disability_relief: 'entered' | { readonly rate_ppm: number; readonly year_fen: number }
  /** Transport and phone allowances that a local rule exempts. */
  readonly local_subsidies: 'entered_as_exempt' | 'taxed'
}

export const defaultTaxSettings: TaxSettings = {
  nonresident_insurance: 'not_deducted',
  rehired: 'one_cumulation',
  after_leaving: 'no_further_basic',
  thirteenth_month: 'merged',
  fixed_medical: 'deductible',
  insurance_base: 'not_rounded',
  insurance_rounding: { unit_fen: 1, mode: 'half_up' },
  refund: 'credit_only',
  disability_relief: 'entered',
  local_subsidies: 'entered_as_exempt',
}
