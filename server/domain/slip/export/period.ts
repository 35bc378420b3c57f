/** Evidence over the batches of several months: of one person, or of everybody of whoever asks. Writes export_job. */
import { sql } from 'kysely'
import * as contract from '../../../contract/wage/evidence.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { writeAudit } from '../../../runtime/request/audit.ts'
import { payable, rowsOfPerson } from '../../member/index.ts'
import { visibleBetween } from '../../sheet/index.ts'
import { beginExport } from './export.ts'

const monthsBetween = (from: string, to: string): number => {
  const at = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5))
  return at(to) - at(from) + 1
}

/** Of the batches of these months that I may see, those in which there is a slip of mine to see, or of this person. */
async function batchesOf(
  ctx: Ctx,
  { from, to }: { from: string; to: string },
  member_ids: readonly string[] | null,
): Promise<string[]> {
  const { db, company_id } = ctx
  const seen = await visibleBetween(ctx, from, to)
  const rows = await db
    .selectFrom('salary')
    .select('batch_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${seen.map(({ id }) => id)}::uuid[])`)
    .where(payable(ctx))
    .$if(member_ids !== null, (query) => query.where('member_id', '=', sql<string>`any(${[...(member_ids ?? [])]}::uuid[])`))
    .execute()
  return rows.map(({ batch_id }) => batch_id)
}

export const exportEvidence = handle(contract.exportEvidence, async (ctx, { from, to, member_id, what, paper }) => {
  const months = monthsBetween(from, to)
  if (months < 1) throw invalid('to', '结束月份不能早于开始月份')
  if (months > contract.most_months) throw invalid('from', `一次最多导出 ${contract.most_months / 12} 年，请分几次导出`)
  const member_ids = member_id ? await rowsOfPerson(ctx, member_id) : null
  const batches = await batchesOf(ctx, { from, to }, member_ids)
  if (batches.length === 0)
    throw refuse('wrong_state', member_id ? '这段时间没有给他发送过您能查看的工资条' : '这段时间没有发送过您能查看的工资条')
  const job_id = await beginExport(ctx, {
    what,
    paper: what === 'paper' ? JSON.stringify(paper ?? { size: 'A4', large: false }) : null,
    batch_ids: batches,
    // The one that was asked for stands first: the file is called by his name.
    member_ids: member_ids && [member_id ?? '', ...member_ids.filter((id) => id !== member_id)],
    month_from: from,
    month_to: to,
  })
  // Employees are told who looked at what is theirs by the batch; one person's line names him already.
  if (!member_id)
    for (const batch_id of batches) {
      const { address, request_id, now: at } = ctx
      const line = { call: contract.exportEvidence, outcome: 'done', about: { batch_id, export_id: job_id }, at }
      await writeAudit(ctx.db, ctx.me, { ...line, address, request_id })
    }
  return { job_id }
})
