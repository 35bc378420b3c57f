/** Who went to a platform to install, or to prove who he is there: good once, for him alone, for so long. Writes platform_install_ask. */
import * as z from 'zod/mini'
import { installedPage } from '../../../contract/people/installing.ts'
import { type ChatPlatform, providers } from '../../../contract/words/words.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { type Ctx, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { hashOf } from '../../../runtime/request/sessions.ts'
import { bindingOf, followed } from '../rows.ts'

/** `prove`: that a company's key is his company's, which somebody else is bound by. */
type How = 'install' | 'claim' | 'prove'
/** As long as the code with which WeCom's page is opened. */
const asks_ms = 20 * 60_000

export const redirectOf = ({ origin }: Pick<OutsideCtx, 'origin'>): string => origin + installedPage

const place = (state: string) => ({
  table: 'platform_install_ask',
  row: Buffer.from(hashOf(state)).toString('hex'),
  column: 'wish',
})

const text = z.optional(z.string())
const typedApp = documentKind({
  kind: 'application whose key is to be proved',
  version: 1,
  schema: z.object({
    provider: z.enum(providers),
    corp_id: z.string(),
    app_id: text,
    agent_id: text,
    secret: z.string(),
    token: text,
    aes_key: text,
  }),
})
/** What was typed, and is bound once its key is proved. */
export type TypedApp = ReturnType<typeof typedApp.open>

type Ask = { readonly state: string; readonly provider: ChatPlatform; readonly how: How; readonly wish?: TypedApp }
export async function keepAsk({ db, company_id, me, now, vault }: Ctx, { state, provider, how, wish }: Ask): Promise<void> {
  const old = db.deleteFrom('platform_install_ask').where('company_id', '=', company_id)
  await old.where('expires_at', '<=', now).execute()
  const expires_at = new Date(now.getTime() + asks_ms)
  const row = { company_id, state_hash: hashOf(state), account_id: me.account_id, provider, how, expires_at }
  const sealed = wish === undefined ? null : typedApp.seal(vault, place(state), wish)
  await db
    .insertInto('platform_install_ask')
    .values({ ...row, wish: sealed })
    .execute()
}

/** Only in the session of the company that it names, of the same person, in time, and once. */
export async function spendAsk(
  { db, company_id, me, now, vault }: Ctx,
  state: string,
): Promise<{ provider: ChatPlatform; how: How; wish: TypedApp | null }> {
  const row = await db
    .deleteFrom('platform_install_ask')
    .where('company_id', '=', company_id)
    .where('state_hash', '=', hashOf(state))
    .where('account_id', '=', me.account_id)
    .where('expires_at', '>', now)
    .returning(['provider', 'how', 'wish'])
    .executeTakeFirst()
  if (!row) throw refuse('wrong_state', '安装请求已失效，或不是您在这家企业里发起的，请重新开始', { status: 'state' })
  followed((await bindingOf({ db, company_id }))?.status ?? 0, 'bind')
  return { provider: row.provider, how: row.how, wish: row.wish && typedApp.open(vault, place(state), row.wish) }
}
