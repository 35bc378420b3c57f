/** What the sign-in page asks the server, and where a refusal belongs. */
import {
  checkTotp,
  getPublicInfo,
  getVerifyCode,
  login,
  loginByCode,
  registerCorp,
  selectCorp,
  updatePassword,
  validatePhoneCode,
} from '../../../server/contract/account/account.ts'
import type { AskOf, OutputOf } from '../../../server/contract/call.ts'
import { refusals } from '../../../server/contract/refusals.ts'
import { ApiError, NetworkError, send } from '../../api-core.ts'
import type { SignedIn, Trouble } from './sign-in.ts'

export const byPassword = (phone: string, password: string): Promise<SignedIn> => send(login, { phone, password })
/** `more`: after a trouble about the `holder`, the account's password or its person's name, or that he is the next holder of this phone. */
export const byCode = (
  phone: string,
  code: string,
  sms: string,
  more: Pick<AskOf<typeof loginByCode>, 'password' | 'next_holder' | 'holder_name'> = {},
): Promise<SignedIn> => send(loginByCode, { phone, code, sms, ...more })
export const byFactor = (factor_token: string, code: string): Promise<SignedIn> => send(checkTotp, { factor_token, code })
export const register = (typed: AskOf<typeof registerCorp>): Promise<SignedIn> => send(registerCorp, typed)
export const enterCorp = async (corp_id: string): Promise<string> => (await send(selectCorp, { corp_id })).token
export const askCode = async (phone: string, type: AskOf<typeof getVerifyCode>['type']): Promise<string> =>
  (await send(getVerifyCode, { phone, type })).sms
/** The phone rings no more: the question that two codes answer, which rang it earlier. */
export const pairOf = (error: unknown): string | null =>
  error instanceof ApiError && error.is('locked') && typeof error.data.sms === 'string' ? error.data.sms : null
/** Forgot password, step 1: the code for a token. */
export const verify = async (phone: string, code: string, sms: string): Promise<string> =>
  (await send(validatePhoneCode, { phone, code, sms })).token
/** Step 2. */
export const resetPassword = ({
  phone,
  token,
  newpass,
  confirm_password,
  next_holder,
  holder_name,
}: Omit<AskOf<typeof updatePassword>, 'type'>) =>
  send(updatePassword, { type: 'resetpwd', phone, token, newpass, confirm_password, next_holder, holder_name })
export type PublicInfo = OutputOf<typeof getPublicInfo>
export const publicInfo = (): Promise<PublicInfo> => send(getPublicInfo, {})

const waitText = (seconds: number) => (seconds < 60 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`)

/** Where a refusal belongs: its field, or the whole form. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof NetworkError) return { field: 'form', text: error.message }
  if (!(error instanceof ApiError)) return { field: 'form', text: '页面出了问题，请刷新后重试' }
  if (error.is('locked') && error.retry_after && !pairOf(error))
    return { field: 'form', text: `尝试次数过多，请 ${waitText(error.retry_after)}后再试` }
  if (error.is('too_often') && error.retry_after)
    return { field: 'form', text: error.message.replace('稍后', ` ${waitText(error.retry_after)}后`) }
  if (error.is('other_holder')) return { field: error.field ?? 'form', text: error.message, holder: true }
  if (error.is('wrong_password')) return { field: 'password', text: error.message }
  if (error.is('wrong_code')) return { field: 'code', text: error.message || refusals.wrong_code.message }
  // The wizard calls the new password by another name.
  const field = error.field === 'newpass' ? 'password' : error.field
  const known = ['phone', 'password', 'code', 'confirm_password', 'corp_name', 'user_name', 'holder_name']
  return { field: field && known.includes(field) ? field : 'form', text: error.message }
}
