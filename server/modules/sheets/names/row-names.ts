/** Cache of the names of a batch's rows, for searching. Writes sheet_names. */
import * as z from 'zod/mini'
import { isAnyName } from '../../../contract/sheets/column-roles.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { RecognizedSheet } from '../recognition.ts'
import { streamCombinedRows } from '../rows/stored-rows.ts'
import { readIdentity } from '../rules/check/amount-issues.ts'
import { normalizeName } from '../rules/check/member-match.ts'

type CompanyVaultTx = Pick<HandlerContext, 'db' | 'company_id' | 'vault'>
type RowNames = readonly (readonly [row: number, name: string])[]
const rowNamesDocument = defineDocument({
  kind: 'names of a sheet',
  version: 1,
  schema: z.object({ names: z.array(z.tuple([z.int(), z.string()])) }),
})
const getNamesPosition = (batch_id: string) => ({ table: 'sheet_names', row: batch_id, column: 'sealed' })

/**
 * Finds the numbers of rows with `query` in their name, including skipped rows. The first search decrypts every row,
 * later ones a single value.
 */
export async function findRowsByName(
  tx: CompanyVaultTx,
  batch_id: string,
  columns: RecognizedSheet['columns'],
  query: string,
): Promise<number[]> {
  const normalizedQuery = normalizeName(query)
  return (await loadRowNames(tx, batch_id, columns)).flatMap(([row, name]) =>
    normalizeName(name).includes(normalizedQuery) ? [row] : [],
  )
}

async function loadRowNames(tx: CompanyVaultTx, batch_id: string, columns: RecognizedSheet['columns']): Promise<RowNames> {
  const { db, company_id, vault } = tx
  const by_columns = columns.flatMap(({ key, role }) => (isAnyName(role) ? [`${role}:${key}`] : [])).join(' ')
  const cached = await db
    .selectFrom('sheet_names')
    .select(['by_columns', 'sealed'])
    .where('company_id', '=', company_id)
    .where('id', '=', batch_id)
    .executeTakeFirst()
  if (cached?.by_columns === by_columns) return rowNamesDocument.open(vault, getNamesPosition(batch_id), cached.sealed).names
  const names: [number, string][] = []
  for await (const page of streamCombinedRows(tx, batch_id))
    for (const { row, cells } of page) names.push([row, readIdentity(cells, columns).names[0] ?? ''])
  const sealedNames = { by_columns, sealed: rowNamesDocument.seal(vault, getNamesPosition(batch_id), { names }) }
  await db
    .insertInto('sheet_names')
    .values({ company_id, id: batch_id, ...sealedNames })
    .onConflict((conflict) => conflict.columns(['company_id', 'id']).doUpdateSet(sealedNames))
    .execute()
  return names
}

/** Must be called after cells were written. */
export async function deleteCachedNames(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  batch_id: string,
): Promise<void> {
  await db.deleteFrom('sheet_names').where('company_id', '=', company_id).where('id', '=', batch_id).execute()
}
