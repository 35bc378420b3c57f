import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmPhoneOwner } from '../../../../server/contract/payslips/employee.ts'
import { queryClient, useCallMutation } from '../../../api.ts'
import { LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../components/form/sms-code.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { Icon } from '../../../components/icon.tsx'
import { accountFields } from '../../auth/account/account-fields.ts'
import { useVerifyCode } from '../../auth/account/code/verify-code.ts'
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
  const ownerForm = useLightForm<typeof emptyFields>(emptyFields, {
    validate: (fields) => validatePhoneOwner(method, { ...fields, sms: verifyCode.getChallenge(fields.phone), masked }),
    submit: ({ phone, code, password }) =>
      confirm.mutateAsync(method === 'password' ? { password } : { phone, code, sms: verifyCode.getChallenge(phone) }),
    toFieldError: (error) => toPhoneOwnerError(method, error),
  })
  const verifyCode = useVerifyCode('view', ownerForm.setError)
  const { phone } = ownerForm.values
  const sendCode = () => verifyCode.sendCode(phone, validateFormerPhone(phone, masked))
  const toggleMethod = () => {
    setMethod(method === 'password' ? 'code' : 'password')
    ownerForm.setError(null)
  }
  return { ...ownerForm, masked, method, toggleMethod, sendCode }
}

/**
 * The form is shown after the company entered another phone for the employee: before seeing a payslip, the employee
 * confirms their identity with the previous phone or password.
 */
export function ConfirmPhoneOwnerForm() {
  const { masked, method, toggleMethod, form, field, sendCode, busy } = usePhoneOwnerForm()
  return (
    <div className={styles.unlock}>
      <Icon name="lock" size={32} />
      <h2>请确认是您本人</h2>
      <p className="ui-label">
        公司更换了您登记的手机号。确认之前，工资条不会显示，也不会发给您。
        {method === 'code' ? '原来的手机号还在用，就用它收一次验证码。' : '请输入更换手机号之前，您自己设置的登录密码。'}
      </p>
      <LightForm {...form}>
        {method === 'password' ? (
          <LightField {...accountFields.previousPassword} {...field('password')} autoFocus />
        ) : (
          <div>
            <LightField
              {...accountFields.newPhone}
              label={masked ? `原手机号（${masked}）` : '原手机号'}
              autoComplete="off"
              {...field('phone')}
            />
            <LightCodeField {...accountFields.code} label="原手机号收到的验证码" {...field('code')} onSend={sendCode} />
          </div>
        )}
        <SubmitButton busy={busy} text="确认是我本人" busyText="正在验证…" />
      </LightForm>
      <button type="button" className={styles.link} onClick={toggleMethod}>
        {method === 'password' ? '改用原手机号的验证码' : '原手机号不用了？用原来的登录密码'}
      </button>
      <p className="ui-hint">两样都没有的，请联系公司：一位管理员在「花名册」申请，另一位同意后，您就能查看。</p>
    </div>
  )
}
