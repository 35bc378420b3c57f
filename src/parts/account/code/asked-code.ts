import { useState } from 'react'
import { getVerifyCode } from '../../../../server/contract/account.ts'
import type { AskOf } from '../../../../server/contract/call.ts'
import { ApiError, ask } from '../../../api.ts'
import type { FieldProblem } from '../messages.ts'

/**
 * A code for what somebody does who is signed in: one way to ask for it, and one place where a refusal is said: of the phone at the phone, any
 * other beside the button that was pressed. Signing in has the same over its own calls (`parts/sign-in/sign-in.ts`), for it comes without them.
 */
export function useAskedCode(
  type: AskOf<typeof getVerifyCode>['type'],
  say: (problem: FieldProblem<'phone' | 'code'> | null) => void,
) {
  const [asked, setAsked] = useState<{ phone: string | undefined; sms: string } | null>(null)
  return {
    /** The challenge that a code to this phone answers; empty where none was sent to it. */
    smsFor: (phone?: string): string => (asked && asked.phone === phone ? asked.sms : ''),
    /** True when a code went out. Without a phone it goes to his own. `wrong`: why it can go to no such phone. */
    sendCode: async (phone?: string, wrong: string | null = null): Promise<boolean> => {
      say(wrong === null ? null : { field: 'phone', text: wrong })
      if (wrong !== null) return false
      try {
        setAsked({ phone, sms: (await ask(getVerifyCode, { phone, type })).sms })
        return true
      } catch (error) {
        const isPhone = phone !== undefined && error instanceof ApiError && error.field === 'phone'
        say({ field: isPhone ? 'phone' : 'code', text: error instanceof Error ? error.message : String(error) })
        return false
      }
    },
  }
}
