/**
 * Sessions (calls.md §1): two random halves, a token that the client sends as `user-token` and a secret in an HttpOnly
 * cookie; a request needs both, and the server stores only their hashes. A session belongs to one account in one
 * company.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { escapeLiteral } from 'pg'
import type { Power } from '../contract/access.ts'
import { getCurrentEdition } from '../contract/billing/editions.ts'
import { defaultTerminatedAccessMonths, getTerminatedAccessEnd } from '../contract/shared/statuses.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database, Tx } from '../database/database.ts'
import { selectDepartmentSubtree } from '../database/department-tree.ts'
import { toShanghaiDate } from '../shared/clock.ts'
import { newId } from '../shared/ids.ts'
import type { CurrentUser } from './current-user.ts'
import { fail } from './errors.ts'
import {
  getSessionEndMessage,
  idleTimeoutMessage,
  type SessionEndReason,
  type SessionLifetime,
  sessionExpiredMessage,
  sessionLifetimes,
} from './session-lifetime.ts'

/** `last_active_at` is written at most this often, so that a read does not write a row each time. */
const touchIntervalMs = 60_000

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
export const generateSecret = (): string => randomBytes(32).toString('base64url')
/** The `__Host-` prefix requires https; a server on plain http (the demo, a private network) uses the bare name. */
export const getSessionCookieName = (https: boolean): string => (https ? '__Host-sid' : 'sid')
export const createXsrfToken = (secrets: Secrets, session_id: string): string =>
  secrets.mac('xsrf', session_id).toString('base64url')

export type Session = {
  readonly id: string
  readonly account_id: string
  readonly company_id: string | null
  /** The agency that this user works for in `company_id`, which is not their own company. */
  readonly agency_id: string | null
  readonly mobile: string
  readonly view_until: Date | null
  /** When the user last entered a password or code in this session, by signing in or later. */
  readonly verified_at: Date | null
}
/** How long a sign-in, or another proof of identity, suffices to view payslips and to export files with amounts. */
const identityProofMs = 10 * 60_000

/** Records that the user of this session has proved their identity again. */
export async function markSessionVerified(tx: Tx, session_id: string, now: Date): Promise<void> {
  await tx.updateTable('session').set({ verified_at: now }).where('id', '=', session_id).execute()
}

/** Throws `view_locked` unless the user of this session has proved their identity within the last ten minutes. */
export async function assertRecentIdentityProof(tx: Tx, session_id: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - identityProofMs)
  const session = await tx
    .selectFrom('session')
    .select('id')
    .where('id', '=', session_id)
    .where((eb) => eb(eb.fn<Date>('greatest', ['created_at', 'verified_at']), '>=', since))
    .executeTakeFirst()
  if (!session) throw fail('view_locked', '导出前请先确认是您本人')
}

/** The result for two halves: a session, an ended one with the reason, or a token without its cookie. */
type SessionLookup =
  /** `needsTouch`: the last use has not been written for a while. */
  | (Session & { readonly state: 'alive' | 'stolen'; readonly needsTouch: boolean })
  | { readonly state: 'over'; readonly transferred: boolean; readonly message: string }

export type SessionCredentials = { readonly session_id: string; readonly token: string; readonly cookie: string }

type NewSession = {
  account_id: string
  company_id: string | null
  /** The agency that the user works for there. */
  agency_id?: string | null
  epoch: number
  device: string
  now: Date
  address?: string
  lifetime?: SessionLifetime
  /** The session is valid only for this company. */
  companyBound?: boolean
  /** When the user signed in, if earlier: switching companies does not extend the session. */
  signedInAt?: Date
  /** When the user entered a password or code; null after a sign-in for which a chat platform vouched. */
  verifiedAt?: Date | null
}

/** Starts a session; both halves are new, so nothing set before a sign-in survives it. */
export const createSession = (database: Database, who: NewSession): Promise<SessionCredentials> =>
  database.withoutCompany((tx) => createSessionInTx(tx, who))

