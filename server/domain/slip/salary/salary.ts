/** One slip: as the employee sees it, with its story; correcting it; what was corrected. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { columnKeyOf } from '../../../contract/slip/payslip.ts'
import * as contract from '../../../contract/slip/slip.ts'
import { shownText } from '../../../rules/amounts.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { type Ctx, handle, invalid } from '../../../runtime/handle.ts'
import { payable } from '../../member/index.ts'
import { openContent, type SlipContent } from '../../pay/index.ts'
import { type BatchRow, batchOfSlips, layoutOf, renderSlip, signsOf, understoodOf } from '../../sheet/index.ts'
import { timelineOf } from '../rules/timeline.ts'
import { salaryFor, withdrawnPlace } from '../send/ledger.ts'
import { pastOf } from './past.ts'

/** A slip of this batch as the employee sees it. */
export function slipOf(
  ctx: Pick<Ctx, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'understood' | 'layout' | 'title_name' | 'title_month'>,
  content: SlipContent,
  who: { readonly name: string; readonly corp_name: string },
) {
  const understood = understoodOf(ctx, batch)
  return renderSlip({
    layout: layoutOf(ctx, batch, understood),
    columns: understood.columns,
    formula: understood.formula,
    cells: content.cells,
    title: batch.title_name ?? '',
    month: batch.title_month,
    ...who,
  })
}

