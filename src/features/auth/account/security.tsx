import { Button } from 'antd'
import { useState } from 'react'
import type { getProfile } from '../../../../server/contract/auth/profile.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { lazyDialog } from '../../../components/lazy.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from './account.module.css'

const PhoneDialog = lazyDialog(async () => (await import('../../../app/dialogs/phone.tsx')).PhoneDialog)
const PasswordDialog = lazyDialog(async () => (await import('../../../app/dialogs/password.tsx')).PasswordDialog)
const EarlyPasswordDialog = lazyDialog(async () => (await import('../../../app/dialogs/password.tsx')).EarlyPasswordDialog)
const EnableTwoFactorDialog = lazyDialog(async () => (await import('./factor/enable-dialog.tsx')).EnableTwoFactorDialog)
const DisableTwoFactorDialog = lazyDialog(async () => (await import('./factor/disable-dialog.tsx')).DisableTwoFactorDialog)

type SecurityDialog = 'phone' | 'password' | 'factor' | 'stop'

/** The user's sign-in settings: phone, password, second factor. */
export function SecuritySettings({ profile }: { profile: CallOutput<typeof getProfile> }) {
  const [dialog, setDialog] = useState<SecurityDialog | null>(null)
  // Dialogs load on first use and stay mounted so that their closing animation runs.
  const [loadedDialogs, setLoadedDialogs] = useState<readonly SecurityDialog[]>([])
  const show = (name: SecurityDialog) => {
    if (!loadedDialogs.includes(name)) setLoadedDialogs([...loadedDialogs, name])
    setDialog(name)
  }
  const close = () => setDialog(null)
  const hasNoPassword = profile.pass_status === 10
  const Password = hasNoPassword ? EarlyPasswordDialog : PasswordDialog
  return (
    <section className={`ui-card ${styles.card}`} aria-labelledby="account-security">
      <h2 id="account-security">登录与安全</h2>
      <div className={styles.row}>
        <div className="ui-grow">
          <strong>手机号</strong>
          <p className={styles.value}>{profile.phone_masked}</p>
          <p className="ui-hint">用它登录，验证码也发到这里</p>
        </div>
        <Button onClick={() => show('phone')}>更换</Button>
      </div>
      <div className={styles.row}>
        <div className="ui-grow">
          <strong>登录密码</strong>
          <p className={styles.value}>
            <StatusDot label={hasNoPassword ? '未设置' : '已设置'} color={hasNoPassword ? 'warn' : 'ok'} />
          </p>
        </div>
        <Button onClick={() => show('password')}>{hasNoPassword ? '设置' : '修改'}</Button>
      </div>
      <div className={styles.row}>
        <div className="ui-grow">
          <strong>两步验证</strong>
          <p className={styles.value}>
            <StatusDot label={profile.totp_on ? '已开启' : '未开启'} color={profile.totp_on ? 'ok' : 'ink3'} />
          </p>
          <p className="ui-hint">
            {profile.totp_on
              ? `登录时还要输入手机上的动态码。恢复码还剩 ${profile.recovery_codes_remaining} 个。`
              : '登录时除密码外还需输入手机上的动态码：即使密码泄露，他人也无法登录。'}
          </p>
        </div>
        {profile.totp_on ? (
          <Button onClick={() => show('stop')}>关闭</Button>
        ) : (
          <Button onClick={() => show('factor')}>开启</Button>
        )}
      </div>

      {loadedDialogs.includes('phone') && <PhoneDialog open={dialog === 'phone'} onClose={close} />}
      {loadedDialogs.includes('password') && <Password open={dialog === 'password'} onClose={close} />}
      {loadedDialogs.includes('factor') && <EnableTwoFactorDialog open={dialog === 'factor'} onClose={close} />}
      {loadedDialogs.includes('stop') && <DisableTwoFactorDialog open={dialog === 'stop'} onClose={close} />}
    </section>
  )
}
