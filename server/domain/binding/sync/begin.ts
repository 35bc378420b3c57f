/** A reading of the directory begins, is carried out after somebody has looked, or is given up. Writes platform_sync. */
import type { Ctx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { claimEvents } from '../events.ts'
import { type KeptBinding, mayDo } from '../rows.ts'
import { forgetStaged, type SyncCursor } from './rows.ts'

export const sync_job = 'platform_sync'
export type SyncData = { readonly company_id: string; readonly sync_id: string }
type Here = Pick<Ctx, 'db' | 'company_id' | 'now' | 'jobs'>

/** In the place of what may be held: it is read anew. Answers its id. */
export async function beginSync(
  ctx: Here,
  {
    mode,
    by,
    ...binding
  }: Pick<KeptBinding, 'id' | 'status'> & {
    readonly mode: 'full' | 'incremental'
    readonly by: string
    /** Whom to read again; for `incremental`. */
    readonly ids?: readonly string[]
  },
): Promise<string> {
  const { db, company_id, now } = ctx
  await dropSyncs(ctx, binding.id)
  await mayDo(ctx, binding, 'sync')
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
  await claimEvents(ctx, id)
  await ctx.jobs.send(sync_job, { company_id, sync_id: id } satisfies SyncData)
  return id
}

/** Whatever is under way or held: nothing of it happens any more. */
export async function dropSyncs(
  { db, company_id, now }: Pick<Here, 'db' | 'company_id' | 'now'>,
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
  for (const { id } of dropped) await forgetStaged({ db, company_id }, id)
}
