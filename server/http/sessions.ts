/**
 * Sessions (calls.md §1): two random halves, a token that the client sends as `user-token` and a secret in an HttpOnly cookie; a
 * request needs both, the server keeps only their hashes. A session belongs to one account in one company.
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
import { type CurrentUser, fail } from './handler.ts'
import {
  getSessionEndMessage,
  idleTimeoutMessage,
  type SessionEndReason,
  type SessionLifetime,
  sessionExpiredMessage,
  sessionLifetimes,
} from './session-lifetime.ts'

/** `last_active_at` is written at most this often, so that reading a page does not write a row each time. */
const touchIntervalMs = 60_000

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
export const generateSecret = (): string => randomBytes(32).toString('base64url')
/** The `__Host-` prefix needs https; a server on plain http (the demo, a private network) uses the bare name. */
export const getSessionCookieName = (https: boolean): string => (https ? '__Host-sid' : 'sid')
export const createXsrfToken = (secrets: Secrets, session_id: string): string =>
  secrets.mac('xsrf', session_id).toString('base64url')

export type Session = {
  readonly id: string
  readonly account_id: string
  readonly company_id: string | null
  /** The agency that this person works for in `company_id`, which is not his own. */
  readonly agency_id: string | null
  readonly mobile: string
  readonly view_until: Date | null
}
/** What the two halves are good for: a session, one that is over and why, or the token of one whose cookie somebody else has. */
type SessionLookup =
  /** `unseen`: it has not been written for a while that it is used. */
  | (Session & { readonly state: 'alive' | 'stolen'; readonly needsTouch: boolean })
  | { readonly state: 'over'; readonly transferred: boolean; readonly message: string }

export type SessionCredentials = { readonly session_id: string; readonly token: string; readonly cookie: string }

type NewSession = {
  account_id: string
  company_id: string | null
  /** The agency that he works for there. */
  agency_id?: string | null
  epoch: number
  device: string
  now: Date
  address?: string
  lifetime?: SessionLifetime
  /** Opens this company and no other. */
  companyBound?: boolean
  /** When the person signed in, if that was earlier: who switches companies does not live longer by it. */
  signedInAt?: Date
}

/** Starts a session; both halves are new, so nothing that was set before a sign-in lives on. */
export const createSession = (database: Database, who: NewSession): Promise<SessionCredentials> =>
  database.withoutCompany((tx) => createSessionInTx(tx, who))

/** The same in the transaction that makes sure of what it stands on. */
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
      last_active_at: who.now,
      expires_at: new Date(created_at.getTime() + absolute_s * 1000),
    })
    .execute()
  return pair
}

/**
 * What is known of these two halves; null is nothing. Only who holds both hears why a session is over. The token of a living session with
 * no cookie, or another one, is a token in the wrong hands: whoever signs in anew in the same browser has ended the older session.
 */
export async function findSession(tx: Tx, token: string, cookie: string | null, now: Date): Promise<SessionLookup | null> {
  const row = await tx
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select(['session.id', 'cookie_hash', 'account_id', 'company_id', 'agency_id', 'mobile', 'view_until'])
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
  const { id, account_id, company_id, agency_id, view_until } = row
  // Whose phone went to its next holder has none until he gives another one.
  const mobile = row.mobile ?? ''
  const unseen = isFull && stale_s * 1000 > touchIntervalMs
  return { state: isFull ? 'alive' : 'stolen', id, account_id, company_id, agency_id, mobile, view_until, needsTouch: unseen }
}

/** For queries: the session that has this cookie, where a navigation brings nothing else. Whether it lay idle is asked where it is used. */
export const selectActiveSession = (cookie: string, now: Date) => sql`
  select session.id, session.account_id, session.company_id, session.agency_id, account.mobile
  from session join account on account.id = session.account_id and account.epoch = session.epoch
  where session.cookie_hash = ${hashSecret(cookie)} and session.ended is null and session.expires_at > ${now}`

