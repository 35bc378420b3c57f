import { useState } from 'react'
import { Another } from './companies.tsx'
import { Field, Form, FormTrouble, Submit } from './field.tsx'
import styles from './sign-in.module.css'
import { isWhole, type SignIn, useAct } from './sign-in.ts'

const form = /^(\d{6}|[0-9a-z]{5}-[0-9a-z]{5})$/
/** Full-width and capital letters are the same code; a recovery code keeps its line in the middle. */
const tidy = (typed: string): string => {
  const plain = typed
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z-]/g, '')
  return /^\d+$/.test(plain) ? plain.slice(0, 10) : plain.slice(0, 11)
}

/** The second factor: six digits of the authenticator app, or one of the recovery codes. */
export function Factor({ signIn }: { signIn: SignIn }) {
  const [code, setCode] = useState('')
  const { busy, trouble, setTrouble, act } = useAct()
  const submit = (given: string) => {
    if (given === '') return setTrouble({ field: 'code', text: '请输入动态码' })
    if (!form.test(given)) return setTrouble({ field: 'code', text: '请输入 6 位动态码，或一个恢复码' })
    return void act(async (calls) => signIn.arrive(await calls.byFactor(signIn.factor_token ?? '', given)))
  }
  const change = (typed: string) => {
    const next = tidy(typed)
    setCode(next)
    setTrouble(null)
    if (isWhole(code, next)) submit(next)
  }
  return (
    <>
      <Form trouble={trouble} onSubmit={() => submit(code)}>
        <p className={styles.text}>
          这个账号已开启两步验证。请输入验证器 App 上的动态码；手机不在身边时，输入一个恢复码（形如 abcde-12345）。
        </p>
        <Field
          name="code"
          label="动态码"
          autoComplete="one-time-code"
          value={code}
          onChange={change}
          trouble={trouble}
          autoFocus
        />
        <FormTrouble trouble={trouble} fields={['code']} />
        <Submit busy={busy} text="验证并登录" doing="正在验证…" />
      </Form>
      <Another signIn={signIn} />
    </>
  )
}
