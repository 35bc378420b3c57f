/** The invite status of members. */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../contract/invites/invite.ts'
import { maskMobile } from '../../contract/shared/schemas.ts'
import type { CompanyTimeTx, CompanyTx } from '../../database/company-tx.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { getMessages, selectFailureMessage } from '../../outbox/index.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { getBoundProvider } from '../company/settings/index.ts'
import { loadVisibleContacts } from '../directory/index.ts'
import { getInviteStatus, getSingleInviteStatus, type StoredInvite } from './rules/invite-status.ts'

type InviteRow = {
  readonly id: string
  readonly member_id: string
  readonly mobile: string
  readonly opened_at: Date | null
  readonly used_at: Date | null
  readonly expires_at: Date
}
/** Adds the delivery status of each invite's message: an invite and its message share one id. */
async function withDeliveryStatus<T extends InviteRow>(ctx: CompanyTx, rows: readonly T[], mobiles: ReadonlyMap<string, string>) {
  const messages = await getMessages(
    ctx,
    rows.map(({ id }) => id),
  )
  return rows.map((row): T & StoredInvite => ({
    ...row,
    forCurrentPhone: mobiles.get(row.member_id) === row.mobile,
    message: messages.get(row.id) ?? null,
  }))
}
const inviteColumns = ['id', 'member_id', 'mobile', 'opened_at', 'used_at', 'expires_at'] as const

export const getInviteStatuses = defineHandler(contract.getInviteStatuses, async (ctx, { member_ids }) => {
  const { db, company_id, now } = ctx
  const visible = await loadVisibleContacts(ctx, [...new Set(member_ids)])
  const notJoined = visible.filter(({ account_id }) => account_id === null)
  const rows = await db
    .selectFrom('invite')
    .distinctOn('member_id')
    .select(inviteColumns)
    .where('company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${notJoined.map(({ id }) => id)}::uuid[])`)
    .orderBy('member_id')
    .orderBy('id', 'desc')
    .execute()
  const newest = new Map(
    (await withDeliveryStatus(ctx, rows, new Map(notJoined.map(({ id, mobile }) => [id, mobile])))).map((one) => [
      one.member_id,
      one,
    ]),
  )
  return {
    list: visible.map(({ id, account_id }) => ({
      member_id: id,
      ...getInviteStatus(account_id !== null, newest.get(id) ?? null, now),
    })),
  }
})

const maxExportedRows = 500
/** Lists the invites sent to a member with their outcome, for the member's own data export. */
export async function listInvitesForExport(ctx: CompanyTimeTx, member_ids: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('invite')
    .select([...inviteColumns, 'channel', 'created_at'])
    .where('company_id', '=', ctx.company_id)
    .where('member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
    .orderBy('id', 'desc')
    .limit(maxExportedRows)
    .execute()
  // Also returns the phone that the invite was sent to, so that the member can tell whether it is the current one.
  const invites = await withDeliveryStatus(ctx, rows, new Map(rows.map(({ member_id, mobile }) => [member_id, mobile])))
  return invites.map((row) => ({
    created_at: toIsoTimestamp(row.created_at),
    channel: row.channel,
    mobile: row.mobile,
    opened_at: row.opened_at && toIsoTimestamp(row.opened_at),
    used_at: row.used_at && toIsoTimestamp(row.used_at),
    expires_at: toIsoTimestamp(row.expires_at),
    state: getSingleInviteStatus(row, ctx.now).state,
  }))
}

export const getInviteList = defineHandler(contract.getInviteList, async (ctx, { member_id, page, pagesize }) => {
  const { db, company_id, now } = ctx
  const [person] = await loadVisibleContacts(ctx, [member_id])
  if (!person) throw fail('not_found', '没有找到这位员工')
  const provider = await getBoundProvider(ctx)
  const all = db.selectFrom('invite').where('company_id', '=', company_id).where('member_id', '=', member_id)
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .select([...inviteColumns, 'channel', 'created_at'])
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const invites = await withDeliveryStatus(ctx, rows, new Map([[member_id, person.mobile]]))
  return {
    list: invites.map((row) => ({
      invite_id: row.id,
      channel: row.channel,
      mobile: maskMobile(row.mobile),
      created_at: toIsoTimestamp(row.created_at),
      expires_at: toIsoTimestamp(row.expires_at),
      opened_at: row.opened_at && toIsoTimestamp(row.opened_at),
      ...getSingleInviteStatus(row, now),
    })),
    page: { page, pagesize, total },
    platform: provider && { provider, linked: person.platform_user_id !== null },
  }
})

/** SQL expression for `member`: the carrier's failure message of the latest invite, if it bounced. */
export const selectInviteFailure = (company_id: string): RawBuilder<string | null> => sql<string | null>`(
  select ${selectFailureMessage(company_id, sql`newest.id`)} from (
    select invite.id from invite where invite.company_id = ${company_id} and invite.member_id = member.id order by invite.id desc limit 1
  ) as newest where member.account_id is null)`
