/** Runs that stay below the number from which a sending is approved, and together reach it: nobody is stopped, those who would have been asked hear of it. */
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { idOf } from '../../../runtime/ids.ts'
import { canDecideSend } from '../../approval/index.ts'
import { notify } from '../../desk/index.ts'
import { needsApproval } from '../rules/behaviour.ts'

/**
 * Called where a run leaves without an approval. `from`: so many people ask for one. Whoever is in two runs of a month, his wages and a bonus, counts
 * once. Told once a month to each.
 */
export async function tellOfSplit(
  ctx: Ctx,
  { batch_id, from }: { readonly batch_id: string; readonly from: number },
): Promise<void> {
  const { db, company_id, me } = ctx
  if (from === 0 || !me.admin_id) return
  const { rows } = await sql<{ month: string; runs: number; people: number }>`
    with here as (
      select title.month from batch join title on title.company_id = ${company_id} and title.id = batch.title_id
      where batch.company_id = ${company_id} and batch.id = ${batch_id}),
    runs as (
      select batch.id from batch join title on title.company_id = ${company_id} and title.id = batch.title_id
      where batch.company_id = ${company_id} and title.month = (select month from here)
        and (batch.id = ${batch_id} or exists (select from plan where plan.company_id = ${company_id} and plan.batch_id = batch.id
          and plan.status = 'started' and plan.approval_id is null)))
    select (select month from here) as month, count(distinct slip.batch_id)::int as runs, count(distinct slip.member_id)::int as people
    from salary as slip
    where slip.company_id = ${company_id} and slip.batch_id in (select id from runs) and slip.status <> 'withdrawn'
      and (slip.batch_id = ${batch_id} or slip.status <> 'waiting')`.execute(db)
  const [told] = rows
  if (!told || told.runs < 2 || !needsApproval(from, told.people)) return
  const { month, runs, people } = told
  const text = `${month} 的工资条没有经过审批，分 ${runs} 批共发给 ${people} 人，合起来已到审批线 ${from} 人；请核对是否拆开发送`
  for (const admin_id of await canDecideSend(ctx, me.admin_id))
    await notify(ctx, admin_id, { id: idOf('split', company_id, month, admin_id), kind: 'approval', text, batch_id })
}
