/**
 * What was paid, and what can be proven of it: the content of a slip, its seal, figures by person and run; the company's keys, receipts, and the small
 * program that checks them. Asks no other subject, and is asked by all that show, compare or add up slips. Writes receipt_key and receipt; slips
 * are planned, sent and answered by `slip`.
 */
export { openContent, type SealedSlip, type SlipContent, sealContent } from './content.ts'
export { type EvidenceSlip, openEvidence, openedReceipt } from './evidence.ts'
export { formOf, hashOfForm, hashOfShown, type ShownSlip, slip_form } from './form.ts'
export { keysOf } from './keys.ts'
export { issueReceipt, receiptsOf } from './receipts.ts'
export {
  newestPaidTo,
  type PaidSlip,
  PaidSums,
  paidDigests,
  paidOne,
  paidStamps,
  paidSums,
  paidTo,
  paidWith,
  peoplePaid,
} from './runs.ts'
export {
  countAsking,
  countSlips,
  countsBeside,
  hasPaid,
  hasPlanned,
  hasSlips,
  holderOf,
  slipsBeside,
  slipsOf,
} from './slips.ts'
export { type PostQuery, stampOn } from './stamp.ts'
export { readReceipt, receiptFile } from './verifier/receipt.ts'
