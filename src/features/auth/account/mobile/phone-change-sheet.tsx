import { useState } from 'react'
import { changePhone } from '../../../../../server/contract/auth/profile.ts'
import { ApiError, markSessionEnded, redirectToSignIn, useCallMutation } from '../../../../api.ts'
import { LightField, LightForm, SubmitButton } from '../../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../../components/form/sms-code.tsx'
import { toErrorAtField, useLightForm } from '../../../../components/form/use-light-form.ts'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import styles from '../../../payslips/employee/m.module.css'
import { accountFields } from '../account-fields.ts'
import { validatePasswordStep, validatePhoneChange } from '../change-messages.ts'
import { useVerifyCode } from '../code/verify-code.ts'
import { accountMessages, validatePhone } from '../messages.ts'

const emptyFields = { password: '', phone: '', code: '' }

/** The input and progress of a phone change: the password is verified (`token`), the phone is changed (`isDone`). */
function usePhoneChange() {
  const [token, setToken] = useState<string | null>(null)
  const [isDone, setIsDone] = useState(false)
  const change = useCallMutation(changePhone, { skipValidation: true, handles: () => true })
  const lastField = token ? 'code' : 'password'
  const { values, setError, ...changeForm } = useLightForm(emptyFields, {
    validate: (fields) => {
      if (!token) return validatePasswordStep(fields)
      return (
        validatePhoneChange(fields) ??
        (verifyCode.getChallenge(fields.phone) ? null : { field: lastField, text: accountMessages.signIn.codeNotSent })
      )
    },
    submit: async ({ password, phone, code }) => {
      if (!token) return setToken((await change.mutateAsync({ password })).token)
      await change.mutateAsync({ phone, code, sms: verifyCode.getChallenge(phone), token })
      markSessionEnded()
      setIsDone(true)
    },
    toFieldError: (error) => {
      if (error instanceof ApiError && error.is('wrong_password')) return { field: lastField, text: '登录密码不正确' }
      return toErrorAtField(error instanceof ApiError && error.field === 'phone' ? 'phone' : lastField, error)
    },
  })
  const verifyCode = useVerifyCode('changephone', setError)
  const sendCode = () => verifyCode.sendCode(values.phone, validatePhone(values.phone))
  return { ...changeForm, isVerified: token !== null, isDone, sendCode }
}

/**
 * The page for changing the phone number (更换手机号) on a phone: the password, then the new number and its code; afterwards
 * the user signs in again.
 */
export function PhoneChangeSheet({ onClose }: { onClose: () => void }) {
  const { isVerified, isDone, busy, form, field, sendCode } = usePhoneChange()
  const signIn = () => redirectToSignIn({ back: false })
  if (isDone)
    return (
      <BottomSheet open title="手机号已更换" onClose={signIn}>
        <p className="ui-label" role="status">
          请用新手机号重新登录，密码不变。
        </p>
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button} ${styles.primary}`} onClick={signIn}>
            用新账号登录
          </button>
        </div>
      </BottomSheet>
    )
  return (
    <BottomSheet open title="更换手机号" onClose={onClose}>
      <LightForm {...form}>
        {!isVerified ? (
          <div>
            <LightField {...accountFields.password} {...field('password')} />
            <p className="ui-hint">先确认是您本人。忘记密码？请退出登录，在登录页点「忘记密码」。</p>
          </div>
        ) : (
          <div>
            <LightField {...accountFields.newPhone} {...field('phone')} autoFocus />
            <LightCodeField {...accountFields.code} {...field('code')} onSend={sendCode} />
            <p className="ui-hint">更换后，原手机号会收到一条提醒，所有设备上的登录都会失效。</p>
          </div>
        )}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <SubmitButton busy={busy} text={!isVerified ? '下一步' : '更换手机号'} />
        </div>
      </LightForm>
    </BottomSheet>
  )
}
