import { useQuery } from '@tanstack/react-query'
import { Button, Checkbox, Form, Input, InputNumber, Select } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import {
  deleteMailbox,
  getMailbox,
  type MailSecurity,
  saveMailbox,
  testMailbox,
} from '../../../../server/contract/payslips/mailbox.ts'
import { emailPattern } from '../../../../server/contract/shared/email.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { LightForm } from '../../../components/form/light-form.tsx'
import { ConfirmDialog, FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatShortDateTime } from '../../../components/value/dates.ts'
import memberStyles from '../../directory/member.module.css'
import sendStyles from '../../sheets/send.module.css'
import styles from './setting.module.css'
import { SettingRow } from './setting-row.tsx'

type Mailbox = NonNullable<CallOutput<typeof getMailbox>['mail']>
type MailServer = Pick<Mailbox, 'host' | 'port' | 'security'>
type MailboxForm = Omit<Mailbox, 'tested_at' | 'inbox'> & { password?: string; readsInbox: boolean; inbox?: MailServer }

const securityLabels: Record<MailSecurity, string> = {
  tls: 'SSL/TLS（常用端口 465）',
  starttls: 'STARTTLS（常用端口 587）',
  none: '不加密（仅限内网）',
}
const inboxSecurityLabels: Record<MailSecurity, string> = {
  ...securityLabels,
  tls: 'SSL/TLS（常用端口 993）',
  starttls: 'STARTTLS（常用端口 143）',
}
const defaultInbox: MailServer = { host: '', port: 993, security: 'tls' }
const formatMailboxStatus = (mail: Mailbox | null | undefined): string => {
  if (!mail) return '用公司自己的邮箱通知员工，免费。邮件里没有金额，员工点链接登录后查看。'
  const { inbox } = mail
  const bounceText = inbox
    ? inbox.fault
      ? ''
      : `退信会自动读取${inbox.read_at ? `，上次 ${formatShortDateTime(inbox.read_at)}` : ''}。`
    : '没有设置收退信：邮件发出后被退回的，这里看不到。'
  return mail.tested_at
    ? `${mail.sender} <${mail.from}>，测试通过，可以使用。${bounceText}`
    : `${mail.sender} <${mail.from}>，还没有通过测试：发一封测试邮件，收到后才会启用。`
}

/**
 * The mailbox that sends payslip notifications: its settings, whether it has been tested, and why the user may not change
 * it.
 */
export function MailSetting() {
  const mailbox = useQuery(callQuery(getMailbox, {}))
  const [open, setOpen] = useState<'edit' | 'forget' | null>(null)
  const clear = useCallMutation(deleteMailbox, { onSuccess: () => toast.success('已删除发件邮箱，不再发送邮件') })
  const mail = mailbox.data?.mail
  const disabledReason = mailbox.data?.disabled_reason
  const isReadOnly = !mailbox.data || disabledReason !== null
  const close = () => setOpen(null)
  return (
    <SettingRow
      title="发件邮箱"
      meaning={
        <>
          {mailbox.error ? '没有读到发件邮箱，请刷新页面重试。' : formatMailboxStatus(mail)}
          {mail?.inbox?.fault && <span className={styles.cannot}>{mail.inbox.fault}</span>}
          {disabledReason && <span className={styles.cannot}>{disabledReason}</span>}
        </>
      }
    >
      <div className={`${styles.tags} ${styles.wide}`}>
        {mail && !mail.tested_at && !isReadOnly && <MailboxTest from={mail.from} />}
        <Button disabled={isReadOnly} onClick={() => setOpen('edit')}>
          {mail ? '修改' : '设置邮箱'}
        </Button>
        {mail && (
          <Button type="text" danger disabled={isReadOnly} onClick={() => setOpen('forget')}>
            删除
          </Button>
        )}
      </div>
      {open === 'edit' && (
        <MailboxDialog mail={mail ?? null} mayBeInside={mailbox.data?.allows_private_hosts ?? false} onClose={close} />
      )}
      <ConfirmDialog
        open={open === 'forget'}
        title="删除发件邮箱？"
        action="删除邮箱"
        danger
        busy={clear.isPending}
        onConfirm={() => clear.mutate({}, { onSuccess: close })}
        onClose={close}
      >
        <p>之后不再发送邮件；正在等待发送的邮件会失败，并按发送时选的顺序改用后面的方式。</p>
      </ConfirmDialog>
    </SettingRow>
  )
}

/** Sends a test message to oneself; if it is accepted, the mailbox is activated. */
function MailboxTest({ from }: { from: string }) {
  const [to, setTo] = useState(from)
  const test = useCallMutation(testMailbox, {
    onSuccess: ({ is_accepted, inbox }) => {
      if (is_accepted) toast.success('测试邮件已发出，发件邮箱可以使用了')
      if (is_accepted && inbox) toast.error(inbox)
    },
  })
  const address = to.trim()
  const isValid = emailPattern.test(address)
  return (
    <LightForm className={`ui-row ${styles.wide}`} onSubmit={() => isValid && test.mutate({ to: address })}>
      <Input
        aria-label="测试邮件发给"
        value={to}
        maxLength={200}
        inputMode="email"
        status={isValid ? '' : 'error'}
        onChange={(event) => setTo(event.target.value)}
        style={{ width: 240 }}
      />
      <Button type="primary" htmlType="submit" loading={test.isPending}>
        发测试邮件
      </Button>
      {test.data && !test.data.is_accepted && (
        <p className={sendStyles.fieldError} role="alert">
          {test.data.message}
        </p>
      )}
    </LightForm>
  )
}

