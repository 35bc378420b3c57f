/** Storage of members' deductions: encrypted, one document per member. Writes member_deduction. */
import * as z from 'zod/mini'
import { deductionShares } from '../../../contract/tax/deductions.ts'
import { deductionKinds } from '../../../contract/tax/kinds.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import { createMemberDocumentStore } from '../member-documents.ts'

const nullableText = z.nullable(z.string())
const memberDeductionsSchema = z.object({
  items: z.array(
    z.object({
      kind: z.enum(deductionKinds),
      whose: z.string(),
      born: nullableText,
      from: nullableText,
      to: nullableText,
      share: z.enum(deductionShares),
      only_child: z.boolean(),
      amount_fen: z.nullable(z.int()),
      city_tier: z.nullable(z.int()),
    }),
  ),
  /** The last confirmed year. */
  confirmed_year: z.nullable(z.int()),
})
export type StoredDeductions = z.infer<typeof memberDeductionsSchema>
const memberDeductionsDocument = defineDocument<StoredDeductions>({
  kind: 'deductions of a member',
  version: 1,
  schema: memberDeductionsSchema,
})

export const deductionStore = createMemberDocumentStore('member_deduction', memberDeductionsDocument)
