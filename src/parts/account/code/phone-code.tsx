import { Form, Input } from 'antd'
import { SmsButton } from '../../../ui/form/sms-button.tsx'
import styles from '../account.module.css'
import { cleanCode, cleanPhone, phoneProblem } from '../messages.ts'
import type { useAskedCode } from './asked-code.ts'

/** A phone and the code sent to it, as two fields of a form; what is pasted into them becomes digits. */
export function PhoneCodeFields({ label, asked }: { label: string; asked: ReturnType<typeof useAskedCode> }) {
  const form = Form.useFormInstance<{ phone: string; code: string }>()
  const sendCode = () => {
    const { phone } = form.getFieldsValue()
    return asked.sendCode(phone, phoneProblem(phone))
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
