/** Messages with unknown outcome: an administrator decides, and the decision is recorded in the delivery ledger. */

import { sql } from 'kysely'
import * as contract from '../../../contract/payslips/send.ts'
import type { Channel } from '../../../contract/shared/schemas.ts'
import { assertAllowed, defineHandler } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { chargeSms } from '../../billing/index.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { requireBatchForPayslips, setBatchStatus } from '../../sheets/index.ts'
import { sumSmsSegments } from '../rules/message.ts'

export const resolveUnknownDeliveries = defineHandler(
  contract.resolveUnknownDeliveries,
  async (ctx, { batch_id, salary_ids, resolution }) => {
    const { db, company_id, now, currentUser } = ctx
    const batch = await requireBatchForPayslips(ctx, batch_id, 'manage')
    assertAllowed(['sending', 'paused', 'sent'].includes(batch.status) || '这一批现在没有结果未知的消息', {
      status: batch.status,
    })
    const isSelected = sql<boolean>`${isPayablePayslip(ctx)} and ${salary_ids ? sql`payslip.id = any(${[...salary_ids]}::uuid[])` : sql`true`}`
    if (resolution === 'sent') {
      const message = `${currentUser.name} 确认按已发送处理`
      const settled = await sql`
      update delivery set status = 'accepted', code = 'settled', message = ${message} from payslip
      where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.purpose = 'slip' and delivery.status = 'unknown'
        and payslip.company_id = ${company_id} and payslip.id = delivery.salary_id and ${isSelected}`.execute(db)
      const count = Number(settled.numAffectedRows ?? 0)
      ctx.addAuditDetails({ settled: count })
      return { count }
    }
    // An employee who has viewed the payslip has received it: nothing is sent to them. The other payslips wait for
    // their message as before the first attempt.
    const { rows } = await sql<{ salary_id: string; channel: Channel; segments: number }>`
    update delivery set status = 'queued', attempts = 0, due_at = ${now}, done_at = null, code = null, message = null, lease_by = null, lease_until = null
    from payslip
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.purpose = 'slip' and delivery.status = 'unknown'
      and payslip.company_id = ${company_id} and payslip.id = delivery.salary_id and payslip.version = delivery.version and payslip.status = 'sent' and ${isSelected}
    returning delivery.salary_id, delivery.channel, delivery.segments`.execute(db)
    if (rows.length === 0) return { count: 0 }
    const resentIds = rows.map(({ salary_id }) => salary_id)
    await db
      .updateTable('payslip')
      .set({ status: 'queued' })
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${resentIds}::uuid[])`)
      .execute()
    await chargeSms(ctx, sumSmsSegments(rows), 'unknown', { id: newId(), batch_id })
    await setBatchStatus(ctx, batch_id, ['sent'], 'sending')
    await ctx.jobs.send('send', { company_id, batch_id })
    ctx.addAuditDetails({ again: rows.length })
    return { count: rows.length }
  },
)
