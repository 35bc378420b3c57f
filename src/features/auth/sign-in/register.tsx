import { lazy, Suspense, useState } from 'react'
import { accountMessages, passwordHint, type Registration, validateRegistration } from '../account/messages.ts'
import type { PublicInfo } from './calls.ts'
import { CodeField, FormErrorText, PhoneField, SignInField, SignInFormLayout, SubmitButton } from './field.tsx'
import { CodeSentNote } from './form.tsx'
import styles from './sign-in.module.css'
import { cleanInput, type SignInState, useFormSubmit, useSignInCode } from './sign-in.ts'

/** Users who only sign in never load it. */
const PasswordStrength = lazy(async () => ({
  default: (await import('../../../components/form/password-strength.tsx')).PasswordStrengthMeter,
}))

const emptyFields: Registration = { corp_name: '', user_name: '', phone: '', code: '', password: '' }
const fieldNames = Object.keys(emptyFields)

/** Registers a company: the registering user becomes its system manager and tries the advanced edition for thirty days. */
export function RegisterForm({ signIn, info }: { signIn: SignInState; info: PublicInfo | null }) {
  const [fields, setFields] = useState({ ...emptyFields, phone: signIn.fields.phone })
  const submission = useFormSubmit()
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('register', submission.setError)
  const error = signIn.forbidden ? { field: 'form', text: signIn.forbidden } : (submission.error ?? signIn.formError)

  const field = (name: keyof Registration) => ({
    value: fields[name],
    error,
    onChange: (text: string) => {
      setFields({ ...fields, [name]: cleanInput(name, fields[name], text, needsTwoCodes(fields.phone)).value })
      submission.setError(null)
    },
  })
  const submit = () => {
    if (signIn.forbidden) return
    const invalid = validateRegistration(fields)
    if (invalid) return submission.setError(invalid)
    const sms = getChallenge(fields.phone)
    if (!sms) return submission.setError({ field: 'code', text: accountMessages.signIn.codeNotSent })
    return void submission.act(async (calls) => signIn.handleResult(await calls.registerCompany({ ...fields, sms })))
  }
  return (
    <SignInFormLayout error={error} onSubmit={submit}>
      <p className={styles.text}>高级版免费试用 30 天，到期自动转为免费版。您将是企业的系统管理员。</p>
      <div>
        <SignInField
          name="corp_name"
          label="企业名称"
          autoComplete="organization"
          maxLength={50}
          {...field('corp_name')}
          hint="与营业执照一致，员工在工资条上看到它"
          autoFocus
        />
        <SignInField name="user_name" label="您的姓名" autoComplete="name" maxLength={30} {...field('user_name')} />
        <PhoneField {...field('phone')} />
        <CodeField
          {...field('code')}
          hint={
            getChallenge(fields.phone) && (
              <CodeSentNote phone={fields.phone} needsTwoCodes={needsTwoCodes(fields.phone)} info={info} anybody />
            )
          }
          onSend={() => sendCode(fields.phone)}
        />
        <SignInField
          name="password"
          label="登录密码"
          type="password"
          autoComplete="new-password"
          maxLength={64}
          {...field('password')}
          hint="这个手机号已有薪函账号时，请输入原来的密码"
        />
        <Suspense fallback={null}>
          <PasswordStrength password={fields.password} about={[fields.phone, fields.corp_name]} hint={passwordHint} />
        </Suspense>
      </div>
      <FormErrorText error={error} fields={fieldNames} />
      <SubmitButton busy={submission.busy} text="注册并开始试用" doing="正在注册…" />
    </SignInFormLayout>
  )
}
