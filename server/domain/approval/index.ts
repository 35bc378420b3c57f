/** Applications and their decisions; authority that changes hands. Writes approval. */
import * as contract from '../../contract/approval.ts'
import { implement } from '../../runtime/handle.ts'
import { applyTransferWageManager, getSystemManagerTransferInfo, getWageManagerInfo } from './apply.ts'
import { getApprovalList, setApprovalStatusByApprovalNo } from './decide.ts'
import { applyConfirmPhone } from './phone.ts'
import { transferManagerBySystemManager, transferSystemManager } from './transfer.ts'

export { waitingForMe } from './applications.ts'

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
