/** What is said while somebody confirms that a phone of the roster is his: where, and in which words. Pure. */
import { ApiError } from '../../api-core.ts'
import { type FieldProblem, messages, phoneProblem, verifyProblem } from '../account/messages.ts'

/** By a code to the phone of before, or by the password of before. */
export type HolderWay = 'code' | 'password'
type Typed = { phone: string; code: string; password: string; sms: string; masked: string }

/** `masked` as the server says it, 199****0007; empty where it does not know one. No code goes to a phone that cannot be it. */
export function formerPhoneProblem(phone: string, masked: string): string | null {
  const wrong = phoneProblem(phone)
  if (wrong || !masked) return wrong
  return phone.startsWith(masked.slice(0, 3)) && phone.endsWith(masked.slice(-4))
    ? null
    : `这不是公司原来登记的手机号（${masked}），请核对`
}

/** What keeps it from being sent; null where nothing does. */
export function holderProblem(way: HolderWay, typed: Typed): FieldProblem<'phone' | 'code' | 'password'> | null {
  if (way === 'password') return typed.password === '' ? { field: 'password', text: '请输入原来的登录密码' } : null
  const phone = formerPhoneProblem(typed.phone, typed.masked)
  if (phone) return { field: 'phone', text: phone }
  return typed.sms ? verifyProblem(typed) : { field: 'code', text: messages.signIn.no_code }
}

/** The field on view under which a refusal is said. */
export function refusedAt(way: HolderWay, error: unknown): FieldProblem<'phone' | 'code' | 'password'> {
  const field = way === 'code' && error instanceof ApiError && error.field === 'phone' ? 'phone' : way
  return { field, text: error instanceof Error ? error.message : String(error) }
}
