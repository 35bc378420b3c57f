import { useState } from 'react'
import { bindAccount } from '../../../../server/contract/auth/platform-sign-in.ts'
import { providerLabels } from '../../../../server/contract/shared/providers.ts'
import type { ChatProvider } from '../../../../server/contract/shared/schemas.ts'
import { ApiError, sendRequest } from '../../../api-core.ts'
import { accountMessages, isValidCode, validatePhone } from '../account/messages.ts'
import { CodeField, FormErrorText, PhoneField, SignInField, SignInFormLayout, SubmitButton } from '../sign-in/field.tsx'
import { twoCodesHint } from '../sign-in/form.tsx'
import styles from '../sign-in/sign-in.module.css'
import { cleanInput, type SignInState, useFormSubmit, useSignInCode } from '../sign-in/sign-in.ts'

/** Links the platform user to a phone: a code, and the password if the phone's account has one. Needed once per user. */
export function LinkPhoneForm(props: { provider: ChatProvider; binding_token: string; signIn: SignInState; onOver: () => void }) {
  const { provider, binding_token, signIn, onOver: onExpired } = props
  const [fields, setFields] = useState({ phone: '', code: '', password: '' })
  // The phone whose code was already verified: only its password is missing.
  const [provenPhone, setProvenPhone] = useState<string | null>(null)
  const { busy, error: fieldError, setError: setFieldError, act: runSubmit } = useFormSubmit()
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('login', setFieldError)
  const { phone, code, password } = fields
  const asksPassword = provenPhone === phone && phone !== ''

  const submit = (isNextOwner = false) => {
    const text = validatePhone(phone)
    if (text) return setFieldError({ field: 'phone', text })
    const sms = getChallenge(phone)
    if (!asksPassword && !sms) return setFieldError({ field: 'code', text: accountMessages.signIn.codeNotSent })
    if (!asksPassword && !isValidCode(code)) return setFieldError({ field: 'code', text: accountMessages.signIn.invalidCode })
    if (asksPassword && password === '' && !isNextOwner)
      return setFieldError({ field: 'password', text: accountMessages.signIn.password })
    const proof = isNextOwner ? { next_holder: isNextOwner } : asksPassword ? { password } : { code, sms: sms ?? '' }
    return void runSubmit(async () => {
      try {
        signIn.handleResult(await sendRequest(bindAccount, { binding_token, phone, ...proof }))
      } catch (error) {
        if (error instanceof ApiError && error.is('wrong_state')) return onExpired()
        if (error instanceof ApiError && error.is('other_holder')) setProvenPhone(phone)
        if (error instanceof ApiError && error.is('invalid') && error.field === 'password') setProvenPhone(phone)
        throw error
      }
    })
  }
  const change = (name: keyof typeof fields) => (input: string) => {
    setFields({ ...fields, [name]: cleanInput(name, fields[name], input, needsTwoCodes(phone)).value })
    setFieldError(null)
  }
  return (
    <SignInFormLayout error={fieldError ?? signIn.formError} onSubmit={() => submit()}>
      <p className={styles.text}>
        这是您第一次从{providerLabels[provider]}进入薪函。验证一次登记在企业花名册里的手机号，以后就能直接登录。
      </p>
      <PhoneField value={phone} onChange={change('phone')} error={fieldError} autoFocus />
      {asksPassword ? (
        <SignInField
          name="password"
          label="登录密码"
          type="password"
          autoComplete="current-password"
          maxLength={64}
          value={password}
          onChange={change('password')}
          error={fieldError}
        />
      ) : (
        <CodeField
          value={code}
          onChange={change('code')}
          error={fieldError}
          hint={getChallenge(phone) && (needsTwoCodes(phone) ? twoCodesHint : '如果手机号在花名册里，几秒内会收到短信')}
          onSend={() => sendCode(phone)}
        />
      )}
      <FormErrorText
        error={fieldError ?? signIn.formError}
        fields={['phone', asksPassword ? 'password' : 'code']}
        onNext={() => submit(true)}
      />
      <SubmitButton busy={busy} text="验证并进入" doing="正在验证…" />
    </SignInFormLayout>
  )
}
