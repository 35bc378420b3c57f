/**
 * Account messages: the texts of spec §5 and §8, and the order of validation. The sign-in page, /m and the dialogs of
 * the shell share them. No libraries, because the sign-in page loads this file before anything else.
 */
import { mobilePattern } from '../../../../server/contract/shared/phone.ts'

export const accountMessages = {
  phone: { empty: '手机号不能为空', invalid: '手机号格式有误，请重新输入' },
  signIn: { password: '请输入登录密码', code: '验证码不能为空', invalidCode: '请输入 6 位验证码', codeNotSent: '请先获取验证码' },
  /** The dialog for a forgotten password: verify the phone, reset, done. */
  passwordReset: {
    code: '短信验证码不能为空',
    password: '请输入6-16位字母、数字或组合',
    mismatch: '两次输入的密码不一致',
    done: '密码修改成功！',
  },
  register: { corp: '请填写企业名称', name: '请填写您的姓名', code: '短信验证码不能为空', passwordTooShort: '密码至少 6 位' },
} as const

/** A hint, as specified; the server accepts 6 to 64 characters of any kind and rejects the most common passwords. */
export const passwordHint = '6-16 位字母、数字或组合'
/** Seconds until the redirect to the sign-in page after a new password (spec §9). */
export const redirectSeconds = 3

export type ValidationError<Field extends string> = { field: Field; text: string }

const phonePattern = new RegExp(mobilePattern)
export const validatePhone = (phone: string): string | null =>
  phone === '' ? accountMessages.phone.empty : phonePattern.test(phone) ? null : accountMessages.phone.invalid

export const validateCode = (code: string, empty: string): string | null =>
  code === '' ? empty : isValidCode(code) ? null : accountMessages.signIn.invalidCode
/** Accepts one code, or two earlier codes concatenated; the server knows which of them it expects. */
export const isValidCode = (code: string): boolean => /^\d{6}(\d{6})?$/.test(code)

/** Returns the first error in the given order of fields. */
export const findFirstError = <Field extends string>(
  ...checks: [Field, string | null | false][]
): ValidationError<Field> | null => {
  for (const [field, text] of checks) if (text) return { field, text }
  return null
}

/** Forgot password, step 1. */
export const validatePhoneAndCode = ({
  phone,
  code,
}: {
  phone: string
  code: string
}): ValidationError<'phone' | 'code'> | null =>
  findFirstError(['phone', validatePhone(phone)], ['code', validateCode(code, accountMessages.passwordReset.code)])

export type NewPasswordForm = { password: string; confirm_password: string }
/** Forgot password, step 2. The length 6-16 is only a hint; a missing password gets the same message. */
export const validateNewPassword = (values: NewPasswordForm): ValidationError<keyof NewPasswordForm> | null =>
  findFirstError(
    ['password', values.password === '' && accountMessages.passwordReset.password],
    ['confirm_password', values.password !== values.confirm_password && accountMessages.passwordReset.mismatch],
  )

export type Registration = { corp_name: string; user_name: string; phone: string; code: string; password: string }
/** Company registration, in the order of the contract's fields. */
export const validateRegistration = (values: Registration): ValidationError<keyof Registration> | null =>
  findFirstError(
    ['corp_name', values.corp_name.trim() === '' && accountMessages.register.corp],
    ['user_name', values.user_name.trim() === '' && accountMessages.register.name],
    ['phone', validatePhone(values.phone)],
    ['code', validateCode(values.code, accountMessages.register.code)],
    [
      'password',
      values.password === ''
        ? accountMessages.passwordReset.password
        : values.password.length < 6 && accountMessages.register.passwordTooShort,
    ],
  )

export type SignInMethod = 'password' | 'code'
export type SignInFields = { phone: string; password: string; code: string; holder_name?: string }
/** Sign-in. */
export const validateSignIn = (
  method: SignInMethod,
  { phone, password, code }: SignInFields,
): ValidationError<keyof SignInFields> | null =>
  findFirstError(
    ['phone', validatePhone(phone)],
    method === 'password'
      ? ['password', password === '' && accountMessages.signIn.password]
      : ['code', validateCode(code, accountMessages.signIn.code)],
  )

/** Extracts digits; full-width “０-９” of a Chinese keyboard count as digits. */
const extractDigits = (text: string): string => text.normalize('NFKC').replace(/\D/g, '')

/** Cleans a phone number while it is typed or pasted (` +86 138-0013-8000`): at most eleven digits. */
export const cleanPhone = (text: string): string => {
  const digits = extractDigits(text)
  const national = digits.length > 11 ? digits.replace(/^(00)?86(?=1)/, '') : digits
  return national.slice(0, 11)
}

/** Extracts a code from pasted text, even from the whole message: `【薪函】验证码 123456，5 分钟内有效。` */
export const extractVerificationCode = (text: string): string => {
  const runs = text.normalize('NFKC').split(/\D+/)
  return runs.find((run) => run.length === 6) ?? runs.join('').slice(0, 6)
}

/** Extracts two concatenated codes, typed or pasted from two messages. */
export const cleanTwoCodes = (text: string): string => {
  const runs = text.normalize('NFKC').split(/\D+/)
  const codes = /[一-龥]/.test(text) ? runs.filter((run) => run.length >= 6) : runs
  return codes.join('').slice(0, 12)
}
