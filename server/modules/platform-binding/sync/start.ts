/** Starts, continues after review or discards a directory sync. Writes platform_sync. */
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { applyAction, type StoredBinding } from '../binding-rows.ts'
import { assignEventsToSync } from '../events.ts'
import { deleteStaged, type SyncCursor } from './sync-rows.ts'

export const syncJob = 'platform_sync'
export type SyncJobData = { readonly company_id: string; readonly sync_id: string }
type SyncTx = Pick<HandlerContext, 'db' | 'company_id' | 'now' | 'jobs'>

/** Starts a sync and returns its id. Discards one that awaits review, because the directory is read again. */
export async function startSync(
  ctx: SyncTx,
  {
    mode,
    by,
    ...binding
  }: Pick<StoredBinding, 'id' | 'status'> & {
    readonly mode: 'full' | 'incremental'
    readonly by: string
    /** The users to read again, for `incremental`. */
    readonly ids?: readonly string[]
  },
): Promise<string> {
  const { db, company_id, now } = ctx
  await discardSyncs(ctx, binding.id)
  await applyAction(ctx, binding, 'sync')
  const id = newId()
  const cursor: SyncCursor = mode === 'full' ? { step: 'range' } : { step: 'singles', ids: [...(binding.ids ?? [])] }
  await db
    .insertInto('platform_sync')
    .values({
      company_id,
      id,
      binding_id: binding.id,
      mode,
      state: 'reading',
      cursor: JSON.stringify(cursor),
      by_name: by,
      started_at: now,
    })
    .execute()
  await assignEventsToSync(ctx, id)
  await ctx.jobs.send(syncJob, { company_id, sync_id: id } satisfies SyncJobData)
  return id
}

/** Discards running syncs and those awaiting review; none of their changes are applied. */
export async function discardSyncs(
  { db, company_id, now }: Pick<SyncTx, 'db' | 'company_id' | 'now'>,
  binding_id: string,
): Promise<void> {
  const dropped = await db
    .updateTable('platform_sync')
    .set({ state: 'dropped', ended_at: now })
    .where('company_id', '=', company_id)
    .where('binding_id', '=', binding_id)
    .where('state', 'in', ['reading', 'held', 'applying'])
    .returning('id')
    .execute()
  for (const { id } of dropped) await deleteStaged({ db, company_id }, id)
}
