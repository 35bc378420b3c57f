import { useEffect, useState } from 'react'
import { accountMessages, passwordHint, redirectSeconds, validateNewPassword, validatePhoneAndCode } from '../account/messages.ts'
import type { PublicInfo } from './calls.ts'
import { CodeField, FormErrorText, OwnerNameField, PhoneField, SignInField, SignInFormLayout, SubmitButton } from './field.tsx'
import { CodeSentNote } from './form.tsx'
import styles from './sign-in.module.css'
import { cleanInput, useFormSubmit, useSignInCode } from './sign-in.ts'

const stepNames = ['验证手机号', '重置密码', '完成']
type PasswordResetFields = { phone: string; code: string; password: string; confirm_password: string; holder_name?: string }

type PasswordResetProps = {
  phone: string
  info: PublicInfo | null
  onReset?: () => void
  onLeave: (phone: string) => void
}

/** The input and the current step. */
function usePasswordReset(initialPhone: string, onReset: (() => void) | undefined) {
  const [fields, setFields] = useState<PasswordResetFields>({ phone: initialPhone, code: '', password: '', confirm_password: '' })
  const [token, setToken] = useState<string | null>(null)
  const [isDone, setIsDone] = useState(false)
  const { busy, error: formError, setError: setFormError, act: runSubmit } = useFormSubmit()
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('resetpwd', setFormError)

  const field = (name: keyof PasswordResetFields) => ({
    value: fields[name] ?? '',
    error: formError,
    onChange: (text: string) => {
      const { value, isFull } = cleanInput(name, fields[name] ?? '', text, needsTwoCodes(fields.phone))
      const next = { ...fields, [name]: value }
      setFields(next)
      setFormError(null)
      if (isFull && getChallenge(next.phone)) verify(next)
    },
  })
  const verify = (values: PasswordResetFields) => {
    const invalid = validatePhoneAndCode(values)
    if (invalid) return setFormError(invalid)
    const sms = getChallenge(values.phone)
    if (!sms) return setFormError({ field: 'code', text: accountMessages.signIn.codeNotSent })
    return void runSubmit(async (calls) => setToken(await calls.verifyPhoneCode(values.phone, values.code, sms)))
  }
  const reset = (isNextOwner = false) => {
    const invalid = validateNewPassword(fields)
    if (invalid) return setFormError(invalid)
    return void runSubmit(async (calls) => {
      try {
        await calls.resetPassword({ ...fields, newpass: fields.password, token: token ?? '', is_new_owner: isNextOwner })
      } catch (error) {
        const { field: errorField } = calls.toFormError(error)
        // The token is valid once and for ten minutes: a new one requires another phone verification.
        if (errorField === 'code') setToken(null)
        if (errorField === 'code' || errorField === 'holder_name') setFields({ ...fields, [errorField]: '' })
        throw error
      }
      onReset?.()
      setIsDone(true)
    })
  }
  return {
    at: isDone ? 2 : token ? 1 : 0,
    typed: fields,
    field,
    verify,
    reset,
    busy,
    error: formError,
    sendCode,
    smsFor: getChallenge,
    pairFor: needsTwoCodes,
  }
}

/**
 * Forgot password, in three steps (spec §2): verify the phone, set a new password, done. Used on the sign-in page, and
 * in the desktop app for users who need their password there. `onReset`: the password has been changed, which ends all
 * sessions; `onLeave`: go to the sign-in page.
 */
export function PasswordReset({ phone, info, onReset, onLeave }: PasswordResetProps) {
  const {
    at: stepIndex,
    typed: fields,
    field,
    verify,
    reset,
    busy,
    error: formError,
    sendCode,
    smsFor,
    pairFor,
  } = usePasswordReset(phone, onReset)
  return (
    <>
      <ol className={styles.steps}>
        {stepNames.map((name, index) => (
          <li key={name} aria-current={index === stepIndex ? 'step' : undefined} data-done={index < stepIndex || undefined}>
            {name}
          </li>
        ))}
      </ol>
      {stepIndex === 0 && (
        <SignInFormLayout error={formError} onSubmit={() => verify(fields)}>
          <PhoneField {...field('phone')} autoFocus />
          <CodeField
            {...field('code')}
            hint={smsFor(fields.phone) && <CodeSentNote phone={fields.phone} needsTwoCodes={pairFor(fields.phone)} info={info} />}
            onSend={() => sendCode(fields.phone)}
          />
          <FormErrorText error={formError} fields={['phone', 'code']} />
          <SubmitButton busy={busy} text="下一步" doing="正在验证…" />
        </SignInFormLayout>
      )}
      {stepIndex === 1 && (
        <SignInFormLayout error={formError} onSubmit={() => reset()}>
          {/* Identifies the account to password managers. */}
          <input type="text" autoComplete="username" value={fields.phone} readOnly hidden />
          <NewPasswordField name="password" label="新密码" {...field('password')} hint={passwordHint} autoFocus />
          <NewPasswordField name="confirm_password" label="确认新密码" {...field('confirm_password')} />
          {fields.holder_name !== undefined && <OwnerNameField {...field('holder_name')} />}
          <FormErrorText error={formError} fields={['password', 'confirm_password', 'holder_name']} onNext={() => reset(true)} />
          <SubmitButton busy={busy} text="重置密码" doing="正在重置…" />
        </SignInFormLayout>
      )}
      {stepIndex === 2 && <PasswordResetDone leave={() => onLeave(fields.phone)} />}
    </>
  )
}

const NewPasswordField = (props: Omit<Parameters<typeof SignInField>[0], 'type' | 'autoComplete'>) => (
  <SignInField type="password" autoComplete="new-password" maxLength={64} {...props} />
)

/** Returns to the sign-in page after a visible countdown, or at once. */
function PasswordResetDone({ leave: onLeave }: { leave: () => void }) {
  const [remainingSeconds, setRemainingSeconds] = useState(redirectSeconds)
  // A timer is a side effect outside React.
  useEffect(() => {
    const timer = setTimeout(() => (remainingSeconds > 1 ? setRemainingSeconds(remainingSeconds - 1) : onLeave()), 1000)
    return () => clearTimeout(timer)
  }, [remainingSeconds, onLeave])
  return (
    <div className={styles.form}>
      <p className={styles.done} role="status">
        {accountMessages.passwordReset.done}
      </p>
      <p className={styles.text}>其他设备上的登录已经失效，请用新密码登录。{remainingSeconds} 秒后自动返回登录。</p>
      <button type="button" className={styles.submit} onClick={onLeave} autoFocus>
        立即登录
      </button>
    </div>
  )
}
