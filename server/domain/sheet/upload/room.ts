/** How much may be kept: nobody fills the database with uploads. Sheets of sent batches count too; deleting a draft makes room. */
import { sql } from 'kysely'
import { type Ctx, refuse } from '../../../runtime/handle.ts'

const gb = 1024 ** 3
/** Years of sheets of a large company; and of one person, who may be at fault. */
const room = { company: 5 * gb, account: 2 * gb }

/** Refuses a sheet of so many bytes where there is no room for it. */
export async function mustHaveRoom({ db, company_id, me }: Pick<Ctx, 'db' | 'company_id' | 'me'>, bytes: number): Promise<void> {
  // What was sent, and the rows it became.
  const kept = sql<string>`file.size + coalesce(batch.kept_bytes, 0)`
  const { company, account } = await db
    .selectFrom('file')
    .leftJoin('batch', (join) => join.onRef('batch.company_id', '=', 'file.company_id').onRef('batch.file_id', '=', 'file.id'))
    .select(({ fn }) => [
      fn.coalesce(fn.sum<string>(kept), sql<string>`0`).as('company'),
      fn.coalesce(fn.sum<string>(kept).filterWhere('file.account_id', '=', me.account_id), sql<string>`0`).as('account'),
    ])
    .where('file.company_id', '=', company_id)
    .where('file.kind', '=', 'sheet')
    .executeTakeFirstOrThrow()
  const full = Number(company) + bytes > room.company ? '企业' : Number(account) + bytes > room.account ? '您' : null
  if (full === null) return
  const most = (full === '企业' ? room.company : room.account) / gb
  throw refuse('wrong_state', `${full}上传的工资表已占满 ${most} GB，请在「工资条管理」里删除不用的草稿后再上传`)
}
