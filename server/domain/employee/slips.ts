/** My slips, and one of them. */
import { sql } from 'kysely'
import * as contract from '../../contract/own/employee.ts'
import { can, readable } from '../../contract/words/states.ts'
import type { SalaryStatus, TitleKind } from '../../contract/words/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import type { Tx } from '../../runtime/db.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { autoConfirmation } from '../company/index.ts'
import { holderOf, openContent, type SealedSlip, slipsOf } from '../pay/index.ts'
import { openTitle } from '../sheet/index.ts'
import { burnsAt, confirmsAt, latestCorrection, markViewed, rulesOf, threadOf, unreadAnswer } from '../slip/index.ts'
import { isClosed, isLocked, isUnopened, mustBeConfirmed, mySlip, ownRows, shownTo } from './my-slip.ts'
import { receiptOf } from './receipts.ts'

/** The slips of my own rows, with their batches and titles. */
export const slipsOfMine = (ctx: Ctx) =>
  slipsOf(ctx, ownRows(ctx.me))
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
    )
    .innerJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )

const note_ms = 62 * 86_400_000
/** What the list shows: what can be opened, and for two months a note in the place of what was given and withdrawn. */
export const listed = (ctx: Ctx) =>
  slipsOfMine(ctx).where((eb) =>
    eb.or([
      eb('salary.status', 'in', readable),
      eb.and([
        eb('salary.status', '=', 'withdrawn'),
        eb('salary.sent_at', 'is not', null),
        eb('salary.withdrawn_at', '>', new Date(ctx.now.getTime() - note_ms)),
      ]),
    ]),
  )

type Shown = { readonly viewed_at: Date | null; readonly rules: unknown }
/** Whether a slip of mine may be told of beside others: its batch wants no second proof first, it has not closed, and no look that closes it is due. */
export function isShown(ctx: Ctx, { rules: kept, viewed_at }: Shown): boolean {
  const rules = rulesOf(kept)
  return !isLocked(ctx, rules) && !isUnopened(rules, viewed_at) && !isClosed(ctx.now, rules, viewed_at)
}
const netOf = (ctx: Ctx, row: SealedSlip & Shown): number | null =>
  isShown(ctx, row) ? openContent(ctx.vault, row).net_fen : null
type ListedRow = Parameters<typeof netOf>[1] &
  Record<'sent_at' | 'corrected_at' | 'withdrawn_at', Date | null> & {
    readonly title_id: string
    readonly title: Buffer
    readonly month: string
    readonly status: SalaryStatus
    readonly answer_unread: unknown
  }
function lineOf(ctx: Ctx, row: ListedRow) {
  const rules = rulesOf(row.rules)
  const isWithdrawn = row.status === 'withdrawn'
  return {
    slip_id: row.id,
    title: openTitle(ctx.vault, row.title_id, row.title) ?? '',
    month: row.month,
    corp_name: ctx.me.company_name,
    status: row.status,
    sent_at: row.sent_at ? isoOf(row.sent_at) : null,
    corrected: row.corrected_at !== null,
    locked: isLocked(ctx, rules),
    net_fen: isWithdrawn ? null : netOf(ctx, row),
    withdrawn_at: isWithdrawn && row.withdrawn_at ? isoOf(row.withdrawn_at) : null,
    closed: isClosed(ctx.now, rules, row.viewed_at),
    burn_after_minutes: rules.burn_after_minutes,
    answer_unread: Boolean(row.answer_unread) && !isWithdrawn,
  }
}

