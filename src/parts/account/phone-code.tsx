import { Form, Input } from 'antd'
import { getVerifyCode } from '../../../server/contract/account.ts'
import type { AskOf } from '../../../server/contract/call.ts'
import { ApiError, ask, NetworkError } from '../../api.ts'
import { SmsButton } from '../../ui/sms-button.tsx'
import { toast } from '../../ui/toast.ts'
import styles from './account.module.css'
import { cleanCode, cleanPhone, phoneProblem } from './messages.ts'

type Props = {
  label: string
  type: AskOf<typeof getVerifyCode>['type']
  /** The challenge that the code answers. */
  onSent: (sms: string) => void
}

/** A phone and the code sent to it, as two fields of a form; what is pasted into them becomes digits. */
export function PhoneCodeFields({ label, type, onSent }: Props) {
  const form = Form.useFormInstance<{ phone: string; code: string }>()
  const wrongPhone = (text: string) => {
    form.setFields([{ name: 'phone', errors: [text] }])
    form.scrollToField('phone', { focus: true, block: 'center' })
  }
  const sendCode = async () => {
    const phone = form.getFieldValue('phone') as string
    const problem = phoneProblem(phone)
    if (problem) {
      wrongPhone(problem)
      return false
    }
    try {
      onSent((await ask(getVerifyCode, { phone, type })).sms)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.field === 'phone') wrongPhone(error.message)
      else if (error instanceof NetworkError) toast.fail(error.message, '网络异常')
      else if (error instanceof Error) toast.fail(error.message, '失败')
      return false
    }
  }
  return (
    <>
      <Form.Item name="phone" label={label} getValueFromEvent={(event) => cleanPhone(event.target.value)}>
        <Input autoComplete="tel" inputMode="tel" autoFocus />
      </Form.Item>
      <Form.Item label="短信验证码" htmlFor="code">
        <div className={styles.codeLine}>
          <Form.Item name="code" noStyle getValueFromEvent={(event) => cleanCode(event.target.value)}>
            <Input id="code" autoComplete="one-time-code" inputMode="numeric" />
          </Form.Item>
          <SmsButton onSend={sendCode} />
        </div>
      </Form.Item>
    </>
  )
}
