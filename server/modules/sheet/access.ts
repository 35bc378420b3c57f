/** Who may see and change a batch, and the one way its status changes. Writes batch. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { SendOptions } from '../../contract/payslips/send.ts'
import type { BatchStatus, TitleKind } from '../../contract/shared/schemas.ts'
import { canTransition } from '../../contract/shared/statuses.ts'
import type { Batch } from '../../database/tables.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { fail } from '../../http/handler.ts'
import { canManageAllMembers, canManageDepartments, getAdminMemberName, isPayablePayslip } from '../member/index.ts'
import { hasPaidPayslips, hasPlannedPayslips } from '../pay/index.ts'
import { openFileName, openTitle } from './names/sealed-names.ts'

export type SheetContext = Pick<HandlerContext, 'db' | 'currentUser' | 'company_id'>
/** What is known of somebody by whom it is decided what he may see. */
export type ViewerAccess = Pick<HandlerContext['currentUser'], 'power' | 'admin_id' | 'scope'>
/** Who opens what is sealed, too. */
type SheetVaultContext = SheetContext & Pick<HandlerContext, 'vault'>
/** A batch with the title it belongs to. */
export type BatchRow = Omit<Selectable<Batch>, 'status' | 'file_name'> & {
  readonly status: BatchStatus
  readonly file_name: string
  readonly title_name: string | null
  readonly title_month: string | null
  readonly title_kind: TitleKind | null
}

/**
 * For queries on `batch`: those I own, those whose title is shared with me, all of them for power 4. `need: 'manage'` leaves out what
 * is shared for reading only. The company is the caller's own condition.
 */
export function visibleBatches(
  {
    currentUser,
    company_id,
  }: { readonly currentUser: Pick<SheetContext['currentUser'], 'power' | 'admin_id'>; readonly company_id: string },
  need: 'view' | 'manage' = 'view',
): RawBuilder<boolean> {
  if (currentUser.power.includes('4')) return sql<boolean>`true`
  const rights = need === 'view' ? ['view', 'manage'] : ['manage']
  return sql<boolean>`(batch.owner_id = ${currentUser.admin_id} or exists (
    select from title_share where title_share.company_id = ${company_id} and title_share.title_id = batch.title_id
      and title_share.admin_id = ${currentUser.admin_id} and title_share.rights = any(${rights}::text[])))`
}

/** For queries on `salary` joined with `batch`: owner, share and present scope, the three that every call on slips asks for. */
export const visiblePayslips = (
  ctx: Pick<SheetContext, 'currentUser' | 'company_id'>,
  need: 'view' | 'manage' = 'view',
): RawBuilder<boolean> => sql<boolean>`(${visibleBatches(ctx, need)} and ${isPayablePayslip(ctx)})`

/**
 * For queries on `batch`: everybody in it is still within my scope. What shows a batch as a whole (the sheet, its file, its sums) asks for
 * this; slips that were only planned do not count, they are made anew from the sheet. A draft has none: it is for whoever keeps at least as
 * much as the person did who brought the sheet, when he brought it.
 */
export const batchesInFullScope = (ctx: Pick<SheetContext, 'currentUser' | 'company_id'>): RawBuilder<boolean> =>
  canManageAllMembers(ctx)
    ? sql<boolean>`true`
    : sql<boolean>`(case when batch.status in ('draft', 'checked')
    then not batch.scope_all and ${canManageDepartments(ctx, sql`batch.scope_ids`)}
    else not ${hasPlannedPayslips(ctx.company_id, sql<boolean>`not ${isPayablePayslip(ctx)}`)} end)`

/** For whoever asks further: the batches of pay runs of these months, both included, whoever may see them. */
const selectBatchesOfMonths = (ctx: Pick<SheetContext, 'db' | 'company_id'>, from: string, to: string) =>
  ctx.db
    .selectFrom('title')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'title.company_id').onRef('batch.title_id', '=', 'title.id'),
    )
    .select(['batch.id', 'title.month'])
    .where('title.company_id', '=', ctx.company_id)
    .where('title.month', '>=', from)
    .where('title.month', '<=', to)

