/** What answers an employee about himself. Writes nothing of its own but the answers to a slip; threads and flags are kept by their domains. */
import * as contract from '../../contract/own/employee.ts'
import * as own from '../../contract/own/own.ts'
import * as ownTax from '../../contract/own/own-tax.ts'
import { implement } from '../../runtime/handle.ts'
import { confirmSlip, feedbackSlip, getFeedback, getFeedbackImage } from './answer.ts'
import { getSlipChanges } from './changes.ts'
import { confirmHolder } from './confirm-holder.ts'
import { getLookList } from './own/looks.ts'
import { exportMine } from './own/take.ts'
import { getToldList } from './own/told.ts'
import { getReceipt } from './receipts.ts'
import { getSlip, getSlipList } from './slips.ts'
import { getSlipTax, getYearSummary } from './tax.ts'
import { getMe, setPayHide, unlock } from './unlock.ts'
import { findSlip, watchSlip } from './watch.ts'

export const employeeHandlers = [
  ...implement(own, { getLookList, getToldList, exportMine, getReceipt, getSlipChanges }),
  ...implement(ownTax, { getSlipTax }),
  ...implement(contract, {
    getMe,
    getSlipList,
    getYearSummary,
    getSlip,
    watchSlip,
    findSlip,
    unlock,
    confirmHolder,
    confirmSlip,
    feedbackSlip,
    getFeedback,
    getFeedbackImage,
    setPayHide,
  }),
]
