/**
 * What is said about accounts: the sentences of spec §5 and §8, once, and the order in which they are said. The sign-in page, /m and the
 * dialogs of the shell share them. Without a library, because the sign-in page needs them before anything else has come.
 */
import { mobilePattern } from '../../../server/contract/words/phone.ts'

export const messages = {
  phone: { empty: '手机号不能为空', wrong: '手机号格式有误，请重新输入' },
  signIn: { password: '请输入登录密码', code: '验证码不能为空', code_wrong: '请输入 6 位验证码', no_code: '请先获取验证码' },
  /** Forgot password: verify phone → reset → done. */
  wizard: {
    code: '短信验证码不能为空',
    password: '请输入6-16位字母、数字或组合',
    differ: '两次输入的密码不一致',
    done: '密码修改成功！',
  },
  /** 修改密码. */
  reset: { empty: '密码不能为空', differ: '两次输入的新密码不一致，请重新输入', done: '密码修改成功！' },
  /** 设置登录密码, while pass_status is 10. */
  early: { empty: '请输入登录密码', differ: '两次密码不一致', done: '设置成功！' },
  /** 更换手机号, in four steps. */
  phoneChange: { password: '请输入登录密码', code: '验证码不能为空' },
  transfer: { nobody: '请选择移交对象', no_member: '请选择成员', done: '已发起移交审批，请等待系统管理员审批' },
  suggestion: { name: '请填写姓名', phone: '手机号格式有误', content: '请填写需求描述', done: '提交成功' },
  register: { corp: '请填写企业名称', name: '请填写您的姓名', code: '短信验证码不能为空', short: '密码至少 6 位' },
} as const

/** A hint, as specified; the server takes 6 to 64 characters of any kind and refuses the commonest. */
export const passwordHint = '6-16 位字母、数字或组合'
/** After a new password the sign-in page follows by itself (spec §9). */
export const redirectSeconds = 3

export type FieldProblem<Field extends string> = { field: Field; text: string }

const phoneForm = new RegExp(mobilePattern)
export const phoneProblem = (phone: string): string | null =>
  phone === '' ? messages.phone.empty : phoneForm.test(phone) ? null : messages.phone.wrong

const codeProblem = (code: string, empty: string): string | null =>
  code === '' ? empty : isCode(code) ? null : messages.signIn.code_wrong
/** One code, or two that rang earlier, one behind the other: which of them is asked for, the server knows. */
export const isCode = (code: string): boolean => /^\d{6}(\d{6})?$/.test(code)

/** The first field that is wrong, in the order in which they are given. */
const first = <Field extends string>(...found: [Field, string | null | false][]): FieldProblem<Field> | null => {
  for (const [field, text] of found) if (text) return { field, text }
  return null
}

/** Forgot password, step 1. */
export const verifyProblem = ({ phone, code }: { phone: string; code: string }): FieldProblem<'phone' | 'code'> | null =>
  first(['phone', phoneProblem(phone)], ['code', codeProblem(code, messages.wizard.code)])

type NewPassword = { password: string; confirm_password: string }
/** Forgot password, step 2. The 6-16 is a hint; that nothing was entered is said with the same sentence. */
export const newPasswordProblem = (typed: NewPassword): FieldProblem<keyof NewPassword> | null =>
  first(
    ['password', typed.password === '' && messages.wizard.password],
    ['confirm_password', typed.password !== typed.confirm_password && messages.wizard.differ],
  )

/** 修改密码: old and new not empty, the confirmation equal. */
export const resetProblem = (
  typed: NewPassword & { old_password: string },
): FieldProblem<keyof NewPassword | 'old_password'> | null =>
  first(
    ['old_password', typed.old_password === '' && messages.reset.empty],
    ['password', typed.password === '' && messages.reset.empty],
    ['confirm_password', typed.password !== typed.confirm_password && messages.reset.differ],
  )

/** 设置登录密码. */
export const earlyProblem = (typed: NewPassword): FieldProblem<keyof NewPassword> | null =>
  first(
    ['password', typed.password === '' && messages.early.empty],
    ['confirm_password', typed.password !== typed.confirm_password && messages.early.differ],
  )

/** 更换手机号, step 1: that it is oneself. */
export const proofProblem = ({ password }: { password: string }): FieldProblem<'password'> | null =>
  first(['password', password === '' && messages.phoneChange.password])

/** 更换手机号, step 2. */
export const phoneChangeProblem = ({ phone, code }: { phone: string; code: string }): FieldProblem<'phone' | 'code'> | null =>
  first(['phone', phoneProblem(phone)], ['code', codeProblem(code, messages.phoneChange.code)])

/** 移交: exactly one person. */
export const transferProblem = (chosen: readonly unknown[]): string | null =>
  chosen.length === 1 ? null : messages.transfer.nobody

export type Registration = { corp_name: string; user_name: string; phone: string; code: string; password: string }
/** Founding a company: the order of the contract's fields. */
export const registerProblem = (typed: Registration): FieldProblem<keyof Registration> | null =>
  first(
    ['corp_name', typed.corp_name.trim() === '' && messages.register.corp],
    ['user_name', typed.user_name.trim() === '' && messages.register.name],
    ['phone', phoneProblem(typed.phone)],
    ['code', codeProblem(typed.code, messages.register.code)],
    ['password', typed.password === '' ? messages.wizard.password : typed.password.length < 6 && messages.register.short],
  )

export type SignInWay = 'password' | 'code'
export type Fields = { phone: string; password: string; code: string; holder_name?: string }
/** Signing in. */
export const signInProblem = (way: SignInWay, { phone, password, code }: Fields): FieldProblem<keyof Fields> | null =>
  first(
    ['phone', phoneProblem(phone)],
    way === 'password'
      ? ['password', password === '' && messages.signIn.password]
      : ['code', codeProblem(code, messages.signIn.code)],
  )

/** ０-９ of a Chinese keyboard as the digits they are. */
const digitsOf = (text: string): string => text.normalize('NFKC').replace(/\D/g, '')

/** A phone as people paste it (` +86 138-0013-8000`) while it is typed: eleven digits at most. */
export const cleanPhone = (text: string): string => {
  const digits = digitsOf(text)
  const national = digits.length > 11 ? digits.replace(/^(00)?86(?=1)/, '') : digits
  return national.slice(0, 11)
}

/** A code as people paste it, the whole message included: `【薪函】验证码 123456，5 分钟内有效。` */
export const cleanCode = (text: string): string => {
  const runs = text.normalize('NFKC').split(/\D+/)
  return runs.find((run) => run.length === 6) ?? runs.join('').slice(0, 6)
}

/** Two codes, one behind the other, as they are typed or pasted out of two messages. */
export const cleanTwoCodes = (text: string): string => {
  const runs = text.normalize('NFKC').split(/\D+/)
  const codes = /[一-龥]/.test(text) ? runs.filter((run) => run.length >= 6) : runs
  return codes.join('').slice(0, 12)
}
