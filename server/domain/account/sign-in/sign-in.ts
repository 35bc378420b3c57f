/** Signing in and out, choosing a company. */
import * as contract from '../../../contract/account/account.ts'
import { handleOutside, refuse } from '../../../runtime/handle.ts'
import { cookieName, endSessions } from '../../../runtime/request/sessions.ts'
import { joinLeavers, joinMembers } from '../../member/index.ts'
import { spendCode } from '../codes.ts'
import { accountWith, holderFor, leaversFor } from '../phone/holder.ts'
import { browserOf } from './browser.ts'
import { choosable, enter, openSession } from './enter.ts'

export const login = handleOutside(contract.login, async (ctx, input) => {
  const account = await accountWith(ctx, input)
  if (!account) throw refuse('wrong_password')
  // Rosters are joined by a code only: a password proves the account, not that its phone is still this person's.
  return enter(ctx, account)
})

export const loginByCode = handleOutside(
  contract.loginByCode,
  async (ctx, { phone, code, sms, password, next_holder, holder_name }) => {
    const { database, now, secrets } = ctx
    const proof = { sms, phone, code, purposes: ['login'] as const, browser: browserOf(ctx), now }
    // Kept: who must still say which holder of this phone he is comes again with the same code.
    await spendCode(database, secrets, { ...proof, keep: true })
    const account = await holderFor(ctx, phone, { password, next: next_holder, name: holder_name })
    const leavers = await leaversFor(ctx, { ...account, mobile: phone }, { next: next_holder, name: holder_name })
    await spendCode(database, secrets, proof)
    // The phone is proven: he joins the companies whose rosters name it.
    await joinMembers(database, account)
    await joinLeavers(database, account, leavers)
    return enter(ctx, account)
  },
)

export const getMyCorps = handleOutside(contract.getMyCorps, async ({ database, half, now }) => {
  if (!half) throw refuse('signed_out')
  return { corps: await choosable(database, half, now) }
})

export const selectCorp = handleOutside(contract.selectCorp, async (ctx, { corp_id }) => {
  const { database, half } = ctx
  if (!half) throw refuse('signed_out')
  const corps = await choosable(database, half, ctx.now)
  const corp = corps.find((one) => one.corp_id === corp_id)
  if (!corp) throw refuse('not_found')
  // A session carries exactly one company: the old pair dies with the choice, and only who ends it gets the new one. If a new password
  // comes after this, the epoch read here is over.
  const account = await database.outside(async (tx) => {
    const ended = await endSessions(tx, { session_id: half.session_id }, 'chosen')
    if (ended === 0) throw refuse('signed_out')
    return tx
      .selectFrom('account')
      .innerJoin('session', 'session.account_id', 'account.id')
      .select(['account.id', 'account.epoch', 'session.created_at as since', 'session.sole'])
      .where('session.id', '=', half.session_id)
      .whereRef('session.epoch', '=', 'account.epoch')
      .executeTakeFirst()
  })
  if (!account) throw refuse('signed_out')
  const { since, sole } = account
  const where = { company_id: corp_id, isAdmin: corp.as.includes('admin'), since, sole }
  return { token: await openSession(ctx, account, where) }
})

export const logout = handleOutside(contract.logout, async (ctx) => {
  const { half } = ctx
  if (half) await ctx.database.outside((tx) => endSessions(tx, { session_id: half.session_id }, 'signed_out'))
  ctx.setCookie(cookieName(ctx.request.https), '', { http_only: true, max_age_s: 0 })
  ctx.setCookie('XSRF-TOKEN', '', { http_only: false, max_age_s: 0 })
  return {}
})
