/** Signing in and out, choosing a company. */
import * as contract from '../../contract/account.ts'
import type { Database } from '../../runtime/db.ts'
import { handleOutside, type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { countTry, forgiveTries, peerOf } from '../../runtime/limits.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { cookieName, endSessions } from '../../runtime/sessions.ts'
import { joinMembers } from '../member/index.ts'
import { browserOf } from './browser.ts'
import { spendCode } from './codes.ts'
import { choosable, enter, openSession } from './enter.ts'
import { isPassword } from './passwords.ts'

const quarter = 900
const hour = 3600
const day = 86_400

/**
 * The account of this phone if that is its password; null for nobody and for a wrong one, which nothing tells apart. All tries are counted
 * before anything is hashed: a flood of guesses costs rows, not cores. A browser in which the owner has signed in before has a budget of its
 * own, so whoever guesses from elsewhere cannot keep him out.
 */
export async function accountWith(ctx: OutsideCtx, { phone, password }: { phone: string; password: string }) {
  const { database, now } = ctx
  await countTry(database, `login-peer|${peerOf(ctx.address)}`, { max: 300, window_s: hour, now })
  const account = await database.outside((tx) =>
    tx
      .selectFrom('account')
      .leftJoin('device', (join) =>
        join.onRef('device.account_id', '=', 'account.id').on('device.secret_hash', '=', browserOf(ctx) ?? Buffer.alloc(0)),
      )
      .select(['account.id', 'epoch', 'password_hash', 'device.id as device_id'])
      .where('mobile', '=', phone)
      .executeTakeFirst(),
  )
  const key = account?.device_id ? `login-device|${account.device_id}` : `login|${phone}`
  await countTry(database, key, { max: 10, window_s: quarter, now })
  await countTry(database, `${key}|day`, { max: 100, window_s: day, now })
  const right = await isPassword(account?.password_hash ?? null, password)
  if (!right || !account) return null
  await forgiveTries(database, key)
  return { id: account.id, epoch: account.epoch }
}

export const login = (secrets: Secrets) =>
  handleOutside(contract.login, async (ctx, input) => {
    const account = await accountWith(ctx, input)
    if (!account) throw refuse('wrong_password')
    // Rosters are joined by a code only: a password proves the account, not that its phone is still this person's.
    return enter(ctx, secrets, account)
  })

export const loginByCode = (secrets: Secrets) =>
  handleOutside(contract.loginByCode, async (ctx, { phone, code, sms }) => {
    const { database, now } = ctx
    await spendCode(database, secrets, { sms, phone, code, purposes: ['login'], browser: browserOf(ctx), now })
    // The phone is proven: whoever has none yet gets an account, and joins the companies whose rosters name this phone.
    const account = await accountOf(database, phone, now)
    await joinMembers(database, account)
    return enter(ctx, secrets, account)
  })

/** The account of a phone that a code has proven; made where there is none. */
export const accountOf = (database: Database, mobile: string, now: Date) =>
  database.outside(async (tx) => {
    await tx
      .insertInto('account')
      .values({ id: newId(), mobile, created_at: now })
      .onConflict((conflict) => conflict.column('mobile').doNothing())
      .execute()
    return tx
      .selectFrom('account')
      .select(['id', 'epoch', 'mobile', 'password_hash'])
      .where('mobile', '=', mobile)
      .executeTakeFirstOrThrow()
  })

export const getMyCorps = handleOutside(contract.getMyCorps, async ({ database, half }) => {
  if (!half) throw refuse('signed_out')
  return { corps: await choosable(database, half) }
})

export const selectCorp = (secrets: Secrets) =>
  handleOutside(contract.selectCorp, async (ctx, { corp_id }) => {
    const { database, half } = ctx
    if (!half) throw refuse('signed_out')
    const corps = await choosable(database, half)
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
    return { token: await openSession(ctx, secrets, account, where) }
  })

export const logout = handleOutside(contract.logout, async (ctx) => {
  const { half } = ctx
  if (half) await ctx.database.outside((tx) => endSessions(tx, { session_id: half.session_id }, 'signed_out'))
  ctx.setCookie(cookieName(ctx.request.https), '', { http_only: true, max_age_s: 0 })
  ctx.setCookie('XSRF-TOKEN', '', { http_only: false, max_age_s: 0 })
  return {}
})