export const getSalary = handle(contract.getSalary, async (ctx, { salary_id }) => {
  const { db, company_id, vault, me } = ctx
  const { salary, batch } = await salaryFor(ctx, salary_id, 'view')
  const member = await db
    .selectFrom('member')
    .select('name')
    .where('company_id', '=', company_id)
    .where('id', '=', salary.member_id)
    .executeTakeFirstOrThrow()

  const deliveries = await db
    .selectFrom('delivery')
    .select(['purpose', 'channel', 'status', 'code', 'message', 'created_at', 'done_at', 'delivered_at'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .execute()
  const changes = await db
    .selectFrom('salary_change')
    .select(['id', 'version', 'at', 'by_name as by', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .orderBy('id')
    .execute()
  const feedback = await db
    .selectFrom('feedback')
    .leftJoin('feedback_message', (join) =>
      join
        .onRef('feedback_message.company_id', '=', 'feedback.company_id')
        .onRef('feedback_message.feedback_id', '=', 'feedback.id'),
    )
    .select(['feedback.id', 'feedback_message.at', 'feedback_message.from_side'])
    .where('feedback.company_id', '=', company_id)
    .where('feedback.salary_id', '=', salary_id)
    .execute()
  const events = timelineOf({
    deliveries: deliveries.map((row) => ({ ...row, channel: row.channel, status: row.status })),
    changes: changes.map(({ id, reason, ...change }) => ({
      ...change,
      reason: vault.open<string>(changePlace(id, 'reason'), reason),
    })),
    viewed_at: salary.viewed_at,
    confirmed_at: salary.confirmed_at,
    confirmed_auto: salary.confirmed_auto,
    withdrawn_at: salary.withdrawn_at,
    withdrawn_reason: salary.withdrawn_reason && vault.open<string>(withdrawnPlace(batch.id), salary.withdrawn_reason),
    past: pastOf(ctx, batch.id, salary.past),
    feedback: feedback.flatMap(({ at, from_side: side }) => (at && side ? [{ at, side }] : [])),
  })
  const content = openContent(vault, salary)
  ctx.about({ batch_id: batch.id })
  return {
    slip: slipOf(ctx, batch, content, { name: member.name, corp_name: me.company_name }),
    status: salary.status,
    version: salary.version,
    timeline: events.map(({ at, ...event }) => ({ at: isoOf(at), ...event })),
    feedback_id: feedback[0]?.id ?? null,
  }
})

/** A correction of this batch as people read it: amounts in one spelling and with the sign that they have on the slip. */
function shownIn(ctx: Pick<Ctx, 'vault'>, batch: Pick<BatchRow, 'id' | 'understood' | 'layout'>) {
  const understood = understoodOf(ctx, batch)
  const signs = signsOf({ ...understood, layout: layoutOf(ctx, batch, understood) })
  const roles = new Map(understood.columns.map(({ key, role }) => [key, role]))
  return (key: string, { from, to }: Change): Change => {
    const column = columnKeyOf(key)
    const [role, sign] = [roles.get(column) ?? 'info', signs.get(column)]
    return { from: shownText(from, role, sign), to: shownText(to, role, sign) }
  }
}

export type Change = { readonly from: string; readonly to: string }
const slipChange = documentKind<Change>({
  kind: 'slip change',
  version: 1,
  schema: z.object({ from: z.string(), to: z.string() }),
})
export const sealChange = (vault: Ctx['vault'], id: string, change: Change): Buffer =>
  slipChange.seal(vault, changePlace(id), change)
export const changePlace = (id: string, column: 'change' | 'reason' | 'column_label' = 'change') => ({
  table: 'salary_change',
  row: id,
  column,
})

type Corrected = {
  readonly salary: { readonly id: string; readonly version: number }
  readonly batch: Parameters<typeof shownIn>[1]
}
/** What the latest correction of a slip changed. */
export const latestCorrection = async (
  ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  salary: Corrected['salary'],
  batch: Corrected['batch'],
) => (await latestCorrections(ctx, [{ salary, batch }])).get(salary.id) ?? null

/** The same of several slips, by their ids. */
export async function latestCorrections(ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>, slips: readonly Corrected[]) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('salary_change')
    .select(['id', 'salary_id', 'version', 'at', 'column_key', 'column_label', 'change', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${slips.map(({ salary }) => salary.id)}::uuid[])`)
    .orderBy('id')
    .execute()
  const bySlip = Map.groupBy(rows, ({ salary_id }) => salary_id)
  return new Map(
    slips.flatMap(({ salary, batch }) => {
      const mine = (bySlip.get(salary.id) ?? []).filter(({ version }) => version === salary.version)
      const [first] = mine
      if (!first) return []
      const shown = shownIn(ctx, batch)
      const changes = mine.map((row) => ({
        label: vault.open<string>(changePlace(row.id, 'column_label'), row.column_label),
        ...shown(row.column_key, slipChange.open(vault, changePlace(row.id), row.change)),
      }))
      const reason = vault.open<string>(changePlace(first.id, 'reason'), first.reason)
      return [[salary.id, { at: isoOf(first.at), reason, changes }] as const]
    }),
  )
}

/** Everything that was ever corrected of these slips, the first one first. */
export async function changesOf(
  ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  batch: Parameters<typeof shownIn>[1],
  slip_ids: readonly string[],
) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('salary_change')
    .select(['id', 'salary_id', 'version', 'at', 'by_name', 'column_key', 'column_label', 'change', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...slip_ids]}::uuid[])`)
    .orderBy('id')
    .execute()
  const shown = shownIn(ctx, batch)
  return rows.map((row) => ({
    salary_id: row.salary_id,
    version: row.version,
    at: row.at,
    by: row.by_name,
    column: vault.open<string>(changePlace(row.id, 'column_label'), row.column_label),
    reason: vault.open<string>(changePlace(row.id, 'reason'), row.reason),
    ...shown(row.column_key, slipChange.open(vault, changePlace(row.id), row.change)),
  }))
}

export const getSalaryModifyLog = handle(contract.getSalaryModifyLog, async (ctx, { salary_id, batch_id, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  if (!salary_id && !batch_id) throw invalid('batch_id', '请指定批次或工资条')
  const batch = salary_id ? (await salaryFor(ctx, salary_id, 'view')).batch : await batchOfSlips(ctx, batch_id ?? '', 'view')
  const shown = shownIn(ctx, batch)
  let some = db
    .selectFrom('salary_change')
    .innerJoin('salary', (join) =>
      join.onRef('salary.company_id', '=', 'salary_change.company_id').onRef('salary.id', '=', 'salary_change.salary_id'),
    )
    .where('salary_change.company_id', '=', company_id)
    .where(payable(ctx))
  some = salary_id
    ? some.where('salary_change.salary_id', '=', salary_id)
    : some.where('salary_change.batch_id', '=', batch_id ?? '')
  const { total } = await some.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await some
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'salary.company_id').onRef('member.id', '=', 'salary.member_id'),
    )
    .select([
      'salary_change.id',
      'at',
      'by_name',
      'member.name',
      'salary_change.version',
      'column_key',
      'column_label',
      'change',
      'reason',
    ])
    .orderBy('salary_change.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ at, by_name, column_key, column_label, change, reason, ...row }) => ({
      ...row,
      at: isoOf(at),
      by: by_name,
      column: vault.open<string>(changePlace(row.id, 'column_label'), column_label),
      reason: vault.open<string>(changePlace(row.id, 'reason'), reason),
      ...shown(column_key, slipChange.open(vault, changePlace(row.id), change)),
    })),
    page: { page, pagesize, total: Number(total) },
  }
})
