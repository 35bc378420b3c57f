/** The sign-in form: password or code. Besides React, this is all that must load before the user can type. */

import type { KeyboardEvent } from 'react'
import { providerLabels } from '../../../../server/contract/shared/providers.ts'
import { signOutNotice } from '../../../browser.ts'
import { getReturnPage } from '../entry/entry-params.ts'
import type { PublicInfo } from './calls.ts'
import {
  CodeField,
  FormErrorText,
  NextOwnerOption,
  OwnerProofField,
  PhoneField,
  SignInField,
  SignInFormLayout,
  SubmitButton,
} from './field.tsx'
import styles from './sign-in.module.css'
import { getSignInErrorText, type SignInState, signInMethods } from './sign-in.ts'

/**
 * Returns whether an address leads to a page and not to a script. The browser parses it as it would when following the
 * link.
 */
const isHttpUrl = (address: string): boolean => {
  const link = document.createElement('a')
  link.href = address
  return /^https?:$/.test(link.protocol)
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
  const { method, fields, busy, forbidden } = signIn
  const error = forbidden ? { field: 'form', text: forbidden } : signIn.formError
  const notice = getSignInErrorText(location.search) ?? signOutNotice.reason
  const otherMethod = method === 'password' ? 'code' : 'password'
  const switchTab = ({ key, currentTarget }: KeyboardEvent) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    signIn.selectMethod(otherMethod)
    currentTarget.querySelector<HTMLElement>(`#tab-${otherMethod}`)?.focus()
  }
  const providers = info?.providers.filter(({ login_url }) => isHttpUrl(login_url)) ?? []
  return (
    <SignInFormLayout error={error} onSubmit={() => void signIn.submit()}>
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
        <PhoneField value={fields.phone} onChange={(text) => signIn.change('phone', text)} error={error} autoFocus />
        {method === 'password' ? (
          <SignInField
            name="password"
            label="密码"
            type="password"
            autoComplete="current-password"
            maxLength={64}
            value={fields.password}
            onChange={(text) => signIn.change('password', text)}
            error={error}
          />
        ) : (
          <CodeField
            value={fields.code}
            onChange={(text) => signIn.change('code', text)}
            error={error}
            hint={signIn.sent && <CodeSentNote {...signIn.sent} info={info} />}
            onSend={signIn.sendCode}
          />
        )}
        {signIn.unclearOwnerField && (
          <OwnerProofField field={signIn.unclearOwnerField} fields={fields} change={signIn.change} error={error} />
        )}
      </div>
      <FormErrorText error={error} fields={['phone', method, ...(signIn.unclearOwnerField ? [signIn.unclearOwnerField] : [])]} />
      <SubmitButton busy={busy} text="登录" doing="正在登录…" />
      {signIn.unclearOwnerField && <NextOwnerOption onNext={() => void signIn.submitAsNextOwner()} />}
      <div className={styles.links}>
        <a href="#forgot">忘记密码？</a>
        <a href={registerUrl}>注册企业</a>
      </div>
      {providers.length > 0 && (
        <div className={styles.providers}>
          <p>用办公软件登录</p>
          {providers.map(({ provider, login_url }) => (
            <a key={provider} href={login_url} className={styles.other} onClick={() => getReturnPage(location.search)}>
              {providerLabels[provider]}
            </a>
          ))}
        </div>
      )}
    </SignInFormLayout>
  )
}

export const twoCodesHint = '请把最近收到、还没用过的两条验证码连着填写，共 12 位'
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
          : `若 ${masked} 已在薪函登记，验证码马上送到`}
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
