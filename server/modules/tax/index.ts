/** Payroll tax. Writes member_deduction, member_insurance, insurance_scheme, tax_period(_event), tax_income and tax_year. */
export { getMemberTaxData } from './member-tax-data.ts'
export { listMonthResultsAfter } from './period/history.ts'
export { getOwnTax } from './period/own-tax.ts'
export { type LockedMonth, writeTaxHistory } from './period/tax-history.ts'
