/** Evidence over the batches of several months: for one member, or for all members within the user's scope. Writes export_job. */
import { sql } from 'kysely'
import * as contract from '../../../contract/payslips/evidence-package.ts'
import { writeAuditEntry } from '../../../http/audit-log.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { getMemberRowIds, isPayablePayslip } from '../../directory/index.ts'
import { listVisibleBatches } from '../../sheets/index.ts'
import { createExportJob } from './export.ts'

const countMonths = (from: string, to: string): number => {
  const toMonthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5))
  return toMonthNumber(to) - toMonthNumber(from) + 1
}

/** Finds the batches of these months visible to the user that contain a payslip visible to the user, or of this member. */
async function findBatches(
  ctx: HandlerContext,
  { from, to }: { from: string; to: string },
  member_ids: readonly string[] | null,
): Promise<string[]> {
  const { db, company_id } = ctx
  const visibleBatches = await listVisibleBatches(ctx, from, to)
  const rows = await db
    .selectFrom('payslip')
    .select('batch_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${visibleBatches.map(({ id }) => id)}::uuid[])`)
    .where(isPayablePayslip(ctx))
    .$if(member_ids !== null, (query) => query.where('member_id', '=', sql<string>`any(${[...(member_ids ?? [])]}::uuid[])`))
    .execute()
  return rows.map(({ batch_id }) => batch_id)
}

export const exportEvidencePackage = defineHandler(
  contract.exportEvidencePackage,
  async (ctx, { from, to, member_id, what, paper }) => {
    const months = countMonths(from, to)
    if (months < 1) throw invalidInput('to', '结束月份不能早于开始月份')
    if (months > contract.maxMonths) throw invalidInput('from', `一次最多导出 ${contract.maxMonths / 12} 年，请分几次导出`)
    const member_ids = member_id ? await getMemberRowIds(ctx, member_id) : null
    const batches = await findBatches(ctx, { from, to }, member_ids)
    if (batches.length === 0)
      throw fail('wrong_state', member_id ? '这段时间没有给他发送过您能查看的工资条' : '这段时间没有发送过您能查看的工资条')
    const job_id = await createExportJob(ctx, {
      what,
      paper: what === 'paper' ? JSON.stringify(paper ?? { size: 'A4', large: false }) : null,
      batch_ids: batches,
      // The requested member comes first: the file is named after them.
      member_ids: member_ids && [member_id ?? '', ...member_ids.filter((id) => id !== member_id)],
      month_from: from,
      month_to: to,
    })
    // Employees see accesses by batch in their access log; an entry for a single member names the member already.
    if (!member_id)
      for (const batch_id of batches) {
        const { address, request_id, now: at } = ctx
        const auditEntry = { call: contract.exportEvidencePackage, outcome: 'done', details: { batch_id, export_id: job_id }, at }
        await writeAuditEntry(ctx.db, ctx.currentUser, { ...auditEntry, address, request_id })
      }
    return { job_id }
  },
)
