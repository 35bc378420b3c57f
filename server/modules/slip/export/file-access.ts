/** Files that hold what a batch says: the sheet it was made of, that sheet with its problems, and exports of it. */
import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'
import { canManageAllMembers } from '../../member/index.ts'
import { batchesInFullScope, visibleBatches } from '../../sheet/index.ts'

/**
 * Whether I may still see all that is in a file: of a sheet everybody in its batch, of an export everybody whom my scope covered when I
 * asked for it. A file that no batch names is its owner's.
 */
export async function canViewFile(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id'>,
  file_id: string,
): Promise<boolean> {
  const { db, company_id, currentUser } = ctx
  const { rows } = await sql<{ sees: boolean }>`
    select (${visibleBatches(ctx)} and ${batchesInFullScope(ctx)}) as sees from batch
    where batch.company_id = ${company_id} and (batch.file_id = ${file_id}
      or batch.id = (select subject_id from file where company_id = ${company_id} and id = ${file_id}))
    union all
    select (${visibleBatches(ctx)} and (${canManageAllMembers(ctx)}::boolean
      or not export_job.scope_all and export_job.scope_ids <@ ${[...currentUser.scope.department_ids]}::uuid[])) as sees
    from export_job join batch on batch.company_id = export_job.company_id
      and (batch.id = export_job.batch_id or batch.id = any(export_job.batch_ids))
    where export_job.company_id = ${company_id} and export_job.file_id = ${file_id}`.execute(db)
  return rows.every((row) => row.sees)
}
