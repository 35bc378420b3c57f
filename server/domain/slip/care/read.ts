/** Whether the card in somebody's chat was read there: asked of the platform when an administrator looks, and not kept. */
import * as contract from '../../../contract/wage/card.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handleOutside } from '../../../runtime/handle.ts'
import type { CarrierLines } from '../../../runtime/post/index.ts'
import { meansOf } from '../../company/index.ts'
import { peopleOf } from '../send/identity.ts'
import { salaryFor } from '../send/ledger.ts'

/** The newest message of this slip on the platform, and to whom it went. */
async function cardOf(ctx: Ctx, salary_id: string) {
  const { db, company_id } = ctx
  const { salary } = await salaryFor(ctx, salary_id, 'view')
  const { provider } = await meansOf(ctx)
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
  const to = (await peopleOf(ctx, [salary.member_id])).get(salary.member_id)?.platform_user_id
  return to ? { company_id, provider, message: { id: sent.id, ref: sent.ref, at: sent.at, to } } : null
}

export const getCardRead = (lines: CarrierLines) =>
  handleOutside(contract.getCardRead, async (ctx, { salary_id }) => {
    const found = await ctx.inTransaction((inside) => cardOf(inside, salary_id))
    if (!found) return { card: null }
    const { provider, message, company_id } = found
    const line = await lines.platform(company_id)
    const told = { provider, sent_at: isoOf(message.at) }
    if (line && !line.reads) return { card: { ...told, read: 'not_told' as const } }
    const [one] = (await line?.reads?.(ctx.outdoors, [message]).catch(() => [])) ?? []
    const read: contract.CardRead = one?.read === true ? 'read' : one?.read === false ? 'unread' : 'unsure'
    return { card: { ...told, read } }
  })
