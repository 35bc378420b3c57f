/**
 * The browser, before and between sessions: a random secret in a cookie that scripts cannot read. Codes and grants are good only where they
 * were asked for, and a browser in which somebody has signed in before is not held up by others who guess at his password.
 */
import type { ExternalContext } from '../../../http/handler.ts'
import { generateSecret, hashSecret } from '../../../http/sessions.ts'
import { newId } from '../../../shared/ids.ts'

/** Browsers keep no cookie longer than 400 days. */
const cookieLifetimeSeconds = 400 * 86_400
const getBrowserCookieName = (https: boolean): string => (https ? '__Host-did' : 'did')

function readBrowserSecret({ request }: ExternalContext): string | null {
  const secret = request.cookies[getBrowserCookieName(request.https)]
  return secret && /^[\w-]{43}$/.test(secret) ? secret : null
}

/** By what a code or a grant is found again; null where this browser has none of ours and so has asked for nothing. */
export function getBrowserHash(ctx: ExternalContext): Buffer | null {
  const secret = readBrowserSecret(ctx)
  return secret ? hashSecret(secret) : null
}

/** The same, and a browser that has no secret yet gets one. */
export function ensureBrowserHash(ctx: ExternalContext): Buffer {
  const secret = readBrowserSecret(ctx) ?? generateSecret()
  ctx.setCookie(getBrowserCookieName(ctx.request.https), secret, { http_only: true, max_age_s: cookieLifetimeSeconds })
  return hashSecret(secret)
}

/** From now on this browser has a budget of its own when somebody signs in to this account. */
export async function rememberBrowser(ctx: ExternalContext, account_id: string): Promise<void> {
  const secret_hash = ensureBrowserHash(ctx)
  await ctx.database.withoutCompany((tx) =>
    tx
      .insertInto('device')
      .values({ id: newId(), account_id, secret_hash, created_at: ctx.now, last_active_at: ctx.now })
      .onConflict((conflict) => conflict.columns(['account_id', 'secret_hash']).doUpdateSet({ last_active_at: ctx.now }))
      .execute(),
  )
}
