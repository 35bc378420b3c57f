import { FormErrorText, LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { UseAnotherAccountButton } from './companies.tsx'
import styles from './sign-in.module.css'
import { isCodeCompleted, loadSignInSteps, type SignInState, toSignInError } from './sign-in.ts'
import type { FormError } from './types.ts'

const codePattern = /^(\d{6}|[0-9a-z]{5}-[0-9a-z]{5})$/
/** Full-width and upper-case characters count as the same code; a recovery code keeps its hyphen in the middle. */
const normalizeCode = (text: string): string => {
  const cleaned = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z-]/g, '')
  return cleaned.slice(0, /^\d+$/.test(cleaned) ? 10 : 11)
}
const validateCode = ({ code }: { code: string }): FormError | null => {
  if (code === '') return { field: 'code', text: '请输入动态码' }
  return codePattern.test(code) ? null : { field: 'code', text: '请输入 6 位动态码，或一个恢复码' }
}

/** The second factor: six digits from the authenticator app, or a recovery code. */
export function SecondFactorForm({ signIn }: { signIn: SignInState }) {
  const { busy, error, form, field, submitValues } = useLightForm<{ code: string }, FormError>(
    { code: '' },
    {
      validate: validateCode,
      submit: async ({ code }) =>
        signIn.handleResult(await (await loadSignInSteps()).verifySecondFactor(signIn.factor_token ?? '', code)),
      toFieldError: toSignInError,
      onChange: (values, previous) => isCodeCompleted(previous.code, values.code) && submitValues(values),
    },
  )
  return (
    <>
      <LightForm {...form}>
        <p className={styles.text}>
          这个账号已开启两步验证。请输入验证器 App 上的动态码；手机不在身边时，输入一个恢复码（形如 abcde-12345）。
        </p>
        <LightField label="动态码" autoComplete="one-time-code" clean={normalizeCode} {...field('code')} autoFocus />
        <FormErrorText error={error} fields={['code']} />
        <SubmitButton busy={busy} text="验证并登录" busyText="正在验证…" />
      </LightForm>
      <UseAnotherAccountButton signIn={signIn} />
    </>
  )
}
