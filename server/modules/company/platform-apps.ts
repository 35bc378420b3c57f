/** The companies' applications on the chat platforms with their credentials. Writes platform_app. */
import type { CarrierSender } from '../../../platform/carrier.ts'
import type { CallbackKeys, ChatApp } from '../../../platform/types.ts'
import { type ChatProvider, chatProviderRules } from '../../contract/shared/providers.ts'
import type { SealPosition, Secrets, Vault } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type ChannelSender, createChannelSender } from '../../outbox/index.ts'

/** An application without its secret. `id` and `company_id` are ours, the other fields are the platform's. */
export type StoredPlatformApp = Omit<ChatApp, 'secret' | 'suite'> & {
  readonly id: string
  readonly company_id: string
  /** `store`: the company's installation of our store application, whose `app_id` is the suite's. */
  readonly mode: 'self_built' | 'store'
  /** Since when the platform has confirmed that the application belongs to `corp_id`; null: only claimed by its company. */
  readonly proved_at: Date | null
}

type SealedColumn = 'secret' | 'callback_token' | 'callback_key'
const getSecretPosition = (app_id: string, column: SealedColumn): SealPosition => ({ table: 'platform_app', row: app_id, column })

/** Finds applications across companies: a sign-in names the application, which determines the company. */
export const findPlatformApps = (
  database: Database,
  filter: { id?: string; provider?: ChatProvider; corp?: string | undefined },
): Promise<StoredPlatformApp[]> =>
  database.asSystem(async (tx) => {
    let query = tx
      .selectFrom('platform_app')
      .select(['id', 'company_id', 'provider', 'corp_id', 'app_id', 'agent_id', 'mode', 'proved_at'])
      .orderBy('created_at')
    if (filter.id) query = query.where('id', '=', filter.id)
    if (filter.provider) query = query.where('provider', '=', filter.provider)
    if (filter.corp) query = query.where('corp_id', '=', filter.corp)
    return await query.execute()
  })

/** Returns what the page may show of the application. */
export const getPlatformAppView = ({ db, company_id }: { readonly db: Tx; readonly company_id: string }, id: string | null) =>
  db
    .selectFrom('platform_app')
    .select(['id', 'app_id', 'agent_id', 'proved_at'])
    .select((eb) => eb.and([eb('callback_token', 'is not', null), eb('callback_key', 'is not', null)]).as('ready'))
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/**
 * Loads a company's application for the adapters; null if there is none. For transactions of that company. A store
 * application contains only the id of its suite; the suite's credentials are added when the platform is called.
 */
export async function loadPlatformApp(
  { db, company_id, vault }: { readonly db: Tx; readonly company_id: string; readonly vault: Vault },
  app_id: string,
): Promise<ChatApp | null> {
  const row = await db
    .selectFrom('platform_app')
    .select(['provider', 'corp_id', 'app_id', 'agent_id', 'secret', 'mode'])
    .where('company_id', '=', company_id)
    .where('id', '=', app_id)
    .executeTakeFirst()
  if (!row) return null
  const { mode, ...app } = row
  const secret = vault.open<string>(getSecretPosition(app_id, 'secret'), row.secret)
  return { ...app, secret, ...(mode === 'store' ? { suite: { id: row.app_id, secret: '', ticket: null } } : {}) }
}

/** Runs a function in a transaction of that company, with its vault. */
const runWithVault = <T>(
  { database, secrets }: { readonly database: Database; readonly secrets: Secrets },
  company_id: string,
  run: (ctx: { readonly db: Tx; readonly company_id: string; readonly vault: Vault }) => Promise<T>,
): Promise<T> => database.inCompany(company_id, async (db) => run({ db, company_id, vault: await secrets.vault(db, company_id) }))

/** Opens the application with its secret, for the adapter. */
export async function openPlatformApp(
  database: Database,
  secrets: Secrets,
  { id, company_id }: StoredPlatformApp,
): Promise<ChatApp> {
  const app = await runWithVault({ database, secrets }, company_id, (companyTx) => loadPlatformApp(companyTx, id))
  if (!app) throw new Error('the application was taken away meanwhile')
  return app
}

/** Opens the company's sender for its chat platform; null if it is bound to none. */
export async function openChatSender(
  database: Database,
  secrets: Secrets,
  { company_id, openChat }: { readonly company_id: string; readonly openChat: (app: ChatApp) => CarrierSender },
): Promise<ChannelSender | null> {
  const app = await database.inCompany(company_id, async (db) => {
    const row = await db
      .selectFrom('platform_app')
      .innerJoin('company', (join) =>
        join.onRef('company.id', '=', 'platform_app.company_id').onRef('company.provider', '=', 'platform_app.provider'),
      )
      .select('platform_app.id')
      .where('platform_app.company_id', '=', company_id)
      .orderBy('platform_app.created_at')
      .executeTakeFirst()
    return row ? loadPlatformApp({ db, company_id, vault: await secrets.vault(db, company_id) }, row.id) : null
  })
  return app && createChannelSender(openChat(app))
}

