import { useEffect, useState } from 'react'
import { messages, newPasswordProblem, passwordHint, redirectSeconds, verifyProblem } from '../account/messages.ts'
import type { PublicInfo } from './calls.ts'
import { CodeField, Field, Form, FormTrouble, HolderName, PhoneField, Submit } from './field.tsx'
import { Sent } from './form.tsx'
import styles from './sign-in.module.css'
import { clean, useAct, useCode } from './sign-in.ts'

const steps = ['验证手机号', '重置密码', '完成']
type Typed = { phone: string; code: string; password: string; confirm_password: string; holder_name?: string }

type ForgotProps = {
  phone: string
  info: PublicInfo | null
  onReset?: () => void
  onLeave: (phone: string) => void
}

/** What has been typed, and at which step it stands. */
function useForgot(first: string, onReset: (() => void) | undefined) {
  const [typed, setTyped] = useState<Typed>({ phone: first, code: '', password: '', confirm_password: '' })
  const [token, setToken] = useState<string | null>(null)
  const [done, setDone] = useState(false)
  const { busy, trouble, setTrouble, act } = useAct()
  const { sendCode, smsFor, pairFor } = useCode('resetpwd', setTrouble)

  const field = (name: keyof Typed) => ({
    value: typed[name] ?? '',
    trouble,
    onChange: (text: string) => {
      const { value, whole } = clean(name, typed[name] ?? '', text, pairFor(typed.phone))
      const next = { ...typed, [name]: value }
      setTyped(next)
      setTrouble(null)
      if (whole && smsFor(next.phone)) verify(next)
    },
  })
  const verify = (given: Typed) => {
    const wrong = verifyProblem(given)
    if (wrong) return setTrouble(wrong)
    const sms = smsFor(given.phone)
    if (!sms) return setTrouble({ field: 'code', text: messages.signIn.no_code })
    return void act(async (calls) => setToken(await calls.verify(given.phone, given.code, sms)))
  }
  const reset = (next_holder = false) => {
    const wrong = newPasswordProblem(typed)
    if (wrong) return setTrouble(wrong)
    return void act(async (calls) => {
      try {
        await calls.resetPassword({ ...typed, newpass: typed.password, token: token ?? '', next_holder })
      } catch (error) {
        const { field: at } = calls.troubleOf(error)
        // The token is good once and for ten minutes: with another one the phone is verified anew.
        if (at === 'code') setToken(null)
        if (at === 'code' || at === 'holder_name') setTyped({ ...typed, [at]: '' })
        throw error
      }
      onReset?.()
      setDone(true)
    })
  }
  return { at: done ? 2 : token ? 1 : 0, typed, field, verify, reset, busy, trouble, sendCode, smsFor, pairFor }
}

/**
 * Forgot password, in three steps (spec §2): verify the phone, set a new password, done. On the sign-in page, and within the desk for whoever
 * needs his password there. `onReset`: it has been changed, and with it all sessions are over; `onLeave`: to the sign-in page.
 */
export function Forgot({ phone, info, onReset, onLeave }: ForgotProps) {
  const { at, typed, field, verify, reset, busy, trouble, sendCode, smsFor, pairFor } = useForgot(phone, onReset)
  return (
    <>
      <ol className={styles.steps}>
        {steps.map((name, index) => (
          <li key={name} aria-current={index === at ? 'step' : undefined} data-done={index < at || undefined}>
            {name}
          </li>
        ))}
      </ol>
      {at === 0 && (
        <Form trouble={trouble} onSubmit={() => verify(typed)}>
          <PhoneField {...field('phone')} autoFocus />
          <CodeField
            {...field('code')}
            hint={smsFor(typed.phone) && <Sent phone={typed.phone} pair={pairFor(typed.phone)} info={info} />}
            onSend={() => sendCode(typed.phone)}
          />
          <FormTrouble trouble={trouble} fields={['phone', 'code']} />
          <Submit busy={busy} text="下一步" doing="正在验证…" />
        </Form>
      )}
      {at === 1 && (
        <Form trouble={trouble} onSubmit={() => reset()}>
          {/* Tells a password manager whose password this is. */}
          <input type="text" autoComplete="username" value={typed.phone} readOnly hidden />
          <NewPassword name="password" label="新密码" {...field('password')} hint={passwordHint} autoFocus />
          <NewPassword name="confirm_password" label="确认新密码" {...field('confirm_password')} />
          {typed.holder_name !== undefined && <HolderName {...field('holder_name')} />}
          <FormTrouble trouble={trouble} fields={['password', 'confirm_password', 'holder_name']} onNext={() => reset(true)} />
          <Submit busy={busy} text="重置密码" doing="正在重置…" />
        </Form>
      )}
      {at === 2 && <Done leave={() => onLeave(typed.phone)} />}
    </>
  )
}

const NewPassword = (props: Omit<Parameters<typeof Field>[0], 'type' | 'autoComplete'>) => (
  <Field type="password" autoComplete="new-password" maxLength={64} {...props} />
)

/** Goes back to signing in by itself, in seconds that one can see, or at once. */
function Done({ leave }: { leave: () => void }) {
  const [left, setLeft] = useState(redirectSeconds)
  // A clock.
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : leave()), 1000)
    return () => clearTimeout(timer)
  }, [left, leave])
  return (
    <div className={styles.form}>
      <p className={styles.done} role="status">
        {messages.wizard.done}
      </p>
      <p className={styles.text}>其他设备上的登录已经失效，请用新密码登录。{left} 秒后自动返回登录。</p>
      <button type="button" className={styles.submit} onClick={leave} autoFocus>
        立即登录
      </button>
    </div>
  )
}
