/** Access to batches, and the only function that changes their status. Writes batch. */
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { SendOptions } from '../../contract/payslips/send.ts'
import type { BatchStatus, TitleKind } from '../../contract/shared/schemas.ts'
import { canTransition } from '../../contract/shared/statuses.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import type { Batch } from '../../database/tables.ts'
import type { CompanyUserTx } from '../../http/current-user.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { fail } from '../../http/handler.ts'
import { canManageAllMembers, canManageDepartments, getAdminMemberName, isPayablePayslip } from '../directory/index.ts'
import { countSentRows, hasPaidPayslips, hasPayslipsPastPlanning } from '../payslip-records/index.ts'
import { openFileName, openTitle } from './names/sealed-names.ts'

/** The properties of a user that decide what they may see. */
export type ViewerAccess = Pick<HandlerContext['currentUser'], 'power' | 'admin_id' | 'scope'>
/** Adds the vault for decrypting batch data. */
type SheetVaultContext = CompanyUserTx & Pick<HandlerContext, 'vault'>
/** A batch with its title. */
export type BatchRow = Omit<Selectable<Batch>, 'status' | 'file_name'> & {
  readonly status: BatchStatus
  readonly file_name: string
  readonly title_name: string | null
  readonly title_month: string | null
  readonly title_kind: TitleKind | null
}

/**
 * Condition for queries on `batch`: batches that the user owns, batches whose title is shared with them, all batches
 * for power 4. `need: 'manage'` excludes titles shared for reading only. The caller adds the condition on the company.
 */
export function visibleBatches(
  {
    currentUser,
    company_id,
  }: { readonly currentUser: Pick<CompanyUserTx['currentUser'], 'power' | 'admin_id'>; readonly company_id: string },
  need: 'view' | 'manage' = 'view',
): RawBuilder<boolean> {
  if (currentUser.power.includes('4')) return sql<boolean>`true`
  const rights = need === 'view' ? ['view', 'manage'] : ['manage']
  return sql<boolean>`(batch.owner_id = ${currentUser.admin_id} or exists (
    select from title_share where title_share.company_id = ${company_id} and title_share.title_id = batch.title_id
      and title_share.admin_id = ${currentUser.admin_id} and title_share.rights = any(${rights}::text[])))`
}

/** Condition for queries on `payslip` joined with `batch`: owner, share and scope, which every call on payslips must check. */
export const visiblePayslips = (
  ctx: Pick<CompanyUserTx, 'currentUser' | 'company_id'>,
  need: 'view' | 'manage' = 'view',
): RawBuilder<boolean> => sql<boolean>`(${visibleBatches(ctx, need)} and ${isPayablePayslip(ctx)})`

/**
 * Condition for queries on `batch`: all members in it are still within the user's scope. Everything that shows a batch
 * as a whole (the wage sheet, its file, its totals) requires this. Payslips that are only planned do not count because
 * they are recreated from the wage sheet. A draft has no payslips: it requires at least the scope that the uploading
 * user had at the time of upload.
 */
export const batchesInFullScope = (ctx: Pick<CompanyUserTx, 'currentUser' | 'company_id'>): RawBuilder<boolean> =>
  canManageAllMembers(ctx)
    ? sql<boolean>`true`
    : sql<boolean>`(case when batch.status in ('draft', 'checked')
    then not batch.scope_all and ${canManageDepartments(ctx, sql`batch.scope_ids`)}
    else not ${hasPayslipsPastPlanning(ctx.company_id, sql<boolean>`not ${isPayablePayslip(ctx)}`)} end)`

/** Selects all batches of pay runs in these months, both included, without an access check; callers add their own condition. */
const selectBatchesOfMonths = (ctx: Pick<CompanyUserTx, 'db' | 'company_id'>, from: string, to: string) =>
  ctx.db
    .selectFrom('title')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'title.company_id').onRef('batch.title_id', '=', 'title.id'),
    )
    .select(['batch.id', 'title.month'])
    .where('title.company_id', '=', ctx.company_id)
    .where('title.month', '>=', from)
    .where('title.month', '<=', to)

/** Lists the batches of pay runs in these months, both included, that the user may see. */
export const listVisibleBatches = (ctx: CompanyUserTx, from: string, to: string): Promise<{ id: string; month: string }[]> =>
  selectBatchesOfMonths(ctx, from, to).where(visibleBatches(ctx)).execute()

/**
 * Lists the batches of pay runs in these months, both included, that paid somebody: those that the user may see and
 * that contain a member in their scope, or with `all` every batch, for aggregated amounts.
 */
