/** Texts and field errors for confirming the owner of a roster phone. Pure functions. */
import { ApiError } from '../../../api-core.ts'
import { accountMessages, type ValidationError, validatePhone, validatePhoneAndCode } from '../../auth/account/messages.ts'

/** Proof by a code sent to the previous phone, or by the previous password. */
export type PhoneOwnerProof = 'code' | 'password'
type PhoneOwnerForm = { phone: string; code: string; password: string; sms: string; masked: string }

/** `masked` as the server returns it, 199****0007; empty if unknown. No code is sent to a phone that cannot match it. */
export function validateFormerPhone(phone: string, masked: string): string | null {
  const phoneError = validatePhone(phone)
  if (phoneError || !masked) return phoneError
  return phone.startsWith(masked.slice(0, 3)) && phone.endsWith(masked.slice(-4))
    ? null
    : `这不是公司原来登记的手机号（${masked}），请核对`
}

/** Returns what prevents submission, or null. */
export function validatePhoneOwner(
  method: PhoneOwnerProof,
  values: PhoneOwnerForm,
): ValidationError<'phone' | 'code' | 'password'> | null {
  if (method === 'password') return values.password === '' ? { field: 'password', text: '请输入原来的登录密码' } : null
  const phoneError = validateFormerPhone(values.phone, values.masked)
  if (phoneError) return { field: 'phone', text: phoneError }
  return values.sms ? validatePhoneAndCode(values) : { field: 'code', text: accountMessages.signIn.codeNotSent }
}

/** Returns the visible field at which an error is shown. */
export function toPhoneOwnerError(method: PhoneOwnerProof, error: unknown): ValidationError<'phone' | 'code' | 'password'> {
  const field = method === 'code' && error instanceof ApiError && error.field === 'phone' ? 'phone' : method
  return { field, text: error instanceof Error ? error.message : String(error) }
}
