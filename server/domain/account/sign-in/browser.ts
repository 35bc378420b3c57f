/**
 * The browser, before and between sessions: a random secret in a cookie that scripts cannot read. Codes and grants are good only where they
 * were asked for, and a browser in which somebody has signed in before is not held up by others who guess at his password.
 */
import type { OutsideCtx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { hashOf, newSecret } from '../../../runtime/request/sessions.ts'

/** Browsers keep no cookie longer than 400 days. */
const lives_s = 400 * 86_400
const cookieOf = (https: boolean): string => (https ? '__Host-did' : 'did')

function secretOf({ request }: OutsideCtx): string | null {
  const secret = request.cookies[cookieOf(request.https)]
  return secret && /^[\w-]{43}$/.test(secret) ? secret : null
}

/** By what a code or a grant is found again; null where this browser has none of ours and so has asked for nothing. */
export function browserOf(ctx: OutsideCtx): Buffer | null {
  const secret = secretOf(ctx)
  return secret ? hashOf(secret) : null
}

/** The same, and a browser that has no secret yet gets one. */
export function markBrowser(ctx: OutsideCtx): Buffer {
  const secret = secretOf(ctx) ?? newSecret()
  ctx.setCookie(cookieOf(ctx.request.https), secret, { http_only: true, max_age_s: lives_s })
  return hashOf(secret)
}

/** From now on this browser has a budget of its own when somebody signs in to this account. */
export async function rememberBrowser(ctx: OutsideCtx, account_id: string): Promise<void> {
  const secret_hash = markBrowser(ctx)
  await ctx.database.outside((tx) =>
    tx
      .insertInto('device')
      .values({ id: newId(), account_id, secret_hash, created_at: ctx.now, seen_at: ctx.now })
      .onConflict((conflict) => conflict.columns(['account_id', 'secret_hash']).doUpdateSet({ seen_at: ctx.now }))
      .execute(),
  )
}
