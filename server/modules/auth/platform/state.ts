/**
 * The `state` of a sign-in through a chat platform. It names the requested application and the flow; it is signed
 * together with a cookie of the requesting browser, so a link that contains somebody else's code signs nobody in (A15).
 * Nothing is stored until it comes back; then it is accepted once.
 */
import { timingSafeEqual } from 'node:crypto'
import type { AuthCodeSource } from '../../../../platform/types.ts'
import { type ChatProvider, providers } from '../../../contract/shared/providers.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import { type ExternalContext, fail } from '../../../http/handler.ts'
import { generateSecret, hashSecret } from '../../../http/sessions.ts'
import { ensureBrowserHash, getBrowserHash } from '../sign-in/browser.ts'

const stateLifetimeSeconds = 600

export type SignInState = { readonly provider: ChatProvider; readonly source: AuthCodeSource; readonly app_id: string }

const signState = (secrets: Secrets, payload: string, browser: Buffer): string =>
  secrets
    .mac('platform-state', `${payload}|${browser.toString('hex')}`)
    .toString('hex')
    .slice(0, 32)

/** The value has only letters and digits, at most 128, because WeCom accepts nothing else. */
export function createSignInState(ctx: ExternalContext, { provider, source, app_id }: SignInState): string {
  const until = Math.floor(ctx.now.getTime() / 1000) + stateLifetimeSeconds
  const nonce = hashSecret(generateSecret()).toString('hex').slice(0, 16)
  const payload = `${provider}${source === 'client' ? 'c' : 'p'}${app_id.replaceAll('-', '')}${until.toString(16).padStart(8, '0')}${nonce}`
  return payload + signState(ctx.secrets, payload, ensureBrowserHash(ctx))
}

const statePattern = new RegExp(`^(${providers.join('|')})([cp])([0-9a-f]{32})([0-9a-f]{8})[0-9a-f]{16}([0-9a-f]{32})$`)
const createStateExpiredError = () => fail('wrong_state', '登录请求已失效，请从登录页重新进入')

/** Returns the request. Throws `wrong_state` unless it is from this browser, at most ten minutes old, and not used before. */
export async function consumeSignInState(ctx: ExternalContext, state: string): Promise<SignInState> {
  const [, providerName, source, app, until = '', mac = ''] = statePattern.exec(state) ?? []
  const provider = providers.find((one) => one === providerName)
  const browser = getBrowserHash(ctx)
  if (!provider || !app || !browser) throw createStateExpiredError()
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(signState(ctx.secrets, state.slice(0, -32), browser))))
    throw createStateExpiredError()
  const expires_at = new Date(Number.parseInt(until, 16) * 1000)
  if (expires_at <= ctx.now) throw createStateExpiredError()
  const first = await ctx.database.withoutCompany(async (tx) => {
    // The state's own expiry rejects it from now on; the row is no longer needed.
    await tx.deleteFrom('login_state').where('expires_at', '<=', ctx.now).execute()
    const inserted = await tx
      .insertInto('login_state')
      .values({ state_hash: hashSecret(state), expires_at })
      .onConflict((conflict) => conflict.column('state_hash').doNothing())
      .executeTakeFirst()
    return inserted.numInsertedOrUpdatedRows === 1n
  })
  if (!first) throw createStateExpiredError()
  const id = app.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { provider, source: source === 'c' ? 'client' : 'page', app_id: id }
}
