/** What stands beside the form, as one file: founding a company, and a password that was forgotten. */
export { PasswordReset } from './forgot.tsx'
export { RegisterForm } from './register.tsx'
