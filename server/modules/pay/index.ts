/**
 * What was paid, and what can be proven of it: the content of a slip, its seal, figures by person and run; the company's keys, receipts, and the small
 * program that checks them. Asks no other subject, and is asked by all that show, compare or add up slips. Writes receipt_key and receipt; slips
 * are planned, sent and answered by `slip`.
 */

export { canonicalizePayslip, hashCanonicalForm, hashPayslip, payslipFormat, type VersionedPayslip } from './canonical-form.ts'
export { createEvidenceWriter, type EvidencePayslip, toOpenedReceipt } from './evidence.ts'
export { listReceiptKeys } from './keys.ts'
export {
  findPaidMemberIds,
  findPaidPayslip,
  type PaidPayslip,
  PayTotalsAccumulator,
  selectBatchDigests,
  selectBatchVersions,
  streamBatchPayslips,
  streamLatestPayslips,
  streamMemberPayslips,
  sumBatchPay,
} from './paid-payslips.ts'
export { openPayslipContent, type PayslipContent, type SealedPayslip, sealPayslipContent } from './payslip-content.ts'
export {
  countPayslips,
  getPayslipMemberId,
  hasPaidPayslips,
  hasPayslips,
  hasPlannedPayslips,
  openFeedbackCount,
  payslipCountsLateral,
  payslipsLateral,
  selectMemberPayslips,
} from './payslip-queries.ts'
export { issueReceipt, listReceipts } from './receipts.ts'
export { requestTimeStamp, type TimeStampClient } from './time-stamp-request.ts'
export { formatReceiptFile, parseReceipt } from './verifier/receipt.ts'
