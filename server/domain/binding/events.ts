/** What the platforms have told us: kept first, known again, worked on afterwards. Writes platform_event, platform_person and binding. */
import { sql } from 'kysely'
import type { PlatformEvent, PlatformNews } from '../../../platform/types.ts'
import type { Tx } from '../../runtime/db.ts'
import { newId } from '../../runtime/ids.ts'
import type { Vault } from '../../runtime/secrets.ts'
import { forgetIdentities } from '../account/index.ts'
import { followPlatform } from '../member/index.ts'
import { type KeptNews, keptNews } from './kept.ts'
import { ofCorp, type PlatformCorp } from './links.ts'
import type { KeptBinding } from './rows.ts'

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

export const told_job = 'platform_told'

/**
 * `known`: it happened before. `first`: nothing else of concern waits, so somebody has to be sent for it; whoever works on the others finds it when he
 * has done.
 */
export async function keepEvent(
  here: Here & { readonly vault: Vault },
  app_id: string,
  event: PlatformEvent,
): Promise<'known' | 'kept' | 'first'> {
  const { db, company_id, now, vault } = here
  const id = newId()
  const isNews = isOfConcern(event.news)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('platform_event')
    .values({
      company_id,
      id,
      app_id,
      key: event.key,
      news: JSON.stringify(event.news),
      plain: vault.seal({ table: 'platform_event', row: id, column: 'plain' }, event.plain),
      came_at: now,
      done_at: isNews ? null : now,
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'app_id', 'key']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return 'known'
  if (!isNews) return 'kept'
  const others = db.selectFrom('platform_event').select('id').where('company_id', '=', company_id).where('done_at', 'is', null)
  return (await others.where('id', '<>', id).limit(1).executeTakeFirst()) ? 'kept' : 'first'
}

const isOfConcern = ({ kind }: PlatformNews): boolean => kind !== 'other' && kind !== 'read' && kind !== 'ticket'

const open = ({ db, company_id }: Pick<Here, 'db' | 'company_id'>, { app_id }: Pick<KeptBinding, 'app_id'>) =>
  db
    .selectFrom('platform_event')
    .select(['id', 'news'])
    .where('company_id', '=', company_id)
    .where('app_id', '=', app_id)
    .where('done_at', 'is', null)
    .orderBy('id')

/** More than so many are read faster with everybody else. */
const most_ids = 300
const most_events = 5_000

type News = { readonly id: string; readonly news: KeptNews }
export const waitingNews = async (here: Pick<Here, 'db' | 'company_id'>, binding: Pick<KeptBinding, 'app_id'>): Promise<News[]> =>
  (await open(here, binding).limit(most_events).execute()).map(({ id, news }) => ({ id, news: keptNews.parse(news) }))

/** Whom they name; null where only reading everything answers them. */
export function namedBy(news: readonly News[]): string[] | null {
  const ids = new Set<string>()
  for (const { news: one } of news) {
    if (one.kind === 'department' || one.kind === 'range') return null
    if (one.kind === 'person') for (const id of one.ids) ids.add(id)
    if (one.kind === 'person_renamed') ids.add(one.from).add(one.to)
  }
  return ids.size > most_ids || news.length >= most_events ? null : [...ids]
}
export const waitingIds = async (here: Pick<Here, 'db' | 'company_id'>, binding: KeptBinding): Promise<string[] | null> =>
  namedBy(await waitingNews(here, binding))

/** A reading that begins now answers whatever was told before it. */
export const claimEvents = ({ db, company_id }: Pick<Here, 'db' | 'company_id'>, sync_id: string) =>
  db.updateTable('platform_event').set({ sync_id }).where('company_id', '=', company_id).where('done_at', 'is', null).execute()

/** Answers whether something was told since. */
export async function settleEvents({ db, company_id, now }: Here, sync_id: string): Promise<boolean> {
  const of = db.updateTable('platform_event').set({ done_at: now }).where('company_id', '=', company_id)
  await of.where('sync_id', '=', sync_id).where('done_at', 'is', null).execute()
  const rest = db.selectFrom('platform_event').select('id').where('company_id', '=', company_id).where('done_at', 'is', null)
  return (await rest.limit(1).executeTakeFirst()) !== undefined
}

/** These were answered without a reading. */
export const settle = ({ db, company_id, now }: Here, ids: readonly string[]) =>
  db
    .updateTable('platform_event')
    .set({ done_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()

const kept_ms = 30 * 86_400_000
export const forgetEvents = ({ db, company_id, now }: Here) =>
  db
    .deleteFrom('platform_event')
    .where('company_id', '=', company_id)
    .where('came_at', '<', new Date(now.getTime() - kept_ms))
    .execute()

/** An id of the platform was replaced by another one: it is the same person. The one that is free now may be given to somebody else. */
export async function rename(
  here: Here,
  corp: PlatformCorp,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const { rows } = await sql<{ member_id: string | null }>`
    update platform_person set user_id = ${to}, said = jsonb_set(said, '{user_id}', to_jsonb(${to}::text))
    where ${ofCorp(here, corp)} and user_id = ${from} and not exists (
      select from platform_person as other where other.company_id = ${here.company_id} and other.provider = ${corp.provider}
        and other.corp_id = ${corp.corp_id} and other.user_id = ${to})
    returning member_id`.execute(here.db)
  await followPlatform(
    here,
    rows.flatMap(({ member_id }) => (member_id ? [{ member_id, user_id: to }] : [])),
  )
  await forgetIdentities(here, corp, [from])
}