/** That it was used now. A session that somebody relies on this moment, or is ending, is written another time: nobody waits for this. */
export async function touchSession(database: Database, session_id: string, now: Date): Promise<void> {
  await database.withoutCompany(async (tx) => {
    const free = tx.selectFrom('session').select('id').where('id', '=', session_id).where('ended', 'is', null)
    await tx.updateTable('session').set({ last_active_at: now }).where('id', 'in', free.forNoKeyUpdate().skipLocked()).execute()
  })
}

/** What a deed relies on until its transaction ends (docs/decisions/20261123-use-one-transaction-per-request.md). */
export type AccessLock = {
  /** Whose rights: my own as an administrator, as an employee, or those of all administrators, to change them. */
  readonly rows: readonly ('admin' | 'member' | 'all admins')[]
  readonly session: Pick<Session, 'id' | 'account_id'>
}

/**
 * The statements that hold it. Others may rely on the same; whoever takes it away locks the rows stronger, in the same order (administrators,
 * people, sessions): he waits, or comes first and is seen.
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

/** Refuses where this session has ended: by a kick, a new password, a new phone, powers taken. */
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
 * Ends sessions, answers how many. `ended` tells the client why; `transferred` shows 移交成功. Waits for the deeds that are under way in them
 * (`buildLockStatements`): once this has committed, nothing more is done in their name.
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
  // Who serves another company in the name of this one does it on the strength of what he is here.
  const { company_id } = which
  if (company_id) query = query.where((eb) => eb.or([eb('company_id', '=', company_id), eb('agency_id', '=', company_id)]))
  if (which.agency_id) query = query.where('agency_id', '=', which.agency_id)
  // Those that came in through a company's chat platform.
  if (which.sole_in) query = query.where('sole', '=', true).where('company_id', '=', which.sole_in)
  if (which.except) query = query.where('id', '<>', which.except)
  const ids = (await query.orderBy('id').forUpdate().execute()).map(({ id }) => id)
  if (ids.length === 0) return 0
  await tx.updateTable('session').set({ ended }).where('id', 'in', ids).execute()
  return ids.length
}

/** Lets this session read slips that need a view password, until then. */
export async function grantView(tx: Tx, session_id: string, until: Date): Promise<void> {
  await tx.updateTable('session').set({ view_until: until }).where('id', '=', session_id).execute()
}

type FormerEmployment = { readonly id: string; readonly name: string; readonly on: string }
/** The rows of this account's person that say he has left, the last one first. Whose phone was in doubt then has none. */
const selectFormerEmployments = (company_id: string, account_id: string) => sql<FormerEmployment[]>`coalesce((
  select json_agg(json_build_object('id', before.id, 'name', before.name, 'on', before.last_day) order by before.last_day desc, before.id)
  from (select id, name, coalesce(left_on, (left_at at time zone 'Asia/Shanghai')::date) as last_day from member
    where company_id = ${company_id} and former_account = ${account_id} and status = 'left' and unconfirmed_at is null) as before), '[]')`
/** What the company lets people read who have left it. */
export const terminatedAccessMonths = sql<number>`coalesce((company.setting->>'terminated_access_months')::int, ${defaultTerminatedAccessMonths})`

/** The same of one company. */
export async function readLeaverMonths(tx: Tx, company_id: string): Promise<number> {
  const row = await tx
    .selectFrom('company')
    .select(terminatedAccessMonths.as('months'))
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  return row.months
}

/** Who this session is in its company, read anew at every request: no right outlives its taking away. Null: nobody here any more. */
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
    view_granted_until: session.view_until,
  }
}

/** What he is in this company, side by side. */
function loadRoles(tx: Tx, { company_id, account_id, agency_id }: Session & { company_id: string }, now: Date) {
  // Whoever came in from an agency is what his seat says and nothing besides, also where he is employed here.
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
      // An administrator whose powers were all taken stays as the owner of his pay runs, and is none.
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

/** The departments an administrator was given, with everything below them. */
async function loadScopeDepartments(tx: Tx, company_id: string, admin_id: string): Promise<string[]> {
  const provided = sql`array(select department_id from admin_department where company_id = ${company_id} and admin_id = ${admin_id})`
  const { rows } = await sql<{ ids: string[] }>`select array(${selectDepartmentSubtree(company_id, provided)}) as ids`.execute(tx)
  return rows[0]?.ids ?? []
}
