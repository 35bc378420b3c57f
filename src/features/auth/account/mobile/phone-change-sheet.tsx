import { useState } from 'react'
import { changePhone } from '../../../../../server/contract/auth/profile.ts'
import { ApiError, markSessionEnded, redirectToSignIn, useCallMutation } from '../../../../api.ts'
import { SmsCodeButton } from '../../../../components/form/sms-code.tsx'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import { FormField, toErrorAtField, useMobileForm } from '../../../payslips/employee/form.tsx'
import styles from '../../../payslips/employee/m.module.css'
import { useVerifyCode } from '../code/verify-code.ts'
import {
  accountMessages,
  cleanPhone,
  extractVerificationCode,
  validatePasswordStep,
  validatePhone,
  validatePhoneChange,
} from '../messages.ts'

const emptyFields = { password: '', phone: '', code: '' }

/** The input and progress of a phone change: the password is verified (`token`), the phone is changed (`isDone`). */
function usePhoneChange() {
  const [token, setToken] = useState<string | null>(null)
  const [isDone, setIsDone] = useState(false)
  const change = useCallMutation(changePhone, { skipValidation: true, handles: () => true })
  const lastField = token ? 'code' : 'password'
  const {
    typed,
    busy,
    format: setFieldError,
    form,
    field,
  } = useMobileForm(emptyFields, {
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
  const verifyCode = useVerifyCode('changephone', setFieldError)
  const sendCode = () => verifyCode.sendCode(typed.phone, validatePhone(typed.phone))
  return { isVerified: token !== null, isDone, busy, form, field, sendCode }
}

/**
 * Change phone number (更换手机号) on a phone: the password, then the new number and its code; afterwards the user signs in
 * again.
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
      <form {...form}>
        {!isVerified ? (
          <>
            <FormField
              key="password"
              label="登录密码"
              {...field('password')}
              type="password"
              autoComplete="current-password"
              maxLength={64}
            />
            <p className="ui-hint">先确认是您本人。忘记密码？请退出登录，在登录页点「忘记密码」。</p>
          </>
        ) : (
          <>
            <FormField label="新手机号" {...field('phone', cleanPhone)} type="tel" autoComplete="tel" autoFocus />
            <FormField
              label="短信验证码"
              {...field('code', extractVerificationCode)}
              inputMode="numeric"
              autoComplete="one-time-code"
              after={<SmsCodeButton onSend={sendCode} />}
            />
            <p className="ui-hint">更换后，原手机号会收到一条提醒，所有设备上的登录都会失效。</p>
          </>
        )}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy}>
            {!isVerified ? '下一步' : '更换手机号'}
          </button>
        </div>
      </form>
    </BottomSheet>
  )
}
