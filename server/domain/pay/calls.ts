/** What answers whoever checks a receipt. */
import * as contract from '../../contract/people/verify.ts'
import { implement } from '../../runtime/handle.ts'
import { verifyReceipt } from './verify.ts'

export const payHandlers = implement(contract, { verifyReceipt })
