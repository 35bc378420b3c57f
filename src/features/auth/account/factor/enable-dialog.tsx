import { Button, QRCode } from 'antd'
import { useState } from 'react'
import { confirmTotp, startTotp } from '../../../../../server/contract/auth/profile.ts'
import { useCallMutation } from '../../../../api.ts'
import { FormField } from '../../../../components/form/desktop-field.tsx'
import { ControlledForm, useFormController } from '../../../../components/form/form.tsx'
import { Icon } from '../../../../components/icon.tsx'
import { Dialog } from '../../../../components/overlay/dialogs.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import { Steps } from '../../../../components/page/steps.tsx'
import styles from '../account.module.css'
import { accountFields } from '../account-fields.ts'
import { assignErrorToField, createFieldError, isFieldLevelError } from '../field-errors.ts'
import { accountMessages } from '../messages.ts'

const stepNames = ['确认身份', '绑定动态码', '保存恢复码'] as const
type PasswordStepForm = { password: string }
type CodeStepForm = { code: string }
type TotpSecret = { secret: string; url: string }

/** Groups the secret by four characters, which reduces typing mistakes. */
const groupSecret = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

/**
 * Enables two-factor authentication: the password, a first code from the app, and ten recovery codes that are shown
 * only once.
 */
export function EnableTwoFactorDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<TotpSecret | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const passwordForm = useFormController<PasswordStepForm>()
  const codeForm = useFormController<CodeStepForm>()
  const start = useCallMutation(startTotp, { skipValidation: true, handles: isFieldLevelError })
  const confirm = useCallMutation(confirmTotp, { handles: isFieldLevelError })
  const close = () => {
    setSecret(null)
    setCodes(null)
    onClose()
  }
  const submitPassword = async (values: PasswordStepForm) => {
    if (values.password === '') throw createFieldError({ field: 'password', text: accountMessages.signIn.password })
    setSecret(await assignErrorToField('password', start.mutateAsync(values)))
  }
  const submitCode = async (values: CodeStepForm) => {
    if (!/^\d{6}$/.test(values.code)) throw createFieldError({ field: 'code', text: '请输入 6 位动态码' })
    const { recovery_codes } = await assignErrorToField('code', confirm.mutateAsync(values))
    setCodes(recovery_codes)
  }
  return (
    <Dialog
      open={open}
      title="开启两步验证"
      onClose={close}
      {...(codes
        ? { result: { text: '我已保存好恢复码', onPress: close } }
        : secret
          ? { action: '开启两步验证', busy: codeForm.busy, onConfirm: () => codeForm.form.submit() }
          : { action: '下一步', busy: passwordForm.busy, onConfirm: () => passwordForm.form.submit() })}
    >
      <Steps at={codes ? 2 : secret ? 1 : 0} names={stepNames} />
      {codes ? (
        <RecoveryCodes codes={codes} />
      ) : secret ? (
        <ControlledForm<CodeStepForm> key="first" kit={codeForm} initial={{ code: '' }} onSubmit={submitCode}>
          <div className={styles.factor}>
            {/* The background is white in dark mode as well, because cameras need it. */}
            <QRCode value={secret.url} size={152} color="#000000" bgColor="#ffffff" aria-label="动态码二维码" />
            <div>
              <p>用手机上的验证器 App（如 Microsoft Authenticator、Google Authenticator）扫码。</p>
              <p className="ui-label">扫不了？请手动输入密钥：</p>
              <code className={styles.factorSecret}>{groupSecret(secret.secret)}</code>
            </div>
          </div>
          <FormField name="code" {...accountFields.code} label="验证器 App 显示的 6 位动态码" autoFocus />
        </ControlledForm>
      ) : (
        <ControlledForm<PasswordStepForm> key="prove" kit={passwordForm} initial={{ password: '' }} onSubmit={submitPassword}>
          <FormField name="password" {...accountFields.password} autoFocus />
        </ControlledForm>
      )}
    </Dialog>
  )
}

/** Recovery codes for a lost phone. They are not shown again. */
function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join('\n')
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => toast.brief('恢复码已复制'),
      () => toast.error('浏览器不允许复制，请用下载'),
    ) ?? toast.error('浏览器不允许复制，请用下载')
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([`薪函 两步验证恢复码（每个只能用一次）\n\n${text}\n`], { type: 'text/plain' }))
    link.download = '薪函恢复码.txt'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <div className="ui-stack">
      <p role="status">
        <strong>两步验证已开启。</strong>
        手机丢了的时候，用下面的恢复码登录，每个只能用一次。它们只显示这一次，请保存在安全的地方。
      </p>
      <ul className={styles.factorCodes} aria-label="恢复码">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="ui-row">
        <Button icon={<Icon name="copy" size={16} />} onClick={() => void copy()}>
          复制
        </Button>
        <Button icon={<Icon name="download" size={16} />} onClick={download}>
          下载
        </Button>
      </div>
    </div>
  )
}
