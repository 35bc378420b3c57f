/** The common last step of every kind of sign-in, including the request for the second factor. */

import { sql } from 'kysely'
import type { CorpRole } from '../../../contract/access.ts'
import { getTerminatedAccessEnd } from '../../../contract/shared/statuses.ts'
import { allowCompanies, type Database, type Tx } from '../../../database/database.ts'
import { type CurrentUser, type ExternalContext, fail } from '../../../http/handler.ts'
import { type SessionLifetime, sessionLifetimes } from '../../../http/session-lifetime.ts'
import {
  createSession,
  createSessionInTx,
  createXsrfToken,
  endSessions,
  getSessionCookieName,
  type SessionCredentials,
  terminatedAccessMonths,
} from '../../../http/sessions.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { adminView } from '../../access/read-model.ts'
import { companyView } from '../../company/read-model.ts'
import { memberView } from '../../directory/read-model.ts'
import { issueGrant } from '../grants.ts'
import { rememberBrowser } from './browser.ts'

const factorLifetimeSeconds = 300

/** `left`: the user has left the company and may still read their payslips. */
export type AvailableCompany = { corp_id: string; name: string; corp_role: CorpRole; as: ('admin' | 'employee')[]; left: boolean }
/** `epoch` as of the verification of the account: if the password has changed since, the session is invalid from the start. */
export type AuthenticatedAccount = { readonly id: string; readonly epoch: number }

/**
 * Returns the companies where this account is an administrator or employee, or a former one who may still read
 * payslips. Reads only rows visible to the account.
 */
export async function listAvailableCompanies(database: Database, account_id: string, now: Date): Promise<AvailableCompany[]> {
  return database.asPerson({ account_id }, async (tx) => {
    // One query returns both active members and terminated members whose phone was not in doubt.
    const rows = await tx
      .selectFrom(memberView)
      .select(['company_id', 'status', 'left_on', 'left_at'])
      .where((eb) =>
        eb.or([
          eb('account_id', '=', account_id).and('status', '<>', 'left'),
          eb('former_account', '=', account_id).and('status', '=', 'left').and('unconfirmed_at', 'is', null),
        ]),
      )
      .execute()
    // An administrator without any powers remains the owner of their pay runs but does not count as an administrator.
    const manages = await tx
      .selectFrom(adminView)
      .select('company_id')
      .where('account_id', '=', account_id)
      // A seat in a served company is entered from the agency.
      .where('agency_id', 'is', null)
      .where(sql<boolean>`cardinality(power) > 0`)
      .execute()
    const employers = new Set(rows.filter(({ status }) => status !== 'left').map((row) => row.company_id))
    const managed = new Set(manages.map((row) => row.company_id))
    const left = new Map<string, string>()
    for (const { company_id, status, left_on, left_at } of rows) {
      const on = status === 'left' ? (left_on ?? (left_at ? toShanghaiDate(left_at) : '')) : ''
      if (on > (left.get(company_id) ?? '')) left.set(company_id, on)
    }
    const ids = [...new Set([...employers, ...managed, ...left.keys()])]
    if (ids.length === 0) return []
    await allowCompanies(tx, ids)
    const companies = await tx
      .selectFrom(companyView)
      .select(['id', 'name', 'corp_role'])
      .select(terminatedAccessMonths.as('months'))
      .where('id', 'in', ids)
      .orderBy('created_at')
      .execute()
    return companies.flatMap(({ id, name, corp_role, months }) => {
      const isCurrent = managed.has(id) || employers.has(id)
      const until = getTerminatedAccessEnd(left.get(id) ?? '', months)
      const canReadPayslips = employers.has(id) || (until !== null && until >= toShanghaiDate(now))
      if (!isCurrent && !canReadPayslips) return []
      const as = [...(managed.has(id) ? (['admin'] as const) : []), ...(canReadPayslips ? (['employee'] as const) : [])]
      return [{ corp_id: id, name, corp_role, as, left: !isCurrent }]
    })
  })
}

