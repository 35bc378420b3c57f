import { useQuery } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { useRef, useState } from 'react'
import { verifyIdentity } from '../../../../server/contract/auth/profile.ts'
import { useCallMutation } from '../../../api.ts'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { toInputAttributes } from '../../../components/form/field.ts'
import { SmsCodeButton } from '../../../components/form/sms-code.tsx'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'
import styles from './account.module.css'
import { accountFields } from './account-fields.ts'
import { useVerifyCode } from './code/verify-code.ts'
import { assignErrorToField, createFieldError } from './field-errors.ts'
import { finishIdentityProof } from './identity-proof.ts'
import { accountMessages } from './messages.ts'
import { profileQuery } from './queries.ts'

type ProofForm = { password?: string; code?: string }

/** Asks for the password, or for a code sent to the stored phone; the export continues afterwards. */
export function IdentityProofDialog() {
  const profile = useQuery(profileQuery).data
  const [selected, setSelected] = useState<'password' | 'code' | null>(null)
  const method = selected ?? (profile?.pass_status === 10 ? 'code' : 'password')
  const isProved = useRef(false)
  const [sendError, setSendError] = useState<string | null>(null)
  const smsCode = useVerifyCode('view', (problem) => setSendError(problem?.text ?? null))
  const verify = useCallMutation(verifyIdentity, { handles: () => true, affects: [] })
  const submit = async ({ password = '', code = '' }: ProofForm) => {
    const sms = smsCode.getChallenge()
    if (method === 'code' && !sms) throw createFieldError({ field: 'code', text: accountMessages.signIn.codeNotSent })
    await assignErrorToField(method, verify.mutateAsync(method === 'password' ? { password } : { code, sms }))
    isProved.current = true
  }
  return (
    <FormDialog<ProofForm>
      open
      title="请确认是您本人"
      action="确认并导出"
      width={416}
      onSubmit={submit}
      onClose={() => finishIdentityProof(isProved.current)}
    >
      <p className={`ui-hint ${styles.proofHint}`}>文件含有工资金额，确认后 10 分钟内不再询问。</p>
      {method === 'password' ? (
        <FormField key="password" name="password" {...accountFields.password} autoFocus />
      ) : (
        <Form.Item
          key="code"
          label={profile ? `短信验证码（发送到 ${profile.phone_masked}）` : accountFields.code.label}
          htmlFor="code"
          {...(sendError && { validateStatus: 'error', help: sendError })}
        >
          <div className={styles.codeLine}>
            <Form.Item name="code" noStyle getValueFromEvent={(event) => accountFields.code.clean(event.target.value)}>
              <Input id="code" {...toInputAttributes(accountFields.code)} />
            </Form.Item>
            <SmsCodeButton onSend={() => smsCode.sendCode()} />
          </div>
        </Form.Item>
      )}
      <button type="button" className="ui-link" onClick={() => setSelected(method === 'password' ? 'code' : 'password')}>
        {method === 'password' ? '用短信验证码' : '用登录密码'}
      </button>
    </FormDialog>
  )
}
