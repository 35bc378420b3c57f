/** Pay runs before this one: what each person got then, to compare with. Reads salary, in pages; only figures stay in memory. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { paid, readable } from '../../../contract/states.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { sealed_head } from '../../../runtime/secrets.ts'
import { payable } from '../../member/index.ts'
import { type BatchRow, visibleBatches } from '../access.ts'
import { openTitle } from '../names/words.ts'
import { Figures } from '../rules/check/history.ts'
import type { Totals } from '../rules/check/problems.ts'
import { decemberBefore, type Earlier, monthBack, type Salary, slipOf, takerOf, usual_months } from './earlier-slips.ts'
import type { EarlierMonth } from './tax.ts'

type Where = Pick<Ctx, 'db' | 'me' | 'company_id' | 'vault'>
export type LastRun = Totals & { readonly title: string; readonly month: string; readonly figures: Figures }

const a_page = 500
/** People whose slips of some months are read at once. */
const some_people = 200

/** The slips of a batch, in the order of the sheet: as its index has them, so that no page looks at more than itself. */
async function* slipsOf({ db, company_id }: Where, batch_id: string): AsyncGenerator<Salary[]> {
  for (let after = 0; ; ) {
    const page = await db
      .selectFrom('salary')
      .select(['id', 'member_id', 'version', 'cells', 'batch_id', 'row_no'])
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch_id)
      .where('row_no', '>', after)
      .where('status', 'in', paid)
      .orderBy('row_no')
      .limit(a_page)
      .execute()
    yield page
    const last = page.at(-1)
    if (!last || page.length < a_page) return
    after = last.row_no
    await setImmediate()
  }
}

/** What the people of a batch are paid, slip by slip: where the totals of its sheet are not theirs. */
export async function paidSums(ctx: Where, batch_id: string): Promise<{ gross_fen: number | null; net_fen: number | null }> {
  const sums = { gross_fen: 0, net_fen: 0 }
  const known = { gross_fen: false, net_fen: false }
  for await (const page of slipsOf(ctx, batch_id))
    for (const salary of page) {
      const slip = slipOf(ctx.vault, salary)
      for (const field of ['gross_fen', 'net_fen'] as const) {
        sums[field] += slip[field] ?? 0
        known[field] ||= typeof slip[field] === 'number'
      }
    }
  return { gross_fen: known.gross_fen ? sums.gross_fen : null, net_fen: known.net_fen ? sums.net_fen : null }
}

const runsOf = ({ db, company_id }: Where) =>
  db
    .selectFrom('title')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'title.company_id').onRef('batch.title_id', '=', 'title.id'),
    )
    .where('title.company_id', '=', company_id)

/** The newest earlier title of the same kind and owner, as far as I may see it; null when there is none, or none was sent. */
async function lastTitle(ctx: Where, batch: BatchRow) {
  const { company_id } = ctx
  if (!batch.title_month || !batch.title_kind) return null
  const title = await runsOf(ctx)
    .select(['title.id', 'title.name', 'title.month'])
    .where('title.owner_id', '=', batch.owner_id)
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', '<', batch.title_month)
    .where(visibleBatches(ctx))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('salary')
          .select('salary.id')
          .where('salary.company_id', '=', company_id)
          .whereRef('salary.batch_id', '=', 'batch.id')
          .where('salary.status', 'in', paid),
      ),
    )
    .orderBy('title.month', 'desc')
    .orderBy('title.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return title ?? null
}

/** What was paid in it. */
export async function lastRun(ctx: Where, batch: BatchRow): Promise<LastRun | null> {
  const { db, company_id, vault } = ctx
  const title = await lastTitle(ctx, batch)
  if (!title) return null
  const figures = new Figures()
  const take = takerOf(ctx)
  const sums = { net_fen: 0, gross_fen: 0, tax_fen: 0 }
  const known = { net_fen: false, gross_fen: false, tax_fen: false }
  const batches = await db
    .selectFrom('batch')
    .select('batch.id')
    .where('batch.company_id', '=', company_id)
    .where('batch.title_id', '=', title.id)
    .where(visibleBatches(ctx))
    .execute()
  for (const { id } of batches)
    for await (const page of slipsOf(ctx, id))
      for (const salary of page) {
        const slip = slipOf(vault, salary)
        for (const field of ['net_fen', 'gross_fen', 'tax_fen'] as const) {
          const fen = slip[field]
          if (typeof fen !== 'number') continue
          sums[field] += fen
          known[field] = true
        }
        await take(figures, salary, slip)
      }
  return {
    title: openTitle(vault, title.id, title.name) ?? '',
    month: title.month,
    people: figures.people().size,
    net_fen: known.net_fen ? sums.net_fen : null,
    gross_fen: known.gross_fen ? sums.gross_fen : null,
    tax_fen: known.tax_fen ? sums.tax_fen : null,
    figures,
  }
}