const hostRule = { pattern: /^\s*(?:[a-z\d-]+\.)+[a-z\d-]+\s*$/i, message: '服务器地址应写作 smtp.example.com' }
const emailRule = {
  pattern: emailPattern,
  transform: (text: string) => text.trim(),
  message: '邮箱格式有误，应写作 name@example.com',
}

const getSecurityOptions = (allowsPrivateHosts: boolean, labels: Record<MailSecurity, string>) =>
  Object.entries(labels)
    .filter(([value]) => allowsPrivateHosts || value !== 'none')
    .map(([value, label]) => ({ value, label }))

/** The inbox that receives bounces; it belongs to the same account and is read by IMAP. */
const InboxFields = ({ mayBeInside: allowsPrivateHosts }: { mayBeInside: boolean }) => (
  <>
    <p className={`ui-hint ${styles.said}`}>
      用同一个账号和授权码，请先在邮箱的设置里开启 IMAP。只读取退信，不改动、不删除邮箱里的任何邮件。
    </p>
    <div className={memberStyles.pair}>
      <FormField
        name={['inbox', 'host']}
        label="IMAP 服务器"
        required="请填写服务器地址"
        rules={[hostRule]}
        maxLength={253}
        placeholder="imap.example.com"
      />
      <Form.Item name={['inbox', 'port']} label="端口" rules={[{ required: true, message: '请填写端口' }]}>
        <InputNumber min={1} max={65_535} precision={0} style={{ width: '100%' }} />
      </Form.Item>
      <Form.Item name={['inbox', 'security']} label="加密方式">
        <Select options={getSecurityOptions(allowsPrivateHosts, inboxSecurityLabels)} />
      </Form.Item>
    </div>
  </>
)

function MailboxDialog(props: { mail: Mailbox | null; mayBeInside: boolean; onClose: () => void }) {
  const { mail, mayBeInside: allowsPrivateHosts, onClose } = props
  const saveMailboxCall = useCallMutation(saveMailbox, {
    handles: (error: { field?: string | undefined }) => error.field !== undefined,
  })
  const save = async ({ password, readsInbox, inbox, ...rest }: MailboxForm) => {
    await saveMailboxCall.mutateAsync({ ...rest, inbox: (readsInbox && inbox) || null, ...(password ? { password } : {}) })
    toast.success('已保存，请发一封测试邮件')
  }
  return (
    <FormDialog<MailboxForm>
      open
      title="发件邮箱"
      action="保存"
      initial={
        mail
          ? { ...mail, readsInbox: mail.inbox !== null, inbox: mail.inbox ?? defaultInbox }
          : { port: 465, security: 'tls', readsInbox: false, inbox: defaultInbox }
      }
      onSubmit={save}
      onClose={onClose}
    >
      <p className={`ui-hint ${styles.said}`}>
        在邮箱的「设置 → SMTP」里可以查到服务器地址；密码多半是单独生成的授权码，不是登录密码。
      </p>
      <div className={memberStyles.pair}>
        <FormField
          name="host"
          label="SMTP 服务器"
          required="请填写服务器地址"
          rules={[hostRule]}
          maxLength={253}
          placeholder="smtp.example.com"
          autoFocus
        />
        <Form.Item name="port" label="端口" rules={[{ required: true, message: '请填写端口' }]}>
          <InputNumber min={1} max={65_535} precision={0} style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item name="security" label="加密方式">
          <Select options={getSecurityOptions(allowsPrivateHosts, securityLabels)} />
        </Form.Item>
        <FormField name="user" label="登录账号" required="请填写登录账号" maxLength={200} />
        <FormField
          name="password"
          label="密码或授权码"
          kind="password"
          required={mail ? undefined : '请填写密码或授权码'}
          {...(mail && { help: '不填则不修改；更换服务器或登录账号时需要重新填写' })}
          maxLength={200}
          autoComplete="new-password"
        />
        <FormField name="from" label="发件地址" kind="email" required="请填写发件地址" rules={[emailRule]} maxLength={200} />
        <FormField name="sender" label="发件人名称" required="请填写发件人名称" maxLength={30} placeholder="员工看到的名字" />
      </div>
      <Form.Item name="readsInbox" valuePropName="checked" style={{ marginBottom: 8 }}>
        <Checkbox>收退信：邮件发出后被退回的，写明原因并改用后面的方式</Checkbox>
      </Form.Item>
      <Form.Item
        noStyle
        shouldUpdate={(previous: MailboxForm, current: MailboxForm) => previous.readsInbox !== current.readsInbox}
      >
        {({ getFieldValue }) => getFieldValue('readsInbox') && <InboxFields mayBeInside={allowsPrivateHosts} />}
      </Form.Item>
    </FormDialog>
  )
}
