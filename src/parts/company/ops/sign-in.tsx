import { Button, Form, QRCode } from 'antd'
import { useState } from 'react'
import { beginOperator, confirmOperator, signInOperator } from '../../../../server/contract/corp/ops.ts'
import { useCall } from '../../../api.ts'
import { TextInput } from '../../../ui/form/fields.tsx'
import { KitForm, useFormKit } from '../../../ui/form/form.tsx'
import styles from './ops.module.css'
import { opsSession } from './session.ts'

type In = { name: string; password: string; code: string }
const isOfField = (error: { field?: string | undefined }) => error.field !== undefined
const need = (message: string) => [{ required: true, message }]
const codeField = (
  <Form.Item name="code" label="动态码" rules={[{ required: true, pattern: /^\d{6}$/, message: '请输入验证器上的 6 位动态码' }]}>
    <TextInput limit={6} inputMode="numeric" autoComplete="one-time-code" />
  </Form.Item>
)
const enter = (token: string): void => {
  opsSession.keep(token)
  location.replace('/ops')
}

/** Name, password and code at once; or, with a key, the first time. */
export function OpsSignIn() {
  const [first, setFirst] = useState(false)
  return (
    <main className={styles.door}>
      <section className={`ui-card ${styles.doorCard}`}>
        <h1>薪函运营后台</h1>
        <p className="ui-hint">仅供系统运营人员使用；这里看不到任何工资内容。</p>
        {first ? <Setup onBack={() => setFirst(false)} /> : <SignIn onFirst={() => setFirst(true)} />}
      </section>
    </main>
  )
}

function SignIn({ onFirst }: { onFirst: () => void }) {
  const kit = useFormKit<In>()
  const come = useCall(signInOperator, { handles: isOfField, onSuccess: ({ token }) => enter(token) })
  return (
    <KitForm<In> kit={kit} unmarked onSubmit={(typed) => come.mutateAsync(typed)}>
      <Form.Item name="name" label="用户名" rules={need('请填写用户名')}>
        <TextInput limit={30} autoComplete="username" />
      </Form.Item>
      <Form.Item name="password" label="密码" rules={need('请填写密码')}>
        <TextInput type="password" limit={64} autoComplete="current-password" />
      </Form.Item>
      {codeField}
      <div className={styles.doorActs}>
        <Button type="primary" htmlType="submit" loading={kit.busy} block>
          登录
        </Button>
        <Button type="link" onClick={onFirst}>
          首次使用，我有密钥
        </Button>
      </div>
    </KitForm>
  )
}

type Made = { key: string; name: string; password: string; confirm_password: string }

/** The key makes the account; it is one only when its phone has shown the right code. */
function Setup({ onBack }: { onBack: () => void }) {
  const kit = useFormKit<Made>()
  const begin = useCall(beginOperator, { unchecked: true, handles: isOfField })
  const [made, setMade] = useState<Made>()
  if (made && begin.data) return <Bind made={made} {...begin.data} />
  return (
    <KitForm<Made>
      kit={kit}
      unmarked
      onSubmit={async (typed) => {
        await begin.mutateAsync(typed)
        setMade(typed)
      }}
    >
      <Form.Item name="key" label="密钥" extra="服务器环境变量里的密钥，或另一位运营人员给您的邀请" rules={need('请填写密钥')}>
        <TextInput limit={200} />
      </Form.Item>
      <Form.Item name="name" label="用户名" rules={need('请填写用户名')}>
        <TextInput limit={30} autoComplete="username" />
      </Form.Item>
      <Form.Item name="password" label="密码" extra="至少 10 位" rules={need('请填写密码')}>
        <TextInput type="password" limit={64} autoComplete="new-password" />
      </Form.Item>
      <Form.Item name="confirm_password" label="再次输入密码" rules={need('请再次输入密码')}>
        <TextInput type="password" limit={64} autoComplete="new-password" />
      </Form.Item>
      <div className={styles.doorActs}>
        <Button type="primary" htmlType="submit" loading={kit.busy} block>
          下一步
        </Button>
        <Button type="link" onClick={onBack}>
          已有账号，去登录
        </Button>
      </div>
    </KitForm>
  )
}

function Bind({ made, secret, url }: { made: Made; secret: string; url: string }) {
  const kit = useFormKit<{ code: string }>()
  const confirm = useCall(confirmOperator, { handles: isOfField, onSuccess: ({ token }) => enter(token) })
  return (
    <KitForm<{ code: string }>
      kit={kit}
      unmarked
      onSubmit={({ code }) => confirm.mutateAsync({ key: made.key, name: made.name, code })}
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
    </KitForm>
  )
}
