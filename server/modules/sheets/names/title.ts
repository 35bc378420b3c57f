/** Titles of pay runs. Writes title; a batch and its file may be deleted here as long as nothing was sent. */
import { sql } from 'kysely'
import type { TitleKind } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { deleteFile } from '../../../files/stored-files.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { type BatchRow, requireBatch, requireBatchForPayslips, visibleBatches } from '../access.ts'
import { saveCurrentMapping } from '../mapping/mappings.ts'
import { openTitle, sealTitle } from './sealed-names.ts'

/** Returns a title to which the user may add batches; otherwise fails with `not_found`. */
export async function requireTitle(
  { db, currentUser, company_id }: CompanyUserTx,
  title_id: string,
): Promise<{ id: string; month: string }> {
  const title = await db
    .selectFrom('title')
    .select(['id', 'month'])
    .where('company_id', '=', company_id)
    .where('id', '=', title_id)
    .$if(!currentUser.power.includes('4'), (query) =>
      query.where(sql<boolean>`(owner_id = ${currentUser.admin_id} or exists (
        select from title_share where title_share.company_id = ${company_id} and title_share.title_id = title.id
          and title_share.admin_id = ${currentUser.admin_id} and title_share.rights = 'manage'))`),
    )
    .executeTakeFirst()
  if (!title) throw fail('not_found')
  return title
}

/** Assigns a title to a batch: the existing one of that name and month, else a new one. It belongs to the batch's owner. */
export async function assignTitle(
  ctx: HandlerContext,
  batch: BatchRow,
  name: string,
  month: string,
  kind: TitleKind,
): Promise<string> {
  const { db, company_id, now, vault } = ctx
  if (batch.title_id && batch.title_name === name && batch.title_month === month && batch.title_kind === kind)
    return batch.title_id
  const id = newId()
  const sealed = sealTitle(vault, { id, name, month })
  await db
    .insertInto('title')
    .values({ company_id, id, owner_id: batch.owner_id, ...sealed, month, kind, created_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'owner_id', 'month', 'name_index']).doNothing())
    .execute()
  const title = await db
    .selectFrom('title')
    .select(['id', 'kind'])
    .where('company_id', '=', company_id)
    .where('owner_id', '=', batch.owner_id)
    .where('name_index', '=', sealed.name_index)
    .where('month', '=', month)
    .forUpdate()
    .executeTakeFirstOrThrow()
  await db
    .updateTable('batch')
    .set({ title_id: title.id, updated_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .execute()
  // The kind of a title with other batches stays as those were sent.
  if (title.kind !== kind && !(await hasOtherBatches(ctx, title.id, batch.id)))
    await db.updateTable('title').set({ kind }).where('company_id', '=', company_id).where('id', '=', title.id).execute()
  if (batch.title_id && batch.title_id !== title.id) await deleteTitleIfEmpty(ctx, batch.title_id)
  return title.id
}

async function hasOtherBatches({ db, company_id }: HandlerContext, title_id: string, batch_id: string): Promise<boolean> {
  const other = await db
    .selectFrom('batch')
    .select('id')
    .where('company_id', '=', company_id)
    .where('title_id', '=', title_id)
    .where('id', '<>', batch_id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

async function deleteTitleIfEmpty({ db, company_id }: HandlerContext, title_id: string): Promise<void> {
  await db
    .deleteFrom('title')
    .where('company_id', '=', company_id)
    .where('id', '=', title_id)
    .where(sql<boolean>`not exists (select from batch where batch.company_id = ${company_id} and batch.title_id = title.id)`)
    .execute()
}

export const insertBatchTitle = defineHandler(contract.insertBatchTitle, async (ctx, { batch_id, title, month, kind }) => {
  const batch = await requireBatch(ctx, batch_id, 'manage')
  assertAllowed(can.arrange(batch.status), { status: batch.status })
  const title_id = await assignTitle(ctx, batch, title, month, kind)
  await saveCurrentMapping(ctx, { ...batch, title_id })
  return { title_id }
})

export const clearBatchTitle = defineHandler(contract.clearBatchTitle, async (ctx, { batch_id }) => {
  const { db, company_id } = ctx
  // Deleting shows nothing, so users may delete their own draft even if it is no longer within their scope.
  const batch = await requireBatchForPayslips(ctx, batch_id, 'manage')
  assertAllowed(can.delete(batch.status), { status: batch.status })
  await db.deleteFrom('batch').where('company_id', '=', company_id).where('id', '=', batch.id).execute()
  if (batch.file_id) await deleteFile(ctx, batch.file_id)
  if (batch.title_id) await deleteTitleIfEmpty(ctx, batch.title_id)
  return {}
})

export const getLastBatchTitleInfo = defineHandler(contract.getLastBatchTitleInfo, async (ctx) => {
  const { db, company_id, vault } = ctx
  const last = await db
    .selectFrom('batch')
    .innerJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .select(['title.id as title_id', 'title.name as title', 'title.month', 'title.kind', 'batch.id as batch_id'])
    .where('batch.company_id', '=', company_id)
    .where('batch.owner_id', '=', ctx.currentUser.admin_id)
    .where(visibleBatches(ctx))
    // An abandoned draft does not count as the previous month's wage sheet.
    .where('batch.status', 'not in', ['draft', 'checked'])
    .orderBy('title.month', 'desc')
    .orderBy('batch.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return { last: null }
  return { last: { ...last, title: openTitle(vault, last.title_id, last.title) ?? '', kind: last.kind } }
})
