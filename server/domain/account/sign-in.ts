/** Signing in and out, choosing a company. */
import { sql } from 'kysely'
import * as contract from '../../contract/account.ts'
import type { CorpRole } from '../../contract/who.ts'
import type { Database } from '../../runtime/db.ts'
import { handleOutside, type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { countTry, forgiveTries } from '../../runtime/limits.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { cookieName, endSessions, startSession, xsrfOf } from '../../runtime/sessions.ts'
import { joinMembers } from '../member/index.ts'
import { spendCode } from './codes.ts'
import { isPassword } from './passwords.ts'

const cookie_s = 12 * 3600

type Corp = { corp_id: string; name: string; corp_role: CorpRole; as: ('admin' | 'employee')[] }

/** The companies where this account is an administrator or employed. Seen through its own rows only. */
export async function companiesOf(database: Database, account_id: string): Promise<Corp[]> {
  return database.asPerson({ account_id }, async (tx) => {
    const rows = await tx
      .selectFrom('company')
      .leftJoin('member', (join) =>
        join
          .onRef('member.company_id', '=', 'company.id')
          .on('member.account_id', '=', account_id)
          .on('member.status', '<>', 'left'),
      )
      .leftJoin('admin', (join) =>
        // An administrator whose powers were all taken stays as the owner of his pay runs, and is none.
        join
          .onRef('admin.company_id', '=', 'company.id')
          .on('admin.account_id', '=', account_id)
          .on(sql<boolean>`cardinality(admin.power) > 0`),
      )
      .select(['company.id as corp_id', 'company.name', 'company.corp_role', 'member.id as member_id', 'admin.id as admin_id'])
      .where((eb) => eb.or([eb('member.id', 'is not', null), eb('admin.id', 'is not', null)]))
      .orderBy('company.created_at')
      .execute()
    return rows.map((row) => ({
      corp_id: row.corp_id,
      name: row.name,
      corp_role: row.corp_role as CorpRole,
      as: [...(row.admin_id ? (['admin'] as const) : []), ...(row.member_id ? (['employee'] as const) : [])],
    }))
  })
}

/**
 * Makes the session and its cookies. With one company it is in it, with several the client asks. `into`: the only company that is opened,
 * whatever others there are.
 */
export async function enter(ctx: OutsideCtx, secrets: Secrets, account: { id: string; epoch: number }, into?: string) {
  const corps = (await companiesOf(ctx.database, account.id)).filter((corp) => !into || corp.corp_id === into)
  if (corps.length === 0) throw refuse('not_found', '这个手机号还没有加入任何企业，请联系您的企业管理员')
  const corp_id = corps.length === 1 ? (corps[0]?.corp_id ?? null) : null
  return { token: await openSession(ctx, secrets, account, corp_id), corps, corp_id, factor_token: null }
}

async function openSession(
  ctx: OutsideCtx,
  secrets: Secrets,
  account: { id: string; epoch: number },
  company_id: string | null,
): Promise<string> {
  const pair = await startSession(ctx.database, {
    account_id: account.id,
    company_id,
    epoch: account.epoch,
    device: ctx.request.user_agent,
    now: ctx.now,
  })
  ctx.setCookie(cookieName(ctx.request.https), pair.cookie, { http_only: true, max_age_s: cookie_s })
  ctx.setCookie('XSRF-TOKEN', xsrfOf(secrets, pair.session_id), { http_only: false, max_age_s: cookie_s })
  return pair.token
}

export const login = (secrets: Secrets) =>
  handleOutside(contract.login, async (ctx, { phone, password }) => {
    const { database, now, address } = ctx
    // Counted before any hashing: a flood of guesses costs a row, not a core.
    await countTry(database, `login-ip|${address}`, { max: 300, window_s: 3600, now })
    await countTry(database, `login|${phone}`, { max: 10, window_s: 900, now })
    await countTry(database, `login-day|${phone}`, { max: 100, window_s: 86_400, now })
    const account = await database.outside((tx) =>
      tx.selectFrom('account').select(['id', 'epoch', 'password_hash', 'mobile']).where('mobile', '=', phone).executeTakeFirst(),
    )
    if (!(await isPassword(account?.password_hash ?? null, password)) || !account) throw refuse('wrong_password')
    await forgiveTries(database, `login|${phone}`)
    // Rosters are joined by a code only: a password proves the account, not that its phone is still this person's.
    return enter(ctx, secrets, account)
  })

export const loginByCode = (secrets: Secrets) =>
  handleOutside(contract.loginByCode, async (ctx, { phone, code, sms }) => {
    const { database, now } = ctx
    await spendCode(database, secrets, { sms, phone, code, purposes: ['login'], now })
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

export const selectCorp = (secrets: Secrets) =>
  handleOutside(contract.selectCorp, async (ctx, { corp_id }) => {
    const { database, half } = ctx
    if (!half) throw refuse('signed_out')
    const corps = await companiesOf(database, half.account_id)
    if (!corps.some((corp) => corp.corp_id === corp_id)) throw refuse('not_found')
    // A session carries exactly one company: the old pair dies with the choice, and only who ends it gets the new one. If a new password
    // comes after this, the epoch read here is over.
    const account = await database.outside(async (tx) => {
      const ended = await endSessions(tx, { session_id: half.session_id }, 'chosen')
      if (ended === 0) throw refuse('signed_out')
      return tx
        .selectFrom('account')
        .innerJoin('session', 'session.account_id', 'account.id')
        .select(['account.id', 'account.epoch'])
        .where('session.id', '=', half.session_id)
        .whereRef('session.epoch', '=', 'account.epoch')
        .executeTakeFirst()
    })
    if (!account) throw refuse('signed_out')
    return { token: await openSession(ctx, secrets, account, corp_id) }
  })

export const logout = handleOutside(contract.logout, async (ctx) => {
  const { half } = ctx
  if (half) await ctx.database.outside((tx) => endSessions(tx, { session_id: half.session_id }, 'signed_out'))
  ctx.setCookie(cookieName(ctx.request.https), '', { http_only: true, max_age_s: 0 })
  ctx.setCookie('XSRF-TOKEN', '', { http_only: false, max_age_s: 0 })
  return {}
})