/** The batches of pay runs of these months, both included, that I may see. */
export const listVisibleBatches = (ctx: SheetContext, from: string, to: string): Promise<{ id: string; month: string }[]> =>
  selectBatchesOfMonths(ctx, from, to).where(visibleBatches(ctx)).execute()

/**
 * The batches of pay runs of these months, both included, with which somebody was paid: those that I may see and in which there is somebody of mine, or
 * (`all`) every one, for figures that tell nobody apart.
 */
export const listPaidBatches = (
  ctx: Pick<SheetContext, 'db' | 'company_id'> & { readonly currentUser: ViewerAccess },
  { from, to, all }: { from: string; to: string; all: boolean },
) =>
  selectBatchesOfMonths(ctx, from, to)
    .where(all ? sql<boolean>`true` : visibleBatches(ctx))
    .where(hasPaidPayslips(ctx.company_id, all ? sql<boolean>`true` : isPayablePayslip(ctx)))
    .orderBy('title.month')
    .orderBy('batch.id')
    .execute()

/** The batch as a whole, with its sheet: refused where somebody in it is out of my scope by now. Otherwise as `requireBatchForPayslips`. */
export async function requireBatch(ctx: SheetVaultContext, batch_id: string, need: 'view' | 'manage'): Promise<BatchRow> {
  const { is_whole, ...batch } = await findBatch(ctx, batch_id, need)
  if (!is_whole)
    throw fail(
      'not_permitted',
      batch.status === 'draft' || batch.status === 'checked'
        ? '上传这张工资表的人当时管理的部门比您现在多，表里可能有您不管理的员工，不对您显示；请按现在的范围重新上传，这份草稿可以删除'
        : '这一批里有您已不管理的部门的员工，整张工资表不再对您显示；仍在您范围内的工资条可以在工资条详情里查看',
    )
  return batch
}

/**
 * The batch behind slips, or `not_found`: foreign, out of reach and never made are answered alike. Whose slips it opens is for the caller
 * to ask (`visiblePayslips`, `isPayablePayslip`). `manage` also locks it until the transaction ends, so that two administrators do not change it at
 * the same time.
 */
export async function requireBatchForPayslips(
  ctx: SheetVaultContext,
  batch_id: string,
  need: 'view' | 'manage',
): Promise<BatchRow> {
  const { is_whole: _, ...batch } = await findBatch(ctx, batch_id, need)
  return batch
}

async function findBatch(
  ctx: SheetVaultContext,
  batch_id: string,
  need: 'view' | 'manage',
): Promise<BatchRow & { is_whole: boolean }> {
  const row = await ctx.db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .selectAll('batch')
    .select(['title.name as title_name', 'title.month as title_month', 'title.kind as title_kind'])
    .select([visibleBatches(ctx, 'manage').as('may_manage'), batchesInFullScope(ctx).as('is_whole')])
    .where('batch.company_id', '=', ctx.company_id)
    .where('batch.id', '=', batch_id)
    .where(visibleBatches(ctx))
    .$if(need === 'manage', (query) => query.forNoKeyUpdate('batch'))
    .executeTakeFirst()
  if (!row) throw fail('not_found')
  const { may_manage, file_name, title_name, ...batch } = row
  if (need === 'manage' && !may_manage) throw fail('not_permitted', '这一批是共享给您查看的，不能修改；请联系共享给您的人')
  return {
    ...batch,
    file_name: openFileName(ctx.vault, batch.id, file_name),
    title_name: openTitle(ctx.vault, batch.title_id, title_name),
  }
}

export type BatchFields = Partial<
  Pick<
    Selectable<Batch>,
    'scheduled_at' | 'undo_until' | 'sent_at' | 'withdrawn_at' | 'withdrawn_reason' | 'people' | 'totals'
  > & {
    /** JSON text of the rules that the plan froze. */
    rules: string
  }
>

