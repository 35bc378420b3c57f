/** The calls of the sign-in page, and the mapping of errors to fields. */
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
} from '../../../../server/contract/auth/sign-in.ts'
import type { CallOutput, CallRequest } from '../../../../server/contract/call.ts'
import { errorCodes } from '../../../../server/contract/errors.ts'
import { ApiError, NetworkError, sendRequest } from '../../../api-core.ts'
import { networkLostError } from './sign-in.ts'
import type { FormError, SignInResult } from './types.ts'

export const signInWithPassword = (phone: string, password: string): Promise<SignInResult> =>
  sendRequest(login, { phone, password })
/**
 * `more`: required after an `other_holder` error: the account's password, its owner's name, or the statement that the
 * user is the new owner of this phone.
 */
export const signInWithCode = (
  phone: string,
  code: string,
  sms: string,
  more: Pick<CallRequest<typeof loginByCode>, 'password' | 'is_new_owner' | 'holder_name'> = {},
): Promise<SignInResult> => sendRequest(loginByCode, { phone, code, sms, ...more })
export const verifySecondFactor = (factor_token: string, code: string): Promise<SignInResult> =>
  sendRequest(checkTotp, { factor_token, code })
export const registerCompany = (input: CallRequest<typeof registerCorp>): Promise<SignInResult> =>
  sendRequest(registerCorp, input)
export const selectCompany = async (corp_id: string): Promise<string> => (await sendRequest(selectCorp, { corp_id })).token
export const requestCode = async (phone: string, type: CallRequest<typeof getVerifyCode>['type']): Promise<string> =>
  (await sendRequest(getVerifyCode, { phone, type })).sms
/** Returns the challenge that two earlier codes answer, when no more codes can be sent to the phone. */
export const getCodePairChallenge = (error: unknown): string | null =>
  error instanceof ApiError && error.is('locked') && typeof error.data.sms === 'string' ? error.data.sms : null
/** Forgot password, step 1: exchanges the code for a token. */
export const verifyPhoneCode = async (phone: string, code: string, sms: string): Promise<string> =>
  (await sendRequest(validatePhoneCode, { phone, code, sms })).token
/** Forgot password, step 2: sets the new password. */
export const resetPassword = ({
  phone,
  token,
  newpass,
  confirm_password,
  is_new_owner,
  holder_name,
}: Omit<CallRequest<typeof updatePassword>, 'type'>) =>
  sendRequest(updatePassword, { type: 'resetpwd', phone, token, newpass, confirm_password, is_new_owner, holder_name })
export type PublicInfo = CallOutput<typeof getPublicInfo>
export const fetchPublicInfo = (): Promise<PublicInfo> => sendRequest(getPublicInfo, {})

const formatWait = (seconds: number) => (seconds < 60 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`)

/** Maps an error to its field, or to the whole form. */
export function toFormError(error: unknown): FormError {
  if (error instanceof NetworkError) return networkLostError
  if (!(error instanceof ApiError)) return { field: 'form', text: '页面出了问题，请刷新后重试' }
  if (error.is('locked') && error.retryAfterSeconds && !getCodePairChallenge(error))
    return { field: 'form', text: `尝试次数过多，请 ${formatWait(error.retryAfterSeconds)}后再试` }
  if (error.is('too_often') && error.retryAfterSeconds)
    return { field: 'form', text: error.message.replace('稍后', ` ${formatWait(error.retryAfterSeconds)}后`) }
  if (error.is('other_holder')) return { field: error.field ?? 'form', text: error.message, isOwnerUnclear: true }
  if (error.is('wrong_password')) return { field: 'password', text: error.message }
  if (error.is('wrong_code')) return { field: 'code', text: error.message || errorCodes.wrong_code.message }
  // The server names the new password differently.
  const field = error.field === 'newpass' ? 'password' : error.field
  const existingFields = ['phone', 'password', 'code', 'confirm_password', 'corp_name', 'user_name', 'holder_name']
  return { field: field && existingFields.includes(field) ? field : 'form', text: error.message }
}