/** Returns the companies that this session may choose from: all of the user's, unless started through one company's platform. */
export async function listSelectableCompanies(
  database: Database,
  half: { session_id: string; account_id: string },
  now: Date,
): Promise<AvailableCompany[]> {
  const [corps, boundCompanyId] = await Promise.all([
    listAvailableCompanies(database, half.account_id, now),
    getBoundCompanyId(database, half),
  ])
  return boundCompanyId ? corps.filter((corp) => corp.corp_id === boundCompanyId) : corps
}

/** Returns the company to which a session is bound because it started through that company's platform; otherwise null. */
export async function getBoundCompanyId(database: Database, { session_id }: { session_id: string }): Promise<string | null> {
  const session = await database.withoutCompany((tx) =>
    tx.selectFrom('session').select(['sole', 'company_id', 'agency_id']).where('id', '=', session_id).executeTakeFirst(),
  )
  return session?.sole ? (session.agency_id ?? session.company_id) : null
}

/** `boundCompanyId`: the only accessible company, even if there are others. */
async function requireCompanies(ctx: ExternalContext, account_id: string, boundCompanyId?: string): Promise<AvailableCompany[]> {
  const corps = (await listAvailableCompanies(ctx.database, account_id, ctx.now)).filter(
    (corp) => !boundCompanyId || corp.corp_id === boundCompanyId,
  )
  if (corps.length === 0) throw fail('not_found', '这个手机号还没有加入任何企业，请联系您的企业管理员')
  return corps
}

type SignInOptions = {
  /** What the user proved in this sign-in: a password or code, or only that a chat platform knows them. */
  readonly provenBy: 'credentials' | 'platform'
  readonly boundCompanyId?: string
  /** The company to start in, among several. */
  readonly preferredCompanyId?: string | undefined
}

/**
 * Starts a session for an authenticated account, or asks for its second factor first: until then there is no session,
 * and the response contains no user data.
 */
export async function completeSignIn(
  ctx: ExternalContext,
  authenticated: AuthenticatedAccount,
  { provenBy, boundCompanyId, preferredCompanyId }: SignInOptions,
) {
  const corps = await requireCompanies(ctx, authenticated.id, boundCompanyId)
  const account = await ctx.database.withoutCompany((tx) =>
    tx.selectFrom('account').select(['mobile', 'totp_on']).where('id', '=', authenticated.id).executeTakeFirstOrThrow(),
  )
  ctx.addAuditDetails({ account_id: authenticated.id, company_id: boundCompanyId ?? null })
  if (!account.totp_on)
    return startSignedInSession(ctx, authenticated, corps, {
      verifiedAt: provenBy === 'credentials' ? ctx.now : null,
      sole: boundCompanyId !== undefined,
      first: preferredCompanyId,
    })
  ctx.addAuditDetails({ asked: 'factor' })
  const factor_token = await issueGrant(ctx, {
    // An account whose phone has a new owner, signed in through a chat platform, is identified by its id instead of the
    // phone.
    mobile: account.mobile ?? authenticated.id,
    purpose: 'factor',
    account_id: authenticated.id,
    epoch: authenticated.epoch,
    company_id: boundCompanyId ?? null,
    lives_s: factorLifetimeSeconds,
  })
  return { token: null, corps: [], corp_id: null, factor_token }
}

/** Completes `completeSignIn` after the second factor. */
export const completeSignInWithFactor = async (
  ctx: ExternalContext,
  authenticated: AuthenticatedAccount,
  boundCompanyId?: string,
) =>
  startSignedInSession(ctx, authenticated, await requireCompanies(ctx, authenticated.id, boundCompanyId), {
    verifiedAt: ctx.now,
    sole: boundCompanyId !== undefined,
  })

