import { Form, Input } from 'antd'
import { SmsCodeButton } from '../../../../components/form/sms-code.tsx'
import styles from '../account.module.css'
import { cleanPhone, extractVerificationCode, validatePhone } from '../messages.ts'
import type { useVerifyCode } from './verify-code.ts'

/** Form fields for a phone number and the code sent to it; pasted text is reduced to digits. */
export function PhoneCodeFields({
  label,
  requested: verifyCode,
}: {
  label: string
  requested: ReturnType<typeof useVerifyCode>
}) {
  const form = Form.useFormInstance<{ phone: string; code: string }>()
  const sendCode = () => {
    const { phone } = form.getFieldsValue()
    return verifyCode.sendCode(phone, validatePhone(phone))
  }
  return (
    <>
      <Form.Item name="phone" label={label} getValueFromEvent={(event) => cleanPhone(event.target.value)}>
        <Input autoComplete="tel" inputMode="tel" autoFocus />
      </Form.Item>
      <Form.Item label="短信验证码" htmlFor="code">
        <div className={styles.codeLine}>
          <Form.Item name="code" noStyle getValueFromEvent={(event) => extractVerificationCode(event.target.value)}>
            <Input id="code" autoComplete="one-time-code" inputMode="numeric" />
          </Form.Item>
          <SmsCodeButton onSend={sendCode} />
        </div>
      </Form.Item>
    </>
  )
}
