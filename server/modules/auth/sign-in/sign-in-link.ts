/**
 * The first administrator of a company that an operator creates: a link, valid once within an hour, with which that
 * person sets a password and signs in without any SMS.
 *
 * The phone of such an account is only named, not proven: rosters of other companies are not linked to it, and whoever
 * proves the phone by a code gets the account only with its password (`decidePhoneOwner`). Otherwise an operator could
 * name an employee's phone, open the link and read that employee's payslips later.
 */
import * as contract from '../../../contract/auth/sign-in.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import type { Tx } from '../../../database/database.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { generateSecret, hashSecret } from '../../../http/sessions.ts'
import { assertPasswordStrong, hashPassword } from '../password/passwords.ts'
import { type Account, createAccount, selectAccountByPhone } from '../phone/phone-owner.ts'
import { completeSignIn } from './complete-sign-in.ts'

const purpose = 'sign_in_link'
const lifetimeSeconds = 3600
export const getSignInLink = (origin: string, token: string): string => `${origin}/pc/page/login/login.html#link=${token}`

type LinkAccount = Pick<Account, 'id' | 'mobile'>
/** An account that somebody uses already has its own ways to sign in; a link would be a way around them. */
const isAwaitingLink = ({ password_hash, phone_proven }: Account): boolean => password_hash === null && !phone_proven

/** Returns the account of this phone that waits for its link; null if there is none. */
export async function findUnprovenAccount(tx: Tx, mobile: string): Promise<LinkAccount | null> {
  const account = await selectAccountByPhone(tx, mobile)
  return account && isAwaitingLink(account) ? account : null
}

/** Returns the account of this phone, or a new one whose phone nobody has proven. */
export async function ensureUnprovenAccount(tx: Tx, mobile: string, now: Date) {
  const account = (await selectAccountByPhone(tx, mobile)) ?? (await createAccount(tx, mobile, now, { phoneProven: false }))
  return { ...account, isAwaitingLink: isAwaitingLink(account) }
}

/** Issues a link for an account; earlier links of the account become invalid. */
export async function issueSignInLink({ db, company_id, now }: CompanyTimeTx, account: LinkAccount) {
  const [token, expires_at] = [generateSecret(), new Date(now.getTime() + lifetimeSeconds * 1000)]
  await db.deleteFrom('grant_token').where('account_id', '=', account.id).where('purpose', '=', purpose).execute()
  await db
    .insertInto('grant_token')
    .values({ token_hash: hashSecret(token), mobile: account.mobile, purpose, expires_at, account_id: account.id, company_id })
    .execute()
  return { token, expires_at }
}

const selectLink = (tx: Tx, token: string, now: Date) =>
  tx
    .selectFrom('grant_token')
    .innerJoin('account', 'account.id', 'grant_token.account_id')
    .select(['account.id', 'account.mobile', 'account.epoch', 'grant_token.company_id'])
    .where('token_hash', '=', hashSecret(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where('account.password_hash', 'is', null)
    .where('account.phone_proven', '=', false)

export const signInByLink = defineHandler(
  contract.signInByLink,
  { kind: 'external' },
  async (ctx, { token, password, confirm_password }) => {
    const { database, now } = ctx
    const createInvalidError = () =>
      fail('wrong_code', '这个链接已用过或已过期，请联系给您链接的人重新生成；设过密码的，请直接用手机号登录')
    const link = await database.withoutCompany((tx) => selectLink(tx, token, now).executeTakeFirst())
    if (!link) throw createInvalidError()
    assertPasswordStrong(password, confirm_password, 'password', { mobile: link.mobile ?? '' })
    const password_hash = await hashPassword(password)
    await database.withoutCompany(async (tx) => {
      // The lock lets one of two simultaneous requests win.
      if (!(await selectLink(tx, token, now).forUpdate().executeTakeFirst())) throw createInvalidError()
      await tx.updateTable('grant_token').set({ used_at: now }).where('token_hash', '=', hashSecret(token)).execute()
      await tx.updateTable('account').set({ password_hash }).where('id', '=', link.id).execute()
    })
    return completeSignIn(ctx, link, { provenBy: 'credentials', preferredCompanyId: link.company_id ?? undefined })
  },
)
