/**
 * Requests of users sent to a platform to install the application or to prove their identity: single use, bound to the
 * user, limited in time. Writes platform_install_request.
 */
import * as z from 'zod/mini'
import { installReturnPath } from '../../../contract/platform-binding/install.ts'
import { type ChatProvider, providers } from '../../../contract/shared/providers.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import { type ExternalContext, fail, type HandlerContext } from '../../../http/handler.ts'
import { hashSecret } from '../../../http/sessions.ts'
import { findBinding, requireNextStatus } from '../binding-rows.ts'

/** `prove`: the platform company's key, which another company has bound so far, belongs to the user's company. */
type InstallMode = 'install' | 'claim' | 'prove'
/** The lifetime of the code with which WeCom's page is opened. */
const requestLifetimeMs = 20 * 60_000

export const getInstallRedirectUrl = ({ origin }: Pick<ExternalContext, 'origin'>): string => origin + installReturnPath

const getRequestPosition = (state: string) => ({
  table: 'platform_install_request',
  row: Buffer.from(hashSecret(state)).toString('hex'),
  column: 'options',
})

const text = z.optional(z.string())
const manualAppDocument = defineDocument({
  kind: 'application to verify',
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
/** The submitted credentials, bound once the key is proved. */
export type ManualApp = ReturnType<typeof manualAppDocument.open>

type InstallRequest = {
  readonly state: string
  readonly provider: ChatProvider
  readonly mode: InstallMode
  readonly options?: ManualApp
}
export async function saveInstallRequest(
  { db, company_id, currentUser, now, vault }: HandlerContext,
  { state, provider, mode, options }: InstallRequest,
): Promise<void> {
  const expired = db.deleteFrom('platform_install_request').where('company_id', '=', company_id)
  await expired.where('expires_at', '<=', now).execute()
  const expires_at = new Date(now.getTime() + requestLifetimeMs)
  const row = { company_id, state_hash: hashSecret(state), account_id: currentUser.account_id, provider, kind: mode, expires_at }
  const sealed = options === undefined ? null : manualAppDocument.seal(vault, getRequestPosition(state), options)
  await db
    .insertInto('platform_install_request')
    .values({ ...row, options: sealed })
    .execute()
}

/** The code is accepted only once, in time, in a session of the named company and the same user. */
export async function consumeInstallRequest(
  { db, company_id, currentUser, now, vault }: HandlerContext,
  state: string,
): Promise<{ provider: ChatProvider; kind: InstallMode; options: ManualApp | null }> {
  const row = await db
    .deleteFrom('platform_install_request')
    .where('company_id', '=', company_id)
    .where('state_hash', '=', hashSecret(state))
    .where('account_id', '=', currentUser.account_id)
    .where('expires_at', '>', now)
    .returning(['provider', 'kind', 'options'])
    .executeTakeFirst()
  if (!row) throw fail('wrong_state', '安装请求已失效，或不是您在这家企业里发起的，请重新开始', { status: 'state' })
  requireNextStatus((await findBinding({ db, company_id }))?.status ?? 0, 'bind')
  return {
    provider: row.provider,
    kind: row.kind,
    options: row.options && manualAppDocument.open(vault, getRequestPosition(state), row.options),
  }
}
