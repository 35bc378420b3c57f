/** The companies' applications on the chat platforms, as far as signing in needs them. The company binds them; here they are read. */
import { authorizeCalls } from '../../../contract/account/platform-sign-in.ts'
import { type ChatPlatform, providers } from '../../../contract/words/words.ts'
import type { Database } from '../../../runtime/db.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { boundCorps, type KnownApp, knownApps } from '../../company/index.ts'

/**
 * The one that is meant: by the platform's company, or the only one there is. With several companies and none named nobody can tell, and
 * a list of them would tell strangers who our customers are.
 */
export async function appMeant(database: Database, provider: ChatPlatform, corp: string | undefined): Promise<KnownApp | null> {
  const found = await knownApps(database, { provider, corp })
  return found.length === 1 ? (found[0] ?? null) : null
}

export const appById = async (database: Database, id: string): Promise<KnownApp | null> =>
  (await knownApps(database, { id }))[0] ?? null

export type OfferedProvider = {
  provider: ChatPlatform
  login_url: string
  client: { corp_id: string; agent_id: string }
}

/** The platforms that the sign-in page offers. */
export async function providersOf(database: Database): Promise<OfferedProvider[]> {
  const all = await knownApps(database, {})
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
  const bound = await boundCorps({ db, company_id })
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

/** Whoever was let in by this key came through an application that was none of that company. */
export async function forgetCorp(
  { db }: Pick<Ctx, 'db'>,
  { provider, corp_id }: { readonly provider: string; readonly corp_id: string },
): Promise<void> {
  await db.deleteFrom('platform_identity').where('provider', '=', provider).where('corp_id', '=', corp_id).execute()
}

/**
 * These ids are no longer those of whom they were: their platform may give them to somebody else, who would come in as him. Whoever still has one proves
 * his phone once more.
 */
export async function forgetIdentities(
  { db }: Pick<Ctx, 'db'>,
  { provider, corp_id }: { readonly provider: string; readonly corp_id: string },
  user_ids: readonly string[],
): Promise<void> {
  if (user_ids.length === 0) return
  await db
    .deleteFrom('platform_identity')
    .where('provider', '=', provider)
    .where('corp_id', '=', corp_id)
    .where('user_id', 'in', user_ids)
    .execute()
}
