/** How people stand with their invitations. */
import { sql } from 'kysely'
import * as contract from '../../contract/people/invite.ts'
import { maskMobile } from '../../contract/words/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { messagesOf } from '../../runtime/post/index.ts'
import { providerOf } from '../company/index.ts'
import { peopleSeen } from '../member/index.ts'
import { type KnownInvite, standingOf, stateOf } from './rules/state.ts'

type Row = {
  readonly id: string
  readonly member_id: string
  readonly mobile: string
  readonly opened_at: Date | null
  readonly used_at: Date | null
  readonly expires_at: Date
}
/** With what became of the message of each: an invite and its message have one id. */
async function withMessages<T extends Row>(
  ctx: Pick<Ctx, 'db' | 'company_id'>,
  rows: readonly T[],
  mobiles: ReadonlyMap<string, string>,
) {
  const messages = await messagesOf(
    ctx,
    rows.map(({ id }) => id),
  )
  return rows.map((row): T & KnownInvite => ({
    ...row,
    current: mobiles.get(row.member_id) === row.mobile,
    message: messages.get(row.id) ?? null,
  }))
}
const fields = ['id', 'member_id', 'mobile', 'opened_at', 'used_at', 'expires_at'] as const

export const getInviteStates = handle(contract.getInviteStates, async (ctx, { member_ids }) => {
  const { db, company_id, now } = ctx
  const seen = await peopleSeen(ctx, [...new Set(member_ids)])
  const open = seen.filter(({ account_id }) => account_id === null)
  const rows = await db
    .selectFrom('invite')
    .distinctOn('member_id')
    .select(fields)
    .where('company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${open.map(({ id }) => id)}::uuid[])`)
    .orderBy('member_id')
    .orderBy('id', 'desc')
    .execute()
  const newest = new Map(
    (await withMessages(ctx, rows, new Map(open.map(({ id, mobile }) => [id, mobile])))).map((one) => [one.member_id, one]),
  )
  return {
    list: seen.map(({ id, account_id }) => ({
      member_id: id,
      ...standingOf(account_id !== null, newest.get(id) ?? null, now),
    })),
  }
})

const most_told = 500
/** What was sent to somebody to invite him, and what became of it, for himself. */
export async function invitesTo(ctx: Pick<Ctx, 'db' | 'company_id' | 'now'>, member_ids: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('invite')
    .select([...fields, 'channel', 'created_at'])
    .where('company_id', '=', ctx.company_id)
    .where('member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
    .orderBy('id', 'desc')
    .limit(most_told)
    .execute()
  // The phone it went to is told with it: whether it is the one of now is for him to see.
  const known = await withMessages(ctx, rows, new Map(rows.map(({ member_id, mobile }) => [member_id, mobile])))
  return known.map((row) => ({
    created_at: isoOf(row.created_at),
    channel: row.channel,
    mobile: row.mobile,
    opened_at: row.opened_at && isoOf(row.opened_at),
    used_at: row.used_at && isoOf(row.used_at),
    expires_at: isoOf(row.expires_at),
    state: stateOf(row, ctx.now).state,
  }))
}

export const getInviteList = handle(contract.getInviteList, async (ctx, { member_id, page, pagesize }) => {
  const { db, company_id, now } = ctx
  const [person] = await peopleSeen(ctx, [member_id])
  if (!person) throw refuse('not_found', '没有找到这位员工')
  const provider = await providerOf(ctx)
  const all = db.selectFrom('invite').where('company_id', '=', company_id).where('member_id', '=', member_id)
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .select([...fields, 'channel', 'created_at'])
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const known = await withMessages(ctx, rows, new Map([[member_id, person.mobile]]))
  return {
    list: known.map((row) => ({
      invite_id: row.id,
      channel: row.channel,
      mobile: maskMobile(row.mobile),
      created_at: isoOf(row.created_at),
      expires_at: isoOf(row.expires_at),
      opened_at: row.opened_at && isoOf(row.opened_at),
      ...stateOf(row, now),
    })),
    page: { page, pagesize, total },
    platform: provider && { provider, linked: person.platform_user_id !== null },
  }
})
