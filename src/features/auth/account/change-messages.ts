/**
 * The texts and the order of validation of what signed-in users change about their accounts (spec §5 and §8); apart from
 * `messages.ts`, which the sign-in page loads first.
 */
import { findFirstError, type NewPasswordForm, type ValidationError, validateCode, validatePhone } from './messages.ts'

export const changeMessages = {
  /** Change password (修改密码). */
  passwordChange: { empty: '密码不能为空', mismatch: '两次输入的新密码不一致，请重新输入', done: '密码修改成功！' },
  /** Sets the login password (设置登录密码), while pass_status is 10. */
  earlyPassword: { empty: '请输入登录密码', mismatch: '两次密码不一致', done: '设置成功！' },
  /** Changes the phone number (更换手机号) in four steps. */
  phoneChange: { password: '请输入登录密码', code: '验证码不能为空' },
  transfer: { noneSelected: '请选择移交对象', noMember: '请选择成员', done: '已发起移交审批，请等待系统管理员审批' },
  suggestion: { name: '请填写姓名', phone: '手机号格式有误', content: '请填写需求描述', done: '提交成功' },
} as const

/** Change password (修改密码): old and new are not empty and the confirmation is equal. */
export const validatePasswordChange = (
  values: NewPasswordForm & { old_password: string },
): ValidationError<keyof NewPasswordForm | 'old_password'> | null =>
  findFirstError(
    ['old_password', values.old_password === '' && changeMessages.passwordChange.empty],
    ['password', values.password === '' && changeMessages.passwordChange.empty],
    ['confirm_password', values.password !== values.confirm_password && changeMessages.passwordChange.mismatch],
  )

/** Set the login password (设置登录密码). */
export const validateEarlyPassword = (values: NewPasswordForm): ValidationError<keyof NewPasswordForm> | null =>
  findFirstError(
    ['password', values.password === '' && changeMessages.earlyPassword.empty],
    ['confirm_password', values.password !== values.confirm_password && changeMessages.earlyPassword.mismatch],
  )

/** Step 1 of changing the phone number (更换手机号): the password check. */
export const validatePasswordStep = ({ password }: { password: string }): ValidationError<'password'> | null =>
  findFirstError(['password', password === '' && changeMessages.phoneChange.password])

/** Step 2 of changing the phone number (更换手机号): the new number and its code. */
export const validatePhoneChange = ({ phone, code }: { phone: string; code: string }): ValidationError<'phone' | 'code'> | null =>
  findFirstError(['phone', validatePhone(phone)], ['code', validateCode(code, changeMessages.phoneChange.code)])

/** Transfer (移交): exactly one member. */
export const validateTransfer = (selected: readonly unknown[]): string | null =>
  selected.length === 1 ? null : changeMessages.transfer.noneSelected
