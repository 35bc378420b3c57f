/** Verifies receipts for anyone who has one, signed in or not. Returns only what the receipt itself contains. */

import type { CallOutput } from '../../contract/call.ts'
import * as contract from '../../contract/payslips/verify-receipt.ts'
import { defineHandler } from '../../http/handler.ts'
import { countAttempt } from '../../http/limits/attempts.ts'
import { attemptLimits } from '../../http/limits/config.ts'
import { toPeerAddress } from '../../http/limits/rate-limits.ts'
import {
  extractReceipt,
  getPayslipState,
  listReceiptKeys,
  type ParsedReceipt,
  parseReceipt,
  VerificationError,
  verifyReceiptFile,
  verifyReceiptSignature,
} from '../payslip-records/index.ts'

type VerificationResult = CallOutput<typeof contract.verifyReceipt>

const toFailedResult = ({ reason, message }: VerificationError): VerificationResult => ({
  genuine: false,
  reason,
  message,
  receipt: null,
})

/** Accepts a pasted or scanned receipt, or the content of a whole file, in which every byte is checked. */
const parseReceiptInput = (input: string): ParsedReceipt =>
  input.startsWith('{') ? verifyReceiptFile(input).receipt : parseReceipt(extractReceipt(input))

function toPayslipStatus(
  slip: Awaited<ReturnType<typeof getPayslipState>>,
  version: number,
): NonNullable<VerificationResult['receipt']>['slip_status'] {
  if (slip === null || slip.status === 'withdrawn') return 'withdrawn'
  return slip.version > version ? 'corrected' : 'stands'
}

export const verifyReceipt = defineHandler(contract.verifyReceipt, { kind: 'external' }, async (ctx, { receipt: input }) => {
  const { database, address, now } = ctx
  await countAttempt(database, `receipt-peer|${toPeerAddress(address)}`, {
    ...attemptLimits.receiptByAddress,
    now,
    error: 'too_often',
  })
  try {
    const receipt = parseReceiptInput(input)
    const { company_id, slip_id } = receipt.claims
    const { keys, slip } = await ctx.readCompany(company_id, async (db) => ({
      keys: await listReceiptKeys({ db, company_id }),
      slip: await getPayslipState({ db, company_id }, slip_id),
    }))
    const { company, person, month, version, kind, confirmed_at, signed_at, handwriting } = verifyReceiptSignature(receipt, keys)
    return {
      genuine: true,
      reason: null,
      message: '',
      receipt: {
        company,
        member_name: person,
        month,
        version,
        kind,
        confirmed_at,
        signed_at,
        handwritten: handwriting !== null,
        kid: receipt.kid,
        slip_status: toPayslipStatus(slip, version),
      },
    }
  } catch (error) {
    if (error instanceof VerificationError) return toFailedResult(error)
    throw error
  }
})
