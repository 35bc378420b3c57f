/** People's bases as they are kept: sealed, a document a person. Writes member_insurance. */
import * as z from 'zod/mini'
import { insuranceCodes } from '../../../contract/wage/kinds.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { ofPerson } from '../of-person.ts'

const kept = z.object({
  /** By their months, the oldest first. */
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
export type KeptInsurance = z.infer<typeof kept>
const bases = documentKind<KeptInsurance>({ kind: 'insurance of a member', version: 1, schema: kept })

/** As they are kept, a document a person. */
export const insuranceKept = ofPerson('member_insurance', bases)
