/** What answers the calls of applications and of authority that changes hands. */
import * as contract from '../../contract/approvals/approvals.ts'
import { bindHandlers } from '../../http/handler.ts'
import { applyConfirmPhone } from './confirm-phone.ts'
import { getApprovalList, setApprovalStatusByApprovalNo } from './decide.ts'
import { applyTransferWageManager, getSystemManagerTransferInfo, getWageManagerInfo } from './request-transfer.ts'
import { transferManagerBySystemManager, transferSystemManager } from './transfer.ts'

export const approvalHandlers = bindHandlers(contract, {
  getWageManagerInfo,
  applyTransferWageManager,
  applyConfirmPhone,
  getSystemManagerTransferInfo,
  transferManagerBySystemManager,
  transferSystemManager,
  getApprovalList,
  setApprovalStatusByApprovalNo,
})
