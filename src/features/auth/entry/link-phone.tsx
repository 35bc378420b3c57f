import { useState } from 'react'
import { bindAccount } from '../../../../server/contract/auth/platform-sign-in.ts'
import type { CallRequest } from '../../../../server/contract/call.ts'
import { type ChatProvider, providerLabels } from '../../../../server/contract/shared/providers.ts'
import { ApiError, sendRequest } from '../../../api-core.ts'
import { FormErrorText, LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../components/form/sms-code.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { accountFields } from '../account/account-fields.ts'
import { accountMessages, isValidCode, validatePhone } from '../account/messages.ts'
import { twoCodesHint } from '../sign-in/form.tsx'
import { NextOwnerOption } from '../sign-in/owner-fields.tsx'
import styles from '../sign-in/sign-in.module.css'
import { codeNotSentError, isCodeCompleted, type SignInState, toSignInError, useSignInCode } from '../sign-in/sign-in.ts'
import type { FormError } from '../sign-in/types.ts'

type LinkFields = { phone: string; code: string; password: string }
const emptyFields: LinkFields = { phone: '', code: '', password: '' }

/** Links the platform user to a phone: a code, and the password if the phone's account has one. Needed once per user. */
export function LinkPhoneForm(props: { provider: ChatProvider; binding_token: string; signIn: SignInState; onOver: () => void }) {
  const { provider, binding_token, signIn, onOver: onExpired } = props
  // The phone whose code was already verified: only its password is missing.
  const [provenPhone, setProvenPhone] = useState<string | null>(null)
  const isProvenPhone = (phone: string) => provenPhone === phone && phone !== ''
  const link = useLightForm<LinkFields, FormError>(emptyFields, {
    validate: ({ phone, code, password }) => {
      const text = validatePhone(phone)
      if (text) return { field: 'phone', text }
      if (isProvenPhone(phone)) return password === '' ? { field: 'password', text: accountMessages.signIn.password } : null
      if (!getChallenge(phone)) return codeNotSentError
      return isValidCode(code) ? null : { field: 'code', text: accountMessages.signIn.invalidCode }
    },
    submit: ({ phone, code, password }) =>
      linkPhone(phone, isProvenPhone(phone) ? { password } : { code, sms: getChallenge(phone) }),
    toFieldError: toSignInError,
    onChange: (values, previous) => {
      if (getChallenge(values.phone) && isCodeCompleted(previous.code, values.code, needsTwoCodes(values.phone)))
        link.submitValues(values)
    },
  })
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('login', link.setError)
  const { phone } = link.values
  const asksPassword = isProvenPhone(phone)
  const error = link.error ?? signIn.formError

  const linkPhone = async (
    phone: string,
    proof: Pick<CallRequest<typeof bindAccount>, 'password' | 'code' | 'sms' | 'next_holder'>,
  ) => {
    try {
      signIn.handleResult(await sendRequest(bindAccount, { binding_token, phone, ...proof }))
    } catch (error) {
      // A platform account that is matched to another member cannot be linked at all: the message says who decides.
      if (error instanceof ApiError && error.is('wrong_state') && error.data.status !== 'claimed') return onExpired()
      if (error instanceof ApiError && error.is('other_holder')) setProvenPhone(phone)
      if (error instanceof ApiError && error.is('invalid') && error.field === 'password') setProvenPhone(phone)
      throw error
    }
  }
  return (
    <LightForm error={error} onSubmit={() => link.submitValues()}>
      <p className={styles.text}>这个{providerLabels[provider]}账号还没有关联，请验证一次手机号，以后可以直接登录。</p>
      <LightField {...accountFields.phone} {...link.field('phone')} autoFocus />
      {asksPassword ? (
        <LightField {...accountFields.password} {...link.field('password')} />
      ) : (
        <LightCodeField
          {...(needsTwoCodes(phone) ? accountFields.twoCodes : accountFields.code)}
          {...link.field('code')}
          help={getChallenge(phone) && (needsTwoCodes(phone) ? twoCodesHint : '如果手机号在花名册里，几秒内会收到短信')}
          onSend={() => sendCode(phone)}
        />
      )}
      <FormErrorText error={error} fields={['phone', asksPassword ? 'password' : 'code']} />
      {error?.isOwnerUnclear && <NextOwnerOption onNext={() => link.run(() => linkPhone(phone, { next_holder: true }))} />}
      <SubmitButton busy={link.busy} text="验证并进入" busyText="正在验证…" />
    </LightForm>
  )
}
