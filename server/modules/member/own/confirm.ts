/** A phone that somebody else wrote into the roster becomes its person's own. Writes member. */
import type { HandlerContext } from '../../../http/handler.ts'
import { assertCanViewMember, isManageableMember } from '../scope.ts'

/** Nothing is left to confirm. */
export const confirmedPhoneFields = {
  unconfirmed_at: null,
  unconfirmed_by: null,
  former_mobile: null,
  former_account: null,
} as const

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>
export type UnconfirmedPhone = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly account_id: string | null
  readonly unconfirmed_at: Date
  readonly unconfirmed_by: string | null
  readonly former_mobile: string | null
  readonly former_account: string | null
}

/** The person, held as he is until the transaction ends; null where nothing is to be confirmed. */
export async function lockUnconfirmedPhone({ db, company_id }: CompanyTx, member_id: string): Promise<UnconfirmedPhone | null> {
  const row = await db
    .selectFrom('member')
    .select(['id', 'name', 'mobile', 'account_id', 'unconfirmed_at', 'unconfirmed_by', 'former_mobile', 'former_account'])
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .where('status', '<>', 'left')
    .where('unconfirmed_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  return row?.unconfirmed_at ? { ...row, unconfirmed_at: row.unconfirmed_at } : null
}

/** The same of somebody within my scope; not found where he is not. */
export async function requireUnconfirmedPhone(
  ctx: CompanyTx & Pick<HandlerContext, 'currentUser'>,
  member_id: string,
): Promise<UnconfirmedPhone | null> {
  await assertCanViewMember(ctx, member_id, isManageableMember(ctx))
  return lockUnconfirmedPhone(ctx, member_id)
}

/** From now on the phone is his, with all that belongs to the row. The caller has seen who says so. False where it was changed meanwhile. */
export async function confirmPhone(
  { db, company_id }: CompanyTx,
  { id, unconfirmed_at, mobile }: UnconfirmedPhone,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('member')
    .set(confirmedPhoneFields)
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('mobile', '=', mobile)
    .where('unconfirmed_at', '=', unconfirmed_at)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
