/** The fields of accounts: the same in the dialogs on desktop, on /m and on the sign-in pages. */
import type { FieldDefinition } from '../../../components/form/field.ts'
import { cleanPhone, cleanTwoCodes, extractVerificationCode } from './messages.ts'

const currentPassword = { kind: 'password', autoComplete: 'current-password', maxLength: 64 } as const
const newPassword = { kind: 'password', autoComplete: 'new-password', maxLength: 64 } as const

export const accountFields = {
  /** The phone that names the account. */
  phone: { label: '手机号', kind: 'tel', autoComplete: 'username', clean: cleanPhone },
  newPhone: { label: '新手机号', kind: 'tel', autoComplete: 'tel', clean: cleanPhone },
  code: { label: '短信验证码', kind: 'code', clean: extractVerificationCode },
  /** Two earlier codes, for a phone that receives no more today. */
  twoCodes: { label: '短信验证码', kind: 'code', clean: cleanTwoCodes },
  password: { label: '登录密码', ...currentPassword },
  oldPassword: { label: '原密码', ...currentPassword },
  /** The password that the phone's existing account had. */
  previousPassword: { label: '原来的登录密码', ...currentPassword },
  newPassword: { label: '新密码', ...newPassword },
  confirmPassword: { label: '确认新密码', ...newPassword },
  userName: { label: '您的姓名', autoComplete: 'name', maxLength: 30 },
} as const satisfies Record<string, FieldDefinition>
