import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmPhoneOwner } from '../../../../server/contract/payslips/employee.ts'
import { queryClient, useCallMutation } from '../../../api.ts'
import { SmsCodeButton } from '../../../components/form/sms-code.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useVerifyCode } from '../../auth/account/code/verify-code.ts'
import { cleanPhone, extractVerificationCode } from '../../auth/account/messages.ts'
import { FormField, useMobileForm } from './form.tsx'
import styles from './m.module.css'
import { type PhoneOwnerProof, toPhoneOwnerError, validateFormerPhone, validatePhoneOwner } from './phone-owner.ts'
import { currentEmployeeQuery } from './queries.ts'

const emptyFields = { phone: '', code: '', password: '' }

/** The form's input and its submission. */
function usePhoneOwnerForm() {
  const masked = useQuery(currentEmployeeQuery).data?.phone_unconfirmed?.former_phone_masked ?? ''
  const [method, setMethod] = useState<PhoneOwnerProof>('code')
  // Sent without caching: after success the whole page is refetched.
  const confirm = useCallMutation(confirmPhoneOwner, { handles: () => true, onSuccess: () => void queryClient.resetQueries() })
  const {
    typed,
    busy,
    format: setFieldError,
    form,
    field,
  } = useMobileForm(emptyFields, {
    validate: (fields) => validatePhoneOwner(method, { ...fields, sms: verifyCode.getChallenge(fields.phone), masked }),
    submit: ({ phone, code, password }) =>
      confirm.mutateAsync(method === 'password' ? { password } : { phone, code, sms: verifyCode.getChallenge(phone) }),
    toFieldError: (error) => toPhoneOwnerError(method, error),
  })
  const verifyCode = useVerifyCode('view', setFieldError)
  const sendCode = () => verifyCode.sendCode(typed.phone, validateFormerPhone(typed.phone, masked))
  const toggleMethod = () => {
    setMethod(method === 'password' ? 'code' : 'password')
    setFieldError(null)
  }
  return { masked, channel: method, rotate: toggleMethod, form, field, send: sendCode, busy }
}

/**
 * Shown after the company entered another phone for the employee: before seeing a payslip they confirm their identity
 * with the previous phone or password.
 */
export function ConfirmPhoneOwnerForm() {
  const { masked, channel: method, rotate: toggleMethod, form, field, send: sendCode, busy } = usePhoneOwnerForm()
  return (
    <div className={styles.unlock}>
      <Icon name="lock" size={32} />
      <h2>请确认是您本人</h2>
      <p className="ui-label">
        公司更换了您登记的手机号。确认之前，工资条不会显示，也不会发给您。
        {method === 'code' ? '原来的手机号还在用，就用它收一次验证码。' : '请输入更换手机号之前，您自己设置的登录密码。'}
      </p>
      <form {...form}>
        {method === 'password' ? (
          <FormField
            key="password"
            label="原来的登录密码"
            type="password"
            autoComplete="current-password"
            maxLength={64}
            autoFocus
            {...field('password')}
          />
        ) : (
          <>
            <FormField
              label={masked ? `原手机号（${masked}）` : '原手机号'}
              type="tel"
              autoComplete="off"
              {...field('phone', cleanPhone)}
            />
            <FormField
              label="原手机号收到的验证码"
              inputMode="numeric"
              autoComplete="one-time-code"
              {...field('code', extractVerificationCode)}
              after={<SmsCodeButton onSend={sendCode} />}
            />
          </>
        )}
        <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy}>
          {busy ? '正在验证…' : '确认是我本人'}
        </button>
      </form>
      <button type="button" className={styles.link} onClick={toggleMethod}>
        {method === 'password' ? '改用原手机号的验证码' : '原手机号不用了？用原来的登录密码'}
      </button>
      <p className="ui-hint">两样都没有的，请联系公司：一位管理员在「花名册」申请，另一位同意后，您就能查看。</p>
    </div>
  )
}
