import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { unlock } from '../../../server/contract/own/employee.ts'
import { useCall } from '../../api.ts'
import { SmsButton } from '../../ui/form/sms-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useAskedCode } from '../account/code/asked-code.ts'
import { Field, problemAt, usePhoneForm } from './form.tsx'
import styles from './m.module.css'
import { meQuery } from './queries.ts'

const handles = () => true
/** The view password step: one proves oneself again, by password or by a code, and reads for 10 minutes. */
export function Unlock() {
  const left = useQuery(meQuery).data?.left ?? null
  return (
    <main className={styles.unlock}>
      <Icon name="lock" size={32} />
      <h2>请先验证身份</h2>
      <p className="ui-label">
        {left
          ? `您已于 ${left.on} 离职，${left.until} 之前可以查看自己的工资条。每次查看前验证手机号，10 分钟内有效。`
          : '公司要求查看前验证身份，验证后 10 分钟内可以查看工资条。'}
      </p>
      <UnlockForm submit="查看工资条" />
    </main>
  )
}

type Proof = {
  /** What the button says. */
  submit: string
  onDone?: () => void
}
const optionsOf = ({ onDone }: Proof) => ({ handles, ...(onDone && { onSuccess: onDone }) })

/** One proves oneself again, by password or by a code. */
export function UnlockForm(proof: Proof) {
  const me = useQuery(meQuery).data
  const [chosen, setChosen] = useState<'password' | 'code' | null>(null)
  // Whoever has left proves his phone.
  const left = me?.left ?? null
  const way = left ? 'code' : (chosen ?? (me?.pass_status === 10 ? 'code' : 'password'))
  return (
    <>
      {way === 'password' ? <ByPassword {...proof} /> : <ByCode {...proof} phone={me?.phone_masked} />}
      {!left && (
        <button type="button" className={styles.link} onClick={() => setChosen(way === 'password' ? 'code' : 'password')}>
          {way === 'password' ? '用短信验证码' : '用登录密码'}
        </button>
      )}
    </>
  )
}

function ByPassword(proof: Proof) {
  const open = useCall(unlock, optionsOf(proof))
  const { busy, form, field } = usePhoneForm(
    { password: '' },
    { send: open.mutateAsync, refused: (error) => problemAt('password', error) },
  )
  return (
    <form {...form}>
      <Field label="登录密码" type="password" autoComplete="current-password" maxLength={64} {...field('password')} />
      <Submit text={proof.submit} busy={busy} />
    </form>
  )
}

/** The code goes to the phone that is known: nobody types it. */
function ByCode({ phone: masked, ...proof }: Proof & { phone: string | undefined }) {
  const open = useCall(unlock, optionsOf(proof))
  const { busy, say, form, field } = usePhoneForm(
    { code: '' },
    { send: ({ code }) => open.mutateAsync({ code, sms: smsFor() }), refused: (error) => problemAt('code', error) },
  )
  const { smsFor, sendCode } = useAskedCode('view', say)
  return (
    <form {...form}>
      <Field
        label={masked ? `验证码（发送到 ${masked}）` : '验证码'}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        {...field('code')}
        after={<SmsButton onSend={() => sendCode()} />}
      />
      <Submit text={proof.submit} busy={busy} disabled={!smsFor()} />
    </form>
  )
}

const Submit = ({ text, busy, disabled = false }: { text: string; busy: boolean; disabled?: boolean }) => (
  <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy || disabled}>
    {busy ? '正在验证…' : text}
  </button>
)
