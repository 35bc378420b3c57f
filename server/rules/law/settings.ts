/** Settings where the law is silent and tax offices differ (tax-rules §16): the company's choice, with our defaults. */
export type TaxSettings = {
  /** The employee's own insurance of a non-resident: the law mentions only the basic deduction. */
  readonly nonresident_insurance: 'not_deducted' | 'deducted'
  /** Left and was hired again by the same company within the year. */
  readonly rehired: 'one_cumulation' | 'start_again'
  /** Pay in a month after the month of leaving. */
  readonly after_leaving: 'no_further_basic' | 'counts_on'
  /** 十三薪. */
  readonly thirteenth_month: 'merged' | 'separate'
  /** Fixed amounts of an insurance, such as the three yuan of Beijing. */
  readonly fixed_medical: 'deductible' | 'not_deductible'
  /** The base of an insurance: as declared, or rounded to whole yuan. */
  readonly insurance_base: 'not_rounded' | 'whole_yuan'
  /** Rounding where a city's scheme does not define it. */
  readonly insurance_rounding: { readonly unit_fen: number; readonly mode: 'half_up' | 'up' | 'down' }
  /** Format of 应补(退)税额: never negative, or negative as in the client's result file. Nothing is refunded in either case. */
  readonly refund: 'credit_only' | 'negative'
  /** 减免税额: as entered, or a province's share of the tax up to an annual amount. */
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
