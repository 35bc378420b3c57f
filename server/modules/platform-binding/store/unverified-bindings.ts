/**
 * Unverified bindings: an application may be bound by a platform company's key without the platform ever confirming
 * that it belongs to that company (DingTalk's own applications, Lark's without permission to read the tenant). Such a
 * binding does not block a company that can prove the key. Writes the tables of `endBinding`.
 */

import { type ChatProvider, providerLabels } from '../../../contract/shared/providers.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Tx } from '../../../database/database.ts'
import { type ExternalContext, fail } from '../../../http/handler.ts'
import { listAdminIdsWithPowers } from '../../access/index.ts'
import { findPlatformApps, getPlatformAppView, type StoredPlatformApp } from '../../company/index.ts'
import { notify } from '../../notifications/index.ts'
import { findBinding } from '../binding-rows.ts'
import { endBinding } from '../unbind.ts'

type PlatformCompanyKey = { readonly provider: ChatProvider; readonly corp_id: string }
export type DisplaceDeps = {
  readonly secrets: Secrets
  /** Runs a function in a transaction of this company. */
  runInCompany<T>(company_id: string, work: (ctx: { readonly db: Tx; readonly now: Date }) => Promise<T>): Promise<T>
}

export const createBoundElsewhereError = () =>
  fail('wrong_state', '这家企业已经绑定到本系统的另一家公司，请先在那边解除绑定；如有疑问请联系客服', { status: 'elsewhere' })

/** A platform company belongs to one company here: two would read each other's members. Returns bindings with an unproven key. */
export async function listUnverifiedBindings(
  { database, me }: Pick<ExternalContext, 'database' | 'me'>,
  { provider, corp_id }: PlatformCompanyKey,
): Promise<StoredPlatformApp[]> {
  const others = (await findPlatformApps(database, { provider, corp: corp_id })).filter(
    ({ company_id }) => company_id !== me?.company_id,
  )
  if (others.some(({ proved_at }) => proved_at !== null)) throw createBoundElsewhereError()
  return others
}

/**
 * Another company has proved that the key is theirs: ends these bindings, notifies their administrators and deletes the
 * data read through them.
 */
export async function endUnverifiedBindings(
  { secrets, runInCompany }: DisplaceDeps,
  bindings: readonly StoredPlatformApp[],
): Promise<void> {
  for (const { id, company_id, provider } of bindings)
    await runInCompany(company_id, async ({ db, now }) => {
      const companyTx = { db, company_id, now, vault: await secrets.vault(db, company_id) }
      const binding = await findBinding(companyTx, 'held')
      if (binding?.app_id !== id) return
      if ((await getPlatformAppView(companyTx, id)).proved_at) throw createBoundElsewhereError()
      await endBinding(companyTx, binding, { by: '', why: 'displaced' })
      const text = `${providerLabels[provider]}企业 ${binding.corp_id} 已由另一家公司的成员在平台上登录证实，本公司与它的绑定已结束。如果它是贵公司，请在「办公平台」重新绑定并联系客服`
      for (const admin_id of await listAdminIdsWithPowers(companyTx, ['1', '4']))
        await notify(companyTx, admin_id, { kind: 'security', text, batch_id: null })
    })
}
