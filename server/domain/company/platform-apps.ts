/** The companies' applications on the chat platforms, with what they are asked by. Writes platform_app. */
import type { CarrierLine } from '../../../platform/carrier.ts'
import type { App, CallbackKeys } from '../../../platform/types.ts'
import type { ChatPlatform } from '../../contract/words/words.ts'
import type { Database, Tx } from '../../runtime/db.ts'
import { type OutsideLine, outsideLine } from '../../runtime/post/index.ts'
import type { Place, Secrets, Vault } from '../../runtime/secrets.ts'

/** Without its secret. `id` and `company_id` are ours, the others are the platform's. */
export type KnownApp = Omit<App, 'secret' | 'suite'> & {
  readonly id: string
  readonly company_id: string
  /** `store`: its installation of ours, whose `app_id` is the suite's. */
  readonly mode: 'self_built' | 'store'
  /** Since when its platform has said that it is of `corp_id`; null: only who bound it has. */
  readonly proved_at: Date | null
}

type Sealed = 'secret' | 'callback_token' | 'callback_key'
const place = (app_id: string, column: Sealed): Place => ({ table: 'platform_app', row: app_id, column })

/** A sign-in names the application, and by it the company: they are looked for before any company is known. */
export const knownApps = (
  database: Database,
  where: { id?: string; provider?: ChatPlatform; corp?: string | undefined },
): Promise<KnownApp[]> =>
  database.asMachine(async (tx) => {
    let query = tx
      .selectFrom('platform_app')
      .select(['id', 'company_id', 'provider', 'corp_id', 'app_id', 'agent_id', 'mode', 'proved_at'])
      .orderBy('created_at')
    if (where.id) query = query.where('id', '=', where.id)
    if (where.provider) query = query.where('provider', '=', where.provider)
    if (where.corp) query = query.where('corp_id', '=', where.corp)
    return await query.execute()
  })

/** What its page may show of it. */
export const shownApp = ({ db, company_id }: { readonly db: Tx; readonly company_id: string }, id: string | null) =>
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
export async function appIn(
  { db, company_id, vault }: { readonly db: Tx; readonly company_id: string; readonly vault: Vault },
  app_id: string,
): Promise<App | null> {
  const row = await db
    .selectFrom('platform_app')
    .select(['provider', 'corp_id', 'app_id', 'agent_id', 'secret', 'mode'])
    .where('company_id', '=', company_id)
    .where('id', '=', app_id)
    .executeTakeFirst()
  if (!row) return null
  const { mode, ...app } = row
  const secret = vault.open<string>(place(app_id, 'secret'), row.secret)
  return { ...app, secret, ...(mode === 'store' ? { suite: { id: row.app_id, secret: '', ticket: null } } : {}) }
}

/** In a transaction of that company, with what opens its secrets. */
const unlocked = <T>(
  { database, secrets }: { readonly database: Database; readonly secrets: Secrets },
  company_id: string,
  work: (here: { readonly db: Tx; readonly company_id: string; readonly vault: Vault }) => Promise<T>,
): Promise<T> =>
  database.inCompany(company_id, async (db) => work({ db, company_id, vault: await secrets.vault(db, company_id) }))

/** With its secret, for the adapter. */
export async function opened(database: Database, secrets: Secrets, { id, company_id }: KnownApp): Promise<App> {
  const app = await unlocked({ database, secrets }, company_id, (here) => appIn(here, id))
  if (!app) throw new Error('the application was taken away meanwhile')
  return app
}

/** The company's way out through its chat platform; null where it is bound to none. */
export async function chatLine(
  database: Database,
  secrets: Secrets,
  { company_id, openChat }: { readonly company_id: string; readonly openChat: (app: App) => CarrierLine },
): Promise<OutsideLine | null> {
  const app = await database.inCompany(company_id, async (db) => {
    const known = await db
      .selectFrom('platform_app')
      .innerJoin('company', (join) =>
        join.onRef('company.id', '=', 'platform_app.company_id').onRef('company.provider', '=', 'platform_app.provider'),
      )
      .select('platform_app.id')
      .where('platform_app.company_id', '=', company_id)
      .orderBy('platform_app.created_at')
      .executeTakeFirst()
    return known ? appIn({ db, company_id, vault: await secrets.vault(db, company_id) }, known.id) : null
  })
  return app && outsideLine(openChat(app))
}

