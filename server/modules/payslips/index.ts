/**
 * Covers the path from a checked batch to the employees and back. Writes send_plan, payslip, payslip_change, delivery,
 * test_send, feedback, feedback_message, feedback_picture and export_job. Only the job in `send/deliver.ts` makes
 * external calls.
 */

export { canViewFile } from './export/file-access.ts'
export { listMemberThreads } from './feedback/threads.ts'
export { listBatchesAfter } from './lists.ts'
export { listMemberPayslips } from './payslip/member-payslips.ts'
export { listPayslipReceipts, listPayslipStates } from './payslip/payslip-states.ts'
export { getPlanApproval } from './plan/approve.ts'
export { sendTestByKey } from './plan/test-send.ts'
