import { getVerifyCode } from '../../../../server/contract/account/account.ts'
import type { AskOf } from '../../../../server/contract/call.ts'
import { ApiError, ask } from '../../../api.ts'
import { besideButton, type CodeSent, useSmsCode } from '../../../ui/form/sms-button.tsx'

/** A code for what somebody does who is signed in. */
export const useAskedCode = (
  type: AskOf<typeof getVerifyCode>['type'],
  say: (problem: { field: string; text: string } | null) => void,
) =>
  useSmsCode(async (phone): Promise<CodeSent> => {
    try {
      return { sms: (await ask(getVerifyCode, { phone, type })).sms }
    } catch (error) {
      const field = phone !== undefined && error instanceof ApiError ? error.field : undefined
      return { refused: besideButton({ field, text: error instanceof Error ? error.message : String(error) }) }
    }
  }, say)
