import { useState } from 'react'
import { changePhone } from '../../../../server/contract/account/profile.ts'
import { ApiError, endHere, toSignIn, useCall } from '../../../api.ts'
import { SmsButton } from '../../../ui/form/sms-button.tsx'
import { Field, problemAt, usePhoneForm } from '../../employee/form.tsx'
import styles from '../../employee/m.module.css'
import { Sheet } from '../../employee/sheet.tsx'
import { useAskedCode } from '../code/asked-code.ts'
import { cleanCode, cleanPhone, messages, phoneChangeProblem, phoneProblem, proofProblem } from '../messages.ts'

const nothing = { password: '', phone: '', code: '' }

/** What was typed, and how far it has led: the password is proven (`token`), the phone is changed (`done`). */
function usePhoneChange() {
  const [token, setToken] = useState<string | null>(null)
  const [done, setDone] = useState(false)
  const change = useCall(changePhone, { unchecked: true, handles: () => true })
  const last = token ? 'code' : 'password'
  const { typed, busy, say, form, field } = usePhoneForm(nothing, {
    check: (given) => {
      if (!token) return proofProblem(given)
      return phoneChangeProblem(given) ?? (asked.smsFor(given.phone) ? null : { field: last, text: messages.signIn.no_code })
    },
    send: async ({ password, phone, code }) => {
      if (!token) return setToken((await change.mutateAsync({ password })).token)
      await change.mutateAsync({ phone, code, sms: asked.smsFor(phone), token })
      endHere()
      setDone(true)
    },
    refused: (error) => {
      if (error instanceof ApiError && error.is('wrong_password')) return { field: last, text: '登录密码不正确' }
      return problemAt(error instanceof ApiError && error.field === 'phone' ? 'phone' : last, error)
    },
  })
  const asked = useAskedCode('changephone', say)
  const sendCode = () => asked.sendCode(typed.phone, phoneProblem(typed.phone))
  return { proven: token !== null, done, busy, form, field, sendCode }
}

/** 更换手机号 on a phone: the password, then the new number and its code; afterwards one signs in anew. */
export function PhoneSheet({ onClose }: { onClose: () => void }) {
  const { proven, done, busy, form, field, sendCode } = usePhoneChange()
  const signIn = () => toSignIn({ back: false })
  if (done)
    return (
      <Sheet open title="手机号已更换" onClose={signIn}>
        <p className="ui-label" role="status">
          请用新手机号重新登录，密码不变。
        </p>
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button} ${styles.primary}`} onClick={signIn}>
            用新账号登录
          </button>
        </div>
      </Sheet>
    )
  return (
    <Sheet open title="更换手机号" onClose={onClose}>
      <form {...form}>
        {!proven ? (
          <>
            <Field
              key="password"
              label="登录密码"
              {...field('password')}
              type="password"
              autoComplete="current-password"
              maxLength={64}
            />
            <p className="ui-hint">先确认是您本人。忘记密码？请退出登录，在登录页点「忘记密码」。</p>
          </>
        ) : (
          <>
            <Field label="新手机号" {...field('phone', cleanPhone)} type="tel" autoComplete="tel" autoFocus />
            <Field
              label="短信验证码"
              {...field('code', cleanCode)}
              inputMode="numeric"
              autoComplete="one-time-code"
              after={<SmsButton onSend={sendCode} />}
            />
            <p className="ui-hint">更换后，原手机号会收到一条提醒，所有设备上的登录都会失效。</p>
          </>
        )}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy}>
            {!proven ? '下一步' : '更换手机号'}
          </button>
        </div>
      </form>
    </Sheet>
  )
}
