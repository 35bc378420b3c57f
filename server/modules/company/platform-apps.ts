/** The companies' applications on the chat platforms, with what they are asked by. Writes platform_app. */
import type { CarrierSender } from '../../../platform/carrier.ts'
import type { CallbackKeys, ChatApp } from '../../../platform/types.ts'
import type { ChatProvider } from '../../contract/shared/schemas.ts'
import type { SealPosition, Secrets, Vault } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type ChannelSender, createChannelSender } from '../../outbox/index.ts'

/** Without its secret. `id` and `company_id` are ours, the others are the platform's. */
export type StoredPlatformApp = Omit<ChatApp, 'secret' | 'suite'> & {
  readonly id: string
  readonly company_id: string
  /** `store`: its installation of ours, whose `app_id` is the suite's. */
  readonly mode: 'self_built' | 'store'
  /** Since when its platform has said that it is of `corp_id`; null: only who bound it has. */
  readonly proved_at: Date | null
}

type SealedColumn = 'secret' | 'callback_token' | 'callback_key'
const getSecretPosition = (app_id: string, column: SealedColumn): SealPosition => ({ table: 'platform_app', row: app_id, column })

/** A sign-in names the application, and by it the company: they are looked for before any company is known. */
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

/** What its page may show of it. */
export const getPlatformAppView = ({ db, company_id }: { readonly db: Tx; readonly company_id: string }, id: string | null) =>
  db
    .selectFrom('platform_app')
    .select(['id', 'app_id', 'agent_id', 'proved_at'])
    .select((eb) => eb.and([eb('callback_token', 'is not', null), eb('callback_key', 'is not', null)]).as('ready'))
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/**
 * The application of a company as the adapters want it; null where there is none. For transactions of that company. One of the store names its suite only:
 * `suited` brings the rest when the platform is asked.
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

/** In a transaction of that company, with what opens its secrets. */
const runWithVault = <T>(
  { database, secrets }: { readonly database: Database; readonly secrets: Secrets },
  company_id: string,
  run: (here: { readonly db: Tx; readonly company_id: string; readonly vault: Vault }) => Promise<T>,
): Promise<T> => database.inCompany(company_id, async (db) => run({ db, company_id, vault: await secrets.vault(db, company_id) }))

/** With its secret, for the adapter. */
export async function openPlatformApp(
  database: Database,
  secrets: Secrets,
  { id, company_id }: StoredPlatformApp,
): Promise<ChatApp> {
  const app = await runWithVault({ database, secrets }, company_id, (companyTx) => loadPlatformApp(companyTx, id))
  if (!app) throw new Error('the application was taken away meanwhile')
  return app
}

/** The company's way out through its chat platform; null where it is bound to none. */
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

/** What its callback address was set up with; null where nothing is set, and then nothing is believed. */
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
      receivers: receiversByProvider[provider]({ corp_id, app_id }),
      corp_id,
    }
  })
}
/** For whom an event of a company's own application is sealed. */
const receiversByProvider: Readonly<Record<ChatProvider, (app: { corp_id: string; app_id: string }) => string[]>> = {
  lark: ({ app_id }) => [app_id],
  wecom: ({ corp_id }) => [corp_id],
  dingtalk: ({ app_id, corp_id }) => [app_id, corp_id],
}

export type PlatformAppInput = Omit<StoredPlatformApp, 'company_id' | 'proved_at'> & {
  /** The platform has just said whose it is. What was proved of the same application of the same company stays so. */
  readonly isVerified: boolean
  readonly secret?: string | undefined
  /** '' takes them away, nothing leaves them. */
  readonly token?: string | undefined
  readonly aes_key?: string | undefined
}
type CompanyVaultTx = { readonly db: Tx; readonly company_id: string; readonly vault: Vault; readonly now: Date }

const toSealedColumn = ({ vault }: CompanyVaultTx, id: string, column: SealedColumn, value: string | undefined) =>
  value === undefined ? {} : { [column]: value === '' ? null : vault.seal(getSecretPosition(id, column), value) }

/** Keeps it, or what is new of it, sealed. */
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

/** Installed from the store once more: another code, perhaps another number. Where it was taken away meanwhile nothing comes back. */
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

/**
 * By what of each platform somebody signs in so that the platform itself says whose the application is. DingTalk's client names no company, and on its page
 * people choose among all of theirs, whatever application asks: it says of which company they are, not of which it is.
 */
const verifyingSources: Readonly<Record<ChatProvider, readonly ('page' | 'client')[]>> = {
  lark: ['page', 'client'],
  wecom: [],
  dingtalk: [],
}
export const isVerifiedBySignIn = (provider: ChatProvider): boolean => verifyingSources[provider].length > 0
/** Somebody of its company has signed in through it. */
export async function verifyAppBySignIn(
  database: Database,
  { id, company_id, provider, proved_at }: StoredPlatformApp,
  { channel: source, now }: { readonly channel: 'page' | 'client'; readonly now: Date },
): Promise<void> {
  if (proved_at !== null || !verifyingSources[provider].includes(source)) return
  await database.inCompany(company_id, (db) => setAppVerified({ db, company_id, now }, id))
}
/** The platform has said so when it was asked. */
export const setAppVerified = ({ db, company_id, now }: Pick<CompanyVaultTx, 'db' | 'company_id' | 'now'>, id: string) =>
  db
    .updateTable('platform_app')
    .set({ proved_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('proved_at', 'is', null)
    .execute()

/** Its secrets with it. */
export const deletePlatformApps = ({ db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>) =>
  db.deleteFrom('platform_app').where('company_id', '=', company_id).execute()

/** The companies on platforms whose people can sign in here. */
export const listBoundCompanies = ({ db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>) =>
  db.selectFrom('platform_app').select(['provider', 'corp_id']).where('company_id', '=', company_id).execute()
