/** Salary tax. Writes member_deduction, member_insurance, insurance_scheme, tax_period, tax_income, tax_year and tax_period_event. */
export { heldInTax } from './held.ts'
export { ownTaxOf } from './period/own.ts'
