/** The threshold of approval counts people a day: sending to them in several batches is not a way around it. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { needsApproval } from '../rules/payslip-rules.ts'

/** Not a calendar day: otherwise a batch before and one after midnight would not count together. */
const dayMs = 86_400_000

export type SendApprovalNeed = { readonly isNeeded: boolean; readonly peopleOfDay: number }

/**
 * Returns whether sending to these members needs approval: together with everybody to whom the company sent without
 * approval within the last 24 hours. A member in several batches counts once.
 */
export async function getApprovalNeed(
  { db, company_id, now }: CompanyTx & Pick<HandlerContext, 'now'>,
  threshold: number,
  member_ids: readonly string[],
): Promise<SendApprovalNeed> {
  if (threshold === 0) return { isNeeded: false, peopleOfDay: member_ids.length }
  const { rows } = await sql<{ people: number }>`
    select count(distinct member_id)::int as people from (
      select unnest(${[...member_ids]}::uuid[]) as member_id
      union all
      select slip.member_id from send_plan
      join payslip as slip on slip.company_id = ${company_id} and slip.batch_id = send_plan.batch_id and slip.status <> 'waiting'
      where send_plan.company_id = ${company_id} and send_plan.approval_id is null
        and send_plan.started_at > ${new Date(now.getTime() - dayMs)}
    ) as recipient`.execute(db)
  const peopleOfDay = rows[0]?.people ?? 0
  return { isNeeded: needsApproval(threshold, peopleOfDay), peopleOfDay }
}

/** Two sends at once wait for each other here: each would count without the other. Held until the transaction ends. */
export const lockApprovalCount = ({ db, company_id }: CompanyTx) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`send-approval|${company_id}`}, 0))`.execute(db)

/** States why a plan waits and who decides; null where it needs no approval. */
export function formatApprovalReason(
  threshold: number,
  people: number,
  { isNeeded, peopleOfDay }: SendApprovalNeed,
): string | null {
  if (!isNeeded) return null
  const decider = '由另一位管理员（系统管理员）同意后才能发出'
  return needsApproval(threshold, people)
    ? `发给 ${people} 人，已到审批线 ${threshold} 人，${decider}`
    : `24 小时内没有经过审批的，加上这一批共 ${peopleOfDay} 人，已到审批线 ${threshold} 人，${decider}`
}
