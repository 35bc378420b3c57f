import { Form, Input } from 'antd'
import { FormField } from '../../../../components/form/desktop-field.tsx'
import { toInputAttributes } from '../../../../components/form/field.ts'
import { SmsCodeButton } from '../../../../components/form/sms-code.tsx'
import styles from '../account.module.css'
import { accountFields } from '../account-fields.ts'
import { validatePhone } from '../messages.ts'
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
      <FormField name="phone" {...accountFields.newPhone} label={label} autoFocus />
      <Form.Item label={accountFields.code.label} htmlFor="code">
        <div className={styles.codeLine}>
          <Form.Item name="code" noStyle getValueFromEvent={(event) => accountFields.code.clean(event.target.value)}>
            <Input id="code" {...toInputAttributes(accountFields.code)} />
          </Form.Item>
          <SmsCodeButton onSend={sendCode} />
        </div>
      </Form.Item>
    </>
  )
}