/** Compare and set: false when the batch is in none of the `from` states any more, and then nothing was changed. */
export async function setBatchStatus(
  { db, company_id, now }: Pick<HandlerContext, 'db' | 'company_id' | 'now'>,
  batch_id: string,
  from: readonly BatchStatus[],
  to: BatchStatus,
  fields: BatchFields = {},
): Promise<boolean> {
  const forbidden = from.find((status) => status !== to && !canTransition(status, to))
  if (forbidden) throw new TypeError(`a batch never goes from ${forbidden} to ${to}`)
  const { numUpdatedRows } = await db
    .updateTable('batch')
    .set({ ...fields, status: to, updated_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', batch_id)
    .where('status', 'in', from)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) return false
  // What was found is history when it goes out; whoever still asks has it worked out.
  if (to !== 'draft' && to !== 'checked')
    await db.deleteFrom('sheet_check').where('company_id', '=', company_id).where('batch_id', '=', batch_id).execute()
  return true
}

/** Who I am as an administrator: what I make is mine. Of a call that changes something the door holds my rights until its transaction ends. */
export function requireAdminId({ currentUser }: Pick<SheetContext, 'currentUser'>): string {
  if (!currentUser.admin_id) throw fail('not_permitted')
  return currentUser.admin_id
}

/** Whom to name where somebody else was faster. */
export async function getEditorName({ db, currentUser, company_id }: SheetContext, admin_id: string | null): Promise<string> {
  if (admin_id === currentUser.admin_id) return '您在另一个窗口'
  return (await getAdminMemberName({ db, company_id }, admin_id)) ?? '另一位管理员'
}

/**
 * Keeps what step 4 has chosen; the batch is locked by the caller. With `expectedVersion` it is refused where somebody has chosen otherwise since then.
 * What is chosen is no change of the sheet: `updated_at` stays, and with it a plan that was frozen. Answers the version.
 */
export async function saveSendOptions(
  ctx: SheetContext,
  batch: BatchRow,
  options: SendOptions,
  expectedVersion?: number,
): Promise<number> {
  const { db, currentUser, company_id } = ctx
  const { options_version: version, status } = batch
  if (expectedVersion !== undefined && expectedVersion !== version) {
    const editorName = await getEditorName(ctx, batch.options_by)
    throw fail('wrong_state', `${editorName}刚刚改过这一批的发送选项，您的改动没有保存`, { status, version })
  }
  const next = JSON.stringify(options)
  const { numUpdatedRows } = await db
    .updateTable('batch')
    .set({ send_options: next, options_version: version + 1, options_by: currentUser.admin_id })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .where(sql<boolean>`send_options is distinct from ${next}::jsonb`)
    .executeTakeFirst()
  return version + Number(numUpdatedRows)
}

/** Title and month of a batch, when it was last changed, and all that its slips say beside people and figures, in 32 bytes: for a decision about it. */
export async function getBatchDigest({ db, company_id, vault }: Omit<SheetVaultContext, 'currentUser'>, batch_id: string) {
  const { rows } = await sql<{
    title_id: string | null
    title: Buffer | null
    month: string | null
    updated_at: Date
    digest: Buffer
  }>`
    select batch.title_id, title.name as title, title.month, batch.updated_at,
      sha256(batch.layout || batch.recognition || convert_to(concat_ws('|', batch.rules::text, batch.title_id, title.month), 'UTF8') || coalesce(title.name, ''::bytea)) as digest
    from batch left join title on title.company_id = ${company_id} and title.id = batch.title_id
    where batch.company_id = ${company_id} and batch.id = ${batch_id}`.execute(db)
  const [row] = rows
  return row ? { ...row, title: openTitle(vault, row.title_id, row.title) ?? '' } : null
}

/** The month that a batch pays, and all batches of the company that pay it; null where it has no title. */
export async function getMonthBatches(
  { db, company_id }: Pick<SheetVaultContext, 'db' | 'company_id'>,
  batch_id: string,
): Promise<{ month: string; batch_ids: string[] } | null> {
  const { rows } = await sql<{ month: string; batch_ids: string[] }>`
    with here as (
      select title.month from batch join title on title.company_id = ${company_id} and title.id = batch.title_id
      where batch.company_id = ${company_id} and batch.id = ${batch_id})
    select title.month, array_agg(batch.id) as batch_ids
    from batch join title on title.company_id = ${company_id} and title.id = batch.title_id
    where batch.company_id = ${company_id} and title.month in (select month from here) group by title.month`.execute(db)
  return rows[0] ?? null
}
