/** Events from the platforms: stored first, deduplicated, processed later. Writes platform_event, platform_user and binding. */
import { sql } from 'kysely'
import type { PlatformEvent, PlatformUpdate } from '../../../platform/types.ts'
import type { Vault } from '../../crypto/secrets.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { newId } from '../../shared/ids.ts'
import { deletePlatformIdentities } from '../auth/index.ts'
import { syncPlatformUsers } from '../directory/index.ts'
import type { StoredBinding } from './binding-rows.ts'
import { isPlatformCompany, type PlatformCompany } from './links.ts'
import { type StoredUpdate, storedUpdateSchema } from './stored-schemas.ts'

export const platformEventJob = 'platform_told'

/**
 * `known`: the event was stored before. `first`: no other relevant event is pending, so processing must be triggered;
 * otherwise the running job processes it.
 */
export async function savePlatformEvent(
  companyTx: CompanyTimeTx & { readonly vault: Vault },
  app_id: string,
  event: PlatformEvent,
): Promise<'known' | 'kept' | 'first'> {
  const { db, company_id, now, vault } = companyTx
  const id = newId()
  const isRelevant = isRelevantUpdate(event.update)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('platform_event')
    .values({
      company_id,
      id,
      app_id,
      key: event.key,
      news: JSON.stringify(event.update),
      plain: vault.seal({ table: 'platform_event', row: id, column: 'plain' }, event.plaintext),
      received_at: now,
      done_at: isRelevant ? null : now,
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'app_id', 'key']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return 'known'
  if (!isRelevant) return 'kept'
  const others = db.selectFrom('platform_event').select('id').where('company_id', '=', company_id).where('done_at', 'is', null)
  return (await others.where('id', '<>', id).limit(1).executeTakeFirst()) ? 'kept' : 'first'
}

const isRelevantUpdate = ({ kind }: PlatformUpdate): boolean => kind !== 'other' && kind !== 'read' && kind !== 'ticket'

const selectUnprocessedEvents = (
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  { app_id }: Pick<StoredBinding, 'app_id'>,
) =>
  db
    .selectFrom('platform_event')
    .select(['id', 'news'])
    .where('company_id', '=', company_id)
    .where('app_id', '=', app_id)
    .where('done_at', 'is', null)
    .orderBy('id')

/** Above this number a full sync is faster. */
const maxIncrementalIds = 300
const maxEvents = 5_000

type PendingUpdate = { readonly id: string; readonly update: StoredUpdate }
export const listPendingUpdates = async (
  companyTx: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  binding: Pick<StoredBinding, 'app_id'>,
): Promise<PendingUpdate[]> =>
  (await selectUnprocessedEvents(companyTx, binding).limit(maxEvents).execute()).map(({ id, news: update }) => ({
    id,
    update: storedUpdateSchema.parse(update),
  }))

/** Returns the users named by the events; null where only a full sync covers them. */
export function getAffectedUserIds(updates: readonly PendingUpdate[]): string[] | null {
  const ids = new Set<string>()
  for (const { update: one } of updates) {
    if (one.kind === 'department' || one.kind === 'range') return null
    if (one.kind === 'person') for (const id of one.ids) ids.add(id)
    if (one.kind === 'person_renamed') ids.add(one.from).add(one.to)
  }
  return ids.size > maxIncrementalIds || updates.length >= maxEvents ? null : [...ids]
}
export const getPendingUserIds = async (
  companyTx: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  binding: StoredBinding,
): Promise<string[] | null> => getAffectedUserIds(await listPendingUpdates(companyTx, binding))

/** A sync that starts now covers all earlier events. */
export const assignEventsToSync = ({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>, sync_id: string) =>
  db.updateTable('platform_event').set({ sync_id }).where('company_id', '=', company_id).where('done_at', 'is', null).execute()

/** Returns whether further events have arrived since the sync started. */
export async function completeSyncEvents({ db, company_id, now }: CompanyTimeTx, sync_id: string): Promise<boolean> {
  const query = db.updateTable('platform_event').set({ done_at: now }).where('company_id', '=', company_id)
  await query.where('sync_id', '=', sync_id).where('done_at', 'is', null).execute()
  const rest = db.selectFrom('platform_event').select('id').where('company_id', '=', company_id).where('done_at', 'is', null)
  return (await rest.limit(1).executeTakeFirst()) !== undefined
}

/** Marks events that needed no sync as processed. */
export const completeEvents = ({ db, company_id, now }: CompanyTimeTx, ids: readonly string[]) =>
  db
    .updateTable('platform_event')
    .set({ done_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()

const eventRetentionMs = 30 * 86_400_000
export const deleteOldEvents = ({ db, company_id, now }: CompanyTimeTx) =>
  db
    .deleteFrom('platform_event')
    .where('company_id', '=', company_id)
    .where('received_at', '<', new Date(now.getTime() - eventRetentionMs))
    .execute()

/** The platform replaced a user's id: it is still the same user. The old id may be assigned to another one. */
export async function renamePlatformUser(
  companyTx: CompanyTimeTx,
  corp: PlatformCompany,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const { rows } = await sql<{ member_id: string | null }>`
    update platform_user set user_id = ${to}, details = jsonb_set(details, '{user_id}', to_jsonb(${to}::text))
    where ${isPlatformCompany(companyTx, corp)} and user_id = ${from} and not exists (
      select from platform_user as other where other.company_id = ${companyTx.company_id} and other.provider = ${corp.provider}
        and other.corp_id = ${corp.corp_id} and other.user_id = ${to})
    returning member_id`.execute(companyTx.db)
  await syncPlatformUsers(
    companyTx,
    rows.flatMap(({ member_id }) => (member_id ? [{ member_id, user_id: to }] : [])),
  )
  await deletePlatformIdentities(companyTx, corp, [from])
}