/** What some people got since a month, this batch's month included, in other batches. */
export async function earlierMonths(ctx: Where, batch: BatchRow, people: readonly string[], since: string): Promise<Earlier> {
  const { db, company_id, vault } = ctx
  const months = new Map<string, EarlierMonth>()
  const partly = new Set<string>()
  const until = batch.title_month ?? ''
  if (people.length === 0 || until === '') return { months: [], partly }
  const take = takerOf(ctx)
  for (let from = 0; from < people.length; from += some_people) {
    const page = await db
      .selectFrom('salary')
      .innerJoin('batch', (join) =>
        join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
      )
      .innerJoin('title', (join) =>
        join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
      )
      .select(['salary.id', 'salary.member_id', 'salary.version', 'salary.cells', 'salary.batch_id', 'title.month', 'title.kind'])
      .select(visibleBatches(ctx).as('visible'))
      .where('salary.company_id', '=', company_id)
      .where('salary.member_id', 'in', people.slice(from, from + some_people))
      .where('salary.status', 'in', readable)
      .where('title.month', '>=', since)
      .where('title.month', '<=', until)
      .where('batch.id', '<>', batch.id)
      .execute()
    for (const salary of page) {
      if (!salary.visible) {
        partly.add(salary.member_id)
        continue
      }
      const kind = salary.kind
      const key = `${salary.month} ${kind}`
      const month = months.get(key) ?? { month: salary.month, kind, figures: new Figures() }
      months.set(key, month)
      await take(month.figures, salary, slipOf(vault, salary))
    }
    await setImmediate()
  }
  return { months: [...months.values()].toSorted((a, b) => (a.month < b.month ? 1 : -1)), partly }
}

/** People who already have a slip in the same title, from another batch. */
export async function alreadyPaid(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  batch: BatchRow,
): Promise<ReadonlySet<string>> {
  if (!batch.title_id) return new Set()
  const rows = await db
    .selectFrom('salary')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
    )
    .select('salary.member_id')
    .distinct()
    .where('salary.company_id', '=', company_id)
    .where('batch.title_id', '=', batch.title_id)
    .where('batch.id', '<>', batch.id)
    .where('salary.status', 'in', ['queued', ...readable])
    .execute()
  return new Set(rows.map((row) => row.member_id))
}

/** Runs of a kind that are gone through for each person; the newest with him in it counts. */
const runs_back = 3

export type CompanyRun = { readonly figures: Figures; readonly isUnseen: boolean }

/**
 * What the people of a sheet got last time, whoever of the company paid them: for the check of an administrator whose own earlier runs do not
 * speak for it. Their slips are the history: sealed with the company's key, corrected and withdrawn where they stand, and never a second copy.
 * Only people within his scope are asked for, in SQL; whether he may see the runs decides what the check says (`rules/check/beside-last`).
 */
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
          .where('batch.company_id', '=', company_id)
          .whereRef('batch.title_id', '=', 'title.id')
          .where('batch.status', 'in', ['sending', 'paused', 'sent']),
      ),
    )
    .orderBy('month', 'desc')
    .limit(runs_back)
    .execute()
  return rows.map(({ month }) => month)
}

/**
 * A digest of all that this file can say to a batch, as far as whoever asks may see it: the runs up to its month, and of those that are looked into
 * which slips count, and in which version. That somebody has looked at his slip changes nothing of it.
 */
export async function paidDigest(ctx: Where, batch: BatchRow): Promise<string> {
  const { db, company_id } = ctx
  const month = batch.title_month
  if (!month) return ''
  const runs = await runsOf(ctx)
    .select(['title.id as title_id', 'title.month', 'title.kind', 'title.owner_id', 'batch.id'])
    .select(visibleBatches(ctx).as('visible'))
    .select([
      sql<boolean>`batch.status in ('sending', 'paused', 'sent')`.as('is_out'),
      sql<string>`encode(substring(batch.understood from 1 for ${sealed_head}), 'hex')`.as('understood'),
      sql<string>`md5(title.name)`.as('name'),
    ])
    .where('title.month', '<=', month)
    .where('batch.id', '<>', batch.id)
    .orderBy('batch.id')
    .execute()
  const last = await lastTitle(ctx, batch)
  const months = new Set(await monthsOf(ctx, batch))
  const since = [monthBack(month, usual_months), decemberBefore(month)].toSorted()[0] ?? month
  const near = runs.filter((run) => run.month >= since || run.title_id === last?.id || months.has(run.month))
  const counts = sql`concat_ws(' ', row_no, member_id, version,
    case when status in ('queued', 'failed') then status else 'readable' end)`
  const slips = await db
    .selectFrom('salary')
    .select(['batch_id', sql<string>`concat(count(*), ' ', bit_xor(hashtextextended(${counts}, 0)))`.as('counted')])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${near.map(({ id }) => id)}::uuid[])`)
    .where('status', 'in', ['queued', ...paid])
    .groupBy('batch_id')
    .orderBy('batch_id')
    .execute()
  return JSON.stringify([runs, last, slips])
}
