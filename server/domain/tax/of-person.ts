/** What is kept about a person's tax: sealed, a document a person, with a version that whoever changes it has seen. */
import { sql } from 'kysely'
import type { DocumentKind } from '../../runtime/data/document.ts'
import type { Ctx } from '../../runtime/handle.ts'

type Sealed = { readonly member_id: string; readonly version: number; readonly said: Buffer }
type Write = Pick<Ctx, 'db' | 'company_id' | 'vault' | 'now'>
const a_statement = 500

/** The documents of one kind, in the table that is theirs. */
export function ofPerson<T extends object>(table: 'member_deduction' | 'member_insurance', kind: DocumentKind<T>) {
  const place = (member_id: string) => ({ table, row: member_id, column: 'said' })
  return {
    open: ({ vault }: Pick<Ctx, 'vault'>, { member_id, said }: Omit<Sealed, 'version'>): T =>
      kind.open(vault, place(member_id), said),

    /** Of these people, whoever has one. */
    sealed: ({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, member_ids: readonly string[]): Promise<Sealed[]> =>
      db
        .selectFrom(table)
        .select(['member_id', 'version', 'said'])
        .where('company_id', '=', company_id)
        .where('member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
        .execute(),

    /** What each person has from now on; every version one more than the one given. */
    async keep(
      { db, company_id, vault, now }: Write,
      people: readonly { readonly member_id: string; readonly version: number; readonly value: T }[],
    ): Promise<void> {
      const rows = people.map(({ member_id, version, value }) => ({
        company_id,
        member_id,
        version: version + 1,
        said: kind.seal(vault, place(member_id), value),
        changed_at: now,
      }))
      for (let from = 0; from < rows.length; from += a_statement)
        await db
          .insertInto(table)
          .values(rows.slice(from, from + a_statement))
          .onConflict((conflict) =>
            conflict.columns(['company_id', 'member_id']).doUpdateSet(({ ref }) => ({
              version: ref('excluded.version'),
              said: ref('excluded.said'),
              changed_at: ref('excluded.changed_at'),
            })),
          )
          .execute()
    },
  }
}
