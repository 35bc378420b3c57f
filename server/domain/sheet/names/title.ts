/** Titles: named pay runs. Writes title; a batch may be deleted here with its file, as long as nothing was sent. */
import { sql } from 'kysely'
import * as contract from '../../../contract/sheet/sheet.ts'
import { can } from '../../../contract/words/states.ts'
import type { TitleKind } from '../../../contract/words/words.ts'
import { dropFile } from '../../../runtime/files/files.ts'
import { type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { type BatchRow, batchFor, batchOfSlips, type SheetHere, visibleBatches } from '../access.ts'
import { learnFrom } from '../recipe/recipes.ts'
import { openTitle, sealTitle } from './words.ts'

/** A title into which I may put batches; `not_found` otherwise. */
export async function titleFor({ db, me, company_id }: SheetHere, title_id: string): Promise<{ id: string; month: string }> {
  const title = await db
    .selectFrom('title')
    .select(['id', 'month'])
    .where('company_id', '=', company_id)
    .where('id', '=', title_id)
    .$if(!me.power.includes('4'), (query) =>
      query.where(sql<boolean>`(owner_id = ${me.admin_id} or exists (
        select from title_share where title_share.company_id = ${company_id} and title_share.title_id = title.id
          and title_share.admin_id = ${me.admin_id} and title_share.rights = 'manage'))`),
    )
    .executeTakeFirst()
  if (!title) throw refuse('not_found')
  return title
}

/** Gives a batch its title: one of the same name and month is joined, else a new one is made. The owner of the batch owns it. */
export async function nameBatch(ctx: Ctx, batch: BatchRow, name: string, month: string, kind: TitleKind): Promise<string> {
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
  // The kind of a title that others stand in stays what they were sent as.
  if (title.kind !== kind && !(await othersIn(ctx, title.id, batch.id)))
    await db.updateTable('title').set({ kind }).where('company_id', '=', company_id).where('id', '=', title.id).execute()
  if (batch.title_id && batch.title_id !== title.id) await dropEmptyTitle(ctx, batch.title_id)
  return title.id
}

async function othersIn({ db, company_id }: Ctx, title_id: string, batch_id: string): Promise<boolean> {
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

async function dropEmptyTitle({ db, company_id }: Ctx, title_id: string): Promise<void> {
  await db
    .deleteFrom('title')
    .where('company_id', '=', company_id)
    .where('id', '=', title_id)
    .where(sql<boolean>`not exists (select from batch where batch.company_id = ${company_id} and batch.title_id = title.id)`)
    .execute()
}

export const insertBatchTitle = handle(contract.insertBatchTitle, async (ctx, { batch_id, title, month, kind }) => {
  const batch = await batchFor(ctx, batch_id, 'manage')
  must(can.arrange(batch.status), { status: batch.status })
  const title_id = await nameBatch(ctx, batch, title, month, kind)
  await learnFrom(ctx, { ...batch, title_id })
  return { title_id }
})

export const clearBatchTitle = handle(contract.clearBatchTitle, async (ctx, { batch_id }) => {
  const { db, company_id } = ctx
  // Deleting shows nothing: whoever may no longer look into a draft of his may still be rid of it.
  const batch = await batchOfSlips(ctx, batch_id, 'manage')
  must(can.delete(batch.status), { status: batch.status })
  await db.deleteFrom('batch').where('company_id', '=', company_id).where('id', '=', batch.id).execute()
  if (batch.file_id) await dropFile(ctx, batch.file_id)
  if (batch.title_id) await dropEmptyTitle(ctx, batch.title_id)
  return {}
})

export const getLastBatchTitleInfo = handle(contract.getLastBatchTitleInfo, async (ctx) => {
  const { db, company_id, vault } = ctx
  const last = await db
    .selectFrom('batch')
    .innerJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .select(['title.id as title_id', 'title.name as title', 'title.month', 'title.kind', 'batch.id as batch_id'])
    .where('batch.company_id', '=', company_id)
    .where('batch.owner_id', '=', ctx.me.admin_id)
    .where(visibleBatches(ctx))
    // An abandoned draft is no last month.
    .where('batch.status', 'not in', ['draft', 'checked'])
    .orderBy('title.month', 'desc')
    .orderBy('batch.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return { last: null }
  return { last: { ...last, title: openTitle(vault, last.title_id, last.title) ?? '', kind: last.kind } }
})