/** What its callback address was set up with; null where nothing is set, and then nothing is believed. */
export async function callbackKeys(
  database: Database,
  secrets: Secrets,
  { id, company_id, provider, corp_id, app_id }: KnownApp,
): Promise<CallbackKeys | null> {
  return unlocked({ database, secrets }, company_id, async ({ db, vault }) => {
    const row = await db
      .selectFrom('platform_app')
      .select(['callback_token', 'callback_key'])
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row?.callback_token || !row.callback_key) return null
    return {
      token: vault.open<string>(place(id, 'callback_token'), row.callback_token),
      aes_key: vault.open<string>(place(id, 'callback_key'), row.callback_key),
      receivers: receiversOf[provider]({ corp_id, app_id }),
      corp_id,
    }
  })
}
/** For whom an event of a company's own application is sealed. */
const receiversOf: Readonly<Record<ChatPlatform, (app: { corp_id: string; app_id: string }) => string[]>> = {
  lark: ({ app_id }) => [app_id],
  wecom: ({ corp_id }) => [corp_id],
  dingtalk: ({ app_id, corp_id }) => [app_id, corp_id],
}

export type GivenApp = Omit<KnownApp, 'company_id' | 'proved_at'> & {
  /** The platform has just said whose it is. What was proved of the same application of the same company stays so. */
  readonly certain: boolean
  readonly secret?: string | undefined
  /** '' takes them away, nothing leaves them. */
  readonly token?: string | undefined
  readonly aes_key?: string | undefined
}
type Here = { readonly db: Tx; readonly company_id: string; readonly vault: Vault; readonly now: Date }

const sealedPart = ({ vault }: Here, id: string, column: Sealed, value: string | undefined) =>
  value === undefined ? {} : { [column]: value === '' ? null : vault.seal(place(id, column), value) }

/** Keeps it, or what is new of it, sealed. */
export async function keepApp(here: Here, { secret, token, aes_key, certain, ...app }: GivenApp): Promise<void> {
  const { db, company_id, now, vault } = here
  const { id, mode } = app
  const callback = { ...sealedPart(here, id, 'callback_token', token), ...sealedPart(here, id, 'callback_key', aes_key) }
  const kept = await db
    .updateTable('platform_app')
    .set(({ eb }) => ({
      proved_at: certain
        ? now
        : eb
            .case()
            .when(eb.and({ corp_id: app.corp_id, app_id: app.app_id }))
            .then(eb.ref('proved_at'))
            .else(null)
            .end(),
    }))
    .set({ ...app, ...callback, ...sealedPart(here, id, 'secret', secret || undefined) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (kept.numUpdatedRows > 0n) return
  await db
    .insertInto('platform_app')
    .values({
      ...app,
      mode,
      company_id,
      created_at: now,
      proved_at: certain ? now : null,
      secret: vault.seal(place(id, 'secret'), secret ?? ''),
      ...callback,
    })
    .execute()
}

/** Installed from the store once more: another code, perhaps another number. Where it was taken away meanwhile nothing comes back. */
export const renewApp = (
  { db, company_id, vault }: Pick<Here, 'db' | 'company_id' | 'vault'>,
  id: string,
  { agent_id, secret }: { readonly agent_id: string; readonly secret: string },
) =>
  db
    .updateTable('platform_app')
    .set({ agent_id, secret: vault.seal(place(id, 'secret'), secret) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('mode', '=', 'store')
    .execute()

/**
 * By what of each platform somebody signs in so that the platform itself says whose the application is. DingTalk's client names no company, and on its page
 * people choose among all of theirs, whatever application asks: it says of which company they are, not of which it is.
 */
const tells: Readonly<Record<ChatPlatform, readonly ('page' | 'client')[]>> = {
  lark: ['page', 'client'],
  wecom: [],
  dingtalk: [],
}
export const isProvedBySignIn = (provider: ChatPlatform): boolean => tells[provider].length > 0
/** Somebody of its company has signed in through it. */
export async function proveApp(
  database: Database,
  { id, company_id, provider, proved_at }: KnownApp,
  { way, now }: { readonly way: 'page' | 'client'; readonly now: Date },
): Promise<void> {
  if (proved_at !== null || !tells[provider].includes(way)) return
  await database.inCompany(company_id, (db) => provedApp({ db, company_id, now }, id))
}
/** The platform has said so when it was asked. */
export const provedApp = ({ db, company_id, now }: Pick<Here, 'db' | 'company_id' | 'now'>, id: string) =>
  db
    .updateTable('platform_app')
    .set({ proved_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('proved_at', 'is', null)
    .execute()

/** Its secrets with it. */
export const forgetApps = ({ db, company_id }: Pick<Here, 'db' | 'company_id'>) =>
  db.deleteFrom('platform_app').where('company_id', '=', company_id).execute()

/** The companies on platforms whose people can sign in here. */
export const boundCorps = ({ db, company_id }: Pick<Here, 'db' | 'company_id'>) =>
  db.selectFrom('platform_app').select(['provider', 'corp_id']).where('company_id', '=', company_id).execute()
