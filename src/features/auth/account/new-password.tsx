import { Form, Input } from 'antd'
import { PasswordStrengthMeter } from '../../../components/form/password-strength.tsx'
import { passwordHint } from './messages.ts'

/** Untouched fields count as empty. */
export const emptyPasswords = { password: '', confirm_password: '' }

/** A new password with its strength, and its confirmation. Field names match the calls. */
export function NewPasswordFields({ label, autoFocus = false }: { label: string; autoFocus?: boolean }) {
  const password = Form.useWatch<string | undefined>('password') ?? ''
  return (
    <>
      <Form.Item name="password" label={label} extra={<PasswordStrengthMeter password={password} hint={passwordHint} />}>
        <Input.Password autoComplete="new-password" maxLength={64} autoFocus={autoFocus} />
      </Form.Item>
      <Form.Item name="confirm_password" label={`确认${label}`}>
        <Input.Password autoComplete="new-password" maxLength={64} />
      </Form.Item>
    </>
  )
}
