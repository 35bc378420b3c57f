/** Handlers of the employee's own calls. Writes only confirmations and feedback; threads and flags are their modules'. */
import * as contract from '../../../contract/payslips/employee.ts'
import * as own from '../../../contract/payslips/employee-data.ts'
import * as ownTax from '../../../contract/payslips/employee-tax.ts'
import { bindHandlers } from '../../../http/handler.ts'
import { getSlipChanges } from './changes.ts'
import { confirmSlip, feedbackSlip, getFeedback, getFeedbackImage } from './confirm-and-feedback.ts'
import { confirmPhoneOwner } from './confirm-phone-owner.ts'
import { getSlipStatus, locateSlip } from './payslip-status.ts'
import { getSlip, getSlipList } from './payslips.ts'
import { getAccessLog } from './personal-data/access-log.ts'
import { exportOwnData } from './personal-data/export.ts'
import { getReceivedMessageList } from './personal-data/received-messages.ts'
import { getReceipt } from './receipts.ts'
import { getMe, setPayHide, unlock } from './unlock.ts'
import { getSlipTax, getYearSummary } from './year-and-tax.ts'

export const employeeHandlers = [
  ...bindHandlers(own, { getAccessLog, getReceivedMessageList, exportOwnData, getReceipt, getSlipChanges }),
  ...bindHandlers(ownTax, { getSlipTax }),
  ...bindHandlers(contract, {
    getCurrentEmployee: getMe,
    getSlipList,
    getYearSummary,
    getSlip,
    getSlipStatus,
    locateSlip,
    unlock,
    confirmPhoneOwner,
    confirmSlip,
    feedbackSlip,
    getFeedback,
    getFeedbackImage,
    setPayHide,
  }),
]
