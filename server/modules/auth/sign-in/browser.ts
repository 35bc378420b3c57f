/**
 * Identifies the browser before and between sessions by a random secret in a cookie that scripts cannot read. Codes and
 * grants are valid only in the browser that requested them, and a browser in which a user has signed in before is not
 * limited by others who guess that user's password.
 */
import type { ExternalContext } from '../../../http/handler.ts'
import { generateSecret, hashSecret } from '../../../http/sessions.ts'
import { newId } from '../../../shared/ids.ts'

/** Browsers store no cookie for longer than 400 days. */
const cookieLifetimeSeconds = 400 * 86_400
const getBrowserCookieName = (https: boolean): string => (https ? '__Host-did' : 'did')

function readBrowserSecret({ request }: ExternalContext): string | null {
  const secret = request.cookies[getBrowserCookieName(request.https)]
  return secret && /^[\w-]{43}$/.test(secret) ? secret : null
}

/** Returns the key by which a code or grant is found again; null where this browser has no secret and so requested nothing. */
export function getBrowserHash(ctx: ExternalContext): Buffer | null {
  const secret = readBrowserSecret(ctx)
  return secret ? hashSecret(secret) : null
}

/** Like `getBrowserHash`, but creates a secret for a browser that has none. */
export function ensureBrowserHash(ctx: ExternalContext): Buffer {
  const secret = readBrowserSecret(ctx) ?? generateSecret()
  ctx.setCookie(getBrowserCookieName(ctx.request.https), secret, { http_only: true, max_age_s: cookieLifetimeSeconds })
  return hashSecret(secret)
}

/** Gives this browser a rate limit of its own for future sign-ins to this account. */
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
