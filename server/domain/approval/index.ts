/** Applications and their decisions; authority that changes hands. Writes approval. */
import type { Handler } from '../../runtime/handle.ts'
import { applyTransferWageManager, getSystemManagerTransferInfo, getWageManagerInfo } from './apply.ts'
import { getApprovalList, setApprovalStatusByApprovalNo } from './decide.ts'
import { applyConfirmPhone } from './phone.ts'
import { transferManagerBySystemManager, transferSystemManager } from './transfer.ts'

export { waitingForMe } from './applications.ts'

export const approvalHandlers: Handler[] = [
  getWageManagerInfo,
  applyTransferWageManager,
  applyConfirmPhone,
  getSystemManagerTransferInfo,
  transferManagerBySystemManager,
  transferSystemManager,
  getApprovalList,
  setApprovalStatusByApprovalNo,
]
