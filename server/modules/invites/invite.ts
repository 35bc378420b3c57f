/** Inviting members who have not joined yet: each gets a personal link for their phone, valid once, for 72 hours. */

import { sql } from 'kysely'
import * as contract from '../../contract/invites/invite.ts'
import { lockCompanySubject } from '../../database/company-lock.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { hashSecret } from '../../http/sessions.ts'
import { type ChannelSenders, enqueueMessages, type NewMessage } from '../../outbox/index.ts'
import { newId } from '../../shared/ids.ts'
import { chargeSms } from '../billing/index.ts'
import { companyView } from '../company/read-model.ts'
import { departmentCondition, listImportedMembers } from '../directory/index.ts'
import { memberView } from '../directory/read-model.ts'
import { generateInviteCode, getInviteLink, inviteLifetimeMs } from './codes.ts'
import { getInviteCodePosition, isPhoneCurrent, maxInviteDeliveryMs } from './invite-messages.ts'

const rowsPerStatement = 300
/**
 * The maximum number for one job: messages are sent one after another, and the job must end before the queue considers
 * it dead.
 */
const dayMs = 86_400_000
/** More invites would annoy the member and cost the company. */
const maxInvitesPerDay = 3

type NewInvite = {
  readonly id: string
  readonly member_id: string
  readonly mobile: string
  readonly channel: 'sms' | 'platform'
}

export const sendInviteCode = ({ senders }: { readonly senders: ChannelSenders }) =>
  defineHandler(contract.sendInviteCode, async (ctx, { member_ids, all = false, import_id }) => {
    const { company_id } = ctx
    const imported = import_id ? await listImportedMembers(ctx, import_id) : null
    if (!all && !member_ids && !imported) throw invalidInput('member_ids', '请选择要邀请的员工')
    // Two administrators may invite at the same moment: the second must see whom the first has invited.
    await lockCompanySubject(ctx, 'invite')
    const memberIds = imported ?? (all ? null : [...new Set(member_ids)])
    const candidates = await findInvitableMembers(ctx, memberIds, imported === null)
    const invited: NewInvite[] = candidates
      .filter((one) => one.may)
      .map(({ id, mobile, platform_user_id }) => ({
        id: newId(),
        member_id: id,
        mobile,
        channel: platform_user_id ? 'platform' : 'sms',
      }))
    const countByChannel = { platform: 0, sms: 0 }
    for (const { channel } of invited) countByChannel[channel] += 1
    if (countByChannel.sms > 0 && !senders.sms) throw fail('wrong_state', '还没有配置短信服务，请用二维码邀请员工加入')
    const link = getInviteLink(ctx.origin, generateInviteCode(company_id))
    const segmentsPerSms = ctx.countSegments({ kind: 'invite', params: { corp: ctx.currentUser.company_name, link } })
    // Invites are written before their charge, in the same order as refunds of unsent ones.
    await saveInvites(ctx, invited, segmentsPerSms)
    await chargeSms(ctx, countByChannel.sms * segmentsPerSms, 'invite', newId())
    ctx.addAuditDetails({ platform: countByChannel.platform, sms: countByChannel.sms })
    return { queued: countByChannel, skipped: (memberIds ?? candidates).length - invited.length }
  })

/**
 * Finds members who may be invited: not joined, within the user's scope. With `requireAll`, all of the given ids must
 * exist. `may` is false for members who were already invited often enough today.
 */
async function findInvitableMembers(ctx: HandlerContext, ids: readonly string[] | null, requireAll: boolean) {
  const { db, company_id, now } = ctx
  const membersInScope = db.selectFrom(memberView).where('member.company_id', '=', company_id).where(departmentCondition(ctx))
  const inIds = sql<string>`any(${ids}::uuid[])`
  if (ids && requireAll) {
    const visible = await membersInScope.select('id').where('id', '=', inIds).execute()
    if (visible.length !== ids.length) throw fail('not_found', '没有找到要邀请的员工，请刷新后重选')
  }
  const since = new Date(now.getTime() - dayMs)
  const recentSince = new Date(now.getTime() - maxInviteDeliveryMs)
  return (
    membersInScope
      .innerJoin(companyView, 'company.id', 'member.company_id')
      .select(['member.id', 'mobile'])
      .select(sql<string | null>`case when company.provider is not null then platform_user_id end`.as('platform_user_id'))
      .select(
        sql<boolean>`not exists (
        select from invite where invite.company_id = ${company_id} and invite.member_id = member.id and invite.mobile = member.mobile
          and invite.created_at > ${since}
        having count(*) >= ${maxInvitesPerDay} or bool_or(invite.code is not null and invite.created_at > ${recentSince}))`.as(
          'may',
        ),
      )
      .where('member.status', '=', 'invited')
      .where('account_id', 'is', null)
      // An invite needs a phone.
      .where('mobile', '<>', '')
      .where(isPhoneCurrent)
      .$if(ids !== null, (query) => query.where('member.id', '=', inIds))
      .orderBy('member.id')
      .execute()
  )
}

/** Creates the invites, which replace older ones of the same members, and their messages. */
async function saveInvites(ctx: HandlerContext, invited: readonly NewInvite[], segments: number): Promise<void> {
  const { db, company_id, now, vault } = ctx
  const expires_at = new Date(now.getTime() + inviteLifetimeMs)
  for (let from = 0; from < invited.length; from += rowsPerStatement) {
    const chunk = invited.slice(from, from + rowsPerStatement)
    await db
      .updateTable('invite')
      .set({ expires_at: now })
      .where('company_id', '=', company_id)
      .where('member_id', '=', sql<string>`any(${chunk.map((one) => one.member_id)}::uuid[])`)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .execute()
    const values = chunk.map((one) => {
      const code = generateInviteCode(company_id)
      const sealed = vault.seal(getInviteCodePosition(one.id), code)
      return { company_id, ...one, code_hash: hashSecret(code), code: sealed, created_at: now, expires_at }
    })
    await db.insertInto('invite').values(values).execute()
  }
  const messages = invited.map(
    ({ id, channel }): NewMessage => ({ id, channel, segments: channel === 'sms' ? segments : 1, content: null }),
  )
  await enqueueMessages(ctx, 'invite', messages)
}
