/** Signing in on the desk: its own small entry, plain inputs, no router. */
import { type FormEvent, StrictMode, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { afterSignIn, type FieldName, roleWords, type SignIn, signInWays, useSignIn } from '../../../parts/sign-in.ts'
import { SmsButton } from '../../../ui/sms-button.tsx'
import '../../../theme.css'
import './login.css'

function Login() {
  const signIn = useSignIn((corp) => location.assign(afterSignIn(corp, 'admin')))
  return (
    <div className="login">
      <aside className="login-side">
        <a href="/pc/page/index/index.html" className="login-brand">
          <img src="/favicon.svg" alt="" width={32} height={32} />
          薪函
        </a>
        <div>
          <p className="login-claim">
            工资条，
            <br />
            准时、准确、只给本人。
          </p>
          <p>上传工资表，逐行核对，一次发到每个人手里；谁看了、谁确认了，一目了然。</p>
        </div>
        <Slip />
      </aside>
      <main className="login-main">{signIn.corps ? <Companies signIn={signIn} /> : <Form signIn={signIn} />}</main>
    </div>
  )
}

function Form({ signIn }: { signIn: SignIn }) {
  const { way, problem, busy } = signIn
  const form = useRef<HTMLFormElement>(null)
  // A wrong field gets the focus, so that it is heard and corrected at once.
  useEffect(() => {
    if (problem && problem.field !== 'form') form.current?.querySelector<HTMLInputElement>(`#${problem.field}`)?.focus()
  }, [problem])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn.submit()
  }
  return (
    <form ref={form} className="login-form" onSubmit={submit} noValidate>
      <h1>登录薪函</h1>
      <div className="login-tabs" role="tablist" aria-label="登录方式">
        {signInWays.map((tab) => (
          <button
            key={tab.way}
            type="button"
            role="tab"
            id={`tab-${tab.way}`}
            aria-selected={way === tab.way}
            aria-controls="login-panel"
            onClick={() => signIn.chooseWay(tab.way)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div id="login-panel" role="tabpanel" aria-labelledby={`tab-${way}`} className="login-panel">
        <Field signIn={signIn} name="phone" label="手机号" type="tel" autoComplete="username" max={11} autoFocus />
        {way === 'password' ? (
          <Field signIn={signIn} name="password" label="密码" type="password" autoComplete="current-password" max={64} />
        ) : (
          <Field signIn={signIn} name="code" label="短信验证码" type="text" autoComplete="one-time-code" max={6}>
            <SmsButton onSend={signIn.sendCode} className="login-code" />
          </Field>
        )}
      </div>
      {problem?.field === 'form' && (
        <p className="login-problem" role="alert">
          {problem.text}
        </p>
      )}
      <button type="submit" className="login-submit" disabled={busy}>
        {busy ? '正在登录…' : '登录'}
      </button>
    </form>
  )
}

function Field(props: {
  signIn: SignIn
  name: FieldName
  label: string
  type: string
  autoComplete: string
  max: number
  autoFocus?: boolean
  children?: React.ReactNode
}) {
  const { signIn, name, label, type, autoComplete, max, autoFocus = false } = props
  const wrong = signIn.problem?.field === name ? signIn.problem.text : null
  return (
    <div className="login-field">
      <label htmlFor={name}>{label}</label>
      <div className="login-input" data-wrong={wrong ? true : undefined}>
        <input
          id={name}
          name={name}
          type={type}
          inputMode={type === 'password' ? undefined : 'numeric'}
          autoComplete={autoComplete}
          maxLength={max}
          autoFocus={autoFocus}
          value={signIn.fields[name]}
          aria-invalid={wrong !== null}
          aria-describedby={wrong ? `${name}-problem` : undefined}
          onChange={(event) =>
            signIn.change(name, type === 'password' ? event.target.value : event.target.value.replace(/\s/g, ''))
          }
        />
        {props.children}
      </div>
      {wrong && (
        <p id={`${name}-problem`} className="login-problem" role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}

function Companies({ signIn }: { signIn: SignIn }) {
  return (
    <div className="login-form">
      <h1>进入哪家企业？</h1>
      <ul className="login-corps">
        {signIn.corps?.map((corp) => (
          <li key={corp.corp_id}>
            <button type="button" disabled={signIn.busy} onClick={() => void signIn.enter(corp)}>
              <strong>{corp.name}</strong>
              <span>{roleWords(corp)}</span>
            </button>
          </li>
        ))}
      </ul>
      {signIn.problem && (
        <p className="login-problem" role="alert">
          {signIn.problem.text}
        </p>
      )}
      <button type="button" className="login-back" onClick={signIn.back}>
        换一个账号登录
      </button>
    </div>
  )
}

/** A slip as a drawing: what the product is about, without words. */
const Slip = () => (
  <svg viewBox="39 11 242 198" className="login-slip" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M40 12h240v196l-20-12-20 12-20-12-20 12-20-12-20 12-20-12-20 12-20-12-20 12-20-12-20 12z" strokeLinejoin="round" />
    <path d="M64 48h72M64 84h56M232 84h24M64 112h44M224 112h32M64 140h64M236 140h20M64 172h192" strokeLinecap="round" />
    <path d="M184 44h72" strokeWidth="6" strokeLinecap="round" />
  </svg>
)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <Login />
    </StrictMode>,
  )
