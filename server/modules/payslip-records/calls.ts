/** Handlers for checking a receipt. */
import * as contract from '../../contract/payslips/verify-receipt.ts'
import { bindHandlers } from '../../http/handler.ts'
import { verifyReceipt } from '../payslips/verify-receipt.ts'

export const receiptHandlers = bindHandlers(contract, { verifyReceipt })
