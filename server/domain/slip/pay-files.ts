/** Files that hold what a batch says: the sheet it was made of, that sheet with its problems, and exports of it. */
import { sql } from 'kysely'
import type { Ctx } from '../../runtime/handle.ts'
import { visibleBatches } from '../sheet/index.ts'

/** Whether the batch behind a file is still one that I may see. A file that no batch names is its owner's. */
export async function seesFile(ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>, file_id: string): Promise<boolean> {
  const { db, company_id } = ctx
  const { rows } = await sql<{ sees: boolean }>`
    select ${visibleBatches(ctx)} as sees from batch
    where batch.company_id = ${company_id} and (batch.file_id = ${file_id}
      or batch.id = (select of_id from file where company_id = ${company_id} and id = ${file_id})
      or batch.id in (select batch_id from export_job where company_id = ${company_id} and file_id = ${file_id}))`.execute(db)
  return rows.every((row) => row.sees)
}
