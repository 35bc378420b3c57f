/** The send plan that was confirmed. */
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { sendPaySheet } from '../../../../server/contract/payslips/send.ts'

export type ConfirmedSendPlan = CallOutput<typeof sendPaySheet>
