import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmHolder } from '../../../server/contract/own/employee.ts'
import { cache, useCall } from '../../api.ts'
import { SmsButton } from '../../ui/form/sms-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useAskedCode } from '../account/code/asked-code.ts'
import { cleanCode, cleanPhone } from '../account/messages.ts'
import { Field, usePhoneForm } from './form.tsx'
import { formerPhoneProblem, type HolderWay, holderProblem, refusedAt } from './holder.ts'
import styles from './m.module.css'
import { meQuery } from './queries.ts'

const nothing = { phone: '', code: '', password: '' }

/** What was typed, and what it leads to. */
function useHolder() {
  const masked = useQuery(meQuery).data?.unconfirmed?.former_phone_masked ?? ''
  const [way, setWay] = useState<HolderWay>('code')
  // Asks and keeps nothing: whatever counts as done has the page asked for anew.
  const confirm = useCall(confirmHolder, { handles: () => true, onSuccess: () => void cache.resetQueries() })
  const { typed, busy, say, form, field } = usePhoneForm(nothing, {
    check: (given) => holderProblem(way, { ...given, sms: asked.smsFor(given.phone), masked }),
    send: ({ phone, code, password }) =>
      confirm.mutateAsync(way === 'password' ? { password } : { phone, code, sms: asked.smsFor(phone) }),
    refused: (error) => refusedAt(way, error),
  })
  const asked = useAskedCode('view', say)
  const send = () => asked.sendCode(typed.phone, formerPhoneProblem(typed.phone, masked))
  const turn = () => {
    setWay(way === 'password' ? 'code' : 'password')
    say(null)
  }
  return { masked, way, turn, form, field, send, busy }
}

/** The company has written another phone for him: before a slip is shown he says that it is he, by what he had before. */
export function ConfirmHolder() {
  const { masked, way, turn, form, field, send, busy } = useHolder()
  return (
    <div className={styles.unlock}>
      <Icon name="lock" size={32} />
      <h2>请确认是您本人</h2>
      <p className="ui-label">
        公司更换了您登记的手机号。确认之前，工资条不会显示，也不会发给您。
        {way === 'code' ? '原来的手机号还在用，就用它收一次验证码。' : '请输入更换手机号之前，您自己设置的登录密码。'}
      </p>
      <form {...form}>
        {way === 'password' ? (
          <Field
            key="password"
            label="原来的登录密码"
            type="password"
            autoComplete="current-password"
            maxLength={64}
            autoFocus
            {...field('password')}
          />
        ) : (
          <>
            <Field
              label={masked ? `原手机号（${masked}）` : '原手机号'}
              type="tel"
              autoComplete="off"
              {...field('phone', cleanPhone)}
            />
            <Field
              label="原手机号收到的验证码"
              inputMode="numeric"
              autoComplete="one-time-code"
              {...field('code', cleanCode)}
              after={<SmsButton onSend={send} />}
            />
          </>
        )}
        <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy}>
          {busy ? '正在验证…' : '确认是我本人'}
        </button>
      </form>
      <button type="button" className={styles.link} onClick={turn}>
        {way === 'password' ? '改用原手机号的验证码' : '原手机号不用了？用原来的登录密码'}
      </button>
      <p className="ui-hint">两样都没有的，请联系公司：一位管理员在「花名册」申请，另一位同意后，您就能查看。</p>
    </div>
  )
}
