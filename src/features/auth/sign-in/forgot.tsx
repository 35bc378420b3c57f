import { useEffect, useState } from 'react'
import formStyles from '../../../components/form/light-form.module.css'
import { FormErrorText, LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../components/form/sms-code.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { accountFields } from '../account/account-fields.ts'
import { accountMessages, passwordHint, redirectSeconds, validateNewPassword, validatePhoneAndCode } from '../account/messages.ts'
import type { PublicInfo } from './calls.ts'
import { CodeSentNote } from './form.tsx'
import { NextOwnerOption } from './owner-fields.tsx'
import styles from './sign-in.module.css'
import { codeNotSentError, isCodeCompleted, loadSignInSteps, toSignInError, useSignInCode } from './sign-in.ts'
import type { FormError } from './types.ts'

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
  const [token, setToken] = useState<string | null>(null)
  const [isDone, setIsDone] = useState(false)
  const form = useLightForm<PasswordResetFields, FormError>(
    { phone: initialPhone, code: '', password: '', confirm_password: '' },
    {
      validate: (values) =>
        token !== null
          ? validateNewPassword(values)
          : (validatePhoneAndCode(values) ?? (getChallenge(values.phone) ? null : codeNotSentError)),
      submit: (values) => (token === null ? verifyPhone(values) : resetPassword(values, token)),
      toFieldError: toSignInError,
      onChange: (values, previous) => {
        const { phone, code } = values
        const canSubmit = token === null && getChallenge(phone) !== ''
        if (canSubmit && isCodeCompleted(previous.code, code, needsTwoCodes(phone))) form.submitValues(values)
      },
    },
  )
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('resetpwd', form.setError)
  const verifyPhone = async ({ phone, code }: PasswordResetFields) =>
    setToken(await (await loadSignInSteps()).verifyPhoneCode(phone, code, getChallenge(phone)))
  const resetPassword = async (values: PasswordResetFields, validToken: string, is_new_owner = false) => {
    const calls = await loadSignInSteps()
    try {
      await calls.resetPassword({ ...values, newpass: values.password, token: validToken, is_new_owner })
    } catch (error) {
      const { field: errorField } = calls.toFormError(error)
      // The token is valid once and for ten minutes: a new one requires another phone verification.
      if (errorField === 'code') setToken(null)
      if (errorField === 'code' || errorField === 'holder_name') form.setValues({ ...values, [errorField]: '' })
      throw error
    }
    onReset?.()
    setIsDone(true)
  }
  return {
    ...form,
    stepIndex: isDone ? 2 : token ? 1 : 0,
    submitAsNextOwner: () => form.submitValues(form.values, (values) => resetPassword(values, token ?? '', true)),
    sendCode,
    getChallenge,
    needsTwoCodes,
  }
}

/**
 * Forgot password, in three steps (spec §2): verify the phone, set a new password, done. Used on the sign-in page, and
 * in the desktop app for users who need their password there. `onReset`: the password has been changed, which ends all
 * sessions; `onLeave`: go to the sign-in page.
 */
export function PasswordReset({ phone, info, onReset, onLeave }: PasswordResetProps) {
  const reset = usePasswordReset(phone, onReset)
  const { values: fields, field, form, busy, error, stepIndex } = reset
  const isPair = reset.needsTwoCodes(fields.phone)
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
        <LightForm {...form}>
          <LightField {...accountFields.phone} {...field('phone')} autoFocus />
          <LightCodeField
            {...(isPair ? accountFields.twoCodes : accountFields.code)}
            {...field('code')}
            help={reset.getChallenge(fields.phone) && <CodeSentNote phone={fields.phone} needsTwoCodes={isPair} info={info} />}
            onSend={() => reset.sendCode(fields.phone)}
          />
          <FormErrorText error={error} fields={['phone', 'code']} />
          <SubmitButton busy={busy} text="下一步" busyText="正在验证…" />
        </LightForm>
      )}
      {stepIndex === 1 && (
        <LightForm {...form}>
          {/* Identifies the account to password managers. */}
          <input type="text" autoComplete="username" value={fields.phone} readOnly hidden />
          <LightField {...accountFields.newPassword} {...field('password')} help={passwordHint} autoFocus />
          <LightField {...accountFields.confirmPassword} {...field('confirm_password')} />
          {fields.holder_name !== undefined && <LightField {...accountFields.userName} {...field('holder_name')} />}
          <FormErrorText error={error} fields={['password', 'confirm_password', 'holder_name']} />
          {error?.isOwnerUnclear && <NextOwnerOption onNext={reset.submitAsNextOwner} />}
          <SubmitButton busy={busy} text="重置密码" busyText="正在重置…" />
        </LightForm>
      )}
      {stepIndex === 2 && <PasswordResetDone leave={() => onLeave(fields.phone)} />}
    </>
  )
}

/** Returns to the sign-in page after a visible countdown, or at once. */
function PasswordResetDone({ leave: onLeave }: { leave: () => void }) {
  const [remainingSeconds, setRemainingSeconds] = useState(redirectSeconds)
  // A timer is a side effect outside React.
  useEffect(() => {
    const timer = setTimeout(() => (remainingSeconds > 1 ? setRemainingSeconds(remainingSeconds - 1) : onLeave()), 1000)
    return () => clearTimeout(timer)
  }, [remainingSeconds, onLeave])
  return (
    <div className={formStyles.root}>
      <p className={styles.done} role="status">
        {accountMessages.passwordReset.done}
      </p>
      <p className={styles.text}>其他设备上的登录已经失效，请用新密码登录。{remainingSeconds} 秒后自动返回登录。</p>
      <button type="button" className={formStyles.submit} onClick={onLeave} autoFocus>
        立即登录
      </button>
    </div>
  )
}
