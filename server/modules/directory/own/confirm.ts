/** Confirms a phone that somebody else entered in the roster as the member's own. Writes member. */
import type { CompanyTx } from '../../../database/company-tx.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { assertCanViewMember, isManageableMember } from '../scope.ts'

export const confirmedPhoneFields = {
  unconfirmed_at: null,
  unconfirmed_by: null,
  former_mobile: null,
  former_account: null,
} as const

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

/** Returns the member, locked until the transaction ends; null if there is nothing to confirm. */
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

/** Like `lockUnconfirmedPhone`, for a member within the user's scope; throws not found otherwise. */
export async function requireUnconfirmedPhone(
  ctx: CompanyTx & Pick<HandlerContext, 'currentUser'>,
  member_id: string,
): Promise<UnconfirmedPhone | null> {
  await assertCanViewMember(ctx, member_id, isManageableMember(ctx))
  return lockUnconfirmedPhone(ctx, member_id)
}

/**
 * Makes the phone the member's own, with everything that belongs to the row. The caller has verified who confirms it.
 * Returns false if the phone was changed meanwhile.
 */
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