export const listPaidBatches = (
  ctx: Pick<CompanyUserTx, 'db' | 'company_id'> & { readonly currentUser: ViewerAccess },
  { from, to, all }: { from: string; to: string; all: boolean },
) =>
  selectBatchesOfMonths(ctx, from, to)
    .where(all ? sql<boolean>`true` : visibleBatches(ctx))
    .where(hasPaidPayslips(ctx.company_id, all ? sql<boolean>`true` : isPayablePayslip(ctx)))
    .orderBy('title.month')
    .orderBy('batch.id')
    .execute()

/**
 * Returns a batch as a whole, with its wage sheet; fails if a member in it is no longer within the user's scope.
 * Otherwise like `requireBatchForPayslips`.
 */
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
 * Returns the batch of some payslips, or fails with `not_found`, whether it belongs to another company, is out of reach
 * or does not exist. The caller checks which payslips may be opened (`visiblePayslips`, `isPayablePayslip`). `manage`
 * also locks the batch until the transaction ends, so that two administrators do not change it at the same time.
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

/**
 * For queries on `batch`: how many rows have no payslip yet once the sending has begun, because only a part was sent or
 * some recipients could not be reached. 0 for a draft, a withdrawn batch, and a user who may not see the whole batch.
 */
export const selectUnsentCount = (ctx: Pick<CompanyUserTx, 'currentUser' | 'company_id'>): RawBuilder<number> =>
  sql<number>`(case when batch.status in ('draft', 'checked', 'withdrawn') or not ${batchesInFullScope(ctx)} then 0 else greatest(0,
    (select coalesce(sum(cardinality(numbers)), 0) from sheet_page where company_id = ${ctx.company_id} and batch_id = batch.id)
    - (select count(*) from sheet_row where company_id = ${ctx.company_id} and batch_id = batch.id and (skipped or main_row_no is not null))
    - ${countSentRows(ctx.company_id)}) end)::int`

/** Counts the rows of a batch that have no payslip yet, as `selectUnsentCount` says. */
export async function countUnsent(
  ctx: Pick<CompanyUserTx, 'db' | 'currentUser' | 'company_id'>,
  batch_id: string,
): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('batch')
    .select(selectUnsentCount(ctx).as('count'))
    .where('batch.company_id', '=', ctx.company_id)
    .where('batch.id', '=', batch_id)
    .executeTakeFirstOrThrow()
  return count
}

export type BatchFields = Partial<
  Pick<
    Selectable<Batch>,
    'scheduled_at' | 'undo_until' | 'sent_at' | 'finished_at' | 'withdrawn_at' | 'withdrawn_reason' | 'people' | 'totals'
  > & {
    /** JSON text of the rules that the send plan froze. */
    rules: string
  }
>

/** Compare-and-set: returns false and changes nothing if the batch is no longer in one of the `from` states. */
export async function setBatchStatus(
  { db, company_id, now }: CompanyTimeTx,
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
  // The stored check is obsolete once the batch is sent; it can be recomputed.
  if (to !== 'draft' && to !== 'checked')
    await db.deleteFrom('sheet_check').where('company_id', '=', company_id).where('batch_id', '=', batch_id).execute()
  return true
}

/**
 * Returns the administrator id of the current user, who becomes the owner of what they create. For calls that change
 * data, the access check locks the user's rights until the transaction ends.
 */
export function requireAdminId({ currentUser }: Pick<CompanyUserTx, 'currentUser'>): string {
  if (!currentUser.admin_id) throw fail('not_permitted')
  return currentUser.admin_id
}

/** Returns the name to show when another administrator has made a change first. */
export async function getEditorName({ db, currentUser, company_id }: CompanyUserTx, admin_id: string | null): Promise<string> {
  if (admin_id === currentUser.admin_id) return '您在另一个窗口'
  return (await getAdminMemberName({ db, company_id }, admin_id)) ?? '另一位管理员'
}

/**
 * Saves the options of step 4; the caller has locked the batch. With `expectedVersion` it fails if the options were
 * changed since. The options are no change of the wage sheet: `updated_at`, and with it a frozen plan, is unaffected.
 * Returns the new version.
 */
export async function saveSendOptions(
  ctx: CompanyUserTx,
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

/** Returns a 32-byte digest, for an approval, of all that a batch's payslips show besides members and amounts. */
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

/** Returns the month of a batch and all batches of the company in that month; null where the batch has no title. */
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
