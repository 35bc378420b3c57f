/** Notifications: what happened to an administrator's batches. */
import { sql } from 'kysely'
import type { NotificationKind } from '../../contract/notifications/kinds.ts'
import * as contract from '../../contract/notifications/notifications.ts'
import type { CompanyTx, CompanyVaultTimeTx } from '../../database/company-tx.ts'
import type { Tx } from '../../database/database.ts'
import { defineHandler } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'

/** Notifications of one company per run; the others follow a minute later. */
const maxPendingPerRun = 1_000
const getTextPosition = (id: string) => ({ table: 'notification', row: id, column: 'text' })

/**
 * Creates a notification for an administrator. The text names members and counts, never amounts; it is encrypted
 * because it contains titles. With an `id` derived from its occasion (`deriveId`) it is created only once.
 */
export async function notify(
  { db, company_id, now, vault }: CompanyVaultTimeTx,
  admin_id: string,
  {
    id = newId(),
    text,
    ...notice
  }: { readonly id?: string; readonly kind: NotificationKind; readonly text: string; readonly batch_id: string | null },
): Promise<void> {
  await db
    .insertInto('notification')
    .values({ company_id, id, admin_id, text: vault.seal(getTextPosition(id), text), ...notice, created_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'id']).doNothing())
    .execute()
}

/** Moves notifications about these batches to their new owner: the former owner could not open them any more. */
export async function moveNotifications(
  { db, company_id }: CompanyTx,
  from: string,
  to: string,
  batch_ids: readonly string[],
): Promise<void> {
  await db
    .updateTable('notification')
    .set({ admin_id: to })
    .where('company_id', '=', company_id)
    .where('admin_id', '=', from)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .execute()
}

/** SQL expression: the number of unread notifications of the queried administrator. */
export const countUnseenNotifications = (company_id: string) => sql<number>`(select count(*) from notification
  where notification.company_id = ${company_id} and notification.admin_id = admin.id and notification.read_at is null and notification.viewed_at is null)`

type PendingNotification = {
  readonly id: string
  readonly kind: NotificationKind
  readonly created_at: Date
  readonly read: boolean
}

/** Lists the companies whose notifications have waited since then for delivery outside the app. For the system transaction. */
export async function listCompaniesWithPending(
  db: Tx,
  { before, kinds }: { readonly before: Date; readonly kinds: readonly NotificationKind[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom('notification')
    .select('company_id')
    .distinct()
    .where('notified_at', 'is', null)
    .where('created_at', '<=', before)
    .where('kind', 'in', kinds)
    .execute()
  return rows.map(({ company_id }) => company_id)
}

/** By administrator, oldest first. */
export async function listPendingNotifications({
  db,
  company_id,
}: {
  readonly db: Tx
  readonly company_id: string
}): Promise<Map<string, PendingNotification[]>> {
  const rows = await db
    .selectFrom('notification')
    .select(['id', 'admin_id', 'kind', 'created_at', 'read_at'])
    .where('company_id', '=', company_id)
    .where('notified_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxPendingPerRun)
    .forUpdate()
    .execute()
  const all = rows.map(({ read_at, ...row }) => ({ ...row, read: read_at !== null }))
  return Map.groupBy(all, ({ admin_id }) => admin_id)
}

export const markNotified = async ({ db, company_id }: CompanyTx, ids: readonly string[], now: Date) =>
  db
    .updateTable('notification')
    .set({ notified_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()

export const getNotificationList = defineHandler(
  contract.getNotificationList,
  async ({ db, company_id, currentUser, vault }, { page, pagesize }) => {
    if (!currentUser.admin_id) return { list: [], page: { page, pagesize, total: 0 } }
    const notifications = db
      .selectFrom('notification')
      .where('company_id', '=', company_id)
      .where('admin_id', '=', currentUser.admin_id)
    const { total } = await notifications.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await notifications
      .select(['id', 'kind', 'text', 'batch_id', 'created_at', 'read_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    return {
      list: rows.map(({ read_at, created_at, text, ...row }) => ({
        ...row,
        text: vault.open<string>(getTextPosition(row.id), text),
        created_at: toIsoTimestamp(created_at),
        read: read_at !== null,
      })),
      page: { page, pagesize, total },
    }
  },
)

export const markNotificationsRead = defineHandler(
  contract.markNotificationsRead,
  async ({ db, company_id, currentUser, now }, { ids = [], all = false, home_visited: homeVisited = false }) => {
    if (!currentUser.admin_id) return {}
    if (homeVisited)
      await db
        .updateTable('notification')
        .set({ viewed_at: now })
        .where('company_id', '=', company_id)
        .where('admin_id', '=', currentUser.admin_id)
        .where('viewed_at', 'is', null)
        .execute()
    if (!all && ids.length === 0) return {}
    let unread = db
      .updateTable('notification')
      .set({ read_at: now })
      .where('company_id', '=', company_id)
      .where('admin_id', '=', currentUser.admin_id)
      .where('read_at', 'is', null)
    if (!all) unread = unread.where('id', 'in', ids)
    await unread.execute()
    return {}
  },
)
