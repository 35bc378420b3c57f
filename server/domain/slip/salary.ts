/** One slip: as the employee sees it, with its story; correcting it; what was corrected. */
import { moneyRoles } from '../../contract/column-roles.ts'
import * as contract from '../../contract/slip.ts'
import { can } from '../../contract/states.ts'
import type { Channel, DeliveryStatus } from '../../contract/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { payable } from '../member/index.ts'
import { type BatchRow, batchOfSlips, cellOfText, layoutOf, type RowCell, renderSlip, understoodOf } from '../sheet/index.ts'
import { announce, contentPlace, lockedSalary, mustHaveBegun, type SlipContent, salaryFor, withdrawnPlace } from './ledger.ts'
import { timelineOf } from './rules/timeline.ts'

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
    .select(['purpose', 'channel', 'status', 'message', 'created_at', 'done_at'])
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
    deliveries: deliveries.map((row) => ({ ...row, channel: row.channel as Channel, status: row.status as DeliveryStatus })),
    changes: changes.map(({ id, reason, ...change }) => ({
      ...change,
      reason: vault.openText(changePlace(id, 'reason'), reason),
    })),
    viewed_at: salary.viewed_at,
    confirmed_at: salary.confirmed_at,
    confirmed_auto: salary.confirmed_auto,
    withdrawn_at: salary.withdrawn_at,
    withdrawn_reason: salary.withdrawn_reason && vault.openText(withdrawnPlace(batch.id), salary.withdrawn_reason),
    feedback: feedback.flatMap((row) => (row.at ? [{ at: row.at, side: row.from_side as 'employee' | 'admin' }] : [])),
  })
  const content = vault.open<SlipContent>(contentPlace(salary.id, salary.version), salary.cells)
  ctx.about({ batch_id: batch.id })
  return {
    slip: slipOf(ctx, batch, content, { name: member.name, corp_name: me.company_name }),
    status: salary.status,
    version: salary.version,
    timeline: events.map(({ at, ...event }) => ({ at: isoOf(at), ...event })),
    feedback_id: feedback[0]?.id ?? null,
  }
})

export type Change = { readonly from: string; readonly to: string }
export const changePlace = (id: string, column: 'change' | 'reason' | 'column_label' = 'change') => ({
  table: 'salary_change',
  row: id,
  column,
})

export const editSalaryDetail = handle(contract.editSalaryDetail, async (ctx, { salary_id, cells: asked, reason }) => {
  const { db, company_id, vault, now, me } = ctx
  const { salary, batch } = await lockedSalary(ctx, salary_id)
  if (salary.status === 'waiting') throw refuse('wrong_state', '还没有发送，请回到「核对」修改表格', { status: salary.status })
  must(can.edit(salary.status), { status: salary.status })
  mustHaveBegun(batch)

  const understood = understoodOf(ctx, batch)
  const labels = new Map(layoutOf(ctx, batch, understood).sort_list.map((item) => [item.key, item.value]))
  const columns = new Map(understood.columns.map((column) => [column.key, column]))
  const before = vault.open<SlipContent>(contentPlace(salary_id, salary.version), salary.cells)
  const cells: Record<string, RowCell> = { ...before.cells }
  const changes: { key: string; label: string; change: Change }[] = []
  for (const { key, value } of asked) {
    const column = columns.get(key)
    if (!column) throw invalid('cells', '这张工资表没有这一列，请刷新后重试')
    const label = labels.get(key) ?? column.label
    const cell = cellOfText(value, column.role)
    if (cell && moneyRoles.has(column.role) && cell.fen === undefined)
      throw invalid('cells', `「${label}」应填写金额，例如 8333.33`)
    if (!cell && column.role === 'net') throw invalid('cells', `「${label}」是实发工资，不能为空`)
    const from = cells[key]?.value ?? ''
    if ((cell?.value ?? '') === from) continue
    if (cell) cells[key] = cell
    else delete cells[key]
    changes.push({ key, label, change: { from, to: cell?.value ?? '' } })
  }
  if (changes.length === 0) throw invalid('cells', '没有任何改动')
  const fenOf = (role: string): number | null => {
    const column = understood.columns.find((one) => one.role === role)
    return column ? (cells[column.key]?.fen ?? null) : null
  }
  const version = salary.version + 1
  const content: SlipContent = { cells, net_fen: fenOf('net'), gross_fen: fenOf('gross'), tax_fen: fenOf('tax') }
  // Somebody may have read the former version: he is told, and what he confirmed no longer counts.
  const handedOver = salary.status !== 'queued' && salary.status !== 'failed'
  const anew = {
    status: 'sent',
    viewed_at: null,
    confirmed_at: null,
    confirmed_version: null,
    confirmed_auto: false,
    signature: null,
    corrected_at: now,
  } as const
  const updated = await db
    .updateTable('salary')
    .set({ version, cells: vault.seal(contentPlace(salary_id, version), content), ...(handedOver ? anew : {}) })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('version', '=', salary.version)
    .where('status', '=', salary.status)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n) throw refuse('wrong_state', undefined, { status: salary.status })
  await db
    .insertInto('salary_change')
    .values(
      changes.map(({ key, label, change }) => {
        const id = newId()
        return {
          company_id,
          id,
          salary_id,
          batch_id: batch.id,
          version,
          by_admin: me.admin_id,
          by_name: me.name,
          at: now,
          column_key: key,
          column_label: vault.seal(changePlace(id, 'column_label'), label),
          change: vault.seal(changePlace(id), change),
          reason: vault.seal(changePlace(id, 'reason'), reason),
        }
      }),
    )
    .execute()
  if (handedOver) await announce(ctx, batch, salary, 'corrected')
  ctx.about({ batch_id: batch.id, version, columns: changes.length })
  return { version }
})

export const getSalaryModifyLog = handle(contract.getSalaryModifyLog, async (ctx, { salary_id, batch_id, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  if (salary_id) await salaryFor(ctx, salary_id, 'view')
  else if (batch_id) await batchOfSlips(ctx, batch_id, 'view')
  else throw invalid('batch_id', '请指定批次或工资条')
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
    .select(['salary_change.id', 'at', 'by_name', 'member.name', 'salary_change.version', 'column_label', 'change', 'reason'])
    .orderBy('salary_change.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ at, by_name, column_label, change, reason, ...row }) => ({
      ...row,
      at: isoOf(at),
      by: by_name,
      column: vault.openText(changePlace(row.id, 'column_label'), column_label),
      reason: vault.openText(changePlace(row.id, 'reason'), reason),
      ...vault.open<Change>(changePlace(row.id), change),
    })),
    page: { page, pagesize, total: Number(total) },
  }
})
