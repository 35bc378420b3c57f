/**
 * With the keys of companies: columns that were plain once and are sealed now. The keys are the application's, so no migration can do it: the first start afterwards does,
 * before it answers anybody, a piece at a time. What is there opens either way (`Vault.openText`), every piece is a transaction that looks
 * for what is not sealed yet, and only the end of it all is noted: a start that was killed, or two at once, go on where it stands.
 */
import { sql } from 'kysely'
import type { Clock } from '../../runtime/clock.ts'
import type { Database, Tx } from '../../runtime/db.ts'
import type { Secrets, Vault } from '../../runtime/secrets.ts'

type Column = {
  readonly table: string
  readonly column: string
  readonly json?: true
  /** Where it opens, if that is not its own row and column. */
  readonly opens?: { readonly table: string; readonly row: string }
  /** A keyed index beside it, of the text and, where `by` names a column, of that. */
  readonly indexed?: { readonly kind: string; readonly by?: string }
}

const what = 'names'
const columns: readonly Column[] = [
  { table: 'title', column: 'name', indexed: { kind: 'title', by: 'month' } },
  { table: 'template', column: 'name', indexed: { kind: 'template' } },
  { table: 'template', column: 'recipe', json: true },
  { table: 'template', column: 'layout', json: true },
  { table: 'batch', column: 'file_name' },
  { table: 'batch', column: 'layout', json: true },
  { table: 'batch', column: 'withdrawn_reason', opens: { table: 'salary', row: 'id' } },
  { table: 'salary', column: 'withdrawn_reason', opens: { table: 'salary', row: 'batch_id' } },
  { table: 'approval', column: 'reason' },
  { table: 'file', column: 'name' },
  { table: 'notice', column: 'text' },
]
const a_piece = 500

export async function sealOld(parts: { database: Database; secrets: Secrets; clock: Clock }): Promise<void> {
  const { database, secrets, clock } = parts
  const done = await database.outside((tx) =>
    sql`select from sealed_since where what = ${what}`.execute(tx).then(({ rows }) => rows.length > 0),
  )
  if (done) return
  const companies = await database.asMachine((tx) => tx.selectFrom('company').select('id').orderBy('id').execute())
  for (const { id } of companies)
    for (const column of columns)
      for (let sealed = a_piece; sealed === a_piece; )
        sealed = await database.inCompany(id, async (tx) => sealPiece(tx, await secrets.vault(tx, id), id, column))
  await database.outside((tx) =>
    sql`insert into sealed_since (what, done_at) values (${what}, ${clock.now()}) on conflict do nothing`.execute(tx),
  )
}

/** Answers how many were not sealed, of one piece. What is sealed begins with the byte 1, which no text begins with. */
async function sealPiece(
  tx: Tx,
  vault: Vault,
  company_id: string,
  { table, column, json, opens, indexed }: Column,
): Promise<number> {
  const by = indexed?.by ? sql.ref(indexed.by) : sql`null`
  const { rows } = await sql<{ id: string; row: string; kept: Buffer; by: string | null }>`
    select id, ${sql.ref(opens?.row ?? 'id')} as row, ${sql.ref(column)} as kept, ${by} as by from ${sql.table(table)}
    where company_id = ${company_id} and octet_length(${sql.ref(column)}) > 0 and get_byte(${sql.ref(column)}, 0) <> 1
    order by id limit ${a_piece} for update`.execute(tx)
  const sealed = rows.map(({ id, row, kept, by: beside }) => {
    const text = kept.toString('utf8')
    const value: unknown = json ? JSON.parse(text) : text
    const index = indexed ? vault.index(indexed.kind, beside === null ? text : `${beside}|${text}`) : null
    return {
      id,
      index,
      bytes: vault.seal({ table: opens?.table ?? table, row, column }, value),
    }
  })
  const list = <T>(pick: (one: (typeof sealed)[number]) => T) => sealed.map(pick)
  await sql`
    update ${sql.table(table)} as kept set ${sql.ref(column)} = given.bytes ${indexed ? sql`, name_index = given.index` : sql``}
    from unnest(${list(({ id }) => id)}::uuid[], ${list(({ bytes }) => bytes)}::bytea[], ${list(({ index }) => index)}::bytea[]) as given (id, bytes, index)
    where kept.company_id = ${company_id} and kept.id = given.id`.execute(tx)
  return rows.length
}
