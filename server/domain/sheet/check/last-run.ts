/** Pay runs before this one: which they are, and what each person got then, to compare with. Only figures stay in memory. */
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { sealed_head } from '../../../runtime/secrets.ts'
import { payable } from '../../member/index.ts'
import { hasPaid, newestPaidTo, PaidSums, paidDigests, paidTo, paidWith, peoplePaid } from '../../pay/index.ts'
import { type BatchRow, visibleBatches } from '../access.ts'
import { openTitle } from '../names/words.ts'
import { Figures } from '../rules/check/history.ts'
import type { Totals } from '../rules/check/problems.ts'
import { decemberBefore, type EarlierKnown, monthBack, takerOf, usual_months } from './earlier-slips.ts'

type Where = Pick<Ctx, 'db' | 'me' | 'company_id' | 'vault'>
export type LastRun = Totals & { readonly title: string; readonly month: string; readonly figures: Figures }

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
    .where(hasPaid(company_id))
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
  const paid = new PaidSums()
  const batches = await db
    .selectFrom('batch')
    .select('batch.id')
    .where('batch.company_id', '=', company_id)
    .where('batch.title_id', '=', title.id)
    .where(visibleBatches(ctx))
    .execute()
  for (const { id } of batches)
    for await (const page of paidWith(ctx, id))
      for (const slip of page) {
        paid.add(slip.content)
        await take(figures, slip)
      }
  return {
    title: openTitle(vault, title.id, title.name) ?? '',
    month: title.month,
    people: figures.people().size,
    ...paid.sums,
    figures,
  }
}

/** Learns what some people got since a month, this batch's month included, in other batches. */
export async function learnEarlier(
  ctx: Where,
  batch: BatchRow,
  known: EarlierKnown,
  { people, since }: { readonly people: readonly string[]; readonly since: string },
): Promise<void> {
  const until = batch.title_month ?? ''
  if (people.length === 0 || until === '') return
  const runs = await runsOf(ctx)
    .select(['batch.id', 'title.month', 'title.kind', visibleBatches(ctx).as('visible')])
    .where('title.month', '>=', since)
    .where('title.month', '<=', until)
    .where('batch.id', '<>', batch.id)
    .execute()
  const ids = (visible: boolean) => runs.flatMap((run) => (run.visible === visible ? [run.id] : []))
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const take = takerOf(ctx)
  for await (const page of paidTo(ctx, people, ids(true)))
    for (const slip of page) {
      const run = runOf.get(slip.batch_id)
      if (run) await take(known.at(run.month, run.kind), slip)
    }
  for (const one of await peoplePaid(ctx, ids(false), { among: people })) known.partly.add(one)
}

/** People who already have a slip in the same title, from another batch. */
export async function alreadyPaid(ctx: Where, batch: BatchRow): Promise<ReadonlySet<string>> {
  if (!batch.title_id) return new Set()
  const others = await runsOf(ctx)
    .select('batch.id')
    .where('title.id', '=', batch.title_id)
    .where('batch.id', '<>', batch.id)
    .execute()
  return peoplePaid(
    ctx,
    others.map(({ id }) => id),
    { queued: true },
  )
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
  const months = await monthsOf(ctx, batch)
  if (months.length === 0 || people.length === 0 || !batch.title_kind) return null
  const batches = await runsOf(ctx)
    .select(['batch.id', 'title.id as title_id', visibleBatches(ctx).as('visible')])
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', 'in', months)
    .where('batch.id', '<>', batch.id)
    .orderBy('title.month', 'desc')
    .orderBy('title.id', 'desc')
    .execute()
  const unseen = new Set(batches.flatMap(({ id, visible }) => (visible ? [] : [id])))
  const runs = Map.groupBy(batches, ({ title_id }) => title_id)
  const figures = new Figures()
  const take = takerOf(ctx)
  let isUnseen = false
  const newest = [...runs.values()].map((run) => run.map(({ id }) => id))
  for await (const page of newestPaidTo(ctx, people, newest, payable(ctx)))
    for (const slip of page) {
      isUnseen ||= unseen.has(slip.batch_id)
      await take(figures, slip)
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
 * which slips count, and in which version.
 */
export async function paidDigest(ctx: Where, batch: BatchRow): Promise<string> {
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
  const slips = await paidDigests(
    ctx,
    near.map(({ id }) => id),
  )
  return JSON.stringify([runs, last, slips])
}
