import { useState } from 'react'
import { UseAnotherAccountButton } from './companies.tsx'
import { FormErrorText, SignInField, SignInFormLayout, SubmitButton } from './field.tsx'
import styles from './sign-in.module.css'
import { isPastedCode, type SignInState, useFormSubmit } from './sign-in.ts'

const codePattern = /^(\d{6}|[0-9a-z]{5}-[0-9a-z]{5})$/
/** Full-width and upper-case characters count as the same code; a recovery code keeps its hyphen in the middle. */
const normalizeCode = (text: string): string => {
  const cleaned = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z-]/g, '')
  return /^\d+$/.test(cleaned) ? cleaned.slice(0, 10) : cleaned.slice(0, 11)
}

/** The second factor: six digits from the authenticator app, or a recovery code. */
export function SecondFactorForm({ signIn }: { signIn: SignInState }) {
  const [code, setCode] = useState('')
  const { busy, error: formError, setError: setFormError, act: runSubmit } = useFormSubmit()
  const submit = (submitted: string) => {
    if (submitted === '') return setFormError({ field: 'code', text: '请输入动态码' })
    if (!codePattern.test(submitted)) return setFormError({ field: 'code', text: '请输入 6 位动态码，或一个恢复码' })
    return void runSubmit(async (calls) =>
      signIn.handleResult(await calls.verifySecondFactor(signIn.factor_token ?? '', submitted)),
    )
  }
  const change = (text: string) => {
    const next = normalizeCode(text)
    setCode(next)
    setFormError(null)
    if (isPastedCode(code, next)) submit(next)
  }
  return (
    <>
      <SignInFormLayout error={formError} onSubmit={() => submit(code)}>
        <p className={styles.text}>
          这个账号已开启两步验证。请输入验证器 App 上的动态码；手机不在身边时，输入一个恢复码（形如 abcde-12345）。
        </p>
        <SignInField
          name="code"
          label="动态码"
          autoComplete="one-time-code"
          value={code}
          onChange={change}
          error={formError}
          autoFocus
        />
        <FormErrorText error={formError} fields={['code']} />
        <SubmitButton busy={busy} text="验证并登录" doing="正在验证…" />
      </SignInFormLayout>
      <UseAnotherAccountButton signIn={signIn} />
    </>
  )
}
