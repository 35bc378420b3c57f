import { useQuery } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { useState } from 'react'
import { getPublicInfo } from '../../../server/contract/account/account.ts'
import { changePhone } from '../../../server/contract/account/profile.ts'
import { endHere, query, toSignIn, useCall } from '../../api.ts'
import styles from '../../parts/account/account.module.css'
import { useAskedCode } from '../../parts/account/code/asked-code.ts'
import { PhoneCodeFields } from '../../parts/account/code/phone-code.tsx'
import { messages, phoneChangeProblem, proofProblem } from '../../parts/account/messages.ts'
import { isTold, toField, wrong } from '../../parts/account/wrong.ts'
import { Forgot } from '../../parts/sign-in/forgot.tsx'
import { KitForm, useFormKit } from '../../ui/form/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Dialog } from '../../ui/over/dialogs.tsx'

type Prove = { password: string }
type Renew = { phone: string; code: string }

/**
 * 更换手机号 in four steps (spec §2): 1 the password, 2 the new phone and its code, 3 the way round for whoever forgot the password,
 * 4 done, which ends every session.
 */
export function PhoneDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [step, setStep] = useState<1 | 2 | 3 | 4>(1)
  const [token, setToken] = useState('')
  const first = useFormKit<Prove>()
  const second = useFormKit<Renew>()
  const asked = useAskedCode('changephone', second.say)
  const [reset, setReset] = useState(false)
  const info = useQuery({ ...query(getPublicInfo, {}), enabled: step === 3 })
  const change = useCall(changePhone, { unchecked: true, handles: (error) => error.field !== undefined || isTold(error) })

  const signIn = () => toSignIn({ back: false })
  const close = () => {
    if (step === 4 || reset) return signIn()
    setStep(1)
    onClose()
  }
  const prove = async (typed: Prove) => {
    const problem = proofProblem(typed)
    if (problem) throw wrong(problem)
    const answer = await toField('password', change.mutateAsync(typed))
    setToken(answer.token ?? '')
    setStep(2)
  }
  const renew = async (typed: Renew) => {
    const sms = asked.smsFor(typed.phone)
    const problem = phoneChangeProblem(typed) ?? (sms ? null : { field: 'code' as const, text: messages.signIn.no_code })
    if (problem) throw wrong(problem)
    await toField('code', change.mutateAsync({ ...typed, sms, token }))
    endHere()
    setStep(4)
  }

  const acts = {
    1: { action: '下一步', busy: first.busy, onConfirm: () => first.form.submit() },
    2: { action: '更换手机号', busy: second.busy, onConfirm: () => second.form.submit() },
    3: { ownButtons: true },
    4: { result: { text: '用新账号登录', onPress: signIn } },
  }
  const beOver = () => {
    endHere()
    setReset(true)
  }
  return (
    <Dialog open={open} title={step === 3 ? '重置登录密码' : '更换手机号'} onClose={close} {...acts[step]}>
      {step === 1 && (
        <KitForm<Prove> kit={first} initial={{ password: '' }} onSubmit={prove}>
          <Form.Item name="password" label="登录密码" extra="先确认是您本人，再换手机号。">
            <Input.Password autoComplete="current-password" autoFocus maxLength={64} />
          </Form.Item>
          <button type="button" className={styles.link} onClick={() => setStep(3)}>
            忘记密码？
          </button>
        </KitForm>
      )}
      {step === 2 && (
        <KitForm<Renew> kit={second} initial={{ phone: '', code: '' }} onSubmit={renew}>
          <PhoneCodeFields label="新手机号" asked={asked} />
          <p className="ui-hint">更换后，原手机号会收到一条提醒，您在所有设备上的登录都会失效。</p>
        </KitForm>
      )}
      {step === 3 && <Forgot phone="" info={info.data ?? null} onReset={beOver} onLeave={signIn} />}
      {step === 4 && (
        <div className={styles.done} role="status">
          <Icon name="check" size={40} />
          <strong>手机号已更换</strong>
          <p className="ui-hint">请用新手机号重新登录，密码不变。</p>
        </div>
      )}
    </Dialog>
  )
}
