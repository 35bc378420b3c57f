/** Grants for a verified code or password: random, single use, bound to the requesting browser and one purpose. */
import type * as contract from '../../contract/auth/sign-in.ts'
import type { CallInput } from '../../contract/call.ts'
import type { Tx } from '../../database/database.ts'
import { type ExternalContext, fail } from '../../http/handler.ts'
import { generateSecret, hashSecret } from '../../http/sessions.ts'
import { ensureBrowserHash, getBrowserHash } from './sign-in/browser.ts'

/** What a code sent by SMS is for. */
export type CodePurpose = CallInput<typeof contract.getVerifyCode>['type']
/** Besides the purposes of codes: a sign-in that awaits its second factor, and a verified password for a phone change. */
export type GrantPurpose = CodePurpose | 'factor' | 'new_phone'
export type Grant = {
  readonly mobile: string
  readonly account_id: string | null
  readonly epoch: number | null
  readonly company_id: string | null
}

/** Issues a grant; it invalidates older ones of the same phone and purpose. */
export async function issueGrant(
  ctx: ExternalContext,
  grant: Pick<Grant, 'mobile'> & Partial<Grant> & { purpose: GrantPurpose; lives_s: number },
): Promise<string> {
  const { lives_s, ...values } = grant
  const token = generateSecret()
  const browser_hash = ensureBrowserHash(ctx)
  await ctx.database.withoutCompany(async (tx) => {
    await tx
      .updateTable('grant_token')
      .set({ used_at: ctx.now })
      .where('mobile', '=', grant.mobile)
      .where('purpose', '=', grant.purpose)
      .where('used_at', 'is', null)
      .execute()
    await tx
      .insertInto('grant_token')
      .values({
        token_hash: hashSecret(token),
        browser_hash,
        expires_at: new Date(ctx.now.getTime() + lives_s * 1000),
        ...values,
      })
      .execute()
  })
  return token
}

export type GrantQuery = {
  readonly token: string
  readonly purpose: GrantPurpose
  readonly mobile?: string
  readonly account_id?: string
}

const toGrantKey = (ctx: ExternalContext, { token, purpose }: Pick<GrantQuery, 'token' | 'purpose'>) =>
  [hashSecret(token), purpose, getBrowserHash(ctx) ?? Buffer.alloc(0)] as const

/** Reads a grant without consuming it; null unless it belongs to this browser, is unused and has not expired. */
export async function findGrant(ctx: ExternalContext, grantQuery: GrantQuery): Promise<Grant | null> {
  const [token_hash, purpose, browser_hash] = toGrantKey(ctx, grantQuery)
  const grant = await ctx.database.withoutCompany((tx) =>
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
  return grant && matchesGrantQuery(grant, grantQuery) ? grant : null
}

const matchesGrantQuery = (grant: Grant, { mobile, account_id }: GrantQuery): boolean =>
  (mobile === undefined || grant.mobile === mobile) && (account_id === undefined || grant.account_id === account_id)

/** Consumes a grant in the caller's transaction: of several concurrent attempts one succeeds. Throws `wrong_code`. */
export async function consumeGrant(tx: Tx, ctx: ExternalContext, grantQuery: GrantQuery): Promise<void> {
  const [token_hash, purpose, browser_hash] = toGrantKey(ctx, grantQuery)
  let query = tx
    .updateTable('grant_token')
    .set({ used_at: ctx.now })
    .where('token_hash', '=', token_hash)
    .where('purpose', '=', purpose)
    .where('browser_hash', '=', browser_hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)
  if (grantQuery.mobile !== undefined) query = query.where('mobile', '=', grantQuery.mobile)
  if (grantQuery.account_id !== undefined) query = query.where('account_id', '=', grantQuery.account_id)
  if ((await query.executeTakeFirst()).numUpdatedRows === 0n) throw fail('wrong_code', '验证已过期，请重新验证')
}
