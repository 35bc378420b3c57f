import { getVerifyCode } from '../../../../../server/contract/auth/sign-in.ts'
import type { CallRequest } from '../../../../../server/contract/call.ts'
import { ApiError, callApi } from '../../../../api.ts'
import { type SmsCodeResult, toCodeFieldError, useSmsCode } from '../../../../components/form/sms-code.tsx'

export const useVerifyCode = (
  type: CallRequest<typeof getVerifyCode>['type'],
  setFieldError: (problem: { field: string; text: string } | null) => void,
) =>
  useSmsCode(async (phone): Promise<SmsCodeResult> => {
    try {
      return { challenge: (await callApi(getVerifyCode, { phone, type })).sms }
    } catch (error) {
      const field = phone !== undefined && error instanceof ApiError ? error.field : undefined
      return { error: toCodeFieldError({ field, text: error instanceof Error ? error.message : String(error) }) }
    }
  }, setFieldError)
