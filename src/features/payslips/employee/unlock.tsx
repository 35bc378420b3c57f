import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { unlock } from '../../../../server/contract/payslips/employee.ts'
import { useCallMutation } from '../../../api.ts'
import { LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../components/form/sms-code.tsx'
import { toErrorAtField, useLightForm } from '../../../components/form/use-light-form.ts'
import { Icon } from '../../../components/icon.tsx'
import { accountFields } from '../../auth/account/account-fields.ts'
import { useVerifyCode } from '../../auth/account/code/verify-code.ts'
import { accountMessages, isValidCode } from '../../auth/account/messages.ts'
import styles from './m.module.css'
import { currentEmployeeQuery } from './queries.ts'

const handlesAllErrors = () => true
/** The view password step: the employee verifies their identity by password or code and can then read for 10 minutes. */
export function UnlockView() {
  const termination = useQuery(currentEmployeeQuery).data?.terminated ?? null
  return (
    <main className={styles.unlock}>
      <Icon name="lock" size={32} />
      <h2>请先验证身份</h2>
      <p className="ui-label">
        {termination
          ? `您已于 ${termination.terminated_on} 离职，${termination.access_until} 之前可以查看自己的工资条。每次查看前验证手机号，10 分钟内有效。`
          : '为保护您的隐私，查看前请先验证身份，10 分钟内有效。'}
      </p>
      <UnlockForm submitLabel="查看工资条" />
    </main>
  )
}

type UnlockFormProps = {
  /** The label of the submit button. */
  submitLabel: string
  onDone?: () => void
}
const getCallOptions = ({ onDone }: UnlockFormProps) => ({ handles: handlesAllErrors, ...(onDone && { onSuccess: onDone }) })

/** Verifies the identity again, by password or by a code. */
export function UnlockForm(props: UnlockFormProps) {
  const employee = useQuery(currentEmployeeQuery).data
  const [selected, setSelected] = useState<'password' | 'code' | null>(null)
  // A terminated employee verifies the phone first.
  const termination = employee?.terminated ?? null
  const method = termination ? 'code' : (selected ?? (employee?.pass_status === 10 ? 'code' : 'password'))
  return (
    <>
      {method === 'password' ? <PasswordUnlockForm {...props} /> : <CodeUnlockForm {...props} phone={employee?.phone_masked} />}
      {!termination && (
        <button type="button" className={styles.link} onClick={() => setSelected(method === 'password' ? 'code' : 'password')}>
          {method === 'password' ? '用短信验证码' : '用登录密码'}
        </button>
      )}
    </>
  )
}

function PasswordUnlockForm(props: UnlockFormProps) {
  const unlockView = useCallMutation(unlock, getCallOptions(props))
  const { busy, form, field } = useLightForm(
    { password: '' },
    { submit: unlockView.mutateAsync, toFieldError: (error) => toErrorAtField('password', error) },
  )
  return (
    <LightForm {...form}>
      <LightField {...accountFields.password} {...field('password')} />
      <SubmitButton text={props.submitLabel} busy={busy} busyText="正在验证…" />
    </LightForm>
  )
}

/** The code goes to the stored phone number; the user does not type it. */
function CodeUnlockForm({ phone: maskedPhone, ...props }: UnlockFormProps & { phone: string | undefined }) {
  const unlockView = useCallMutation(unlock, getCallOptions(props))
  const { busy, setError, form, field, submitValues } = useLightForm(
    { code: '' },
    {
      validate: () => (getChallenge() ? null : { field: 'code', text: accountMessages.signIn.codeNotSent }),
      submit: ({ code }) => unlockView.mutateAsync({ code, sms: getChallenge() }),
      toFieldError: (error) => toErrorAtField('code', error),
      onChange: (values) => {
        if (getChallenge() && isValidCode(values.code)) submitValues(values)
      },
    },
  )
  const { getChallenge, sendCode } = useVerifyCode('view', setError)
  return (
    <LightForm {...form}>
      <LightCodeField
        {...accountFields.code}
        label={maskedPhone ? `验证码（发送到 ${maskedPhone}）` : '验证码'}
        {...field('code')}
        onSend={() => sendCode()}
      />
      <SubmitButton text={props.submitLabel} busy={busy} busyText="正在验证…" />
    </LightForm>
  )
}
