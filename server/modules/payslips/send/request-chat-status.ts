/** Requests the status of payslips on their chat cards; the job in chat-status.ts sends it. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../database/database.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { deriveId } from '../../../shared/ids.ts'
import type { ChatStatus } from '../rules/chat-status.ts'

export const chatStatusJob = 'cards'

export const batchWindowMs = 30_000

export type CompanyTx = { readonly db: Tx; readonly company_id: string; readonly now: Date }

export type CompanyJobTx = CompanyTx & { readonly jobs: Pick<HandlerContext['jobs'], 'send'> }

/**
 * Requests the status on the cards of these payslips. Employees' actions are sent some time later, together with others
 * that happened meanwhile.
 */
export async function requestChatStatus(
  { db, company_id, now, jobs }: CompanyJobTx,
  status: ChatStatus,
  salary_ids: readonly string[],
) {
  if (salary_ids.length === 0) return
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({ card_requested: status, card_due: now, card_attempts: 0 })
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .where('channel', '=', 'platform')
    .where('status', '=', 'accepted')
    .where('provider_ref', 'is not', null)
    .$if(status !== 'withdrawn', (query) => query.where(isNewerStatus(status)))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  if (status === 'withdrawn') return jobs.send(chatStatusJob, { company_id })
  const window = Math.floor(Date.now() / batchWindowMs)
  const start_after = new Date((window + 2) * batchWindowMs)
  await jobs.send(chatStatusJob, { company_id }, { id: deriveId(chatStatusJob, company_id, String(window)), start_after })
}

/** A first view does not replace a confirmation, and nothing replaces a withdrawal. */
export const isNewerStatus = (status: ChatStatus): RawBuilder<boolean> =>
  sql<boolean>`coalesce(card_requested, card_state, '') <> all(${status === 'viewed' ? ['confirmed', 'withdrawn', 'recalled'] : ['withdrawn', 'recalled']}::text[])`
