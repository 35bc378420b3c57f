/** Storage quota against filling the database with uploads. Sheets of sent batches count; deleting a draft frees space. */
import { sql } from 'kysely'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { fail } from '../../../http/handler.ts'

const gigabyte = 1024 ** 3
/** Enough for years of wage sheets of a large company; the lower limit applies to one user, who may cause it by mistake. */
const storageLimits = { company: 5 * gigabyte, account: 2 * gigabyte }

/** Rejects a wage sheet of this size if it exceeds the quota. */
export async function assertStorageQuota({ db, company_id, currentUser }: CompanyUserTx, bytes: number): Promise<void> {
  // The uploaded file and the rows that were created from it.
  const storedBytes = sql<string>`file.size + coalesce(batch.stored_bytes, 0)`
  const { company, account } = await db
    .selectFrom('file')
    .leftJoin('batch', (join) => join.onRef('batch.company_id', '=', 'file.company_id').onRef('batch.file_id', '=', 'file.id'))
    .select(({ fn }) => [
      fn.coalesce(fn.sum<string>(storedBytes), sql<string>`0`).as('company'),
      fn
        .coalesce(fn.sum<string>(storedBytes).filterWhere('file.account_id', '=', currentUser.account_id), sql<string>`0`)
        .as('account'),
    ])
    .where('file.company_id', '=', company_id)
    .where('file.kind', '=', 'sheet')
    .executeTakeFirstOrThrow()
  const exceeded =
    Number(company) + bytes > storageLimits.company ? '企业' : Number(account) + bytes > storageLimits.account ? '您' : null
  if (exceeded === null) return
  const limitGigabytes = (exceeded === '企业' ? storageLimits.company : storageLimits.account) / gigabyte
  throw fail('wrong_state', `${exceeded}上传的工资表已占满 ${limitGigabytes} GB，请在「工资条管理」里删除不用的草稿后再上传`)
}
