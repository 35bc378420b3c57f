/**
 * Payslip content and its proof: decrypted content, seals, amounts by member and batch, the company's signing keys,
 * receipts, and the standalone verifier. Depends on no other module and is used by all that show, compare or add up
 * payslips. Writes receipt_key and receipt; the `payslips` module plans, sends and answers payslips.
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
  countSentRows,
  getLastPayslipTime,
  getPayslipMemberId,
  getPayslipState,
  hasPaidPayslips,
  hasPayslips,
  hasPayslipsPastPlanning,
  hasSendStarted,
  loadSentRows,
  openFeedbackCount,
  openNewestPayslip,
  payslipCountsLateral,
  payslipsLateral,
  selectMemberPayslips,
  selectSentRows,
} from './payslip-queries.ts'
export { issueReceipt, listReceipts } from './receipts.ts'
export { requestTimeStamp, type TimeStampClient } from './time-stamp-request.ts'
export { VerificationError } from './verifier/canonical.ts'
export {
  extractReceipt,
  formatReceiptFile,
  type ParsedReceipt,
  parseReceipt,
  verifyReceiptFile,
  verifyReceiptSignature,
} from './verifier/receipt.ts'
export { verifyTimeStamp } from './verifier/time-stamp.ts'
