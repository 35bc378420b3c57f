/** The steps beside the form in one file: company registration and forgotten password. */
export { PasswordReset } from './forgot.tsx'
export { RegisterForm } from './register.tsx'
