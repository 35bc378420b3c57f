/** Codes and Chinese labels of deductions and insurance, for tax rules, calls and pages. */

export const deductionKinds = [
  'child_education',
  'infant_care',
  'elderly',
  'housing_loan',
  'housing_rent',
  'continuing_degree',
  'continuing_certificate',
  'serious_illness',
  'personal_pension',
] as const
export type DeductionKind = (typeof deductionKinds)[number]
export const deductionLabels: Readonly<Record<DeductionKind, string>> = {
  child_education: '子女教育',
  infant_care: '3岁以下婴幼儿照护',
  elderly: '赡养老人',
  housing_loan: '住房贷款利息',
  housing_rent: '住房租金',
  continuing_degree: '学历继续教育',
  continuing_certificate: '职业资格继续教育',
  serious_illness: '大病医疗',
  personal_pension: '个人养老金',
}
/** An empty deduction, apart from its kind. */
export const emptyDeduction = {
  whose: '',
  born: null,
  from: null,
  to: null,
  share: 'whole',
  only_child: false,
  amount_fen: null,
  city_tier: null,
} as const

export const socialInsuranceCodes = ['pension', 'medical', 'unemployment', 'injury', 'maternity', 'serious_illness_fund'] as const
export const insuranceCodes = [...socialInsuranceCodes, 'housing_fund', 'housing_fund_supplementary'] as const
export type InsuranceCode = (typeof insuranceCodes)[number]
export const insuranceLabels: Readonly<Record<InsuranceCode, string>> = {
  pension: '养老保险',
  medical: '医疗保险',
  unemployment: '失业保险',
  injury: '工伤保险',
  maternity: '生育保险',
  serious_illness_fund: '大病医疗保险',
  housing_fund: '住房公积金',
  housing_fund_supplementary: '补充住房公积金',
}
export const isHousingFund = (code: InsuranceCode): boolean => code === 'housing_fund' || code === 'housing_fund_supplementary'

/** States that need attention: deductions that end soon, are not confirmed for the year, are invalid, or are missing. */
export const deductionStates = ['expiring', 'unconfirmed', 'faulty', 'none'] as const
export type DeductionState = (typeof deductionStates)[number]
/** Contribution bases that are missing, invalid, or from last year. */
export const insuranceStates = ['missing', 'faulty', 'adjust'] as const
export type InsuranceState = (typeof insuranceStates)[number]