/** Starts a session like `createSession`, within the transaction that verifies its preconditions. */
export async function createSessionInTx(tx: Tx, who: NewSession): Promise<SessionCredentials> {
  const pair = { session_id: newId(), token: generateSecret(), cookie: generateSecret() }
  const { idle_s, absolute_s } = who.lifetime ?? sessionLifetimes.employee
  const created_at = who.signedInAt ?? who.now
  await tx
    .insertInto('session')
    .values({
      id: pair.session_id,
      token_hash: hashSecret(pair.token),
      cookie_hash: hashSecret(pair.cookie),
      account_id: who.account_id,
      company_id: who.company_id,
      agency_id: who.agency_id ?? null,
      epoch: who.epoch,
      device: who.device.slice(0, 200),
      address: who.address ?? '',
      idle_s,
      sole: who.companyBound ?? false,
      created_at,
      verified_at: who.verifiedAt ?? null,
      last_active_at: who.now,
      expires_at: new Date(created_at.getTime() + absolute_s * 1000),
    })
    .execute()
  return pair
}

/**
 * Looks up a session by its two halves; null if there is none. Only a client with both halves learns why a session
 * ended. The token of an active session with no cookie, or another one, is a stolen token: a new sign-in in the same
 * browser has ended the older session.
 */
export async function findSession(tx: Tx, token: string, cookie: string | null, now: Date): Promise<SessionLookup | null> {
  const row = await tx
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['session.id', 'cookie_hash', 'account_id', 'company_id', 'agency_id', 'mobile', 'view_until', 'session.verified_at'])
    .select(['ended', 'last_active_at', 'expires_at', 'idle_s'])
    .select(sql<boolean>`session.epoch = account.epoch`.as('current'))
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst()
  if (!row) return null
  const isFull = cookie !== null && timingSafeEqual(row.cookie_hash, hashSecret(cookie))
  const stale_s = (now.getTime() - row.last_active_at.getTime()) / 1000
  const over = row.ended
    ? getSessionEndMessage(row.ended)
    : !row.current
      ? getSessionEndMessage('signed_out')
      : row.expires_at <= now
        ? sessionExpiredMessage
        : stale_s > row.idle_s
          ? idleTimeoutMessage
          : null
  if (over !== null) return isFull ? { state: 'over', transferred: row.ended === 'transferred', message: over } : null
  const { id, account_id, company_id, agency_id, view_until, verified_at } = row
  // A user whose phone went to its next owner has no phone until they enter another one.
  const mobile = row.mobile ?? ''
  const unseen = isFull && stale_s * 1000 > touchIntervalMs
  const session = { id, account_id, company_id, agency_id, mobile, view_until, verified_at }
  return { state: isFull ? 'alive' : 'stolen', ...session, needsTouch: unseen }
}

/**
 * SQL condition for queries: the session with this cookie, where a navigation carries nothing else. The caller checks
 * the idle time.
 */
export const selectActiveSession = (cookie: string, now: Date) => sql`
  select session.id, session.account_id, session.company_id, session.agency_id, account.mobile
  from session join account on account.id = session.account_id and account.epoch = session.epoch
  where session.cookie_hash = ${hashSecret(cookie)} and session.ended is null and session.expires_at > ${now}`

/** Returns the user of a navigation, by the cookie of an active session that was not idle; null if there is none. */
export async function findNavigatingUser(database: Database, cookie: string, now: Date): Promise<CurrentUser | null> {
  const session = await database.withoutCompany(async (tx) => {
    const { rows } =
      await sql<Session>`select active.*, session.view_until, session.verified_at from (${selectActiveSession(cookie, now)}) as active
      join session using (id) where session.last_active_at > ${now}::timestamptz - session.idle_s * interval '1 second'`.execute(
        tx,
      )
    return rows[0] ?? null
  })
  if (!session?.company_id) return null
  return database.inCompany(session.company_id, (tx) => loadCurrentUser(tx, session, now))
}

/** Writes the last use. Skips a session that is locked by another transaction: nothing waits for this write. */
export async function touchSession(database: Database, session_id: string, now: Date): Promise<void> {
  await database.withoutCompany(async (tx) => {
    const free = tx.selectFrom('session').select('id').where('id', '=', session_id).where('ended', 'is', null)
    await tx.updateTable('session').set({ last_active_at: now }).where('id', 'in', free.forNoKeyUpdate().skipLocked()).execute()
  })
}

/** The rows that a change relies on until its transaction ends (docs/decisions/20261123-use-one-transaction-per-request.md). */
export type AccessLock = {
  /** Whose rights are locked: the user's own as administrator or employee, or those of all administrators, for a change. */
  readonly rows: readonly ('admin' | 'member' | 'all admins')[]
  readonly session: Pick<Session, 'id' | 'account_id'>
}

/**
 * Builds the lock statements. The locks are shared; a revocation takes exclusive locks on the rows in the same order
 * (administrators, members, sessions): it waits, or it comes first and is seen.
 */
