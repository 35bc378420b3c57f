/** The newest slips of some people and the questions about them, for whoever looks for a person. */
import { sql } from 'kysely'
import type { FeedbackStatus } from '../../../contract/feedback.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { namesOf } from '../../member/index.ts'
import { openTitle, visibleSlips } from '../../sheet/index.ts'
import { slipsFor } from '../ledger.ts'

const among = (ids: readonly string[]) => sql<string>`any(${[...ids]}::uuid[])`

/** Those that I may see; the newest month first. */
export async function slipsOfPeople(ctx: Ctx, member_ids: readonly string[], most: number) {
  if (member_ids.length === 0) return []
  const rows = await slipsFor(ctx)
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select([
      'salary.id',
      'salary.batch_id',
      'salary.member_id',
      'salary.status',
      'batch.title_id',
      'title.name as title',
      'title.month',
    ])
    .where('salary.member_id', '=', among(member_ids))
    .where('salary.status', '<>', 'waiting')
    .orderBy('title.month', (order) => order.desc().nullsFirst())
    .orderBy('salary.id', 'desc')
    .limit(most)
    .execute()
  const names = await namesOf(ctx, [...new Set(rows.map(({ member_id }) => member_id))])
  return rows.map(({ id, batch_id, member_id, status, month, title_id, title }) => ({
    salary_id: id,
    batch_id,
    name: names.get(member_id)?.name ?? '',
    title: openTitle(ctx.vault, title_id, title) ?? '',
    month,
    status,
  }))
}

type Thread = { id: string; member_id: string; status: FeedbackStatus; title_id: string | null; title: Buffer | null }
/** Threads about their slips that I may see; those that wait for an answer first. */
export async function threadsOfPeople(ctx: Ctx, member_ids: readonly string[], most: number) {
  if (member_ids.length === 0) return []
  const { rows } = await sql<Thread>`
    select feedback.id, feedback.member_id, feedback.status, batch.title_id, title.name as title from feedback
    join salary on salary.company_id = feedback.company_id and salary.id = feedback.salary_id
    join batch on batch.company_id = feedback.company_id and batch.id = feedback.batch_id
    left join title on title.company_id = batch.company_id and title.id = batch.title_id
    where feedback.company_id = ${ctx.company_id} and feedback.member_id = ${among(member_ids)} and ${visibleSlips(ctx)}
    order by feedback.status = 'open' desc, feedback.updated_at desc, feedback.id limit ${most}`.execute(ctx.db)
  const names = await namesOf(ctx, [...new Set(rows.map(({ member_id }) => member_id))])
  return rows.map(({ id, member_id, status, title_id, title }) => ({
    id,
    name: names.get(member_id)?.name ?? '',
    title: openTitle(ctx.vault, title_id, title) ?? '',
    status,
  }))
}
