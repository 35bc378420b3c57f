/** The newest slips of some people, for whoever looks for a person. */
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { namesOf } from '../../member/index.ts'
import { titlesOfRuns } from '../../sheet/index.ts'
import { slipsFor } from '../send/ledger.ts'

/** Those that I may see; the newest first. */
export async function slipsOfPeople(ctx: Ctx, member_ids: readonly string[], most: number) {
  if (member_ids.length === 0) return []
  const rows = await slipsFor(ctx)
    .select(['salary.id', 'salary.batch_id', 'salary.member_id', 'salary.status'])
    .where('salary.member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
    .where('salary.status', '<>', 'waiting')
    .orderBy('salary.id', 'desc')
    .limit(most)
    .execute()
  const names = await namesOf(ctx, [...new Set(rows.map(({ member_id }) => member_id))])
  const titles = await titlesOfRuns(ctx, [...new Set(rows.map(({ batch_id }) => batch_id))])
  return rows.map(({ id, batch_id, member_id, status }) => ({
    salary_id: id,
    batch_id,
    name: names.get(member_id)?.name ?? '',
    title: titles.get(batch_id)?.title ?? '',
    month: titles.get(batch_id)?.month ?? null,
    status,
  }))
}
