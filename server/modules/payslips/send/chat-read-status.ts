/** Whether the card in the recipient's chat was read: requested from the platform when an administrator looks, not stored. */

import * as contract from '../../../contract/payslips/chat-read-status.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { getDeliveryMeans } from '../../billing/index.ts'
import { loadRecipients } from './identity.ts'
import { getVisiblePayslip } from './ledger.ts'

/** Finds the newest platform message of this payslip and its recipient. */
async function findChatMessage(ctx: HandlerContext, salary_id: string) {
  const { db, company_id } = ctx
  const { salary } = await getVisiblePayslip(ctx, salary_id, 'view')
  const { provider } = await getDeliveryMeans(ctx)
  const sent = await db
    .selectFrom('delivery')
    .select(['id', 'provider_ref as ref', 'done_at as at'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .where('channel', '=', 'platform')
    .where('status', '=', 'accepted')
    .orderBy('done_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!provider || !sent?.ref || !sent.at) return null
  const to = (await loadRecipients(ctx, [salary.member_id])).get(salary.member_id)?.platform_user_id
  return to ? { company_id, provider, message: { id: sent.id, ref: sent.ref, sentAt: sent.at, to } } : null
}

export const getChatReadStatus = defineHandler(contract.getChatReadStatus, { kind: 'external' }, async (ctx, { salary_id }) => {
  const chatMessage = await ctx.inTransaction((handlerTx) => findChatMessage(handlerTx, salary_id))
  if (!chatMessage) return { message: null }
  const { provider, message, company_id } = chatMessage
  const sender = await ctx.senders.getPlatformSender(company_id)
  const details = { provider, sent_at: toIsoTimestamp(message.sentAt) }
  if (sender && !sender.getReadStatus) return { message: { ...details, read: 'not_told' as const } }
  const [result] = (await sender?.getReadStatus?.(ctx.noTransaction, [message]).catch(() => [])) ?? []
  const readStatus: contract.ChatReadStatus = result?.isRead === true ? 'read' : result?.isRead === false ? 'unread' : 'unsure'
  return { message: { ...details, read: readStatus } }
})
