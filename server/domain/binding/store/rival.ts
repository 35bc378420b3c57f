/**
 * Whose key it is: an application may be bound by a company's key without its platform ever saying that it is of that company (DingTalk's own, Lark's where
 * it may not read its tenant). Such a binding keeps nobody out who can prove it. Writes what `unbind` writes.
 */

import { providerNames } from '../../../contract/people/providers.ts'
import type { ChatPlatform } from '../../../contract/words/words.ts'
import type { Tx } from '../../../runtime/db.ts'
import { type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { type KnownApp, knownApps, shownApp } from '../../company/index.ts'
import { notify } from '../../desk/index.ts'
import { adminsWith } from '../../role/index.ts'
import { bindingOf } from '../rows.ts'
import { unbind } from '../unbind.ts'

type Key = { readonly provider: ChatPlatform; readonly corp_id: string }
export type Displacing = {
  readonly secrets: Secrets
  /** In a transaction of this company. */
  inside<T>(company_id: string, work: (here: { readonly db: Tx; readonly now: Date }) => Promise<T>): Promise<T>
}

export const elsewhere = () =>
  refuse('wrong_state', '这家企业已经绑定到本系统的另一家公司，请先在那边解除绑定；如有疑问请联系客服', { status: 'elsewhere' })

/** A company there belongs to one company here: two would read each other's people. Answers who has its key without ever having proved it. */
export async function rivalsOf(
  { database, me }: Pick<OutsideCtx, 'database' | 'me'>,
  { provider, corp_id }: Key,
): Promise<KnownApp[]> {
  const others = (await knownApps(database, { provider, corp: corp_id })).filter(
    ({ company_id }) => company_id !== me?.company_id,
  )
  if (others.some(({ proved_at }) => proved_at !== null)) throw elsewhere()
  return others
}

/** Somebody else has proved that the key is his: these end, their administrators are told, and what they read by it is forgotten. */
export async function displace({ secrets, inside }: Displacing, rivals: readonly KnownApp[]): Promise<void> {
  for (const { id, company_id, provider } of rivals)
    await inside(company_id, async ({ db, now }) => {
      const here = { db, company_id, now, vault: await secrets.vault(db, company_id) }
      const binding = await bindingOf(here, 'held')
      if (binding?.app_id !== id) return
      if ((await shownApp(here, id)).proved_at) throw elsewhere()
      await unbind(here, binding, { by: '', why: 'displaced' })
      const text = `${providerNames[provider]}企业 ${binding.corp_id} 已由另一家公司的成员在平台上登录证实，本公司与它的绑定已结束。如果它是贵公司，请在「办公平台」重新绑定并联系客服`
      for (const admin_id of await adminsWith(here, ['1', '4']))
        await notify(here, admin_id, { kind: 'security', text, batch_id: null })
    })
}
