/** People's deductions as they are kept: sealed, a document a person. Writes member_deduction. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { deductionShares } from '../../../contract/wage/deductions.ts'
import { deductionKinds } from '../../../contract/wage/kinds.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Ctx } from '../../../runtime/handle.ts'

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
const place = (member_id: string) => ({ table: 'member_deduction', row: member_id, column: 'said' })

export type SealedDeductions = { readonly member_id: string; readonly version: number; readonly said: Buffer }
export const openDeductions = ({ vault }: Pick<Ctx, 'vault'>, { member_id, said }: Omit<SealedDeductions, 'version'>) =>
  deductions.open(vault, place(member_id), said)

/** Of these people, whoever has any. */
export const sealedDeductions = (
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  member_ids: readonly string[],
): Promise<SealedDeductions[]> =>
  db
    .selectFrom('member_deduction')
    .select(['member_id', 'version', 'said'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
    .execute()

type Write = Pick<Ctx, 'db' | 'company_id' | 'vault' | 'now'>
const a_statement = 500
/** What each person has from now on; every version one more than the one given. */
export async function keepDeductions(
  { db, company_id, vault, now }: Write,
  people: readonly { readonly member_id: string; readonly version: number; readonly value: KeptDeductions }[],
): Promise<void> {
  const rows = people.map(({ member_id, version, value }) => ({
    company_id,
    member_id,
    version: version + 1,
    said: deductions.seal(vault, place(member_id), value),
    changed_at: now,
  }))
  for (let from = 0; from < rows.length; from += a_statement)
    await db
      .insertInto('member_deduction')
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
