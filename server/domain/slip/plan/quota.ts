/** How many of today's messages the company's chat platform has left, asked before more are sent. Reads delivery, message and member. */
import { sql } from 'kysely'
import { chatQuota } from '../../../../platform/quotas.ts'
import type { Provider } from '../../../contract/words.ts'
import { dayOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { quotaLeft, type Today } from '../rules/quota.ts'

/** Null: nobody of this plan is reached through the platform. */
export async function platformToday(ctx: Ctx, provider: Provider | null, member_ids: readonly string[]) {
  if (provider === null || member_ids.length === 0) return null
  return { provider, ...quotaLeft(chatQuota(provider), member_ids.length, await today(ctx, member_ids)) }
}

async function today({ db, company_id, now }: Ctx, member_ids: readonly string[]): Promise<Today> {
  const midnight = new Date(`${dayOf(now)}T00:00:00+08:00`)
  const { rows } = await sql<Today>`
    with slips as (
      select salary.member_id, count(*)::int as count
      from delivery join salary on salary.company_id = delivery.company_id and salary.id = delivery.salary_id
      where delivery.company_id = ${company_id} and delivery.channel = 'platform' and delivery.done_at >= ${midnight}
        and delivery.status in ('accepted', 'unknown')
      group by salary.member_id)
    select
      (select coalesce(sum(count), 0) from slips)::int
        + (select count(*) from message where company_id = ${company_id} and channel = 'platform' and done_at >= ${midnight}
            and status in ('accepted', 'unknown'))::int as used,
      (select coalesce(max(count), 0) from slips where member_id = any(${[...member_ids]}::uuid[]))::int as most_of_one,
      (select count(*) from member where company_id = ${company_id} and platform_user_id is not null and status <> 'left')::int as people`.execute(
    db,
  )
  return rows[0] ?? { used: 0, most_of_one: 0, people: 0 }
}
