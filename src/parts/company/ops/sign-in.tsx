import { Button, Form, QRCode } from 'antd'
import { useState } from 'react'
import { beginOperator, confirmOperator, signInOperator } from '../../../../server/contract/corp/ops.ts'
import { useCall } from '../../../api.ts'
import { showOnField } from '../../../ui/dialogs.tsx'
import { TextInput } from '../../../ui/fields.tsx'
import styles from './ops.module.css'
import { opsSession } from './session.ts'

type In = { name: string; password: string; code: string }
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
  const [form] = Form.useForm<In>()
  const come = useCall(signInOperator, { onSuccess: ({ token }) => enter(token) })
  return (
    <Form<In> form={form} layout="vertical" requiredMark={false} onFinish={(values) => come.mutate(values)}>
      <Form.Item name="name" label="用户名" rules={need('请填写用户名')}>
        <TextInput limit={30} autoComplete="username" />
      </Form.Item>
      <Form.Item name="password" label="密码" rules={need('请填写密码')}>
        <TextInput type="password" limit={64} autoComplete="current-password" />
      </Form.Item>
      {codeField}
      <div className={styles.doorActs}>
        <Button type="primary" htmlType="submit" loading={come.isPending} block>
          登录
        </Button>
        <Button type="link" onClick={onFirst}>
          首次使用，我有密钥
        </Button>
      </div>
    </Form>
  )
}

type Made = { key: string; name: string; password: string; confirm_password: string }

/** The key makes the account; it is one only when its phone has shown the right code. */
function Setup({ onBack }: { onBack: () => void }) {
  const [form] = Form.useForm<Made>()
  const begin = useCall(beginOperator, { unchecked: true, handles: (error) => showOnField(form, error) })
  const [made, setMade] = useState<Made>()
  if (made && begin.data) return <Bind made={made} {...begin.data} />
  return (
    <Form<Made>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={(values) => begin.mutate(values, { onSuccess: () => setMade(values) })}
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
        <Button type="primary" htmlType="submit" loading={begin.isPending} block>
          下一步
        </Button>
        <Button type="link" onClick={onBack}>
          已有账号，去登录
        </Button>
      </div>
    </Form>
  )
}

function Bind({ made, secret, url }: { made: Made; secret: string; url: string }) {
  const [form] = Form.useForm<{ code: string }>()
  const confirm = useCall(confirmOperator, {
    handles: (error) => showOnField(form, error),
    onSuccess: ({ token }) => enter(token),
  })
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={({ code }: { code: string }) => confirm.mutate({ key: made.key, name: made.name, code })}
    >
      <p>用手机上的验证器扫码，以后每次登录都要输入它显示的动态码。</p>
      <div className={styles.code}>
        <QRCode value={url} size={180} color="#000000" bgColor="#ffffff" aria-label="验证器二维码" />
      </div>
      <p className={`ui-hint ${styles.secret}`}>{secret.match(/.{1,4}/g)?.join(' ')}</p>
      {codeField}
      <Button type="primary" htmlType="submit" loading={confirm.isPending} block>
        启用账号
      </Button>
    </Form>
  )
}
