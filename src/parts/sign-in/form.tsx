/** The form itself: password or code. With React, all that has to come before one can type. */

import type { KeyboardEvent } from 'react'
import { providerNames } from '../../../server/contract/people/providers.ts'
import { farewell } from '../../browser.ts'
import { pageAsked } from '../entry/page-asked.ts'
import type { PublicInfo } from './calls.ts'
import { CodeField, Field, Form, FormTrouble, HolderProof, NextHolder, PhoneField, Submit } from './field.tsx'
import styles from './sign-in.module.css'
import { type SignIn, signInWays, whySentence } from './sign-in.ts'

/** Whether an address leads to a page, not to a script. The browser reads it as it would follow it. */
const isWeb = (address: string): boolean => {
  const link = document.createElement('a')
  link.href = address
  return /^https?:$/.test(link.protocol)
}

export function SignInForm({ signIn, info, registerAt }: { signIn: SignIn; info: PublicInfo | null; registerAt: string }) {
  const { way, fields, busy, forbidden } = signIn
  const trouble = forbidden ? { field: 'form', text: forbidden } : signIn.trouble
  const why = whySentence(location.search) ?? farewell.reason
  const other = way === 'password' ? 'code' : 'password'
  const turn = ({ key, currentTarget }: KeyboardEvent) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    signIn.chooseWay(other)
    currentTarget.querySelector<HTMLElement>(`#tab-${other}`)?.focus()
  }
  const providers = info?.providers.filter(({ login_url }) => isWeb(login_url)) ?? []
  return (
    <Form trouble={trouble} onSubmit={() => void signIn.submit()}>
      {why && !forbidden && <output className={styles.why}>{why}</output>}
      <div className={styles.tabs} role="tablist" aria-label="登录方式" onKeyDown={turn}>
        {signInWays.map((tab) => (
          <button
            key={tab.way}
            type="button"
            role="tab"
            id={`tab-${tab.way}`}
            aria-selected={way === tab.way}
            aria-controls="sign-in-panel"
            tabIndex={way === tab.way ? 0 : -1}
            onClick={() => signIn.chooseWay(tab.way)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="sign-in-panel" role="tabpanel" aria-labelledby={`tab-${way}`}>
        <PhoneField value={fields.phone} onChange={(typed) => signIn.change('phone', typed)} trouble={trouble} autoFocus />
        {way === 'password' ? (
          <Field
            name="password"
            label="密码"
            type="password"
            autoComplete="current-password"
            maxLength={64}
            value={fields.password}
            onChange={(typed) => signIn.change('password', typed)}
            trouble={trouble}
          />
        ) : (
          <CodeField
            value={fields.code}
            onChange={(typed) => signIn.change('code', typed)}
            trouble={trouble}
            hint={signIn.sent && <Sent {...signIn.sent} info={info} />}
            onSend={signIn.sendCode}
          />
        )}
        {signIn.doubtful && <HolderProof field={signIn.doubtful} fields={fields} change={signIn.change} trouble={trouble} />}
      </div>
      <FormTrouble trouble={trouble} fields={['phone', way, ...(signIn.doubtful ? [signIn.doubtful] : [])]} />
      <Submit busy={busy} text="登录" doing="正在登录…" />
      {signIn.doubtful && <NextHolder onNext={() => void signIn.startAnew()} />}
      <div className={styles.links}>
        <a href="#forgot">忘记密码？</a>
        <a href={registerAt}>注册企业</a>
      </div>
      {providers.length > 0 && (
        <div className={styles.providers}>
          <p>用办公软件登录</p>
          {providers.map(({ provider, login_url }) => (
            <a key={provider} href={login_url} className={styles.other} onClick={() => pageAsked(location.search)}>
              {providerNames[provider]}
            </a>
          ))}
        </div>
      )}
    </Form>
  )
}

export const twoCodes = '请把最近收到、还没用过的两条验证码连着填写，共 12 位'
/** What was asked for. Whether a phone is known is told to nobody. */
export function Sent(props: { phone: string; info: PublicInfo | null; anybody?: boolean; pair?: boolean }) {
  const { phone, info, anybody = false, pair = false } = props
  const masked = `${phone.slice(0, 3)}****${phone.slice(-4)}`
  return (
    <>
      {pair ? twoCodes : anybody ? `已发送至 ${masked}，5 分钟内有效` : `若 ${masked} 已在薪函登记，验证码马上送到`}
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
