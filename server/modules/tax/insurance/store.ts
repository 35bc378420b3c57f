/** Storage of members' contribution bases: encrypted, one document per member. Writes member_insurance. */
import * as z from 'zod/mini'
import { insuranceCodes } from '../../../contract/tax/kinds.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import { createMemberDocumentStore } from '../member-documents.ts'

const memberInsuranceSchema = z.object({
  /** By month, oldest first. */
  entries: z.array(
    z.object({
      from: z.string(),
      insured: z.boolean(),
      city: z.string(),
      social_fen: z.int(),
      housing_fund_fen: z.nullable(z.int()),
      housing_fund_ppm: z.nullable(z.int()),
      supplementary_ppm: z.nullable(z.int()),
      not_enrolled: z.array(z.enum(insuranceCodes)),
    }),
  ),
})
export type StoredInsurance = z.infer<typeof memberInsuranceSchema>
const memberInsuranceDocument = defineDocument<StoredInsurance>({
  kind: 'insurance of a member',
  version: 1,
  schema: memberInsuranceSchema,
})

/** The store of contribution bases, one document per member. */
export const insuranceStore = createMemberDocumentStore('member_insurance', memberInsuranceDocument)
