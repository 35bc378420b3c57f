/** Inviting people who have not joined yet: each gets a link of his own, for his phone, once, for 72 hours. */
import { sql } from 'kysely'
import * as contract from '../../contract/people/invite.ts'
import { takeTurn } from '../../runtime/data/turns.ts'
import { type Ctx, handle, invalid, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { type CarrierLines, type NewMessage, post } from '../../runtime/post/index.ts'
import { hashOf } from '../../runtime/request/sessions.ts'
import { takeSms } from '../company/index.ts'
import { departmentCondition, importedPeople } from '../member/index.ts'
import { invite_ms, linkOf, newCode } from './codes.ts'
import { codePlace, notLeftBehind, on_its_way_ms } from './messenger.ts'

const a_statement = 300
/** A job's worth: they leave one after another, and the job must end before it is taken for dead. */
const day_ms = 86_400_000
/** More would be a nuisance to the person and a bill to the company. */
const most_a_day = 3

type Invited = { readonly id: string; readonly member_id: string; readonly mobile: string; readonly channel: 'sms' | 'platform' }

export const sendInviteCode = ({ lines }: { readonly lines: CarrierLines }) =>
  handle(contract.sendInviteCode, async (ctx, { member_ids, all = false, import_id }) => {
    const { company_id } = ctx
    const imported = import_id ? await importedPeople(ctx, import_id) : null
    if (!all && !member_ids && !imported) throw invalid('member_ids', '请选择要邀请的员工')
    // Two administrators at the same moment: the second one must see whom the first one has invited.
    await takeTurn(ctx, 'invite')
    const wanted = imported ?? (all ? null : [...new Set(member_ids)])
    const people = await invitable(ctx, wanted, imported === null)
    const invited: Invited[] = people
      .filter((one) => one.may)
      .map(({ id, mobile, platform_user_id }) => ({
        id: newId(),
        member_id: id,
        mobile,
        channel: platform_user_id ? 'platform' : 'sms',
      }))
    const by = { platform: 0, sms: 0 }
    for (const { channel } of invited) by[channel] += 1
    if (by.sms > 0 && !lines.sms) throw refuse('wrong_state', '还没有配置短信服务，请用二维码邀请员工加入')
    const link = linkOf(ctx.origin, newCode(company_id))
    const each = ctx.pieces({ kind: 'invite', params: { corp: ctx.me.company_name, link } })
    // The invites before what they cost, as by whoever gives back what could not be sent.
    await write(ctx, invited, each)
    await takeSms(ctx, by.sms * each, 'invite', newId())
    ctx.about({ platform: by.platform, sms: by.sms })
    return { queued: by, skipped: (wanted ?? people).length - invited.length }
  })

/** Who may be invited: not joined, within my scope. `whole`: all of these must be there. `may` is false for those who have had enough of it today. */
async function invitable(ctx: Ctx, ids: readonly string[] | null, whole: boolean) {
  const { db, company_id, now } = ctx
  const mine = db.selectFrom('member').where('member.company_id', '=', company_id).where(departmentCondition(ctx))
  const those = sql<string>`any(${ids}::uuid[])`
  if (ids && whole) {
    const seen = await mine.select('id').where('id', '=', those).execute()
    if (seen.length !== ids.length) throw refuse('not_found', '没有找到要邀请的员工，请刷新后重选')
  }
  const since = new Date(now.getTime() - day_ms)
  const lately = new Date(now.getTime() - on_its_way_ms)
  return (
    mine
      .innerJoin('company', 'company.id', 'member.company_id')
      .select(['member.id', 'mobile'])
      .select(sql<string | null>`case when company.provider is not null then platform_user_id end`.as('platform_user_id'))
      .select(
        sql<boolean>`not exists (
        select from invite where invite.company_id = ${company_id} and invite.member_id = member.id and invite.mobile = member.mobile
          and invite.created_at > ${since}
        having count(*) >= ${most_a_day} or bool_or(invite.code is not null and invite.created_at > ${lately}))`.as('may'),
      )
      .where('member.status', '=', 'invited')
      .where('account_id', 'is', null)
      // An invitation is for a phone.
      .where('mobile', '<>', '')
      .where(notLeftBehind)
      .$if(ids !== null, (query) => query.where('member.id', '=', those))
      .orderBy('member.id')
      .execute()
  )
}

/** New invites, which end the older ones of the same people, and their messages. */
async function write(ctx: Ctx, invited: readonly Invited[], pieces: number): Promise<void> {
  const { db, company_id, now, vault } = ctx
  const expires_at = new Date(now.getTime() + invite_ms)
  for (let from = 0; from < invited.length; from += a_statement) {
    const some = invited.slice(from, from + a_statement)
    await db
      .updateTable('invite')
      .set({ expires_at: now })
      .where('company_id', '=', company_id)
      .where('member_id', '=', sql<string>`any(${some.map((one) => one.member_id)}::uuid[])`)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .execute()
    const values = some.map((one) => {
      const code = newCode(company_id)
      const sealed = vault.seal(codePlace(one.id), code)
      return { company_id, ...one, code_hash: hashOf(code), code: sealed, created_at: now, expires_at }
    })
    await db.insertInto('invite').values(values).execute()
  }
  const messages = invited.map(
    ({ id, channel }): NewMessage => ({ id, channel, pieces: channel === 'sms' ? pieces : 1, letter: null }),
  )
  await post(ctx, 'invite', messages)
}
