import { Button, QRCode } from 'antd'
import { useState } from 'react'
import { completeOperatorSetup, signInOperator, startOperatorSetup } from '../../../server/contract/operator/operators.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { ControlledForm, useFormController } from '../../components/form/form.tsx'
import styles from './ops.module.css'
import { operatorSession } from './session.ts'

type SignInForm = { name: string; password: string; code: string }
const isFieldError = (error: { field?: string | undefined }) => error.field !== undefined
const codeField = (
  <FormField
    name="code"
    label="动态码"
    kind="code"
    required="请输入验证器上的 6 位动态码"
    rules={[{ pattern: /^\d{6}$/, message: '请输入验证器上的 6 位动态码' }]}
    maxLength={6}
  />
)
const startSession = (token: string): void => {
  operatorSession.setToken(token)
  location.replace('/ops')
}

/** Signs in with name, password and code; or, with a setup key, for the first time. */
export function OperatorSignIn() {
  const [isFirstTime, setFirstTime] = useState(false)
  return (
    <main className={styles.door}>
      <section className={`ui-card ${styles.doorCard}`}>
        <h1>薪函运营后台</h1>
        <p className="ui-hint">仅供系统运营人员使用；这里看不到任何工资内容。</p>
        {isFirstTime ? <SetupPanel onBack={() => setFirstTime(false)} /> : <SignInPanel onFirst={() => setFirstTime(true)} />}
      </section>
    </main>
  )
}

function SignInPanel({ onFirst }: { onFirst: () => void }) {
  const kit = useFormController<SignInForm>()
  const signIn = useCallMutation(signInOperator, { handles: isFieldError, onSuccess: ({ token }) => startSession(token) })
  return (
    <ControlledForm<SignInForm> kit={kit} unmarked onSubmit={(values) => signIn.mutateAsync(values)}>
      <FormField name="name" label="用户名" required="请填写用户名" maxLength={30} autoComplete="username" />
      <FormField
        name="password"
        label="密码"
        kind="password"
        required="请填写密码"
        maxLength={64}
        autoComplete="current-password"
      />
      {codeField}
      <div className={styles.doorActs}>
        <Button type="primary" htmlType="submit" loading={kit.busy} block>
          登录
        </Button>
        <Button type="link" onClick={onFirst}>
          首次使用，我有密钥
        </Button>
      </div>
    </ControlledForm>
  )
}

type SetupForm = { key: string; name: string; password: string; confirm_password: string }

/** Creates an account with the setup key; the account is active only after its phone has shown a correct code. */
function SetupPanel({ onBack }: { onBack: () => void }) {
  const kit = useFormController<SetupForm>()
  const startSetup = useCallMutation(startOperatorSetup, { skipValidation: true, handles: isFieldError })
  const [submitted, setSubmitted] = useState<SetupForm>()
  if (submitted && startSetup.data) return <BindAuthenticator made={submitted} {...startSetup.data} />
  return (
    <ControlledForm<SetupForm>
      kit={kit}
      unmarked
      onSubmit={async (values) => {
        await startSetup.mutateAsync(values)
        setSubmitted(values)
      }}
    >
      <FormField
        name="key"
        label="密钥"
        help="服务器环境变量里的密钥，或另一位运营人员给您的邀请"
        required="请填写密钥"
        maxLength={200}
      />
      <FormField name="name" label="用户名" required="请填写用户名" maxLength={30} autoComplete="username" />
      <FormField
        name="password"
        label="密码"
        kind="password"
        help="至少 10 位"
        required="请填写密码"
        maxLength={64}
        autoComplete="new-password"
      />
      <FormField
        name="confirm_password"
        label="再次输入密码"
        kind="password"
        required="请再次输入密码"
        maxLength={64}
        autoComplete="new-password"
      />
      <div className={styles.doorActs}>
        <Button type="primary" htmlType="submit" loading={kit.busy} block>
          下一步
        </Button>
        <Button type="link" onClick={onBack}>
          已有账号，去登录
        </Button>
      </div>
    </ControlledForm>
  )
}

function BindAuthenticator({ made: setup, secret, url }: { made: SetupForm; secret: string; url: string }) {
  const kit = useFormController<{ code: string }>()
  const confirm = useCallMutation(completeOperatorSetup, { handles: isFieldError, onSuccess: ({ token }) => startSession(token) })
  return (
    <ControlledForm<{ code: string }>
      kit={kit}
      unmarked
      onSubmit={({ code }) => confirm.mutateAsync({ key: setup.key, name: setup.name, code })}
    >
      <p>用手机上的验证器扫码，以后每次登录都要输入它显示的动态码。</p>
      <div className={styles.code}>
        <QRCode value={url} size={180} color="#000000" bgColor="#ffffff" aria-label="验证器二维码" />
      </div>
      <p className={`ui-hint ${styles.secret}`}>{secret.match(/.{1,4}/g)?.join(' ')}</p>
      {codeField}
      <Button type="primary" htmlType="submit" loading={kit.busy} block>
        启用账号
      </Button>
    </ControlledForm>
  )
}
