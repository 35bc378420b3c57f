/** Public verification of a receipt. calls.md §9. */
import * as z from 'zod/mini'
import { defineRead } from '../call.ts'
import { month, time } from '../shared/schemas.ts'

export const verifyReceipt = defineRead('POST /Api/Mobile/verifyReceipt', 'public', {
  summary: 'Verifies that a receipt is genuine and unchanged, and returns its content without amounts.',
  rateLimit: 'costly',
  /** The receipt, the URL in its QR code, or the whole text of a receipt file (docs/receipt.md). */
  input: z.object({
    receipt: z.string().check(z.minLength(1, '请粘贴回执，或选择回执文件'), z.maxLength(60_000, '内容太长，不是回执')),
  }),
  output: z.object({
    genuine: z.boolean(),
    /**
     * `unreadable`: not a receipt · `damaged`: altered · `unknown_key`: not a key of this company · `forged`: the
     * signature does not match the content.
     */
    reason: z.nullable(z.enum(['unreadable', 'damaged', 'unknown_key', 'forged'])),
    message: z.string(),
    receipt: z.nullable(
      z.object({
        company: z.string(),
        member_name: z.string(),
        month: z.nullable(month),
        version: z.int(),
        /** Confirmed by the employee, or automatically by the company's rule after so many days. */
        kind: z.enum(['person', 'auto']),
        confirmed_at: time,
        signed_at: time,
        handwritten: z.boolean(),
        /** The thumbprint of the signing key. */
        kid: z.string(),
        /** The state of the payslip since: still as confirmed, corrected later, or withdrawn. */
        slip_status: z.enum(['stands', 'corrected', 'withdrawn']),
      }),
    ),
  }),
  errors: ['too_often'],
})
