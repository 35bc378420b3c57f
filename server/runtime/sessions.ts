/**
 * Sessions (calls.md §1): two random halves, a token that the client sends as `user-token` and a secret in an HttpOnly cookie; a
 * request needs both, the server keeps only their hashes. A session belongs to one account in one company.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { CorpRole, Power } from '../contract/who.ts'
import type { Database, Tx } from './db.ts'
import type { Me } from './handle.ts'
import { newId } from './ids.ts'
import type { Secrets } from './secrets.ts'

const absolute_ms = 12 * 3_600_000
const idle_ms = 2 * 3_600_000
/** `seen_at` is written at most this often, so that reading a page does not write a row each time. */
const seen_every_ms = 60_000

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()
export const newSecret = (): string => randomBytes(32).toString('base64url')
/** The `__Host-` prefix needs https; a server on plain http (the demo, a private network) uses the bare name. */
export const cookieName = (https: boolean): string => (https ? '__Host-sid' : 'sid')
export const xsrfOf = (secrets: Secrets, session_id: string): string => secrets.mac('xsrf', session_id).toString('base64url')

export type Session = {
  readonly id: string
  readonly account_id: string
  readonly company_id: string | null
  readonly mobile: string
  readonly view_until: Date | null
  readonly ended: string | null
}

export type Pair = { readonly session_id: string; readonly token: string; readonly cookie: string }

/** Starts a session; both halves are new, so nothing that was set before a sign-in lives on. */
export async function startSession(
  database: Database,
  who: { account_id: string; company_id: string | null; epoch: number; device: string; now: Date },
): Promise<Pair> {
  const pair = { session_id: newId(), token: newSecret(), cookie: newSecret() }
  await database.outside((tx) =>
    tx
      .insertInto('session')
      .values({
        id: pair.session_id,
        token_hash: hashOf(pair.token),
        cookie_hash: hashOf(pair.cookie),
        account_id: who.account_id,
        company_id: who.company_id,
        epoch: who.epoch,
        device: who.device.slice(0, 200),
        created_at: who.now,
        seen_at: who.now,
        expires_at: new Date(who.now.getTime() + absolute_ms),
      })
      .execute(),
  )
  return pair
}

/** The living session of these two halves, or null; one that was ended for a reason comes back with the reason. */
export async function readSession(database: Database, token: string, cookie: string, now: Date): Promise<Session | null> {
  return database.outside(async (tx) => {
    const row = await tx
      .selectFrom('session')
      .innerJoin('account', 'account.id', 'session.account_id')
      .select(['session.id', 'cookie_hash', 'account_id', 'company_id', 'mobile', 'view_until', 'ended', 'seen_at', 'expires_at'])
      .select(sql<boolean>`session.epoch = account.epoch`.as('current'))
      .where('token_hash', '=', hashOf(token))
      .executeTakeFirst()
    if (!row || !timingSafeEqual(row.cookie_hash, hashOf(cookie))) return null
    if (row.ended === null) {
      const stale = now.getTime() - row.seen_at.getTime()
      if (!row.current || row.expires_at <= now || stale > idle_ms) return null
      if (stale > seen_every_ms) await tx.updateTable('session').set({ seen_at: now }).where('id', '=', row.id).execute()
    }
    return {
      id: row.id,
      account_id: row.account_id,
      company_id: row.company_id,
      mobile: row.mobile,
      view_until: row.view_until,
      ended: row.ended,
    }
  })
}

/** Ends sessions, answers how many. `ended` tells the client why; `transferred` shows 移交成功. */
export async function endSessions(
  tx: Tx,
  which: { session_id?: string; account_id?: string; company_id?: string; except?: string },
  ended: 'signed_out' | 'password' | 'left' | 'transferred' | 'chosen',
): Promise<number> {
  let query = tx.updateTable('session').set({ ended }).where('ended', 'is', null)
  if (!which.session_id && !which.account_id) throw new TypeError('whose sessions?')
  if (which.session_id) query = query.where('id', '=', which.session_id)
  if (which.account_id) query = query.where('account_id', '=', which.account_id)
  if (which.company_id) query = query.where('company_id', '=', which.company_id)
  if (which.except) query = query.where('id', '<>', which.except)
  return Number((await query.executeTakeFirst()).numUpdatedRows)
}

/** Lets this session read slips that need a view password, until then. */
export async function openView(tx: Tx, session_id: string, until: Date): Promise<void> {
  await tx.updateTable('session').set({ view_until: until }).where('id', '=', session_id).execute()
}

/** Who this session is in its company, read anew at every request: no right outlives its taking away. Null: nobody here any more. */
export async function loadMe(tx: Tx, session: Session): Promise<Me | null> {
  const { company_id, account_id } = session
  if (!company_id) return null
  const row = await tx
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
    .select([
      'company.name as company_name',
      'corp_role',
      'member.id as member_id',
      'member.name as member_name',
      'admin.id as admin_id',
      'power',
      'scope_all',
    ])
    .where('company.id', '=', company_id)
    .executeTakeFirst()
  if (!row || (!row.member_id && !row.admin_id)) return null
  const power = (row.power ?? []) as Power[]
  const all = row.scope_all === true || power.includes('4')
  return {
    session_id: session.id,
    account_id,
    company_id,
    company_name: row.company_name,
    corp_role: row.corp_role as CorpRole,
    power,
    admin_id: row.admin_id,
    member_id: row.member_id,
    is_employee: row.member_id !== null,
    name: row.member_name ?? '管理员',
    mobile: session.mobile,
    scope: { all, department_ids: row.admin_id && !all ? await departmentsOf(tx, company_id, row.admin_id) : [] },
    view_until: session.view_until,
  }
}

/** The departments an administrator was given, with everything below them. */
async function departmentsOf(tx: Tx, company_id: string, admin_id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive tree as (
      select department_id as id from admin_department where company_id = ${company_id} and admin_id = ${admin_id}
      union
      select department.id from department join tree on department.parent_id = tree.id where department.company_id = ${company_id}
    ) select id from tree`.execute(tx)
  return rows.map((row) => row.id)
}