/** Loads the keys configured for the callback address; null if none are set, in which case every callback is rejected. */
export async function loadCallbackKeys(
  database: Database,
  secrets: Secrets,
  { id, company_id, provider, corp_id, app_id }: StoredPlatformApp,
): Promise<CallbackKeys | null> {
  return runWithVault({ database, secrets }, company_id, async ({ db, vault }) => {
    const row = await db
      .selectFrom('platform_app')
      .select(['callback_token', 'callback_key'])
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row?.callback_token || !row.callback_key) return null
    return {
      token: vault.open<string>(getSecretPosition(id, 'callback_token'), row.callback_token),
      aes_key: vault.open<string>(getSecretPosition(id, 'callback_key'), row.callback_key),
      receivers: chatProviderRules[provider].callbackReceivers.map((field) => ({ corp_id, app_id })[field]),
      corp_id,
    }
  })
}
export type PlatformAppInput = Omit<StoredPlatformApp, 'company_id' | 'proved_at'> & {
  /**
   * The platform has just confirmed which company the application belongs to. An earlier confirmation of the same
   * application and company stays valid.
   */
  readonly isVerified: boolean
  readonly secret?: string | undefined
  /** '' deletes the values; undefined leaves them unchanged. */
  readonly token?: string | undefined
  readonly aes_key?: string | undefined
}
type CompanyVaultTx = { readonly db: Tx; readonly company_id: string; readonly vault: Vault; readonly now: Date }

const toSealedColumn = ({ vault }: CompanyVaultTx, id: string, column: SealedColumn, value: string | undefined) =>
  value === undefined ? {} : { [column]: value === '' ? null : vault.seal(getSecretPosition(id, column), value) }

/** Stores the application, or its changes, encrypted. */
export async function savePlatformApp(
  companyTx: CompanyVaultTx,
  { secret, token, aes_key, isVerified, ...app }: PlatformAppInput,
): Promise<void> {
  const { db, company_id, now, vault } = companyTx
  const { id, mode } = app
  const callback = {
    ...toSealedColumn(companyTx, id, 'callback_token', token),
    ...toSealedColumn(companyTx, id, 'callback_key', aes_key),
  }
  const updated = await db
    .updateTable('platform_app')
    .set(({ eb }) => ({
      proved_at: isVerified
        ? now
        : eb
            .case()
            .when(eb.and({ corp_id: app.corp_id, app_id: app.app_id }))
            .then(eb.ref('proved_at'))
            .else(null)
            .end(),
    }))
    .set({ ...app, ...callback, ...toSealedColumn(companyTx, id, 'secret', secret || undefined) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (updated.numUpdatedRows > 0n) return
  await db
    .insertInto('platform_app')
    .values({
      ...app,
      mode,
      company_id,
      created_at: now,
      proved_at: isVerified ? now : null,
      secret: vault.seal(getSecretPosition(id, 'secret'), secret ?? ''),
      ...callback,
    })
    .execute()
}

/** Renews a store application after another installation: another code, maybe another number. A deleted one is not restored. */
export const renewPlatformApp = (
  { db, company_id, vault }: Pick<CompanyVaultTx, 'db' | 'company_id' | 'vault'>,
  id: string,
  { agent_id, secret }: { readonly agent_id: string; readonly secret: string },
) =>
  db
    .updateTable('platform_app')
    .set({ agent_id, secret: vault.seal(getSecretPosition(id, 'secret'), secret) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('mode', '=', 'store')
    .execute()

/** Marks the application as confirmed: a user of its company has signed in through it. */
export async function verifyAppBySignIn(
  database: Database,
  { id, company_id, proved_at }: StoredPlatformApp,
  now: Date,
): Promise<void> {
  if (proved_at !== null) return
  await database.inCompany(company_id, (db) => setAppVerified({ db, company_id, now }, id))
}
/** Marks the application as confirmed by the platform's response. */
export const setAppVerified = ({ db, company_id, now }: Pick<CompanyVaultTx, 'db' | 'company_id' | 'now'>, id: string) =>
  db
    .updateTable('platform_app')
    .set({ proved_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('proved_at', 'is', null)
    .execute()

/** Deletes the company's applications with their secrets. */
export const deletePlatformApps = ({ db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>) =>
  db.deleteFrom('platform_app').where('company_id', '=', company_id).execute()

/** Lists the platform companies whose users can sign in to this company. */
export const listBoundCompanies = ({ db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>) =>
  db.selectFrom('platform_app').select(['provider', 'corp_id']).where('company_id', '=', company_id).execute()
