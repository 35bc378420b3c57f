import { createFileRoute } from '@tanstack/react-router'
import { Button, Input, List, NoticeBar } from 'antd-mobile'
import { afterSignIn, type Corp, type FieldName, roleWords, type SignIn, signInWays, useSignIn } from '../../parts/sign-in.ts'
import { SmsButton } from '../../ui/sms-button.tsx'

export const Route = createFileRoute('/m/login')({
  staticData: { title: '登录', who: 'public' },
  component: Login,
})

function Login() {
  const signIn = useSignIn((corp) => location.assign(afterSignIn(corp, 'employee')))
  return (
    <main className="pocket-login">
      <header>
        <img src="/favicon.svg" alt="" width={44} height={44} />
        <h1>{signIn.corps ? '进入哪家企业？' : '查看我的工资条'}</h1>
      </header>
      {signIn.problem && (signIn.problem.field === 'form' || signIn.corps) && (
        <div role="alert">
          <NoticeBar content={signIn.problem.text} color="error" wrap />
        </div>
      )}
      {signIn.corps ? <Companies corps={signIn.corps} signIn={signIn} /> : <SignInForm signIn={signIn} />}
    </main>
  )
}

function SignInForm({ signIn }: { signIn: SignIn }) {
  const { way, busy } = signIn
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void signIn.submit()
      }}
    >
      <div className="pocket-ways" role="tablist" aria-label="登录方式">
        {signInWays.map(({ way: each, title }) => (
          <button key={each} type="button" role="tab" aria-selected={way === each} onClick={() => signIn.chooseWay(each)}>
            {title}
          </button>
        ))}
      </div>
      <div className="pocket-fields">
        <Field signIn={signIn} name="phone" label="手机号" max={11} type="tel" autoComplete="username" />
        {way === 'password' ? (
          <Field signIn={signIn} name="password" label="密码" max={64} type="password" autoComplete="current-password" />
        ) : (
          <Field signIn={signIn} name="code" label="验证码" max={6} type="tel" autoComplete="one-time-code">
            <SmsButton onSend={signIn.sendCode} />
          </Field>
        )}
      </div>
      <Button block type="submit" color="primary" size="large" loading={busy} loadingText="正在登录">
        登录
      </Button>
    </form>
  )
}

function Field(props: {
  signIn: SignIn
  name: FieldName
  label: string
  max: number
  type: 'tel' | 'password'
  autoComplete: string
  children?: React.ReactNode
}) {
  const { signIn, name, label, max, type, autoComplete } = props
  const wrong = signIn.problem?.field === name ? signIn.problem.text : null
  return (
    <div className="pocket-field" data-wrong={wrong ? true : undefined}>
      <label htmlFor={name}>{label}</label>
      <div>
        <Input
          id={name}
          name={name}
          type={type}
          maxLength={max}
          autoComplete={autoComplete}
          value={signIn.fields[name]}
          onChange={(value) => signIn.change(name, type === 'password' ? value : value.replace(/\s/g, ''))}
          aria-invalid={wrong !== null}
          aria-describedby={wrong ? `${name}-problem` : undefined}
        />
        {props.children}
      </div>
      {wrong && (
        <p id={`${name}-problem`} role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}

function Companies({ corps, signIn }: { corps: readonly Corp[]; signIn: SignIn }) {
  return (
    <>
      <List>
        {corps.map((corp) => (
          <List.Item
            key={corp.corp_id}
            description={roleWords(corp)}
            disabled={signIn.busy}
            onClick={() => void signIn.enter(corp)}
          >
            {corp.name}
          </List.Item>
        ))}
      </List>
      <Button fill="none" color="primary" onClick={signIn.back}>
        换一个账号登录
      </Button>
    </>
  )
}
