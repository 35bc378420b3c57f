/** What can be proven later, by anybody: the company's keys, receipts, and the small program that checks them. Writes receipt_key and receipt. */
export { type EvidenceSlip, openEvidence, openedReceipt } from './evidence.ts'
export { keysOf } from './keys.ts'
export { issueReceipt, receiptsOf } from './receipts.ts'
export { readReceipt, receiptFile } from './verifier/receipt.ts'