/** Creates the session and its cookies. A single company is selected automatically; with several the client asks. */
async function startSignedInSession(
  ctx: ExternalContext,
  authenticated: AuthenticatedAccount,
  corps: AvailableCompany[],
  options: { verifiedAt: Date | null; sole: boolean; first?: string | undefined },
) {
  await rememberBrowser(ctx, authenticated.id)
  await ctx.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ signed_in_at: ctx.now }).where('id', '=', authenticated.id).execute(),
  )
  // Two sign-ins in one browser would share a cookie, and the older token would look like a stolen one.
  const previousCookie = ctx.request.cookies[getSessionCookieName(ctx.request.https)]
  if (previousCookie) await ctx.database.withoutCompany((tx) => endSessions(tx, { cookie: previousCookie }, 'chosen'))
  // A user who has changed employers starts in the current company.
  const current = corps.filter(({ left }) => !left)
  const corp = (
    current.length === 1 ? current : corps.length === 1 ? corps : corps.filter((one) => one.corp_id === options.first)
  )[0]
  const isAdmin = (corp ? [corp] : corps).some((one) => one.as.includes('admin'))
  const token = await createCompanySession(ctx, authenticated, {
    company_id: corp?.corp_id ?? null,
    isAdmin,
    companyBound: options.sole,
    verifiedAt: options.verifiedAt,
  })
  return { token, corps, corp_id: corp?.corp_id ?? null, factor_token: null }
}

export async function createCompanySession(
  ctx: ExternalContext,
  { id, epoch }: AuthenticatedAccount,
  options: { company_id: string | null; isAdmin: boolean; companyBound: boolean; signedInAt?: Date; verifiedAt: Date | null },
): Promise<string> {
  const { company_id, isAdmin, ...more } = options
  const lifetime = isAdmin ? sessionLifetimes.admin : sessionLifetimes.employee
  const credentials = await createSession(ctx.database, {
    account_id: id,
    company_id,
    epoch,
    device: ctx.request.user_agent,
    address: ctx.address,
    now: ctx.now,
    lifetime,
    ...more,
  })
  ctx.addAuditDetails({ account_id: id, company_id, session_id: credentials.session_id })
  issueSession(ctx, credentials, id, lifetime)
  return credentials.token
}

/**
 * Sets the browser's half of the session, and the token that proves a request comes from our own page. The first page
 * sends several requests at once: they count as the account's, not as a stranger's, from the start.
 */
function issueSession(
  ctx: ExternalContext,
  credentials: SessionCredentials,
  account_id: string,
  { absolute_s }: SessionLifetime,
): void {
  ctx.rememberCaller(credentials, account_id)
  ctx.setCookie(getSessionCookieName(ctx.request.https), credentials.cookie, { http_only: true, max_age_s: absolute_s })
  ctx.setCookie('XSRF-TOKEN', createXsrfToken(ctx.secrets, credentials.session_id), { http_only: false, max_age_s: absolute_s })
}

/**
 * Moves the session to another company within the transaction that authorizes it: the current session ends, and the new
 * one expires when the old one would have. `agency_id`: the agency on whose behalf the user works there.
 */
export async function switchSessionCompany(
  ctx: ExternalContext,
  tx: Tx,
  { me, company_id, agency_id }: { readonly me: CurrentUser; readonly company_id: string; readonly agency_id: string | null },
): Promise<string> {
  const previous = await tx
    .selectFrom('session')
    .select(['epoch', 'sole', 'created_at', 'verified_at'])
    .where('id', '=', me.session_id)
    .executeTakeFirstOrThrow()
  if ((await endSessions(tx, { session_id: me.session_id }, 'chosen')) === 0) throw fail('signed_out')
  const credentials = await createSessionInTx(tx, {
    account_id: me.account_id,
    company_id,
    agency_id,
    epoch: previous.epoch,
    companyBound: previous.sole,
    device: ctx.request.user_agent,
    address: ctx.address,
    now: ctx.now,
    lifetime: sessionLifetimes.admin,
    signedInAt: previous.created_at,
    verifiedAt: previous.verified_at,
  })
  issueSession(ctx, credentials, me.account_id, sessionLifetimes.admin)
  return credentials.token
}
