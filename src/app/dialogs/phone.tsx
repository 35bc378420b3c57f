import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changePhone } from '../../../server/contract/auth/profile.ts'
import { getPublicInfo } from '../../../server/contract/auth/sign-in.ts'
import { callQuery, markSessionEnded, redirectToSignIn, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { ControlledForm, useFormController } from '../../components/form/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import styles from '../../features/auth/account/account.module.css'
import { accountFields } from '../../features/auth/account/account-fields.ts'
import { validatePasswordStep, validatePhoneChange } from '../../features/auth/account/change-messages.ts'
import { PhoneCodeFields } from '../../features/auth/account/code/phone-code.tsx'
import { useVerifyCode } from '../../features/auth/account/code/verify-code.ts'
import { assignErrorToField, createFieldError, isFieldLevelError } from '../../features/auth/account/field-errors.ts'
import { accountMessages } from '../../features/auth/account/messages.ts'
import { PasswordReset } from '../../features/auth/sign-in/forgot.tsx'

type PasswordStepForm = { password: string }
type NewPhoneForm = { phone: string; code: string }

/**
 * Change phone number (更换手机号) in four steps (spec §2): 1 the password, 2 the new phone and its code, 3 the alternative
 * for users who forgot the password, 4 done, which ends every session.
 */
export function PhoneDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [step, setStep] = useState<1 | 2 | 3 | 4>(1)
  const [token, setToken] = useState('')
  const passwordForm = useFormController<PasswordStepForm>()
  const phoneForm = useFormController<NewPhoneForm>()
  const smsCode = useVerifyCode('changephone', phoneForm.setFieldError)
  const [reset, setReset] = useState(false)
  const info = useQuery({ ...callQuery(getPublicInfo, {}), enabled: step === 3 })
  const change = useCallMutation(changePhone, {
    skipValidation: true,
    handles: (error) => error.field !== undefined || isFieldLevelError(error),
  })

  const signIn = () => redirectToSignIn({ back: false })
  const close = () => {
    if (step === 4 || reset) return signIn()
    setStep(1)
    onClose()
  }
  const submitPassword = async (values: PasswordStepForm) => {
    const fieldError = validatePasswordStep(values)
    if (fieldError) throw createFieldError(fieldError)
    const answer = await assignErrorToField('password', change.mutateAsync(values))
    setToken(answer.token ?? '')
    setStep(2)
  }
  const submitPhone = async (values: NewPhoneForm) => {
    const sms = smsCode.getChallenge(values.phone)
    const fieldError =
      validatePhoneChange(values) ?? (sms ? null : { field: 'code' as const, text: accountMessages.signIn.codeNotSent })
    if (fieldError) throw createFieldError(fieldError)
    await assignErrorToField('code', change.mutateAsync({ ...values, sms, token }))
    markSessionEnded()
    setStep(4)
  }

  const buttonsByStep = {
    1: { action: '下一步', busy: passwordForm.busy, onConfirm: () => passwordForm.form.submit() },
    2: { action: '更换手机号', busy: phoneForm.busy, onConfirm: () => phoneForm.form.submit() },
    3: { hideFooter: true },
    4: { result: { text: '用新账号登录', onPress: signIn } },
  }
  const finishReset = () => {
    markSessionEnded()
    setReset(true)
  }
  return (
    <Dialog open={open} title={step === 3 ? '重置登录密码' : '更换手机号'} onClose={close} {...buttonsByStep[step]}>
      {step === 1 && (
        <ControlledForm<PasswordStepForm> kit={passwordForm} initial={{ password: '' }} onSubmit={submitPassword}>
          <FormField name="password" {...accountFields.password} help="先确认是您本人，再换手机号。" autoFocus />
          <button type="button" className={styles.link} onClick={() => setStep(3)}>
            忘记密码？
          </button>
        </ControlledForm>
      )}
      {step === 2 && (
        <ControlledForm<NewPhoneForm> kit={phoneForm} initial={{ phone: '', code: '' }} onSubmit={submitPhone}>
          <PhoneCodeFields label="新手机号" requested={smsCode} />
          <p className="ui-hint">更换后，原手机号会收到一条提醒，您在所有设备上的登录都会失效。</p>
        </ControlledForm>
      )}
      {step === 3 && <PasswordReset phone="" info={info.data ?? null} onReset={finishReset} onLeave={signIn} />}
      {step === 4 && (
        <div className={styles.done} role="status">
          <Icon name="check" size={40} />
          <strong>手机号已更换</strong>
          <p className="ui-hint">请用新手机号重新登录，密码不变。</p>
        </div>
      )}
    </Dialog>
  )
}
