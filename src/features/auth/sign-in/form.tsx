/** The sign-in form: password or code. Besides React, this is all that must load before the user can type. */

import type { KeyboardEvent } from 'react'
import { providerLabels } from '../../../../server/contract/shared/providers.ts'
import { signOutNotice } from '../../../browser.ts'
import { FormErrorText, LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../components/form/sms-code.tsx'
import { accountFields } from '../account/account-fields.ts'
import type { SignInFields } from '../account/messages.ts'
import { getReturnPage } from '../entry/entry-params.ts'
import type { PublicInfo } from './calls.ts'
import { NextOwnerOption, OwnerProofField } from './owner-fields.tsx'
import styles from './sign-in.module.css'
import { getSignInErrorText, type SignInState, signInMethods } from './sign-in.ts'

/**
 * Returns whether an address leads to a page and not to a script. The browser parses it as it would when following the
 * link.
 */
const isHttpUrl = (address: string): boolean => {
  try {
    return /^https?:$/.test(new URL(address, location.href).protocol)
  } catch {
    return false
  }
}

export function SignInForm({
  signIn,
  info,
  registerAt: registerUrl,
}: {
  signIn: SignInState
  info: PublicInfo | null
  registerAt: string
}) {
  const { method, busy, forbidden } = signIn
  const error = forbidden ? { field: 'form', text: forbidden } : signIn.formError
  const field = (name: keyof SignInFields) => ({ ...signIn.field(name), error })
  const notice = getSignInErrorText(location.search) ?? signOutNotice.reason
  const otherMethod = method === 'password' ? 'code' : 'password'
  const switchTab = ({ key, currentTarget }: KeyboardEvent) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    signIn.selectMethod(otherMethod)
    currentTarget.querySelector<HTMLElement>(`#tab-${otherMethod}`)?.focus()
  }
  const providers = info?.providers.filter(({ login_url }) => isHttpUrl(login_url)) ?? []
  return (
    <LightForm error={error} onSubmit={() => signIn.submit()}>
      {notice && !forbidden && <output className={styles.why}>{notice}</output>}
      <div className={styles.tabs} role="tablist" aria-label="登录方式" onKeyDown={switchTab}>
        {signInMethods.map((tab) => (
          <button
            key={tab.method}
            type="button"
            role="tab"
            id={`tab-${tab.method}`}
            aria-selected={method === tab.method}
            aria-controls="sign-in-panel"
            tabIndex={method === tab.method ? 0 : -1}
            onClick={() => signIn.selectMethod(tab.method)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="sign-in-panel" role="tabpanel" aria-labelledby={`tab-${method}`}>
        <LightField {...accountFields.phone} {...field('phone')} autoFocus />
        {method === 'password' ? (
          <LightField {...accountFields.password} label="密码" {...field('password')} />
        ) : (
          <LightCodeField
            {...(signIn.needsTwoCodes ? accountFields.twoCodes : accountFields.code)}
            {...field('code')}
            help={signIn.sent && <CodeSentNote {...signIn.sent} info={info} />}
            onSend={signIn.sendCode}
          />
        )}
        {signIn.unclearOwnerField && <OwnerProofField name={signIn.unclearOwnerField} field={field} />}
      </div>
      <FormErrorText error={error} fields={['phone', method, ...(signIn.unclearOwnerField ? [signIn.unclearOwnerField] : [])]} />
      <SubmitButton busy={busy} text="登录" busyText="正在登录…" />
      {signIn.unclearOwnerField && <NextOwnerOption onNext={() => signIn.submitAsNextOwner()} />}
      <div className={styles.links}>
        <a href="#forgot">忘记密码？</a>
        {info?.registration_open !== false && <a href={registerUrl}>注册企业</a>}
      </div>
      {providers.length > 0 && (
        <div className={styles.providers}>
          <p>用办公平台登录</p>
          {providers.map(({ provider, login_url }) => (
            <a key={provider} href={login_url} className={styles.other} onClick={() => getReturnPage(location.search)}>
              {providerLabels[provider]}
            </a>
          ))}
        </div>
      )}
    </LightForm>
  )
}

export const twoCodesHint = '请连着填写最近收到的两条验证码，共 12 位'
/** States where a code was sent. Never reveals whether a phone is registered. */
export function CodeSentNote(props: { phone: string; info: PublicInfo | null; anybody?: boolean; needsTwoCodes?: boolean }) {
  const { phone, info, anybody: isUnconditional = false, needsTwoCodes = false } = props
  const masked = `${phone.slice(0, 3)}****${phone.slice(-4)}`
  return (
    <>
      {needsTwoCodes
        ? twoCodesHint
        : isUnconditional
          ? `已发送至 ${masked}，5 分钟内有效`
          : `若 ${masked} 是您登记的手机号，验证码几秒内送到`}
      {info?.demo && (
        <>
          {' · '}
          <a href="/dev/outbox" target="_blank" rel="noreferrer">
            演示发件箱
          </a>
        </>
      )}
    </>
  )
}
