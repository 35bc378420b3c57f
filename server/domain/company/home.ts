/** Home: the month at a glance. Everything about slips is of the batches one may see (wall 3); who may see none gets people only. */
import { sql } from 'kysely'
import type { OutputOf } from '../../contract/call.ts'
import * as contract from '../../contract/corp/company.ts'
import { holds } from '../../contract/who.ts'
import { sum } from '../../contract/words/money.ts'
import { paid as slipsPaid } from '../../contract/words/states.ts'
import { isoOf, monthOf } from '../../runtime/clock.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { countPeople, payable, stillHere } from '../member/index.ts'
import { countsBeside, paidSums, slipsBeside } from '../pay/index.ts'
import { calledOf, totalsOf as checkedTotals, visibleBatches, visibleSlips, wholeBatches } from '../sheet/index.ts'

type Home = OutputOf<typeof contract.getIndex>

const nothing: Home['counts'] = { batches: 0, total: 0, sent: 0, viewed: 0 }

export const getIndex = handle(contract.getIndex, async (ctx) => {
  const { db, company_id, me, now } = ctx
  // Power 1 alone manages the company, not its pay: no batch, no amount.
  const pays = holds(me.power, ['2'])
  const { sms_left } = await db.selectFrom('company').select('sms_left').where('id', '=', company_id).executeTakeFirstOrThrow()
  return {
    month: monthOf(now),
    ...(pays ? await batchesOf(ctx) : { batches: [], counts: nothing }),
    todos: pays ? await todosOf(ctx) : [],
    trend: await trendOf(ctx, pays),
    members: await countPeople(ctx),
    sms_left,
  }
})

/** Months back from this one; `2026-11`, 1 → `2026-10`. */
export function monthBefore(month: string, count: number): string {
  const [year = 0, of_year = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, of_year - 1 - count, 1)).toISOString().slice(0, 7)
}

const most_shown = 20

/** What is unfinished, what was sent this month, and the last pay month (wages of October are sent in November), with their slips counted. */
function atHand(ctx: Seen) {
  const { db, company_id, now } = ctx
  const month = monthOf(now)
  const since = new Date(`${month}-01T00:00:00+08:00`)
  return db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .leftJoinLateral(countsBeside(company_id, { where: payable(ctx), stays: stillHere(company_id) }).as('slips'), (join) =>
      join.onTrue(),
    )
    .where('batch.company_id', '=', company_id)
    .where('batch.status', '<>', 'withdrawn')
    .where(visibleBatches(ctx))
    .where((eb) =>
      eb.or([
        eb('batch.status', 'in', ['draft', 'checked', 'scheduled', 'sending', 'paused']),
        eb('batch.sent_at', '>=', since),
        eb('title.month', '>=', monthBefore(month, 1)),
      ]),
    )
}

const countedAll = [
  sql<number>`count(*)::int`.as('batches'),
  sql<number>`coalesce(sum(coalesce(nullif(slips.total, 0), batch.people)), 0)::int`.as('total'),
  sql<number>`coalesce(sum(slips.sent), 0)::int`.as('sent'),
  sql<number>`coalesce(sum(slips.viewed), 0)::int`.as('viewed'),
]

async function batchesOf(ctx: Ctx): Promise<Pick<Home, 'batches' | 'counts'>> {
  const rows = await atHand(ctx)
    .select([
      'batch.id',
      'batch.file_name',
      'batch.status',
      'batch.people',
      'batch.updated_at',
      'batch.title_id',
      'batch.undo_until',
    ])
    .select(['title.name as title', 'title.month'])
    .select([
      'slips.total',
      'slips.sent',
      'slips.viewed',
      'slips.confirmed',
      'slips.feedback',
      'slips.failed',
      'slips.remindable',
    ])
    .orderBy('batch.created_at', 'desc')
    .orderBy('batch.id')
    .limit(most_shown)
    .execute()
  const batches = rows.map((row) => ({
    batch_id: row.id,
    title: calledOf(ctx.vault, row),
    month: row.month,
    status: row.status,
    soon: row.status === 'scheduled' && row.undo_until !== null,
    total: row.total || row.people,
    sent: row.sent ?? 0,
    viewed: row.viewed ?? 0,
    confirmed: row.confirmed ?? 0,
    feedback: row.feedback ?? 0,
    failed: row.failed ?? 0,
    remindable: row.remindable ?? 0,
    updated_at: isoOf(row.updated_at),
  }))
  const added = (pick: (batch: (typeof batches)[number]) => number) => sum(batches.map(pick))
  if (batches.length < most_shown)
    return {
      batches,
      counts: {
        batches: batches.length,
        total: added((one) => one.total),
        sent: added((one) => one.sent),
        viewed: added((one) => one.viewed),
      },
    }
  const all = await atHand(ctx).select(countedAll).executeTakeFirstOrThrow()
  return { batches, counts: all }
}

type Seen = Pick<Ctx, 'db' | 'company_id' | 'me' | 'now'>

/** What somebody sees at home, in counts only. */
export async function glanceOf(ctx: Seen) {
  const counts = await atHand(ctx).select(countedAll).executeTakeFirstOrThrow()
  const waiting = new Map<string, number>((await todosOf(ctx)).map(({ kind, count }) => [kind, count]))
  return {
    month: monthOf(ctx.now),
    people: await countPeople(ctx),
    batches: counts.batches,
    sent: counts.sent,
    viewed: counts.viewed,
    drafts: waiting.get('draft') ?? 0,
    failed: waiting.get('failed') ?? 0,
    feedback: waiting.get('feedback') ?? 0,
    unviewed: waiting.get('unviewed') ?? 0,
  }
}

