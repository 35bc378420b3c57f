/** What signing in needs after the first typed character, in one file: the calls, and the steps that follow the form. */
export * from './calls.ts'
export { CompanyList } from './companies.tsx'
export { SecondFactorForm } from './factor.tsx'
