/** The company's own ids of its employees, departments and batches. Writes external_reference. */
import type { CompanyTx } from '../../database/company-tx.ts'
import { fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'

/** The column that names what a reference belongs to. */
export type ReferencedColumn = 'member_id' | 'department_id' | 'batch_id'

/** Returns the external ids of these employees, departments or batches, by their ids. */
export async function loadReferences(
  { db, company_id }: CompanyTx,
  column: ReferencedColumn,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('external_reference')
    .select([column, 'external_id'])
    .where('company_id', '=', company_id)
    .where(column, 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row[column] ?? '', row.external_id]))
}

/** Returns the ids that these external ids name, by external id. The caller checks whether the user may see them. */
export async function findReferenced(
  { db, company_id }: CompanyTx,
  column: ReferencedColumn,
  external_ids: readonly string[],
): Promise<Map<string, string>> {
  if (external_ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('external_reference')
    .select([column, 'external_id'])
    .where('company_id', '=', company_id)
    .where(column, 'is not', null)
    .where('external_id', 'in', [...new Set(external_ids)])
    .execute()
  return new Map(rows.map((row) => [row.external_id, row[column] ?? '']))
}

/** Stores the reference, or leaves an equal one. A second reference, or one of something else, is refused. */
export async function saveReference(
  ctx: CompanyTx & Pick<HandlerContext, 'now'>,
  column: ReferencedColumn,
  id: string,
  external_id: string,
): Promise<void> {
  const { db, company_id, now } = ctx
  const owner = (await findReferenced(ctx, column, [external_id])).get(external_id)
  if (owner === id) return
  if (owner) throw fail('wrong_state', `编号「${external_id}」已经用过，请换一个`, { field: 'external_id' })
  const stored = (await loadReferences(ctx, column, [id])).get(id)
  if (stored) throw invalidInput('external_id', `编号已经是「${stored}」，不能再改`)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('external_reference')
    .values({ company_id, id: newId(), external_id, [column]: id, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n)
    throw fail('wrong_state', `编号「${external_id}」刚刚被用过，请刷新后重试`, { field: 'external_id' })
}
