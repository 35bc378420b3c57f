import { lazy, Suspense, useState } from 'react'
import { messages, passwordHint, type Registration, registerProblem } from '../account/messages.ts'
import type { PublicInfo } from './calls.ts'
import { CodeField, Field, Form, FormTrouble, PhoneField, Submit } from './field.tsx'
import { Sent } from './form.tsx'
import styles from './sign-in.module.css'
import { clean, type SignIn, useAct, useCode } from './sign-in.ts'

/** Who only signs in never sees it. */
const PasswordStrength = lazy(async () => ({
  default: (await import('../../ui/form/password-strength.tsx')).PasswordStrength,
}))

const empty: Registration = { corp_name: '', user_name: '', phone: '', code: '', password: '' }
const names = Object.keys(empty)

/** Founds a company: whoever registers it keeps it, and tries the advanced edition for thirty days. */
export function Register({ signIn, info }: { signIn: SignIn; info: PublicInfo | null }) {
  const [typed, setTyped] = useState({ ...empty, phone: signIn.fields.phone })
  const act = useAct()
  const { sendCode, smsFor, pairFor } = useCode('register', act.setTrouble)
  const trouble = signIn.forbidden ? { field: 'form', text: signIn.forbidden } : (act.trouble ?? signIn.trouble)

  const field = (name: keyof Registration) => ({
    value: typed[name],
    trouble,
    onChange: (text: string) => {
      setTyped({ ...typed, [name]: clean(name, typed[name], text, pairFor(typed.phone)).value })
      act.setTrouble(null)
    },
  })
  const submit = () => {
    if (signIn.forbidden) return
    const wrong = registerProblem(typed)
    if (wrong) return act.setTrouble(wrong)
    const sms = smsFor(typed.phone)
    if (!sms) return act.setTrouble({ field: 'code', text: messages.signIn.no_code })
    return void act.act(async (calls) => signIn.arrive(await calls.register({ ...typed, sms })))
  }
  return (
    <Form trouble={trouble} onSubmit={submit}>
      <p className={styles.text}>高级版免费试用 30 天，到期自动转为免费版。您将是企业的系统管理员。</p>
      <div>
        <Field
          name="corp_name"
          label="企业名称"
          autoComplete="organization"
          maxLength={50}
          {...field('corp_name')}
          hint="与营业执照一致，员工在工资条上看到它"
          autoFocus
        />
        <Field name="user_name" label="您的姓名" autoComplete="name" maxLength={30} {...field('user_name')} />
        <PhoneField {...field('phone')} />
        <CodeField
          {...field('code')}
          hint={smsFor(typed.phone) && <Sent phone={typed.phone} pair={pairFor(typed.phone)} info={info} anybody />}
          onSend={() => sendCode(typed.phone)}
        />
        <Field
          name="password"
          label="登录密码"
          type="password"
          autoComplete="new-password"
          maxLength={64}
          {...field('password')}
          hint="这个手机号已有薪函账号时，请输入原来的密码"
        />
        <Suspense fallback={null}>
          <PasswordStrength password={typed.password} about={[typed.phone, typed.corp_name]} hint={passwordHint} />
        </Suspense>
      </div>
      <FormTrouble trouble={trouble} fields={names} />
      <Submit busy={act.busy} text="注册并开始试用" doing="正在注册…" />
    </Form>
  )
}
