/** Join requests: who scanned the company's QR code but is on no roster waits for a decision. Writes join_request. */

import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/invites/invite.ts'
import { maskMobile } from '../../contract/shared/schemas.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { addMember, canManageAllMembers, isPhoneUnusedSince } from '../directory/index.ts'

/** After this time, the user has to apply again. */
const requestLifetimeMs = 30 * 86_400_000
const getOldestRequestDate = (now: Date): Date => new Date(now.getTime() - requestLifetimeMs)

/** Stores one request per phone, with the latest name. Deletes expired ones. */
export async function saveJoinRequest(
  { db, company_id, now }: CompanyTimeTx,
  person: { name: string; mobile: string },
): Promise<void> {
  await db
    .deleteFrom('join_request')
    .where('company_id', '=', company_id)
    .where('created_at', '<', getOldestRequestDate(now))
    .execute()
  await db
    .insertInto('join_request')
    .values({ company_id, id: newId(), ...person, created_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'mobile']).doUpdateSet({ name: person.name, created_at: now }))
    .execute()
}

/** Selects pending requests, except those of users who were added to the roster manually since. */
const selectPendingRequests = ({ db, company_id, now }: CompanyTimeTx) =>
  db
    .selectFrom('join_request')
    .where('join_request.company_id', '=', company_id)
    .where('join_request.created_at', '>', getOldestRequestDate(now))
    .where(isPhoneUnusedSince(company_id, 'join_request.mobile', 'join_request.created_at'))

export async function countPendingJoinRequests(ctx: CompanyTimeTx & Pick<HandlerContext, 'currentUser'>): Promise<number> {
  if (!hasPower(ctx.currentUser.power, ['2', '3'])) return 0
  const { count } = await selectPendingRequests(ctx)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export const getJoinRequestList = defineHandler(contract.getJoinRequestList, async (ctx, { page, pagesize }) => {
  const { count: total } = await selectPendingRequests(ctx)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await selectPendingRequests(ctx)
    .select(['id', 'name', 'mobile', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const canReject = canManageAllMembers(ctx)
  return {
    list: rows.map(({ id, name, mobile, created_at }) => ({
      join_id: id,
      name,
      mobile: maskMobile(mobile),
      created_at: toIsoTimestamp(created_at),
      can_reject: canReject,
    })),
    page: { page, pagesize, total },
  }
})

/**
 * The request is addressed to the whole company: an administrator of some departments may accept it into these; only an
 * administrator of all members may reject it.
 */
export const decideJoinRequest = defineHandler(
  contract.decideJoinRequest,
  async (ctx, { join_id, status, name, department_ids }) => {
    const { db, company_id } = ctx
    const request = await selectPendingRequests(ctx)
      .select(['id', 'name', 'mobile'])
      .where('id', '=', join_id)
      .forUpdate()
      .executeTakeFirst()
    if (!request) throw fail('not_found', '这位申请人已由其他管理员处理，或已在花名册中，请刷新')
    if (status === 2 && !canManageAllMembers(ctx))
      throw fail('not_permitted', '您只管理部分部门，不能代表全公司拒绝；不是您部门的人，请由管理全公司的管理员处理')
    const person = { name: name ?? request.name, mobile: request.mobile, ...(department_ids ? { department_ids } : {}) }
    const member_id = status === 1 ? await addMember(ctx, person) : null
    await db.deleteFrom('join_request').where('company_id', '=', company_id).where('id', '=', join_id).execute()
    ctx.addAuditDetails({ status, ...(member_id ? { member_id } : {}) })
    return { member_id }
  },
)