export function buildLockStatements(company_id: string, { rows, session }: AccessLock): string[] {
  const [company, account] = [escapeLiteral(company_id), escapeLiteral(session.account_id)]
  const locks = {
    'all admins': `select from admin where company_id = ${company} order by id for no key update`,
    admin: `select from admin where company_id = ${company} and account_id = ${account} for share`,
    member: `select from member where company_id = ${company} and account_id = ${account} for key share`,
  }
  return [...rows.map((row) => locks[row]), `select from session where id = ${escapeLiteral(session.id)} for key share`]
}

/** Throws if this session has ended: by removal, a new password, a new phone, or revoked powers. */
export async function assertSessionActive(tx: Tx, session_id: string): Promise<void> {
  const row = await tx
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['session.ended', sql<boolean>`session.epoch = account.epoch`.as('current')])
    .where('session.id', '=', session_id)
    .executeTakeFirst()
  if (row?.ended === 'transferred') throw fail('transferred')
  if (row?.ended) throw fail('signed_out', getSessionEndMessage(row.ended))
  if (!row?.current) throw fail('signed_out')
}

/**
 * Ends sessions and returns their number. `ended` tells the client why; `transferred` shows 移交成功. Waits for the changes
 * in progress in them (`buildLockStatements`): once this has committed, nothing more is done in their name.
 */
export async function endSessions(
  tx: Tx,
  which: Partial<Record<'session_id' | 'account_id' | 'company_id' | 'agency_id' | 'except' | 'cookie' | 'sole_in', string>>,
  ended: SessionEndReason,
): Promise<number> {
  if (!which.session_id && !which.account_id && !which.cookie && !which.sole_in) throw new TypeError('whose sessions?')
  let query = tx.selectFrom('session').select('id').where('ended', 'is', null)
  if (which.session_id) query = query.where('id', '=', which.session_id)
  if (which.cookie) query = query.where('cookie_hash', '=', hashSecret(which.cookie))
  if (which.account_id) query = query.where('account_id', '=', which.account_id)
  // A user who serves another company for this agency does so with their rights in this agency.
  const { company_id } = which
  if (company_id) query = query.where((eb) => eb.or([eb('company_id', '=', company_id), eb('agency_id', '=', company_id)]))
  if (which.agency_id) query = query.where('agency_id', '=', which.agency_id)
  // Sessions created through a company's chat platform.
  if (which.sole_in) query = query.where('sole', '=', true).where('company_id', '=', which.sole_in)
  if (which.except) query = query.where('id', '<>', which.except)
  const ids = (await query.orderBy('id').forUpdate().execute()).map(({ id }) => id)
  if (ids.length === 0) return 0
  await tx.updateTable('session').set({ ended }).where('id', 'in', ids).execute()
  return ids.length
}

/** Allows this session to read payslips that need a view password, until the given time. */
export async function grantView(tx: Tx, session_id: string, until: Date): Promise<void> {
  await tx.updateTable('session').set({ view_until: until }).where('id', '=', session_id).execute()
}

type FormerEmployment = { readonly id: string; readonly name: string; readonly on: string }
/** The terminated employments of this account, latest first, without those whose phone was unconfirmed. */
const selectFormerEmployments = (company_id: string, account_id: string) => sql<FormerEmployment[]>`coalesce((
  select json_agg(json_build_object('id', before.id, 'name', before.name, 'on', before.last_day) order by before.last_day desc, before.id)
  from (select id, name, coalesce(left_on, (left_at at time zone 'Asia/Shanghai')::date) as last_day from member
    where company_id = ${company_id} and former_account = ${account_id} and status = 'left' and unconfirmed_at is null) as before), '[]')`
/** How many months the company lets terminated employees read their payslips. */
export const terminatedAccessMonths = sql<number>`coalesce((company.setting->>'terminated_access_months')::int, ${defaultTerminatedAccessMonths})`

/** Reads the number of months for one company. */
export async function readLeaverMonths(tx: Tx, company_id: string): Promise<number> {
  const row = await tx
    .selectFrom('company')
    .select(terminatedAccessMonths.as('months'))
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  return row.months
}

/**
 * Returns until when this session may read payslips that need a view password. A password or code entered anywhere in it
 * counts, except for terminated employees, who enter a code for each visit.
 */
