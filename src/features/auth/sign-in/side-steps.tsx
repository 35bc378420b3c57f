/** The steps beside the form in one file: company registration, forgotten password, the link of a first administrator. */
import type { PublicInfo } from './calls.ts'
import { FirstPasswordForm } from './first-password.tsx'
import { PasswordReset } from './forgot.tsx'
import { RegisterStep } from './register.tsx'
import type { SignInState } from './sign-in.ts'

/** `linkToken`: from the link of a first administrator; null in the other steps. */
export function SideStep(props: { step: string; signIn: SignInState; info: PublicInfo | null; linkToken: string | null }) {
  const { step, signIn, info, linkToken } = props
  if (linkToken) return <FirstPasswordForm signIn={signIn} token={linkToken} />
  if (step === 'register') return <RegisterStep signIn={signIn} info={info} />
  return <PasswordReset phone={signIn.fields.phone} info={info} onLeave={signIn.restart} />
}
