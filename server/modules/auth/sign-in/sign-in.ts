/** The calls for signing in, signing out and choosing a company. */
import * as contract from '../../../contract/auth/sign-in.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { endSessions, getSessionCookieName } from '../../../http/sessions.ts'
import { linkFormerMembers, linkMembers } from '../../directory/index.ts'
import { consumeCode } from '../codes.ts'
import { authenticateByPassword, findTerminatedMembers, resolvePhoneOwner } from '../phone/phone-owner.ts'
import { getBrowserHash } from './browser.ts'
import { completeSignIn, createCompanySession, listSelectableCompanies } from './complete-sign-in.ts'

export const login = defineHandler(contract.login, { kind: 'external' }, async (ctx, input) => {
  const account = await authenticateByPassword(ctx, input)
  if (!account) throw fail('wrong_password')
  // Roster members are linked only after a code: a password proves the account, not that its phone still belongs to
  // this user.
  return completeSignIn(ctx, account, { provenBy: 'credentials' })
})

export const loginByCode = defineHandler(
  contract.loginByCode,
  { kind: 'external' },
  async (ctx, { phone, code, sms, password, is_new_owner, holder_name }) => {
    const { database, now, secrets } = ctx
    const proof = { sms, phone, code, purposes: ['login'] as const, browser: getBrowserHash(ctx), now }
    // The code is not consumed: a user who still has to state which owner of this phone they are submits it again.
    await consumeCode(database, secrets, { ...proof, keep: true })
    const account = await resolvePhoneOwner(ctx, phone, { password, isNewOwner: is_new_owner, name: holder_name })
    const leavers = await findTerminatedMembers(
      ctx,
      { ...account, mobile: phone },
      { isNewOwner: is_new_owner, name: holder_name },
    )
    await consumeCode(database, secrets, proof)
    // The phone is verified, so the user is linked to the companies whose rosters contain it.
    await linkMembers(database, account)
    await linkFormerMembers(database, account, leavers)
    return completeSignIn(ctx, account, { provenBy: 'credentials' })
  },
)

export const getAvailableCorps = defineHandler(
  contract.getAvailableCorps,
  { kind: 'external' },
  async ({ database, currentAccount, now }) => {
    if (!currentAccount) throw fail('signed_out')
    return { corps: await listSelectableCompanies(database, currentAccount, now) }
  },
)

export const selectCorp = defineHandler(contract.selectCorp, { kind: 'external' }, async (ctx, { corp_id }) => {
  const { database, currentAccount } = ctx
  if (!currentAccount) throw fail('signed_out')
  const corps = await listSelectableCompanies(database, currentAccount, ctx.now)
  const corp = corps.find((one) => one.corp_id === corp_id)
  if (!corp) throw fail('not_found')
  // A session has exactly one company: the choice ends the old credentials, and only the request that ends them gets
  // the new ones. If the password changes after this, the epoch read here is out of date.
  const account = await database.withoutCompany(async (tx) => {
    const ended = await endSessions(tx, { session_id: currentAccount.session_id }, 'chosen')
    if (ended === 0) throw fail('signed_out')
    return tx
      .selectFrom('account')
      .innerJoin('session', 'session.account_id', 'account.id')
      .select(['account.id', 'account.epoch', 'session.created_at as since', 'session.verified_at', 'session.sole'])
      .where('session.id', '=', currentAccount.session_id)
      .whereRef('session.epoch', '=', 'account.epoch')
      .executeTakeFirst()
  })
  if (!account) throw fail('signed_out')
  const { since, verified_at, sole } = account
  const previous = { signedInAt: since, verifiedAt: verified_at, companyBound: sole }
  const next = { company_id: corp_id, isAdmin: corp.as.includes('admin') }
  return { token: await createCompanySession(ctx, account, { ...previous, ...next }) }
})

export const logout = defineHandler(contract.logout, { kind: 'external' }, async (ctx) => {
  const { currentAccount } = ctx
  if (currentAccount)
    await ctx.database.withoutCompany((tx) => endSessions(tx, { session_id: currentAccount.session_id }, 'signed_out'))
  ctx.setCookie(getSessionCookieName(ctx.request.https), '', { http_only: true, max_age_s: 0 })
  ctx.setCookie('XSRF-TOKEN', '', { http_only: false, max_age_s: 0 })
  return {}
})
