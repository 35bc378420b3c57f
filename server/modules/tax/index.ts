/**
 * Payroll tax. Writes member_deduction, member_insurance, insurance_scheme, tax_period, tax_income, tax_year and
 * tax_period_event.
 */
export { getMemberTaxData } from './member-tax-data.ts'
export { getOwnTax } from './period/own-tax.ts'
