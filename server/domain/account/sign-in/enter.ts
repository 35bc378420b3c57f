/** Coming in: the one door behind every way to sign in, where the second factor is asked for. */
import { sql } from 'kysely'
import type { CorpRole } from '../../../contract/who.ts'
import { leaverReadsUntil } from '../../../contract/words/states.ts'
import { dayOf } from '../../../runtime/clock.ts'
import { type Lives, lives } from '../../../runtime/data/endings.ts'
import { type Database, showCompanies, type Tx } from '../../../runtime/db.ts'
import { type Me, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import {
  cookieName,
  endSessions,
  leaverMonths,
  type Pair,
  startSession,
  startSessionIn,
  xsrfOf,
} from '../../../runtime/request/sessions.ts'
import { issueGrant } from '../grants.ts'
import { rememberBrowser } from './browser.ts'

const factor_lives_s = 300

/** `left`: he has left it, and may still read his slips. */
export type EnterableCorp = { corp_id: string; name: string; corp_role: CorpRole; as: ('admin' | 'employee')[]; left: boolean }
/** `epoch` as it was when the account was proven: if the password is changed meanwhile, the session is over before it begins. */
export type Proven = { readonly id: string; readonly epoch: number }

/** The companies where this account is an administrator or employed, or was, as long as he may read his slips. Seen through its own rows only. */
export async function companiesOf(database: Database, account_id: string, now: Date): Promise<EnterableCorp[]> {
  return database.asPerson({ account_id }, async (tx) => {
    // One question for both: who works there, and who has left (and was not in doubt then).
    const rows = await tx
      .selectFrom('member')
      .select(['company_id', 'status', 'left_on', 'left_at'])
      .where((eb) =>
        eb.or([
          eb('account_id', '=', account_id).and('status', '<>', 'left'),
          eb('former_account', '=', account_id).and('status', '=', 'left').and('unconfirmed_at', 'is', null),
        ]),
      )
      .execute()
    // An administrator whose powers were all taken stays as the owner of his pay runs, and is none.
    const manages = await tx
      .selectFrom('admin')
      .select('company_id')
      .where('account_id', '=', account_id)
      // A seat in a company that is served is entered from the agency.
      .where('agency_id', 'is', null)
      .where(sql<boolean>`cardinality(power) > 0`)
      .execute()
    const employers = new Set(rows.filter(({ status }) => status !== 'left').map((row) => row.company_id))
    const managed = new Set(manages.map((row) => row.company_id))
    const left = new Map<string, string>()
    for (const { company_id, status, left_on, left_at } of rows) {
      const on = status === 'left' ? (left_on ?? (left_at ? dayOf(left_at) : '')) : ''
      if (on > (left.get(company_id) ?? '')) left.set(company_id, on)
    }
    const ids = [...new Set([...employers, ...managed, ...left.keys()])]
    if (ids.length === 0) return []
    await showCompanies(tx, ids)
    const companies = await tx
      .selectFrom('company')
      .select(['id', 'name', 'corp_role'])
      .select(leaverMonths.as('months'))
      .where('id', 'in', ids)
      .orderBy('created_at')
      .execute()
    return companies.flatMap(({ id, name, corp_role, months }) => {
      const here = managed.has(id) || employers.has(id)
      const until = leaverReadsUntil(left.get(id) ?? '', months)
      const reads = employers.has(id) || (until !== null && until >= dayOf(now))
      if (!here && !reads) return []
      const as = [...(managed.has(id) ? (['admin'] as const) : []), ...(reads ? (['employee'] as const) : [])]
      return [{ corp_id: id, name, corp_role, as, left: !here }]
    })
  })
}

/** The companies that this session may choose from: all of the person's, unless it came in through one company's platform. */
export async function choosable(
  database: Database,
  half: { session_id: string; account_id: string },
  now: Date,
): Promise<EnterableCorp[]> {
  const [corps, only] = await Promise.all([companiesOf(database, half.account_id, now), onlyCompany(database, half)])
  return only ? corps.filter((corp) => corp.corp_id === only) : corps
}

/** The company that a session is bound to which came in through that company's platform; null for all others. */
export async function onlyCompany(database: Database, { session_id }: { session_id: string }): Promise<string | null> {
  const session = await database.outside((tx) =>
    tx.selectFrom('session').select(['sole', 'company_id', 'agency_id']).where('id', '=', session_id).executeTakeFirst(),
  )
  return session?.sole ? (session.agency_id ?? session.company_id) : null
}

/** `into`: the only company that is opened, whatever others there are. */
async function corpsFor(ctx: OutsideCtx, account_id: string, into?: string): Promise<EnterableCorp[]> {
  const corps = (await companiesOf(ctx.database, account_id, ctx.now)).filter((corp) => !into || corp.corp_id === into)
  if (corps.length === 0) throw refuse('not_found', '这个手机号还没有加入任何企业，请联系您的企业管理员')
  return corps
}

/**
 * Lets in whoever was proven, or asks for his second factor first: then there is no session yet, and nothing of his is told. `first`: the
 * company he starts in, of several.
 */
export async function enter(ctx: OutsideCtx, proven: Proven, into?: string, first?: string) {
  const corps = await corpsFor(ctx, proven.id, into)
  const account = await ctx.database.outside((tx) =>
    tx.selectFrom('account').select(['mobile', 'totp_on']).where('id', '=', proven.id).executeTakeFirstOrThrow(),
  )
  ctx.about({ account_id: proven.id, company_id: into ?? null })
  if (!account.totp_on) return letIn(ctx, proven, corps, { sole: into !== undefined, first })
  ctx.about({ asked: 'factor' })
  const factor_token = await issueGrant(ctx, {
    // Of somebody whose phone went to the next holder, and who comes by a chat platform: his account stands for it.
    mobile: account.mobile ?? proven.id,
    purpose: 'factor',
    account_id: proven.id,
    epoch: proven.epoch,
    company_id: into ?? null,
    lives_s: factor_lives_s,
  })
  return { token: null, corps: [], corp_id: null, factor_token }
}

/** The second half of `enter`, after the factor. */
export const enterWithFactor = async (ctx: OutsideCtx, proven: Proven, into?: string) =>
  letIn(ctx, proven, await corpsFor(ctx, proven.id, into), { sole: into !== undefined })

/** Makes the session and its cookies. With one company it is in it, with several the client asks. */
async function letIn(
  ctx: OutsideCtx,
  proven: Proven,
  corps: EnterableCorp[],
  how: { sole: boolean; first?: string | undefined },
) {
  await rememberBrowser(ctx, proven.id)
  await ctx.database.outside((tx) => tx.updateTable('account').set({ came_at: ctx.now }).where('id', '=', proven.id).execute())
  // Two sign-ins of one browser would share a cookie, and the older token would look like a stolen one.
  const before = ctx.request.cookies[cookieName(ctx.request.https)]
  if (before) await ctx.database.outside((tx) => endSessions(tx, { cookie: before }, 'chosen'))
  // Whoever has changed his employer begins where he is now.
  const now = corps.filter(({ left }) => !left)
  const corp = (now.length === 1 ? now : corps.length === 1 ? corps : corps.filter((one) => one.corp_id === how.first))[0]
  const isAdmin = (corp ? [corp] : corps).some((one) => one.as.includes('admin'))
  const token = await openSession(ctx, proven, { company_id: corp?.corp_id ?? null, isAdmin, sole: how.sole })
  return { token, corps, corp_id: corp?.corp_id ?? null, factor_token: null }
}

export async function openSession(
  ctx: OutsideCtx,
  { id, epoch }: Proven,
  where: { company_id: string | null; isAdmin: boolean; sole: boolean; since?: Date },
): Promise<string> {
  const { company_id, isAdmin, ...more } = where
  const span = isAdmin ? lives.admin : lives.employee
  const pair = await startSession(ctx.database, {
    account_id: id,
    company_id,
    epoch,
    device: ctx.request.user_agent,
    address: ctx.address,
    now: ctx.now,
    lives: span,
    ...more,
  })
  ctx.about({ account_id: id, company_id, session_id: pair.session_id })
  setSessionCookies(ctx, pair, span)
  return pair.token
}

/** The half of a session that the browser keeps, and what proves that a request is of our own page. */
function setSessionCookies(ctx: OutsideCtx, pair: Pair, { absolute_s }: Lives): void {
  ctx.setCookie(cookieName(ctx.request.https), pair.cookie, { http_only: true, max_age_s: absolute_s })
  ctx.setCookie('XSRF-TOKEN', xsrfOf(ctx.secrets, pair.session_id), { http_only: false, max_age_s: absolute_s })
}

/**
 * From one company into another within a transaction that makes sure of it: the session here ends, the one there lives no longer than it would have.
 * `agency_id`: in whose name he works there.
 */
export async function openSessionIn(
  ctx: OutsideCtx,
  tx: Tx,
  { me, company_id, agency_id }: { readonly me: Me; readonly company_id: string; readonly agency_id: string | null },
): Promise<string> {
  const before = await tx
    .selectFrom('session')
    .select(['epoch', 'sole', 'created_at'])
    .where('id', '=', me.session_id)
    .executeTakeFirstOrThrow()
  if ((await endSessions(tx, { session_id: me.session_id }, 'chosen')) === 0) throw refuse('signed_out')
  const pair = await startSessionIn(tx, {
    account_id: me.account_id,
    company_id,
    agency_id,
    epoch: before.epoch,
    sole: before.sole,
    device: ctx.request.user_agent,
    address: ctx.address,
    now: ctx.now,
    lives: lives.admin,
    since: before.created_at,
  })
  setSessionCookies(ctx, pair, lives.admin)
  return pair.token
}
