import { useEffect, useState } from 'react'
import { updatePassword, validatePhoneCode } from '../../../server/contract/account.ts'
import { ApiError, endHere, toSignIn, useCall } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { Steps } from '../../ui/steps.tsx'
import { messages, newPasswordProblem, redirectSeconds, verifyProblem } from './messages.ts'
import { NewPasswordFields, nothingTyped } from './new-password.tsx'
import { PhoneCodeFields } from './phone-code.tsx'
import { StepForm, useStep } from './step-form.tsx'
import { wrong } from './wrong.ts'
import './account.css'

const names = ['验证手机号', '重置密码', '完成'] as const
type Verify = { phone: string; code: string }
type Renew = { password: string; confirm_password: string }
const onField = (error: ApiError) => error.field !== undefined

/** Forgot password, in three steps: a code proves the phone and gives a token, which the new password takes; then sign in again. */
export function useResetWizard() {
  const [proved, setProved] = useState<{ phone: string; token: string } | null>(null)
  const [sms, setSms] = useState('')
  const [done, setDone] = useState(false)
  const first = useStep<Verify>()
  const second = useStep<Renew>()
  const validate = useCall(validatePhoneCode, { handles: () => true })
  const renew = useCall(updatePassword, { unchecked: true, handles: onField, onSuccess: endHere })

  const verify = (typed: Verify) =>
    first.attempt(async () => {
      const problem = verifyProblem(typed) ?? (sms ? null : { field: 'code' as const, text: messages.signIn.no_code })
      if (problem) throw wrong(problem)
      try {
        const { token } = await validate.mutateAsync({ ...typed, sms })
        setProved({ phone: typed.phone, token })
      } catch (error) {
        // Whatever is wrong with a code belongs to the code.
        throw error instanceof ApiError && !onField(error) ? wrong({ field: 'code', text: error.message }) : error
      }
    })
  const reset = (typed: Renew) =>
    second.attempt(async () => {
      const problem = newPasswordProblem(typed)
      if (problem) throw wrong(problem)
      const { password: newpass, confirm_password } = typed
      try {
        await renew.mutateAsync({ type: 'resetpwd', ...proved, newpass, confirm_password })
        setDone(true)
      } catch (error) {
        throw error instanceof ApiError && error.field === 'newpass' ? wrong({ field: 'password', text: error.message }) : error
      }
    })

  const at = done ? 2 : proved ? 1 : 0
  const body = (
    <>
      <Steps at={at} names={names} />
      {at === 0 && (
        <StepForm<Verify> key="verify" step={first} initial={{ phone: '', code: '' }} onSubmit={(typed) => void verify(typed)}>
          <PhoneCodeFields label="手机号" type="resetpwd" onSent={setSms} />
        </StepForm>
      )}
      {at === 1 && (
        <StepForm<Renew> key="reset" step={second} initial={nothingTyped} onSubmit={(typed) => void reset(typed)}>
          <NewPasswordFields label="新密码" autoFocus />
        </StepForm>
      )}
      {at === 2 && <Done />}
    </>
  )
  return {
    body,
    done,
    busy: first.busy || second.busy,
    action: at === 0 ? '下一步' : '重置密码',
    submit: () => (at === 0 ? first.form.submit() : second.form.submit()),
  }
}

/** Says so, and goes to the sign-in page by itself. */
function Done() {
  const [left, setLeft] = useState(redirectSeconds)
  // A clock, once a second.
  useEffect(() => {
    if (left <= 0) return toSignIn({ back: false })
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <div className="account-done" role="status">
      <Icon name="check" size={40} />
      <strong>{messages.wizard.done}</strong>
      <p className="ui-hint">{left} 秒后回到登录页，请用新密码登录</p>
    </div>
  )
}
