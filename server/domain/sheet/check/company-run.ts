/**
 * What the people of a sheet got last time, whoever of the company paid them: for the check of an administrator whose own earlier runs do not
 * speak for it. Their slips are the history: sealed with the company's key, corrected and withdrawn where they stand, and never a second copy.
 * Only people within his scope are asked for, in SQL; whether he may see the runs decides what the check says (`rules/check/company-history`).
 */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { readable } from '../../../contract/states.ts'
import { payable } from '../../member/index.ts'
import { type BatchRow, visibleBatches } from '../access.ts'
import { Figures } from '../rules/check/history.ts'
import { type Salary, slipOf, some_people, takerOf, type Where } from './last-run.ts'

/** Runs of a kind that are gone through for each person; the newest with him in it counts. */
const runs_back = 3

export type CompanyRun = { readonly figures: Figures; readonly isUnseen: boolean }

export async function companyRun(ctx: Where, batch: BatchRow, people: readonly string[]): Promise<CompanyRun | null> {
  const { db, company_id, vault } = ctx
  const months = await monthsOf(ctx, batch)
  if (months.length === 0 || people.length === 0) return null
  const figures = new Figures()
  const take = takerOf(ctx)
  let isUnseen = false
  for (let from = 0; from < people.length; from += some_people) {
    const { rows } = await sql<Salary & { visible: boolean }>`
      select id, member_id, version, cells, batch_id, visible from (
        select salary.id, salary.member_id, salary.version, salary.cells, salary.batch_id, ${visibleBatches(ctx)} as visible,
          rank() over (partition by salary.member_id order by title.month desc, title.id desc) as place
        from salary
        join batch on batch.company_id = salary.company_id and batch.id = salary.batch_id
        join title on title.company_id = batch.company_id and title.id = batch.title_id
        where salary.company_id = ${company_id} and salary.member_id = any(${people.slice(from, from + some_people)}::uuid[])
          and salary.status = any(${[...readable]}::text[]) and ${payable(ctx)}
          and title.kind = ${batch.title_kind} and title.month = any(${months}::text[]) and batch.id <> ${batch.id}) as newest
      where place = 1`.execute(db)
    for (const { visible, ...salary } of rows) {
      isUnseen ||= !visible
      await take(figures, salary, slipOf(vault, salary))
    }
    await setImmediate()
  }
  return figures.people().size > 0 ? { figures, isUnseen } : null
}

/** The last months before this one in which the company paid anything of this kind. */
async function monthsOf({ db, company_id }: Where, batch: BatchRow): Promise<string[]> {
  if (!batch.title_month || !batch.title_kind) return []
  const rows = await db
    .selectFrom('title')
    .select('month')
    .distinct()
    .where('company_id', '=', company_id)
    .where('kind', '=', batch.title_kind)
    .where('month', '<', batch.title_month)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('batch')
          .select('batch.id')
          .whereRef('batch.company_id', '=', 'title.company_id')
          .whereRef('batch.title_id', '=', 'title.id')
          .where('batch.status', 'in', ['sending', 'paused', 'sent']),
      ),
    )
    .orderBy('month', 'desc')
    .limit(runs_back)
    .execute()
  return rows.map(({ month }) => month)
}
