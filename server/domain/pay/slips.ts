/** The slips of a company in other subjects' queries. Whose slips these are is for whoever asks to say: scope, share or person. */
import { type RawBuilder, sql } from 'kysely'
import { figureStatuses, paid, readable, type SlipFigure } from '../../contract/words/states.ts'
import type { SalaryStatus } from '../../contract/words/words.ts'
import type { Ctx } from '../../runtime/handle.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>

/** For queries on `salary`, grouped by batch: the figures of slips, as everybody is shown them. */
export const countSlips = (figure: SlipFigure): RawBuilder<number> =>
  sql<number>`(count(*) filter (where salary.status = any(${[...figureStatuses[figure]]}::text[])))::int`
/** The same, of those with an open question. */
export const countAsking = sql<number>`(count(*) filter (where salary.has_feedback and salary.status <> 'withdrawn'))::int`

/** For queries on `batch`: whether a slip of it went further than a plan for which `where` holds, a condition on `salary`. */
export const hasPlanned = (company_id: string, where: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from salary where salary.company_id = ${company_id} and salary.batch_id = batch.id
    and salary.status <> 'waiting' and ${where})`

/** For queries on `batch`: whether anybody was paid with it for whom `where` holds, a condition on `salary`. */
export const hasPaid = (company_id: string, where: RawBuilder<boolean> = sql<boolean>`true`): RawBuilder<boolean> =>
  sql<boolean>`exists (select from salary where salary.company_id = ${company_id} and salary.batch_id = batch.id
    and salary.status = any(${[...paid]}::text[]) and ${where})`

/** A person's slips, of all rows that the roster has of him, whatever became of them; nobody's where it is not clear who asks. */
export const slipsOf = ({ db, company_id }: Here, member_ids: readonly string[]) =>
  db
    .selectFrom('salary')
    .where('salary.company_id', '=', company_id)
    .where('salary.member_id', '=', sql<string>`any(${member_ids}::uuid[])`)

/** Whether a person ever had one. */
export async function hasSlips(ctx: Here, member_id: string): Promise<boolean> {
  return (await slipsOf(ctx, [member_id]).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Whose a slip is that can be opened; null where there is none. */
export async function holderOf({ db, company_id }: Here, salary_id: string): Promise<string | null> {
  const slip = await db
    .selectFrom('salary')
    .select('member_id')
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', 'in', readable)
    .executeTakeFirst()
  return slip?.member_id ?? null
}

/** What became of a slip: its present version and how it stands; null where there is none. Nothing of what it says. */
export const slipNow = async (
  { db, company_id }: Here,
  salary_id: string,
): Promise<{ readonly version: number; readonly status: SalaryStatus } | null> =>
  (await db
    .selectFrom('salary')
    .select(['version', 'status'])
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .executeTakeFirst()) ?? null

type Which = {
  /** Whose: a condition on `salary`. */
  readonly where: RawBuilder<boolean>
  readonly statuses?: readonly SalaryStatus[]
  /** Only those with an open question. */
  readonly asking?: boolean
}
/** To join laterally in queries on `batch`: its slips, a row each. */
export const slipsBeside = (
  company_id: string,
  { where, statuses, asking = false }: Which,
): RawBuilder<{ member_id: string; version: number; answer_due: Date | null }> => sql`(
  select salary.member_id, salary.version, salary.answer_due from salary
  where salary.company_id = ${company_id} and salary.batch_id = batch.id
    ${statuses ? sql`and salary.status = any(${[...statuses]}::text[])` : sql``} ${asking ? sql`and salary.has_feedback` : sql``} and ${where})`

type Counted = Record<'total' | 'sent' | 'viewed' | 'confirmed' | 'feedback' | 'failed' | 'remindable', number>
type Whose = { readonly where: RawBuilder<boolean>; readonly stays: RawBuilder<boolean> }
/**
 * To join laterally in queries on `batch`: its slips for which `where` holds, counted. `remindable`: those not looked at, of who gets messages
 * and `stays`.
 */
export const countsBeside = (company_id: string, { where, stays }: Whose): RawBuilder<Counted> => sql`(
  select count(*)::int as total, ${countSlips('sent')} as sent, ${countSlips('viewed')} as viewed, ${countSlips('confirmed')} as confirmed,
    ${countAsking} as feedback, ${countSlips('failed')} as failed,
    (count(*) filter (where salary.status = 'sent' and salary.channel <> 'link' and ${stays}))::int as remindable
  from salary where salary.company_id = ${company_id} and salary.batch_id = batch.id and ${where})`
