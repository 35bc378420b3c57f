/** An employee about himself. Writes nothing of its own but the answers to a slip; threads and flags are kept by their domains. */
import type { Handler } from '../../runtime/handle.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { confirmSlip, feedbackSlip, getFeedback } from './answer.ts'
import { confirmHolder } from './confirm-holder.ts'
import { getSlip, getSlipList } from './slips.ts'
import { getMe, setPayHide, unlock } from './unlock.ts'
import { findSlip, watchSlip } from './watch.ts'

export const employeeHandlers = (secrets: Secrets): Handler[] => [
  getMe,
  getSlipList,
  getSlip,
  watchSlip,
  findSlip,
  unlock(secrets),
  confirmHolder(secrets),
  confirmSlip,
  feedbackSlip,
  getFeedback,
  setPayHide,
]
