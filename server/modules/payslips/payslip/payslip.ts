/** A single payslip: as the employee sees it, its history, correcting it, and earlier corrections. */

import * as contract from '../../../contract/payslips/correct-and-export.ts'
import { defineHandler, invalidInput } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { memberView } from '../../directory/read-model.ts'
import { openPayslipContent } from '../../payslip-records/index.ts'
import { requireBatchForPayslips } from '../../sheets/index.ts'
import { buildTimeline } from '../rules/timeline.ts'
import { getVisiblePayslip, getWithdrawReasonPosition } from '../send/ledger.ts'
import { changeDocument, createChangeFormatter, getChangePosition } from './corrections.ts'
import { renderBatchPayslip } from './render.ts'
import { readHistory } from './version-history.ts'

export const getSalary = defineHandler(contract.getSalary, async (ctx, { salary_id }) => {
  const { db, company_id, vault, currentUser } = ctx
  const { salary, batch } = await getVisiblePayslip(ctx, salary_id, 'view')
  const member = await db
    .selectFrom(memberView)
    .select('name')
    .where('company_id', '=', company_id)
    .where('id', '=', salary.member_id)
    .executeTakeFirstOrThrow()

  const deliveries = await db
    .selectFrom('delivery')
    .select(['purpose', 'channel', 'status', 'code', 'message', 'created_at', 'done_at', 'delivered_at'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .execute()
  const changes = await db
    .selectFrom('payslip_change')
    .select(['id', 'version', 'at', 'by_name as by', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .orderBy('id')
    .execute()
  const feedback = await db
    .selectFrom('feedback')
    .leftJoin('feedback_message', (join) =>
      join
        .onRef('feedback_message.company_id', '=', 'feedback.company_id')
        .onRef('feedback_message.feedback_id', '=', 'feedback.id'),
    )
    .select(['feedback.id', 'feedback_message.at', 'feedback_message.from_side'])
    .where('feedback.company_id', '=', company_id)
    .where('feedback.salary_id', '=', salary_id)
    .execute()
  const events = buildTimeline({
    deliveries: deliveries.map((row) => ({ ...row, channel: row.channel, status: row.status })),
    changes: changes.map(({ id, reason, ...change }) => ({
      ...change,
      reason: vault.open<string>(getChangePosition(id, 'reason'), reason),
    })),
    viewed_at: salary.viewed_at,
    confirmed_at: salary.confirmed_at,
    confirmed_auto: salary.confirmed_auto,
    withdrawn_at: salary.withdrawn_at,
    withdrawn_reason: salary.withdrawn_reason && vault.open<string>(getWithdrawReasonPosition(batch.id), salary.withdrawn_reason),
    previousVersions: readHistory(ctx, batch.id, salary.past),
    feedback: feedback.flatMap(({ at, from_side: side }) => (at && side ? [{ at, side }] : [])),
  })
  const content = openPayslipContent(vault, salary)
  ctx.addAuditDetails({ batch_id: batch.id })
  return {
    slip: renderBatchPayslip(ctx, batch, content, { name: member.name, corp_name: currentUser.company_name }),
    status: salary.status,
    version: salary.version,
    timeline: events.map(({ at, ...event }) => ({ at: toIsoTimestamp(at), ...event })),
    feedback_id: feedback[0]?.id ?? null,
  }
})

export const getSalaryModifyLog = defineHandler(
  contract.getSalaryModifyLog,
  async (ctx, { salary_id, batch_id, page, pagesize }) => {
    const { db, company_id, vault } = ctx
    if (!salary_id && !batch_id) throw invalidInput('batch_id', '请指定批次或工资条')
    const batch = salary_id
      ? (await getVisiblePayslip(ctx, salary_id, 'view')).batch
      : await requireBatchForPayslips(ctx, batch_id ?? '', 'view')
    const formatChange = createChangeFormatter(ctx, batch)
    let query = db
      .selectFrom('payslip_change')
      .innerJoin('payslip', (join) =>
        join.onRef('payslip.company_id', '=', 'payslip_change.company_id').onRef('payslip.id', '=', 'payslip_change.salary_id'),
      )
      .where('payslip_change.company_id', '=', company_id)
      .where(isPayablePayslip(ctx))
    query = salary_id
      ? query.where('payslip_change.salary_id', '=', salary_id)
      : query.where('payslip_change.batch_id', '=', batch_id ?? '')
    const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await query
      .innerJoin(memberView, (join) =>
        join.onRef('member.company_id', '=', 'payslip.company_id').onRef('member.id', '=', 'payslip.member_id'),
      )
      .select([
        'payslip_change.id',
        'at',
        'by_name',
        'member.name',
        'payslip_change.version',
        'column_key',
        'column_label',
        'change',
        'reason',
      ])
      .orderBy('payslip_change.id', 'desc')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    return {
      list: rows.map(({ at, by_name, column_key, column_label, change, reason, ...row }) => ({
        ...row,
        at: toIsoTimestamp(at),
        by: by_name,
        column: vault.open<string>(getChangePosition(row.id, 'column_label'), column_label),
        reason: vault.open<string>(getChangePosition(row.id, 'reason'), reason),
        ...formatChange(column_key, changeDocument.open(vault, getChangePosition(row.id), change)),
      })),
      page: { page, pagesize, total: Number(total) },
    }
  },
)
