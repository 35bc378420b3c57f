/** People's deductions as they are kept: sealed, a document a person. Writes member_deduction. */
import * as z from 'zod/mini'
import { deductionShares } from '../../../contract/wage/deductions.ts'
import { deductionKinds } from '../../../contract/wage/kinds.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { ofPerson } from '../of-person.ts'

const text = z.nullable(z.string())
const kept = z.object({
  items: z.array(
    z.object({
      kind: z.enum(deductionKinds),
      whose: z.string(),
      born: text,
      from: text,
      to: text,
      share: z.enum(deductionShares),
      only_child: z.boolean(),
      amount_fen: z.nullable(z.int()),
      city_tier: z.nullable(z.int()),
    }),
  ),
  /** The last year for which it was confirmed. */
  confirmed_year: z.nullable(z.int()),
})
export type KeptDeductions = z.infer<typeof kept>
const deductions = documentKind<KeptDeductions>({ kind: 'deductions of a member', version: 1, schema: kept })

/** As they are kept, a document a person. */
export const deductionsKept = ofPerson('member_deduction', deductions)
