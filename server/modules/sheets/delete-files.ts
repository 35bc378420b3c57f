/** Deletes the uploaded files of batches that were sent long ago, or all of the oldest batch. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../database/company-tx.ts'
import { deleteFile } from '../../files/stored-files.ts'

/** Deletes the files of batches sent or withdrawn before this time; returns how many. Drafts keep theirs. */
export async function deleteSheetFilesBefore({ db, company_id }: CompanyTx, before: Date, limit: number): Promise<number> {
  const batches = await db
    .selectFrom('batch')
    .select(['id', 'file_id'])
    .where('company_id', '=', company_id)
    .where('file_id', 'is not', null)
    .where('status', 'in', ['sent', 'withdrawn'])
    .where('sent_at', '<', before)
    .where('updated_at', '<', before)
    .orderBy('sent_at')
    .limit(limit)
    .forUpdate()
    .execute()
  for (const { id, file_id } of batches) {
    await db.updateTable('batch').set({ file_id: null }).where('company_id', '=', company_id).where('id', '=', id).execute()
    if (file_id) await deleteFile({ db, company_id }, file_id)
  }
  return batches.length
}

/**
 * Deletes the oldest pay run with its file, payslips and receipts, by a function of the database that refuses to go below
 * the lower bound; returns how many payslips.
 */
export async function deleteOldestPayslips({ db }: CompanyTx, before: Date): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`select delete_oldest_payslips(${before}) as deleted`.execute(db)
  return rows[0]?.deleted ?? 0
}
