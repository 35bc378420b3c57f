/** The companies' chat platform applications, as far as sign-in needs them. The company module binds them; this only reads. */
import { authorizeCalls } from '../../../contract/auth/platform-sign-in.ts'
import { type ChatProvider, providers } from '../../../contract/shared/providers.ts'
import type { Database } from '../../../database/database.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { findPlatformApps, listBoundCompanies, type StoredPlatformApp } from '../../company/index.ts'

/**
 * Returns the requested application: the one of the given platform company, or the only one. With several companies and
 * none named the choice is ambiguous, and a list of them would reveal the customers to strangers.
 */
export async function findRequestedApp(
  database: Database,
  provider: ChatProvider,
  corp: string | undefined,
): Promise<StoredPlatformApp | null> {
  const apps = await findPlatformApps(database, { provider, corp })
  return apps.length === 1 ? (apps[0] ?? null) : null
}

export const findAppById = async (database: Database, id: string): Promise<StoredPlatformApp | null> =>
  (await findPlatformApps(database, { id }))[0] ?? null

export type SignInProvider = {
  provider: ChatProvider
  login_url: string
  client: { corp_id: string; agent_id: string }
}

/** Returns the platforms that the sign-in page offers. */
export async function listSignInProviders(database: Database): Promise<SignInProvider[]> {
  const all = await findPlatformApps(database, {})
  return providers.flatMap((provider) => {
    const [app, second] = all.filter((one) => one.provider === provider)
    if (!app || second) return []
    const { corp_id, agent_id } = app
    return [{ provider, login_url: authorizeCalls[provider].path, client: { corp_id, agent_id } }]
  })
}

type PlatformLink = { readonly account_id: string; readonly provider: string; readonly user_id: string }

/**
 * Returns which accounts have signed in through a platform of this company, with their platform user ids. Two plain
 * queries: in a cluster the second table is stored elsewhere.
 */
export async function listPlatformLinks({ db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>): Promise<PlatformLink[]> {
  const bound = await listBoundCompanies({ db, company_id })
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

/** Deletes the identities of a platform company: these users signed in through an application that did not belong to it. */
export async function deleteCompanyIdentities(
  { db }: Pick<HandlerContext, 'db'>,
  { provider, corp_id }: { readonly provider: string; readonly corp_id: string },
): Promise<void> {
  await db.deleteFrom('platform_identity').where('provider', '=', provider).where('corp_id', '=', corp_id).execute()
}

/**
 * Deletes identities whose ids no longer belong to the same users: the platform may reassign an id, and its new owner
 * would sign in as the old one. A user who still has such an id proves their phone once more.
 */
export async function deletePlatformIdentities(
  { db }: Pick<HandlerContext, 'db'>,
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
