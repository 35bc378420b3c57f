/** Storage of members' tax data: encrypted, one document per member, with a version for optimistic locking. */
import { sql } from 'kysely'
import type { DocumentType } from '../../crypto/sealed-document.ts'
import type { CompanyTx, CompanyVaultTimeTx } from '../../database/company-tx.ts'
import type { HandlerContext } from '../../http/handler.ts'

type SealedDocument = { readonly member_id: string; readonly version: number; readonly details: Buffer }
const rowsPerStatement = 500

export function createMemberDocumentStore<T extends object>(
  table: 'member_deduction' | 'member_insurance',
  document: DocumentType<T>,
) {
  const getPosition = (member_id: string) => ({ table, row: member_id, column: 'details' })
  return {
    open: ({ vault }: Pick<HandlerContext, 'vault'>, { member_id, details }: Omit<SealedDocument, 'version'>): T =>
      document.open(vault, getPosition(member_id), details),

    /** Returns the existing documents of these members. */
    sealed: ({ db, company_id }: CompanyTx, member_ids: readonly string[]): Promise<SealedDocument[]> =>
      db
        .selectFrom(table)
        .select(['member_id', 'version', 'details'])
        .where('company_id', '=', company_id)
        .where('member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
        .execute(),

    /** Saves each member's document; each version is one more than the given one. */
    async keep(
      { db, company_id, vault, now }: CompanyVaultTimeTx,
      people: readonly { readonly member_id: string; readonly version: number; readonly value: T }[],
    ): Promise<void> {
      const rows = people.map(({ member_id, version, value }) => ({
        company_id,
        member_id,
        version: version + 1,
        details: document.seal(vault, getPosition(member_id), value),
        changed_at: now,
      }))
      for (let from = 0; from < rows.length; from += rowsPerStatement)
        await db
          .insertInto(table)
          .values(rows.slice(from, from + rowsPerStatement))
          .onConflict((conflict) =>
            conflict.columns(['company_id', 'member_id']).doUpdateSet(({ ref }) => ({
              version: ref('excluded.version'),
              details: ref('excluded.details'),
              changed_at: ref('excluded.changed_at'),
            })),
          )
          .execute()
    },
  }
}