function getViewGrantEnd({ view_until, verified_at }: Session, isTerminated: boolean): Date | null {
  const verified_until = isTerminated || !verified_at ? null : new Date(verified_at.getTime() + identityProofMs)
  if (!view_until || !verified_until) return view_until ?? verified_until
  return view_until > verified_until ? view_until : verified_until
}

/** Loads the session's user anew at every request, so that no right outlives its revocation. Null: not a user any more. */
export async function loadCurrentUser(tx: Tx, session: Session, now: Date): Promise<CurrentUser | null> {
  const { company_id, account_id, agency_id } = session
  if (!company_id) return null
  const row = await loadRoles(tx, { ...session, company_id }, now)
  if (!row) return null
  const former = (agency_id ? [] : row.former).flatMap(({ on, ...one }) => {
    const until = getTerminatedAccessEnd(on, row.leaver_months)
    return until !== null && until >= toShanghaiDate(now) ? [{ ...one, terminated_on: on, access_until: until }] : []
  })
  const [last = null] = row.member_id ? [] : former
  const member_id = row.member_id ?? last?.id ?? null
  if (!member_id && !row.admin_id) return null
  const power: readonly Power[] = row.power ?? []
  const all = row.scope_all === true || power.includes('4')
  return {
    session_id: session.id,
    account_id,
    company_id,
    company_name: row.company_name,
    corp_role: row.corp_role,
    edition: getCurrentEdition(row, now),
    power,
    admin_id: row.admin_id,
    member_id,
    own_member_ids: [...(row.member_id ? [row.member_id] : []), ...former.map(({ id }) => id)],
    terminated: last && { terminated_on: last.terminated_on, access_until: last.access_until },
    is_employee: member_id !== null,
    phone_unconfirmed: row.unconfirmed_at !== null,
    agency: agency_id && row.admin_id ? { id: agency_id, until: row.serves_until ?? '' } : null,
    name: row.seat_name ?? row.member_name ?? last?.name ?? '管理员',
    mobile: session.mobile,
    scope: { all, department_ids: row.admin_id && !all ? await loadScopeDepartments(tx, company_id, row.admin_id) : [] },
    view_granted_until: getViewGrantEnd(session, last !== null),
  }
}

/** Loads the user's roles in this company in one query. */
function loadRoles(tx: Tx, { company_id, account_id, agency_id }: Session & { company_id: string }, now: Date) {
  // An agency user has only the rights of their agency role, even if they are also employed here.
  return tx
    .selectFrom('company')
    .leftJoin('member', (join) =>
      join
        .onRef('member.company_id', '=', 'company.id')
        .on('member.account_id', '=', account_id)
        .on('member.status', '<>', 'left')
        .on(sql<boolean>`${agency_id}::uuid is null`),
    )
    .leftJoin('admin', (join) =>
      // An administrator whose powers were all revoked remains the owner of their batches, but is not an administrator.
      join
        .onRef('admin.company_id', '=', 'company.id')
        .on('admin.account_id', '=', account_id)
        .on(sql<boolean>`cardinality(admin.power) > 0`)
        .on(sql<boolean>`admin.agency_id is not distinct from ${agency_id}::uuid`)
        .on(sql<boolean>`(admin.serves_until is null or admin.serves_until >= ${toShanghaiDate(now)}::date)`),
    )
    .leftJoin('member as seat', (join) =>
      join
        .onRef('seat.company_id', '=', 'company.id')
        .onRef('seat.id', '=', 'admin.member_id')
        .on(sql<boolean>`${agency_id}::uuid is not null`),
    )
    .select(['company.name as company_name', 'corp_role', 'edition', 'edition_until'])
    .select(['member.id as member_id', 'member.name as member_name', 'member.unconfirmed_at'])
    .select(['admin.id as admin_id', 'power', 'scope_all', 'serves_until', 'seat.name as seat_name'])
    .select([selectFormerEmployments(company_id, account_id).as('former'), terminatedAccessMonths.as('leaver_months')])
    .where('company.id', '=', company_id)
    .executeTakeFirst()
}

/** Loads the departments assigned to an administrator, with all their descendants. */
async function loadScopeDepartments(tx: Tx, company_id: string, admin_id: string): Promise<string[]> {
  const provided = sql`array(select department_id from admin_department where company_id = ${company_id} and admin_id = ${admin_id})`
  const { rows } = await sql<{ ids: string[] }>`select array(${selectDepartmentSubtree(company_id, provided)}) as ids`.execute(tx)
  return rows[0]?.ids ?? []
}
