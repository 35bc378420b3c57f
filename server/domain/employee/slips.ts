/** My slips, and one of them. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as contract from '../../contract/employee.ts'
import { readable } from '../../contract/states.ts'
import type { ColumnRole, SalaryStatus } from '../../contract/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { openTitle, shownText, understoodOf } from '../sheet/index.ts'
import { type Change, changePlace, contentPlace, markViewed, rulesOf, type SlipContent, slipOf } from '../slip/index.ts'
import { isLocked, mustBeConfirmed, mySlip } from './my-slip.ts'

/** For queries on `salary` and `batch`: not closed after its first look. */
const notBurnt = (
  now: Date,
) => sql<boolean>`(salary.viewed_at is null or coalesce((batch.rules ->> 'burn_after_minutes')::int, 0) = 0
  or salary.viewed_at + make_interval(mins => (batch.rules ->> 'burn_after_minutes')::int) > ${now})`

const mine = ({ db, company_id, me, now }: Ctx) =>
  db
    .selectFrom('salary')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
    )
    .innerJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .where('salary.company_id', '=', company_id)
    // Nobody's, where it is not clear that this is his row.
    .where('salary.member_id', '=', me.unconfirmed ? null : me.member_id)
    .where('salary.status', 'in', readable)
    .where(notBurnt(now))

/** The net pay of a slip of mine beside others; null where its batch wants a second proof first. */
const netOf = (ctx: Ctx, row: { id: string; version: number; cells: Buffer; rules: unknown }): number | null =>
  isLocked(ctx, rulesOf(row.rules)) ? null : ctx.vault.open<SlipContent>(contentPlace(row.id, row.version), row.cells).net_fen

export const getSlipList = handle(contract.getSlipList, async (ctx, { year, page, pagesize }) => {
  const { me } = ctx
  mustBeConfirmed(ctx)
  if (!me.member_id) return { list: [], page: { page, pagesize, total: 0 }, years: [] }
  const years = await mine(ctx)
    .select(sql<number>`left(title.month, 4)::int`.as('year'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('year')
    .orderBy('year', 'desc')
    .execute()
  const rows = await mine(ctx)
    .$if(year !== undefined, (query) => query.where('title.month', 'like', `${year}-%`))
    .select(['salary.id', 'salary.status', 'salary.version', 'salary.cells', 'salary.sent_at', 'salary.corrected_at'])
    .select(['title.id as title_id', 'title.name as title', 'title.month', 'batch.rules'])
    .orderBy('title.month', 'desc')
    .orderBy('salary.sent_at', 'desc')
    .orderBy('salary.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => ({
      slip_id: row.id,
      title: openTitle(ctx.vault, row.title_id, row.title) ?? '',
      month: row.month,
      corp_name: me.company_name,
      status: row.status as SalaryStatus,
      sent_at: row.sent_at ? isoOf(row.sent_at) : null,
      corrected: row.corrected_at !== null,
      locked: isLocked(ctx, rulesOf(row.rules)),
      net_fen: netOf(ctx, row),
    })),
    page: {
      page,
      pagesize,
      total: years.reduce((sum, one) => sum + (year === undefined || one.year === year ? Number(one.count) : 0), 0),
    },
    years: years.map((one) => one.year),
  }
})

export const getSlip = handle(contract.getSlip, async (ctx, { slip_id }) => {
  const { db, company_id, me } = ctx
  const { salary, batch, rules, content } = await mySlip(ctx, slip_id)
  if (salary.viewed_at === null && !(await markViewed(ctx, slip_id))) throw refuse('not_found')
  const member = await db
    .selectFrom('member')
    .select(['name', 'mobile', 'pay_hide'])
    .where('company_id', '=', company_id)
    .where('id', '=', salary.member_id)
    .executeTakeFirstOrThrow()
  const thread = await db
    .selectFrom('feedback')
    .select('id')
    .where('company_id', '=', company_id)
    .where('salary_id', '=', slip_id)
    .executeTakeFirst()
  ctx.about({ batch_id: batch.id, version: salary.version })
  return {
    slip_id,
    slip: slipOf(ctx, batch, content, { name: member.name, corp_name: me.company_name }),
    status: salary.status === 'sent' ? ('viewed' as const) : salary.status,
    version: salary.version,
    rules,
    sent_at: salary.sent_at ? isoOf(salary.sent_at) : null,
    corrected: salary.corrected_at ? await correction(ctx, salary, understoodOf(ctx, batch).columns) : null,
    last: await before(ctx, batch),
    confirmed_at: salary.confirmed_at ? isoOf(salary.confirmed_at) : null,
    confirmed_auto: salary.confirmed_auto,
    receipt: salary.confirmed_at ? receiptOf(ctx, { ...salary, confirmed_at: salary.confirmed_at }, content) : null,
    feedback_id: thread?.id ?? null,
    pay_hide: member.pay_hide,
    watermark: rules.watermark ? `${member.name} ${member.mobile.slice(-4)}` : null,
  }
})

/** What the latest correction changed. */
async function correction(
  { db, company_id, vault }: Ctx,
  salary: { id: string; version: number },
  columns: readonly { key: string; role: ColumnRole }[],
) {
  const rows = await db
    .selectFrom('salary_change')
    .select(['id', 'at', 'column_key', 'column_label', 'change', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary.id)
    .where('version', '=', salary.version)
    .orderBy('id')
    .execute()
  const [first] = rows
  if (!first) return null
  const changes = rows.map((row) => {
    const role = columns.find(({ key }) => key === row.column_key)?.role ?? 'info'
    const { from, to } = vault.open<Change>(changePlace(row.id), row.change)
    return {
      label: vault.openText(changePlace(row.id, 'column_label'), row.column_label),
      from: shownText(from, role),
      to: shownText(to, role),
    }
  })
  return { at: isoOf(first.at), reason: vault.openText(changePlace(first.id, 'reason'), first.reason), changes }
}

/** My slip of the same kind of the nearest earlier month. */
async function before(ctx: Ctx, batch: { title_month: string | null; title_kind: string }) {
  if (!batch.title_month) return null
  const row = await mine(ctx)
    .select(['salary.id', 'salary.version', 'salary.cells', 'title.month', 'batch.rules'])
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', '<', batch.title_month)
    .orderBy('title.month', 'desc')
    .orderBy('salary.sent_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? { month: row.month, net_fen: netOf(ctx, row) } : null
}

/**
 * What a confirmation is proven by: a signature with the company's key over the slip, its version, its content and the moment. It tells
 * no amount, and another content or moment gives another one.
 */
export function receiptOf(
  { vault }: Pick<Ctx, 'vault'>,
  salary: { id: string; version: number; confirmed_at: Date; confirmed_auto?: boolean },
  content: SlipContent,
): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url')
  // What confirmed itself never has the receipt of what a person confirmed.
  const kind = salary.confirmed_auto ? 'receipt-auto' : 'receipt'
  return vault.sign(`${kind}|${salary.id}|${salary.version}|${hash}|${salary.confirmed_at.toISOString()}`)
}
