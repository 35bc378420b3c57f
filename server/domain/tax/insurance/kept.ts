/** People's bases as they are kept: sealed, a document a person. Writes member_insurance. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { insuranceCodes } from '../../../contract/wage/kinds.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Ctx } from '../../../runtime/handle.ts'

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
const place = (member_id: string) => ({ table: 'member_insurance', row: member_id, column: 'said' })

type SealedInsurance = { readonly member_id: string; readonly version: number; readonly said: Buffer }
export const openInsurance = ({ vault }: Pick<Ctx, 'vault'>, { member_id, said }: Omit<SealedInsurance, 'version'>) =>
  bases.open(vault, place(member_id), said)

/** Of these people, whoever has any. */
export const sealedInsurance = (
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  member_ids: readonly string[],
): Promise<SealedInsurance[]> =>
  db
    .selectFrom('member_insurance')
    .select(['member_id', 'version', 'said'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
    .execute()

type Write = Pick<Ctx, 'db' | 'company_id' | 'vault' | 'now'>
const a_statement = 500
/** What each person has from now on; every version one more than the one given. */
export async function keepInsurance(
  { db, company_id, vault, now }: Write,
  people: readonly { readonly member_id: string; readonly version: number; readonly value: KeptInsurance }[],
): Promise<void> {
  const rows = people.map(({ member_id, version, value }) => ({
    company_id,
    member_id,
    version: version + 1,
    said: bases.seal(vault, place(member_id), value),
    changed_at: now,
  }))
  for (let from = 0; from < rows.length; from += a_statement)
    await db
      .insertInto('member_insurance')
      .values(rows.slice(from, from + a_statement))
      .onConflict((conflict) =>
        conflict.columns(['company_id', 'member_id']).doUpdateSet(({ ref }) => ({
          version: ref('excluded.version'),
          said: ref('excluded.said'),
          changed_at: ref('excluded.changed_at'),
        })),
      )
      .execute()
}
