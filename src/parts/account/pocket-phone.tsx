import { type FormEvent, useState } from 'react'
import { changePhone } from '../../../server/contract/profile.ts'
import { ApiError, endHere, toSignIn, useCall } from '../../api.ts'
import { SmsButton } from '../../ui/sms-button.tsx'
import { Field } from '../employee/field.tsx'
import styles from '../employee/m.module.css'
import { Sheet } from '../employee/sheet.tsx'
import { useAskedCode } from './code/asked-code.ts'
import { cleanCode, cleanPhone, type FieldProblem, messages, phoneChangeProblem, phoneProblem, proofProblem } from './messages.ts'

const nothing = { password: '', phone: '', code: '' }
type Name = keyof typeof nothing

/** What was typed, and how far it has led: the password is proven (`token`), the phone is changed (`done`). */
function usePhoneChange() {
  const [typed, setTyped] = useState(nothing)
  const [problem, setProblem] = useState<FieldProblem<Name> | null>(null)
  const [token, setToken] = useState<string | null>(null)
  const [done, setDone] = useState(false)
  const change = useCall(changePhone, { unchecked: true, handles: () => true })
  const asked = useAskedCode('changephone', setProblem)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const last: Name = token ? 'code' : 'password'
    const sms = asked.smsFor(typed.phone)
    const found = token
      ? (phoneChangeProblem(typed) ?? (sms ? null : { field: last, text: messages.signIn.no_code }))
      : proofProblem(typed)
    setProblem(found)
    if (found || change.isPending) return
    try {
      if (!token) return setToken((await change.mutateAsync({ password: typed.password })).token)
      await change.mutateAsync({ phone: typed.phone, code: typed.code, sms, token })
      endHere()
      setDone(true)
    } catch (error) {
      const field = error instanceof ApiError && error.field === 'phone' ? 'phone' : last
      const said = error instanceof Error ? error.message : String(error)
      setProblem({ field, text: error instanceof ApiError && error.is('wrong_password') ? '登录密码不正确' : said })
    }
  }
  const field = (name: Name, label: string, clean: (text: string) => string = (text) => text) => ({
    label,
    value: typed[name],
    error: problem?.field === name ? problem.text : undefined,
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: clean(event.target.value) }),
  })
  return {
    proven: token !== null,
    done,
    busy: change.isPending,
    submit,
    field,
    sendCode: () => asked.sendCode(typed.phone, phoneProblem(typed.phone)),
  }
}

/** 更换手机号 on a phone: the password, then the new number and its code; afterwards one signs in anew. */
export function PhoneSheet({ onClose }: { onClose: () => void }) {
  const { proven, done, busy, submit, field, sendCode } = usePhoneChange()
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
      <form onSubmit={(event) => void submit(event)} noValidate>
        {!proven ? (
          <>
            <Field
              key="password"
              {...field('password', '登录密码')}
              type="password"
              autoComplete="current-password"
              maxLength={64}
            />
            <p className="ui-hint">先确认是您本人。忘记密码？请退出登录，在登录页点「忘记密码」。</p>
          </>
        ) : (
          <>
            <Field {...field('phone', '新手机号', cleanPhone)} type="tel" autoComplete="tel" autoFocus />
            <Field
              {...field('code', '短信验证码', cleanCode)}
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
