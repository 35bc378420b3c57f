/** Whether a person's own amounts are shown as **** until touched. */
import type { Ctx } from '../../runtime/handle.ts'

export async function payHide(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  member_id: string,
  hide: boolean,
): Promise<void> {
  await db
    .updateTable('member')
    .set({ pay_hide: hide })
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .execute()
}
