/** What answers the calls of applications and of authority that changes hands. */
import * as contract from '../../contract/corp/approval.ts'
import { implement } from '../../runtime/handle.ts'
import { applyTransferWageManager, getSystemManagerTransferInfo, getWageManagerInfo } from './apply.ts'
import { getApprovalList, setApprovalStatusByApprovalNo } from './decide.ts'
import { applyConfirmPhone } from './phone.ts'
import { transferManagerBySystemManager, transferSystemManager } from './transfer.ts'

export const approvalHandlers = implement(contract, {
  getWageManagerInfo,
  applyTransferWageManager,
  applyConfirmPhone,
  getSystemManagerTransferInfo,
  transferManagerBySystemManager,
  transferSystemManager,
  getApprovalList,
  setApprovalStatusByApprovalNo,
})
