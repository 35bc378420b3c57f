/** Files that contain a batch's data: its wage sheet, the sheet with its issues, and exports. */

import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'
import { canManageAllMembers } from '../../directory/index.ts'
import { selectFileSubject } from '../../files/index.ts'
import { batchesInFullScope, visibleBatches } from '../../sheets/index.ts'
import { batchView } from '../../sheets/read-model.ts'

/**
 * Whether the user may still view everything in a file: for a wage sheet all members in its batch, for an export all
 * members within the user's scope at the time of the request. A file that belongs to no batch is accessible to its
 * owner.
 */
export async function canViewFile(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id'>,
  file_id: string,
): Promise<boolean> {
  const { db, company_id, currentUser } = ctx
  const { rows } = await sql<{ sees: boolean }>`
    select (${visibleBatches(ctx)} and ${batchesInFullScope(ctx)}) as sees from ${batchView}
    where batch.company_id = ${company_id} and (batch.file_id = ${file_id}
      or batch.id = ${selectFileSubject(company_id, file_id)})
    union all
    select (${visibleBatches(ctx)} and (${canManageAllMembers(ctx)}::boolean
      or not export_job.scope_all and export_job.scope_ids <@ ${[...currentUser.scope.department_ids]}::uuid[])) as sees
    from export_job join ${batchView} on batch.company_id = export_job.company_id
      and (batch.id = export_job.batch_id or batch.id = any(export_job.batch_ids))
    where export_job.company_id = ${company_id} and export_job.file_id = ${file_id}`.execute(db)
  return rows.every((row) => row.sees)
}