export const getSlipList = handle(contract.getSlipList, async (ctx, { year, page, pagesize }) => {
  const { me } = ctx
  mustBeConfirmed(ctx)
  if (!me.member_id) return { list: [], page: { page, pagesize, total: 0 }, years: [] }
  const years = await listed(ctx)
    .select(sql<number>`left(title.month, 4)::int`.as('year'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('year')
    .orderBy('year', 'desc')
    .execute()
  const rows = await listed(ctx)
    .$if(year !== undefined, (query) => query.where('title.month', 'like', `${year}-%`))
    .select(['salary.id', 'salary.status', 'salary.version', 'salary.cells', 'salary.sent_at', 'salary.corrected_at'])
    .select(['salary.viewed_at', 'salary.withdrawn_at'])
    .select(['title.id as title_id', 'title.name as title', 'title.month', 'batch.rules'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('feedback')
          .select('feedback.id')
          .where('feedback.company_id', '=', ctx.company_id)
          .whereRef('feedback.salary_id', '=', 'salary.id')
          .where(unreadAnswer),
      ).as('answer_unread'),
    )
    .orderBy('title.month', 'desc')
    .orderBy('salary.sent_at', 'desc')
    .orderBy('salary.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => lineOf(ctx, row)),
    page: {
      page,
      pagesize,
      total: years.reduce((sum, one) => sum + (year === undefined || one.year === year ? Number(one.count) : 0), 0),
    },
    years: years.map((one) => one.year),
  }
})

export const getSlip = handle(contract.getSlip, async (ctx, { slip_id, opened = false }) => {
  const { now } = ctx
  const mine = await mySlip(ctx, slip_id, { closed: 'refused', opens: opened })
  const { salary, batch, rules } = mine
  if (salary.viewed_at === null && !(await markViewed(ctx, slip_id))) throw refuse('not_found')
  const shown = await shownTo(ctx, mine)
  const { member, slip, hash } = shown
  const last = await slipBefore(ctx, batch)
  const thread = await threadOf(ctx, slip_id)
  const closes_at = burnsAt(rules, salary.viewed_at ?? now)
  const isOpen = rules.confirm && !thread && can.confirm(salary.status) === true
  const confirms_at = isOpen ? confirmsAt(salary, await autoConfirmation(ctx)) : null
  ctx.about({ batch_id: batch.id, version: salary.version })
  return {
    slip_id,
    slip,
    hash,
    status: salary.status === 'sent' ? ('viewed' as const) : salary.status,
    version: salary.version,
    rules,
    sent_at: salary.sent_at ? isoOf(salary.sent_at) : null,
    corrected: salary.corrected_at ? await latestCorrection(ctx, salary, batch) : null,
    last: last && { month: last.month, net_fen: netOf(ctx, last) },
    confirmed_at: salary.confirmed_at ? isoOf(salary.confirmed_at) : null,
    confirmed_auto: salary.confirmed_auto,
    receipt: await receiptOf(ctx, salary, shown),
    feedback_id: thread?.id ?? null,
    answer_unread: thread?.answer_unread ?? false,
    closes_in_s: closes_at && Math.max(1, Math.ceil((closes_at.getTime() - now.getTime()) / 1000)),
    confirms_at: confirms_at && isoOf(confirms_at),
    pay_hide: member.pay_hide,
    watermark: rules.watermark ? `${member.name} ${member.mobile.slice(-4)}` : null,
  }
})

/** Whether this slip is one that this person of the company may open. */
export async function ownsSlip(tx: Tx, me: Ctx['me'], slip_id: string): Promise<boolean> {
  const member_id = await holderOf({ db: tx, company_id: me.company_id }, slip_id)
  return member_id !== null && ownRows(me).includes(member_id)
}

/** My slip of the same kind of the nearest earlier month. */
export async function slipBefore(ctx: Ctx, batch: { title_month: string | null; title_kind: TitleKind }) {
  if (!batch.title_month) return null
  const row = await slipsOfMine(ctx)
    .where('salary.status', 'in', readable)
    .select(['salary.id', 'salary.member_id', 'salary.version', 'salary.cells', 'salary.viewed_at', 'salary.batch_id'])
    .select(['batch.rules', 'batch.understood', 'batch.layout', 'title.id as title_id', 'title.name as title', 'title.month'])
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', '<', batch.title_month)
    .orderBy('title.month', 'desc')
    .orderBy('salary.sent_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}
