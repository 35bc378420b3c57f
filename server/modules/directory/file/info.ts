/** A member's details, including earlier employments. */
import { type RawBuilder, sql } from 'kysely'
import { hasPower } from '../../../contract/access.ts'
import { revealIdCard as showCall } from '../../../contract/directory/member-history.ts'
import * as contract from '../../../contract/directory/members.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { maskBankCard } from '../../../rules/bank-card.ts'
import { maskIdCard } from '../../../rules/id-card.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { openPrivateFields } from '../add.ts'
import { memberColumns, memberDepartmentsJson, toMemberView } from '../list.ts'
import { createMemberNotFoundError, isManageableMember, isVisibleMember } from '../scope.ts'
import { recordMemberEvents } from './events.ts'

export const getMemberInfo = defineHandler(contract.getMemberInfo, async (ctx, { id }) => {
  const { db, company_id, vault } = ctx
  const row = await db
    .selectFrom('member')
    .select([...memberColumns, 'private', 'account_id', memberDepartmentsJson(company_id).as('departments')])
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where(isVisibleMember(ctx))
    .executeTakeFirst()
  if (!row) throw createMemberNotFoundError()
  const { id_card, bank_account } = openPrivateFields({ vault }, id, row.private)
  return {
    ...toMemberView(row),
    ID_CARD_MASKED: id_card ? maskIdCard(id_card) : null,
    // A user who may read the roster but not change it does not need this value.
    BANK_ACCOUNT_MASKED: bank_account && hasPower(ctx.currentUser.power, ['2', '3']) ? maskBankCard(bank_account) : null,
    JOINED: row.account_id !== null,
    EMPLOYMENT: await listEmployments(ctx, id),
  }
})

/**
 * SQL condition for `member`: all rows of the same person, including this one. A returning member has a new row (with
 * the same identity card, account, or phone and name); a row with an unconfirmed phone stands only for itself.
 */
async function selectSameMember({ db, company_id }: CompanyTx, id: string): Promise<RawBuilder<boolean>> {
  const self = await db
    .selectFrom('member')
    .select(['name', 'mobile', 'status', 'id_card_index', 'unconfirmed_at'])
    .select(({ fn }) => fn.coalesce('account_id', 'former_account').as('account_id'))
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!self || self.unconfirmed_at) return sql<boolean>`member.id = ${id}`
  const { name, mobile, id_card_index: card, account_id } = self
  return sql<boolean>`(member.id = ${id} or (member.unconfirmed_at is null and ('left' in (member.status, ${self.status})) and (
    (member.mobile = ${mobile} and member.mobile <> '' and member.name = ${name}) or member.id_card_index = ${card}
    or member.account_id = ${account_id} or member.former_account = ${account_id})))`
}

/** Lists the member's employments visible to the user, newest first. */
async function listEmployments(ctx: HandlerContext, id: string) {
  const { db, company_id } = ctx
  const rows = await db
    .selectFrom('member')
    .select([...memberColumns, 'created_at', memberDepartmentsJson(company_id).as('departments')])
    .where('company_id', '=', company_id)
    .where(await selectSameMember(ctx, id))
    .where(isVisibleMember(ctx))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => {
    const { ID, DEPARTMENTS, POSITION, ENTRY_DATE, TERMINATED_ON } = toMemberView(row)
    return { ID, DEPARTMENTS, POSITION, ENTRY_DATE, TERMINATED_ON, SINCE: toIsoTimestamp(row.created_at) }
  })
}

/** Returns all rows of a member managed by the user, for data of other modules; throws not found otherwise. */
export async function getMemberRowIds(ctx: CompanyUserTx, id: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where(await selectSameMember(ctx, id))
    .where(isManageableMember(ctx))
    .execute()
  if (!rows.some((row) => row.id === id)) throw createMemberNotFoundError()
  return rows.map((row) => row.id)
}

export const loadVisibleContacts = (ctx: CompanyUserTx, ids: readonly string[]) =>
  ctx.db
    .selectFrom('member')
    .select(['id', 'mobile', 'account_id', 'platform_user_id'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(isVisibleMember(ctx))
    .execute()

export const revealIdCard = defineHandler(showCall, async (ctx, { id }) => {
  const row = await ctx.db
    .selectFrom('member')
    .select('private')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', id)
    .where(isManageableMember(ctx))
    .executeTakeFirst()
  if (!row) throw createMemberNotFoundError()
  const { id_card = null } = openPrivateFields(ctx, id, row.private)
  if (id_card !== null) await recordMemberEvents(ctx, [{ member_id: id, kind: 'looked' }])
  return { id_card }
})
