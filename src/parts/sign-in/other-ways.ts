/** What stands beside the form, as one file: founding a company, and a password that was forgotten. */
export { Forgot } from './forgot.tsx'
export { Register } from './register.tsx'
