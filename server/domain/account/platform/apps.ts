/** The companies' applications on the chat platforms, as far as signing in needs them. The company binds them; here they are read. */
import type { App } from '../../../../platform/types.ts'
import { authorizeCalls } from '../../../contract/platform-sign-in.ts'
import { type Provider, providers } from '../../../contract/words.ts'
import type { Database } from '../../../runtime/db.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import type { Secrets } from '../../../runtime/secrets.ts'

/** Without its secret. `id` and `company_id` are ours, the others are the platform's. */
export type KnownApp = Omit<App, 'secret'> & { readonly id: string; readonly company_id: string }

/** A sign-in names the application, and by it the company: they are looked for before any company is known. */
const apps = (database: Database, where: { id?: string; provider?: Provider; corp?: string | undefined }): Promise<KnownApp[]> =>
  database.asMachine(async (tx) => {
    let query = tx
      .selectFrom('platform_app')
      .select(['id', 'company_id', 'provider', 'corp_id', 'app_id', 'agent_id'])
      .orderBy('created_at')
    if (where.id) query = query.where('id', '=', where.id)
    if (where.provider) query = query.where('provider', '=', where.provider)
    if (where.corp) query = query.where('corp_id', '=', where.corp)
    return await query.execute()
  })

/**
 * The one that is meant: by the platform's company, or the only one there is. With several companies and none named nobody can tell, and
 * a list of them would tell strangers who our customers are.
 */
export async function appMeant(database: Database, provider: Provider, corp: string | undefined): Promise<KnownApp | null> {
  const found = await apps(database, { provider, corp })
  return found.length === 1 ? (found[0] ?? null) : null
}

export const appById = async (database: Database, id: string): Promise<KnownApp | null> =>
  (await apps(database, { id }))[0] ?? null

/** With its secret, for the adapter. */
export async function opened(database: Database, secrets: Secrets, app: KnownApp): Promise<App> {
  return database.inCompany(app.company_id, async (tx) => {
    const { secret } = await tx
      .selectFrom('platform_app')
      .select('secret')
      .where('company_id', '=', app.company_id)
      .where('id', '=', app.id)
      .executeTakeFirstOrThrow()
    const vault = await secrets.vault(tx, app.company_id)
    const { provider, corp_id, app_id, agent_id } = app
    return {
      provider,
      corp_id,
      app_id,
      agent_id,
      secret: vault.open<string>({ table: 'platform_app', row: app.id, column: 'secret' }, secret),
    }
  })
}

export type OfferedProvider = {
  provider: Provider
  login_url: string
  client: { corp_id: string; agent_id: string }
}

/** The platforms that the sign-in page offers. */
export async function providersOf(database: Database): Promise<OfferedProvider[]> {
  const all = await apps(database, {})
  return providers.flatMap((provider) => {
    const [app, second] = all.filter((one) => one.provider === provider)
    if (!app || second) return []
    const { corp_id, agent_id } = app
    return [{ provider, login_url: authorizeCalls[provider].path, client: { corp_id, agent_id } }]
  })
}

type PlatformLink = { readonly account_id: string; readonly provider: string; readonly user_id: string }

/** Who has signed in by a platform of this company, and as whom there. Two plain readings: in a cluster the second one lies elsewhere. */
export async function platformLinks({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>): Promise<PlatformLink[]> {
  const bound = await db.selectFrom('platform_app').select(['provider', 'corp_id']).where('company_id', '=', company_id).execute()
  if (bound.length === 0) return []
  return db
    .selectFrom('platform_identity')
    .select(['account_id', 'provider', 'user_id'])
    .where((eb) =>
      eb.or(bound.map(({ provider, corp_id }) => eb.and([eb('provider', '=', provider), eb('corp_id', '=', corp_id)]))),
    )
    .orderBy('provider')
    .orderBy('user_id')
    .execute()
}
