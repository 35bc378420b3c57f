import { useState } from 'react'
import { bindAccount } from '../../../server/contract/account/platform-sign-in.ts'
import { providerNames } from '../../../server/contract/people/providers.ts'
import type { ChatPlatform } from '../../../server/contract/words/words.ts'
import { ApiError, send } from '../../api-core.ts'
import { isCode, messages, phoneProblem } from '../account/messages.ts'
import { CodeField, Field, Form, FormTrouble, PhoneField, Submit } from '../sign-in/field.tsx'
import { twoCodes } from '../sign-in/form.tsx'
import styles from '../sign-in/sign-in.module.css'
import { clean, type SignIn, useAct, useCode } from '../sign-in/sign-in.ts'

/** Joins the platform's person to his phone: a code, and the password where the phone's account has one. Asked once in a life. */
export function Join(props: { provider: ChatPlatform; bind_token: string; signIn: SignIn; onOver: () => void }) {
  const { provider, bind_token, signIn, onOver } = props
  const [fields, setFields] = useState({ phone: '', code: '', password: '' })
  // The phone whose code was right already: only its password is missing.
  const [proven, setProven] = useState<string | null>(null)
  const { busy, trouble, setTrouble, act } = useAct()
  const { sendCode, smsFor, pairFor } = useCode('login', setTrouble)
  const { phone, code, password } = fields
  const asksPassword = proven === phone && phone !== ''

  const submit = (next_holder = false) => {
    const text = phoneProblem(phone)
    if (text) return setTrouble({ field: 'phone', text })
    const sms = smsFor(phone)
    if (!asksPassword && !sms) return setTrouble({ field: 'code', text: messages.signIn.no_code })
    if (!asksPassword && !isCode(code)) return setTrouble({ field: 'code', text: messages.signIn.code_wrong })
    if (asksPassword && password === '' && !next_holder) return setTrouble({ field: 'password', text: messages.signIn.password })
    const proof = next_holder ? { next_holder } : asksPassword ? { password } : { code, sms: sms ?? '' }
    return void act(async () => {
      try {
        signIn.arrive(await send(bindAccount, { bind_token, phone, ...proof }))
      } catch (error) {
        if (error instanceof ApiError && error.is('wrong_state')) return onOver()
        if (error instanceof ApiError && error.is('other_holder')) setProven(phone)
        if (error instanceof ApiError && error.is('invalid') && error.field === 'password') setProven(phone)
        throw error
      }
    })
  }
  const change = (name: keyof typeof fields) => (typed: string) => {
    setFields({ ...fields, [name]: clean(name, fields[name], typed, pairFor(phone)).value })
    setTrouble(null)
  }
  return (
    <Form trouble={trouble ?? signIn.trouble} onSubmit={() => submit()}>
      <p className={styles.text}>
        这是您第一次从{providerNames[provider]}进入薪函。验证一次登记在企业花名册里的手机号，以后就能直接登录。
      </p>
      <PhoneField value={phone} onChange={change('phone')} trouble={trouble} autoFocus />
      {asksPassword ? (
        <Field
          name="password"
          label="登录密码"
          type="password"
          autoComplete="current-password"
          maxLength={64}
          value={password}
          onChange={change('password')}
          trouble={trouble}
        />
      ) : (
        <CodeField
          value={code}
          onChange={change('code')}
          trouble={trouble}
          hint={smsFor(phone) && (pairFor(phone) ? twoCodes : '如果手机号在花名册里，几秒内会收到短信')}
          onSend={() => sendCode(phone)}
        />
      )}
      <FormTrouble
        trouble={trouble ?? signIn.trouble}
        fields={['phone', asksPassword ? 'password' : 'code']}
        onNext={() => submit(true)}
      />
      <Submit busy={busy} text="验证并进入" doing="正在验证…" />
    </Form>
  )
}
