/** The steps beside the form in one file: company registration, forgotten password, the link of a first administrator. */
export { FirstPasswordForm } from './first-password.tsx'
export { PasswordReset } from './forgot.tsx'
export { RegisterStep } from './register.tsx'
