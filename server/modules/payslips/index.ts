/**
 * From a checked batch to employees and back. Writes send_plan, payslip, payslip_change, delivery, test_send, feedback,
 * feedback_message, feedback_picture and export_job. Only the job in `send/deliver.ts` makes external calls.
 */

export { canViewFile } from './export/file-access.ts'
export { markAnswerRead, submitFeedback } from './feedback/messages.ts'
export { loadFeedbackPicture } from './feedback/pictures.ts'
export {
  getFeedbackSubject,
  getThreadSummary,
  hasUnreadAnswer,
  listMemberThreads,
  listMessagesByPayslip,
  listPayslipThreads,
  listThreadMessages,
} from './feedback/threads.ts'
export { listMemberPayslips } from './payslip/member-payslips.ts'
export { getLatestCorrection, getLatestCorrections, renderBatchPayslip } from './payslip/payslip.ts'
export { parsePurpose } from './rules/dispatch.ts'
export { getClosesAt, type PayslipRules, parsePayslipRules } from './rules/payslip-rules.ts'
export { getAutoConfirmAt } from './rules/reminder-dates.ts'
export { hasNeverViewed, listSentMessages, selectLastDeliveryFailure } from './send/ledger.ts'
export { getConfirmedHash, markConfirmed, markViewed, openSignature } from './view-and-confirm.ts'
