/** Handlers of the calls for applications and transfers of authority. */
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
