import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getVerifyCode } from '../../../server/contract/account.ts'
import { confirmHolder } from '../../../server/contract/employee.ts'
import { ApiError, cache, useCall } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { SmsButton } from '../../ui/sms-button.tsx'
import { errorOf, Field } from './field.tsx'
import { meQuery } from './queries.ts'

const handles = () => true
/** The company has written another phone for him: before a slip is shown he says that it is he, by what he had before. */
export function ConfirmHolder() {
  const me = useQuery(meQuery).data
  const [way, setWay] = useState<'password' | 'code'>('code')
  const [fields, setFields] = useState({ phone: '', code: '', password: '' })
  const ask = useCall(getVerifyCode, { handles })
  const confirm = useCall(confirmHolder, { handles, onSuccess: () => void cache.resetQueries() })
  const change = (name: keyof typeof fields) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [name]: event.target.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { phone, code, password } = fields
    if (way === 'password') confirm.mutate({ password })
    else if (ask.data) confirm.mutate({ phone, code, sms: ask.data.sms })
  }
  const send = () =>
    ask.mutateAsync({ phone: fields.phone, type: 'view' }).then(
      () => true,
      () => false,
    )
  const said = me?.unconfirmed?.former_phone_masked
  return (
    <div className="m-unlock">
      <Icon name="lock" size={32} />
      <h2>请确认是您本人</h2>
      <p className="ui-label">
        公司更换了您登记的手机号。确认之前，工资条不会显示，也不会发送。原手机号和原密码都不能用的，请联系公司，由两位管理员确认。
      </p>
      <form onSubmit={submit} noValidate>
        {way === 'password' ? (
          <Field
            label="更换手机号之前的登录密码"
            type="password"
            autoComplete="current-password"
            maxLength={64}
            value={fields.password}
            onChange={change('password')}
            error={sentence(confirm.error, 'password')}
          />
        ) : (
          <>
            <Field
              label={said ? `原手机号（${said}）` : '原手机号'}
              inputMode="tel"
              autoComplete="tel"
              maxLength={11}
              value={fields.phone}
              onChange={change('phone')}
              error={sentence(ask.error, 'phone') ?? errorOf(confirm.error, 'phone')}
            />
            <Field
              label="原手机号收到的验证码"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={6}
              value={fields.code}
              onChange={change('code')}
              error={errorOf(confirm.error, 'phone') ? undefined : sentence(confirm.error, 'code')}
              after={<SmsButton onSend={send} />}
            />
          </>
        )}
        <button
          type="submit"
          className="ui-button m-button m-primary"
          disabled={confirm.isPending || (way === 'code' && !ask.data)}
        >
          {confirm.isPending ? '正在验证…' : '确认是我本人'}
        </button>
      </form>
      <button type="button" className="m-link" onClick={() => setWay(way === 'password' ? 'code' : 'password')}>
        {way === 'password' ? '用原手机号的验证码' : '用原来的登录密码'}
      </button>
    </div>
  )
}

/** Whatever goes wrong here is said at the field; the network's failure too. */
const sentence = (error: Error | null, field: string) =>
  errorOf(error, field, true) ?? (error && !(error instanceof ApiError) ? error.message : undefined)