const recent_ms = 31 * 86_400_000

type Todo = Home['todos'][number]['kind']
/** What waits for a hand; each with its batch when it is only one. Slips of long ago are not nagged about. */
export async function todosOf(ctx: Seen): Promise<Home['todos']> {
  const { db, company_id, now } = ctx
  const mine = db.selectFrom('batch').where('batch.company_id', '=', company_id).where(visibleBatches(ctx))
  const one = sql<string | null>`case when count(distinct batch.id) = 1 then min(batch.id::text) end`.as('batch_id')
  const drafts = mine
    .select([sql<Todo>`'draft'`.as('kind'), sql<number>`count(*)`.as('count'), one, sql<number>`0`.as('late')])
    .where('batch.status', 'in', ['draft', 'checked'])
  const recent = mine
    .where('batch.status', 'in', ['sending', 'paused', 'sent'])
    .where(sql<boolean>`coalesce(batch.sent_at, batch.updated_at) > ${new Date(now.getTime() - recent_ms)}`)
  const waiting = (batches: typeof mine, kind: Todo, which: Pick<Parameters<typeof slipsBeside>[1], 'statuses' | 'asking'>) =>
    batches
      .innerJoinLateral(slipsBeside(company_id, { where: payable(ctx), ...which }).as('slip'), (join) => join.onTrue())
      .select([sql<Todo>`${kind}::text`.as('kind'), sql<number>`count(*)`.as('count'), one])
      .select(sql<number>`count(*) filter (where slip.answer_due < ${now})`.as('late'))
  const failed = waiting(recent, 'failed', { statuses: ['failed'] })
  const unviewed = waiting(recent, 'unviewed', { statuses: ['sent'] })
  const feedback = waiting(mine, 'feedback', { asking: true })
  const rows = await drafts.unionAll(failed).unionAll(feedback).unionAll(unviewed).execute()
  return rows
    .filter((row) => row.count > 0)
    .map(({ late, ...row }) => ({
      ...row,
      ...(late > 0 ? { late: Number(late) } : {}),
    }))
}

const unknown = { gross_fen: null, net_fen: null }
/** Slips that home opens to add them up, where the totals of their sheets are not those of the people who got them. */
const most_opened = 2_000

/** The last six months with slips sent, oldest first: people, counted once a month, and the pay of exactly these people. */
async function trendOf(ctx: Ctx, pays: boolean): Promise<Home['trend']> {
  const { db, company_id } = ctx
  const paid = db
    .selectFrom('batch')
    .innerJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .innerJoinLateral(
      slipsBeside(company_id, { where: pays ? visibleSlips(ctx) : sql<boolean>`true`, statuses: slipsPaid }).as('slip'),
      (join) => join.onTrue(),
    )
    .where('batch.company_id', '=', company_id)
    .where('batch.status', 'in', ['sending', 'paused', 'sent'])
  const months = await paid
    .select(['title.month', sql<number>`count(distinct slip.member_id)`.as('people')])
    .groupBy('title.month')
    .orderBy('title.month', 'desc')
    .limit(6)
    .execute()
  const since = months.at(-1)?.month
  const batches =
    pays && since
      ? await paid
          .select(['batch.id', 'title.month', 'batch.totals', wholeBatches(ctx).as('is_whole')])
          .select([sql<number>`count(*)::int`.as('slips'), sql<boolean>`bool_or(slip.version > 1)`.as('is_corrected')])
          .where('title.month', '>=', since)
          .groupBy(['batch.company_id', 'batch.id', 'batch.status', 'title.month'])
          .execute()
      : []
  const totals = await totalsOf(ctx, batches)
  return months.toReversed().map(({ month, people }) => {
    const ofMonth = totals.filter((entry) => entry.month === month)
    // A sum that leaves a batch out would be a wrong figure; then there is none.
    const all = (values: (number | null)[]) =>
      values.length > 0 && values.every((value) => value !== null) ? sum(values.map(Number)) : null
    return { month, people, gross_fen: all(ofMonth.map((t) => t.gross_fen)), net_fen: all(ofMonth.map((t) => t.net_fen)) }
  })
}

type Paid = {
  readonly id: string
  readonly month: string
  readonly totals: Buffer | null
  readonly is_whole: boolean
  readonly slips: number
  readonly is_corrected: boolean
}
/** What the people got who were paid: as their sheet was checked, where that was all of them; else slip by slip. */
async function totalsOf(ctx: Ctx, batches: readonly Paid[]) {
  const all: { month: string; gross_fen: number | null; net_fen: number | null }[] = []
  let room = most_opened
  for (const { id, month, totals, is_whole, slips, is_corrected } of batches) {
    const sheet = checkedTotals(ctx, { id, totals })
    // Of a batch with people out of my scope the sum would tell what I may not see.
    if (!is_whole || !sheet) all.push({ month, ...unknown })
    else if (sheet.people === slips && !is_corrected) all.push({ month, gross_fen: sheet.gross_fen, net_fen: sheet.net_fen })
    else if (slips > room) all.push({ month, ...unknown })
    else {
      room -= slips
      const { gross_fen, net_fen } = await paidSums(ctx, id)
      all.push({ month, gross_fen, net_fen })
    }
  }
  return all
}
