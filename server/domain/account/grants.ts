/** Grants: what a checked code or password is exchanged for. Random, good once, in the browser that asked, for one purpose. */
import type { Tx } from '../../runtime/db.ts'
import { type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { hashOf, newSecret } from '../../runtime/request/sessions.ts'
import type { CodePurpose } from './codes.ts'
import { browserOf, markBrowser } from './sign-in/browser.ts'

/** Besides the purposes of codes: a sign-in that waits for its second factor, and a password that was shown to change the phone. */
export type GrantFor = CodePurpose | 'factor' | 'new_phone'
export type Grant = {
  readonly mobile: string
  readonly account_id: string | null
  readonly epoch: number | null
  readonly company_id: string | null
}

/** A new one ends the older ones of the same phone and purpose. */
export async function issueGrant(
  ctx: OutsideCtx,
  grant: Pick<Grant, 'mobile'> & Partial<Grant> & { purpose: GrantFor; lives_s: number },
): Promise<string> {
  const { lives_s, ...kept } = grant
  const token = newSecret()
  const browser_hash = markBrowser(ctx)
  await ctx.database.outside(async (tx) => {
    await tx
      .updateTable('grant_token')
      .set({ used_at: ctx.now })
      .where('mobile', '=', grant.mobile)
      .where('purpose', '=', grant.purpose)
      .where('used_at', 'is', null)
      .execute()
    await tx
      .insertInto('grant_token')
      .values({ token_hash: hashOf(token), browser_hash, expires_at: new Date(ctx.now.getTime() + lives_s * 1000), ...kept })
      .execute()
  })
  return token
}

export type AskedGrant = {
  readonly token: string
  readonly purpose: GrantFor
  readonly mobile?: string
  readonly account_id?: string
}

const good = (ctx: OutsideCtx, { token, purpose }: Pick<AskedGrant, 'token' | 'purpose'>) =>
  [hashOf(token), purpose, browserOf(ctx) ?? Buffer.alloc(0)] as const

/** Looks at a grant and leaves it good; null unless it is of this browser, unused and in time. */
export async function seeGrant(ctx: OutsideCtx, asked: AskedGrant): Promise<Grant | null> {
  const [token_hash, purpose, browser_hash] = good(ctx, asked)
  const grant = await ctx.database.outside((tx) =>
    tx
      .selectFrom('grant_token')
      .select(['mobile', 'account_id', 'epoch', 'company_id'])
      .where('token_hash', '=', token_hash)
      .where('purpose', '=', purpose)
      .where('browser_hash', '=', browser_hash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', ctx.now)
      .executeTakeFirst(),
  )
  return grant && isFor(grant, asked) ? grant : null
}

const isFor = (grant: Grant, { mobile, account_id }: AskedGrant): boolean =>
  (mobile === undefined || grant.mobile === mobile) && (account_id === undefined || grant.account_id === account_id)

/** Spends it, in the caller's transaction: of several at once one does. Throws `wrong_code`. */
export async function spendGrant(tx: Tx, ctx: OutsideCtx, asked: AskedGrant): Promise<void> {
  const [token_hash, purpose, browser_hash] = good(ctx, asked)
  let query = tx
    .updateTable('grant_token')
    .set({ used_at: ctx.now })
    .where('token_hash', '=', token_hash)
    .where('purpose', '=', purpose)
    .where('browser_hash', '=', browser_hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)
  if (asked.mobile !== undefined) query = query.where('mobile', '=', asked.mobile)
  if (asked.account_id !== undefined) query = query.where('account_id', '=', asked.account_id)
  if ((await query.executeTakeFirst()).numUpdatedRows === 0n) throw refuse('wrong_code', '验证已过期，请重新验证')
}
