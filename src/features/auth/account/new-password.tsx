import { Form } from 'antd'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { PasswordStrengthMeter } from '../../../components/form/password-strength.tsx'
import { accountFields } from './account-fields.ts'
import { passwordHint } from './messages.ts'

/** Untouched fields count as empty. */
export const emptyPasswords = { password: '', confirm_password: '' }

/** A new password with its strength, and its confirmation. Field names match the calls. */
export function NewPasswordFields({ label, autoFocus = false }: { label: string; autoFocus?: boolean }) {
  const password = Form.useWatch<string | undefined>('password') ?? ''
  return (
    <>
      <FormField
        name="password"
        {...accountFields.newPassword}
        label={label}
        help={<PasswordStrengthMeter password={password} hint={passwordHint} />}
        autoFocus={autoFocus}
      />
      <FormField name="confirm_password" {...accountFields.confirmPassword} label={`确认${label}`} />
    </>
  )
}
