/** What signing in needs after the first letter is typed, as one file: the calls, and the steps that follow the form. */
export * from './calls.ts'
export { Companies } from './companies.tsx'
export { Factor } from './factor.tsx'
