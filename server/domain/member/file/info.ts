/** One person: as he is, and as he was before he came back. */
import { type RawBuilder, sql } from 'kysely'
import { showIdCard as showCall } from '../../../contract/people/file.ts'
import * as contract from '../../../contract/people/member.ts'
import { holds } from '../../../contract/who.ts'
import { maskBankCard } from '../../../rules/bank-card.ts'
import { maskIdCard } from '../../../rules/id-card.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { privateOf } from '../add.ts'
import { departmentsAt, memberColumns, shown } from '../list.ts'
import { keepable, noMember, readable } from '../scope.ts'
import { record } from './events.ts'

export const getMemberInfo = handle(contract.getMemberInfo, async (ctx, { id }) => {
  const { db, company_id, vault } = ctx
  const row = await db
    .selectFrom('member')
    .select([...memberColumns, 'private', 'account_id', departmentsAt(company_id).as('departments')])
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where(readable(ctx))
    .executeTakeFirst()
  if (!row) throw noMember()
  const { id_card, bank_account } = privateOf({ vault }, id, row.private)
  return {
    ...shown(row),
    ID_CARD_MASKED: id_card ? maskIdCard(id_card) : null,
    // Whoever may read the roster and not change it has no use for it.
    BANK_ACCOUNT_MASKED: bank_account && holds(ctx.me.power, ['2', '3']) ? maskBankCard(bank_account) : null,
    JOINED: row.account_id !== null,
    EMPLOYMENT: await employment(ctx, id),
  }
})

/**
 * For queries on `member`: the rows of one person, this one among them. Whoever came back stands there anew (by the same identity card, account,
 * or phone and name); a row whose phone is not confirmed is nobody's but its own.
 */
async function rowsOf({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, id: string): Promise<RawBuilder<boolean>> {
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

/** His times here that I may see, the newest first. */
async function employment(ctx: Ctx, id: string) {
  const { db, company_id } = ctx
  const rows = await db
    .selectFrom('member')
    .select([...memberColumns, 'created_at', departmentsAt(company_id).as('departments')])
    .where('company_id', '=', company_id)
    .where(await rowsOf(ctx, id))
    .where(readable(ctx))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => {
    const { ID, DEPARTMENTS, POSITION, ENTRY_DATE, LEFT_ON } = shown(row)
    return { ID, DEPARTMENTS, POSITION, ENTRY_DATE, LEFT_ON, SINCE: isoOf(row.created_at) }
  })
}

/** The rows of one person whom I keep, for what hangs on them in other domains; not found where I do not. */
export async function rowsOfPerson(ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>, id: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where(await rowsOf(ctx, id))
    .where(keepable(ctx))
    .execute()
  if (!rows.some((row) => row.id === id)) throw noMember()
  return rows.map((row) => row.id)
}

/** By what people are reached, of those whom I may see. */
export const peopleSeen = (ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>, ids: readonly string[]) =>
  ctx.db
    .selectFrom('member')
    .select(['id', 'mobile', 'account_id', 'platform_user_id'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(readable(ctx))
    .execute()

export const showIdCard = handle(showCall, async (ctx, { id }) => {
  const row = await ctx.db
    .selectFrom('member')
    .select('private')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', id)
    .where(keepable(ctx))
    .executeTakeFirst()
  if (!row) throw noMember()
  const { id_card = null } = privateOf(ctx, id, row.private)
  if (id_card !== null) await record(ctx, [{ member_id: id, kind: 'looked' }])
  return { id_card }
})
