/**
 * Our applications in the platforms' stores, outside of all companies: their latest tickets, their installations, and
 * the company each belongs to here. Writes platform_suite, platform_install and platform_install_event.
 */
import { sql } from 'kysely'
import type { ChatProvider } from '../contract/shared/providers.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database, Tx } from '../database/database.ts'

/** A company on a platform, identified by the application it installed. */
export type PlatformInstallKey = { readonly provider: ChatProvider; readonly suite_id: string; readonly corp_id: string }
export type StoredInstall = PlatformInstallKey & {
  readonly agent_id: string
  /** '': none. */
  readonly secret: string
  readonly corp_name: string | null
  readonly installers: readonly string[]
  readonly installed_at: Date
}

const secretPosition = ({ provider, suite_id, corp_id }: PlatformInstallKey) => ({
  table: 'platform_install',
  row: `${provider} ${suite_id} ${corp_id}`,
  column: 'secret',
})
const matchesKey = ({ provider, suite_id, corp_id }: PlatformInstallKey) =>
  sql<boolean>`provider = ${provider} and suite_id = ${suite_id} and corp_id = ${corp_id}`

/** Assigns the installation to this company, unless another has it. One statement: of two concurrent claims one fails. */
export async function claimInstall(tx: Tx, company_id: string, key: PlatformInstallKey): Promise<boolean> {
  const row = await tx
    .updateTable('platform_install')
    .set({ claimed_by: company_id, secret: null })
    .where(matchesKey(key))
    .where((eb) => eb.or([eb('claimed_by', 'is', null), eb('claimed_by', '=', company_id)]))
    .returning('corp_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Releases the installations of a company that has unbound: they wait to be claimed again. */
export const releaseInstalls = ({ db, company_id, now }: { readonly db: Tx; readonly company_id: string; readonly now: Date }) =>
  db.updateTable('platform_install').set({ claimed_by: null, received_at: now }).where('claimed_by', '=', company_id).execute()

/** Removes an installation that the company uninstalled on the platform; ignores an event older than the current installation. */
export async function removeInstall(tx: Tx, key: PlatformInstallKey, at: Date): Promise<boolean> {
  const removed = await tx.deleteFrom('platform_install').where(matchesKey(key)).where('received_at', '<=', at).executeTakeFirst()
  return removed.numDeletedRows > 0n
}

const unclaimedRetentionMs = 30 * 86_400_000
const ticketPosition = (provider: ChatProvider, suite_id: string) => ({
  table: 'platform_suite',
  row: `${provider} ${suite_id}`,
  column: 'ticket',
})

export type StoreInstalls = ReturnType<typeof createStoreInstalls>
export const createStoreInstalls = (database: Database, secrets: Secrets) => ({
  /** Returns the latest pushed ticket; null before the first. */
  async getTicket(provider: ChatProvider, suite_id: string): Promise<string | null> {
    const row = await database.withoutCompany((tx) =>
      tx
        .selectFrom('platform_suite')
        .select('ticket')
        .where('provider', '=', provider)
        .where('suite_id', '=', suite_id)
        .executeTakeFirst(),
    )
    return row ? secrets.open(ticketPosition(provider, suite_id), row.ticket).toString('utf8') : null
  },
  /** Saves a ticket. An older one than the stored is ignored: pushes overtake each other, and may be repeated. */
  async saveTicket(provider: ChatProvider, suite_id: string, { ticket, at }: { ticket: string; at: Date }): Promise<void> {
    if (ticket === '') return
    const sealed = secrets.seal(ticketPosition(provider, suite_id), Buffer.from(ticket))
    const newer = { ticket: sealed, pushed_at: at }
    await database.withoutCompany((tx) =>
      tx
        .insertInto('platform_suite')
        .values({ provider, suite_id, ...newer })
        .onConflict((conflict) =>
          conflict.columns(['provider', 'suite_id']).doUpdateSet(newer).where('platform_suite.pushed_at', '<=', at),
        )
        .execute(),
    )
  },
  /** Saves an installation that waits to be claimed; returns the company that already has it. Omitted fields are unchanged. */
  async saveInstall({ agent_id, secret, corp_name, installers, installed_at, ...key }: StoredInstall): Promise<string | null> {
    const sealed = secret === '' ? null : secrets.seal(secretPosition(key), Buffer.from(secret))
    const notified = { agent_id, received_at: installed_at, ...(corp_name ? { corp_name } : {}) }
    const row = await database.withoutCompany((tx) =>
      tx
        .insertInto('platform_install')
        .values({ ...key, ...notified, secret: sealed, installers: [...installers] })
        .onConflict((conflict) =>
          conflict.columns(['provider', 'suite_id', 'corp_id']).doUpdateSet({
            ...notified,
            // If a company already has the code, it belongs to that company.
            secret: sql`case when platform_install.claimed_by is null then excluded.secret end`,
            ...(installers.length > 0 ? { installers: [...installers] } : {}),
          }),
        )
        .returning('claimed_by')
        .executeTakeFirstOrThrow(),
    )
    return row.claimed_by
  },
  async getInstall(key: PlatformInstallKey) {
    const row = await database.withoutCompany((tx) =>
      tx.selectFrom('platform_install').selectAll().where(matchesKey(key)).executeTakeFirst(),
    )
    if (!row) return null
    const { secret, ...rest } = row
    return { ...rest, secret: secret && secrets.open(secretPosition(key), secret).toString('utf8') }
  },
  /** Runs the work unless this event was handled before; then null. Handled events are deleted after a month. */
  runOncePerEvent<T>(
    notified: Omit<PlatformInstallKey, 'corp_id'> & { readonly key: string },
    now: Date,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T | null> {
    const old = new Date(now.getTime() - unclaimedRetentionMs)
    return database.withoutCompany(async (tx) => {
      await tx.deleteFrom('platform_install_event').where('received_at', '<', old).execute()
      await tx.deleteFrom('platform_install').where('claimed_by', 'is', null).where('received_at', '<', old).execute()
      const written = await tx
        .insertInto('platform_install_event')
        .values({ ...notified, received_at: now })
        .onConflict((conflict) => conflict.columns(['provider', 'suite_id', 'key']).doNothing())
        .executeTakeFirst()
      return written.numInsertedOrUpdatedRows === 1n ? work(tx) : null
    })
  },
})
