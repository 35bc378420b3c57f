/** Whether a receipt is genuine: for anybody. calls.md §9. */
import * as z from 'zod/mini'
import { defineCall } from '../call.ts'
import { month, time } from '../shared/schemas.ts'

export const verifyReceipt = defineCall('POST /Api/Mobile/verifyReceipt', {
  summary: 'Whether a receipt is genuine and unchanged, and what it says. Tells no amounts',
  access: 'public',
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  /** The receipt, the address that its code leads to, or the whole text of a receipt file (docs/receipt.md). */
  input: z.object({
    receipt: z.string().check(z.minLength(1, '请粘贴回执，或选择回执文件'), z.maxLength(60_000, '内容太长，不是回执')),
  }),
  output: z.object({
    genuine: z.boolean(),
    /** `unreadable` is no receipt · `damaged` was changed · `unknown_key` no key of this company · `forged` the signature is not of what it says. */
    reason: z.nullable(z.enum(['unreadable', 'damaged', 'unknown_key', 'forged'])),
    message: z.string(),
    receipt: z.nullable(
      z.object({
        company: z.string(),
        member_name: z.string(),
        month: z.nullable(month),
        version: z.int(),
        /** By the person, or by the company's rule after so many days. */
        kind: z.enum(['person', 'auto']),
        confirmed_at: time,
        signed_at: time,
        handwritten: z.boolean(),
        /** The thumbprint of the key that signed it. */
        kid: z.string(),
        /** What became of the slip since: it still is what was confirmed, was corrected later, or withdrawn. */
        slip_status: z.enum(['stands', 'corrected', 'withdrawn']),
      }),
    ),
  }),
  errors: ['too_often'],
})
