/**
 * Operators of the server: a separate kind of account, in no company. Its rows are visible only to `asOperator`. A
 * sign-in requires name, password and the phone's TOTP code at once; a session ends after half an hour without use and
 * at the end of the working day.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Secrets } from '../crypto/secrets.ts'
import { createTotp, findTotpStep } from '../crypto/totp.ts'
import type { Database, Tx } from '../database/database.ts'
import { newId } from '../shared/ids.ts'
import type { AuditDetails } from './audit-log.ts'
import { fail } from './errors.ts'
import { toNetworkAddress } from './limits/rate-limits.ts'
import { generateSecret, hashSecret, type SessionCredentials } from './sessions.ts'

export type Operator = { readonly id: string; readonly name: string; readonly session_id: string }

export const operatorSessionLifetime = { idle_s: 1_800, absolute_s: 28_800 }
const inviteLifetimeSeconds = 86_400
/** The `__Host-` prefix requires https. */
export const getOperatorCookieName = (https: boolean): string => (https ? '__Host-ops' : 'ops')
export const operatorXsrfCookie = 'OPS-XSRF-TOKEN'
const getTotpPosition = (id: string) => ({ table: 'operator', row: id, column: 'totp' })

/** Returns the operator of these two session halves; null if there is none, or the session has expired. */
export async function findOperatorBySession(tx: Tx, token: string, cookie: string, now: Date): Promise<Operator | null> {
  const row = await tx
    .selectFrom('operator_session')
    .innerJoin('operator', 'operator.id', 'operator_session.operator_id')
    .select(['operator_session.id as session_id', 'operator.id', 'name', 'cookie_hash', 'last_active_at'])
    .select(['operator_session.created_at'])
    .where('token_hash', '=', hashSecret(token))
    .where('operator_session.ended_at', 'is', null)
    .where('operator.ended_at', 'is', null)
    .where('ready_at', 'is not', null)
    .executeTakeFirst()
  if (!row || !timingSafeEqual(row.cookie_hash, hashSecret(cookie))) return null
  const since = (at: Date): number => (now.getTime() - at.getTime()) / 1000
  if (since(row.last_active_at) > operatorSessionLifetime.idle_s || since(row.created_at) > operatorSessionLifetime.absolute_s)
    return null
  if (since(row.last_active_at) > 60)
    await tx.updateTable('operator_session').set({ last_active_at: now }).where('id', '=', row.session_id).execute()
  return { id: row.id, name: row.name, session_id: row.session_id }
}

export type OperatorLogEntry = {
  readonly call: string
  readonly outcome: string
  readonly details: AuditDetails
  readonly at: Date
  readonly address: string
  readonly request_id: string
}
/** Logs an action or an attempt of an operator: append-only. */
export async function writeOperatorLogEntry(
  tx: Tx,
  who: { readonly id: string | null; readonly name: string },
  line: OperatorLogEntry,
) {
  const { details, ...rest } = line
  await tx
    .insertInto('operator_log_entry')
    .values({ id: newId(), operator_id: who.id, name: who.name, ...rest, details: JSON.stringify(details) })
    .execute()
}

type Requested = { readonly name: string; readonly now: Date }
/** `setup_key`: from the environment, to create the first operator; null where there is none. */
export type OperatorDeps = { readonly database: Database; readonly secrets: Secrets; readonly setup_key: string | null }

/** Returns the hash of a key that is valid for creating an operator now. */
async function findValidSetupKey(tx: Tx, { setup_key }: OperatorDeps, key: string, now: Date): Promise<Buffer> {
  const hash = hashSecret(key)
  const used = await tx
    .selectFrom('operator')
    .select('id')
    .where('made_with', '=', hash)
    .where('ready_at', 'is not', null)
    .executeTakeFirst()
  const invited = await tx
    .selectFrom('operator_invite')
    .select('id')
    .where('key_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  const isSetup = setup_key !== null && timingSafeEqual(hash, hashSecret(setup_key))
  if (used || !(isSetup || invited)) throw fail('wrong_code', '密钥不正确、已用过或已过期', { field: 'key' })
  return hash
}

/** Creates an operator who is not ready yet; starting again with the same key replaces an unfinished setup. */
export function startOperatorSetup(
  entry: OperatorDeps,
  options: Requested & { readonly key: string; readonly password_hash: string },
  line: OperatorLogEntry,
) {
  const { key, name, password_hash, now } = options
  return entry.database.asOperator(async (tx) => {
    const made_with = await findValidSetupKey(tx, entry, key, now)
    await tx.deleteFrom('operator').where('made_with', '=', made_with).where('ready_at', 'is', null).execute()
    const accepted = await tx.selectFrom('operator').select('id').where('name', '=', name).executeTakeFirst()
    if (accepted) throw fail('invalid', '这个用户名已有人使用，请换一个', { field: 'name' })
    const [id, secret] = [newId(), randomBytes(20)]
    const totp = entry.secrets.seal(getTotpPosition(id), secret)
    await tx.insertInto('operator').values({ id, name, password_hash, totp, made_with, created_at: now }).execute()
    // Whoever gets hold of the key can begin as well; the operators see every begin, and from where.
    await writeOperatorLogEntry(tx, { id, name }, line)
    const visible = createTotp(secret)
    visible.label = `运营 ${name}`
    return { secret: visible.secret.base32, url: visible.toString() }
  })
}

/** Completes the setup after the phone has shown the right code. Returns the operator's id. */
export function completeOperatorSetup(
  entry: OperatorDeps,
  { key, name, code, now }: Requested & { readonly key: string; readonly code: string },
) {
  return entry.database.asOperator(async (tx) => {
    const made_with = await findValidSetupKey(tx, entry, key, now)
    const row = await tx
      .selectFrom('operator')
      .select(['id', 'totp'])
      .where('made_with', '=', made_with)
      .where('name', '=', name)
      .where('ready_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    const step = row ? findTotpStep(entry.secrets.open(getTotpPosition(row.id), row.totp), code, now) : null
    if (!row || step === null) throw fail('wrong_code', '动态码不正确，请核对手机时间后输入新的动态码', { field: 'code' })
    await tx.updateTable('operator').set({ ready_at: now, totp_step: step }).where('id', '=', row.id).execute()
    return row.id
  })
}

/** Sessions whose networks count as known; older ones are of places where the operator may not be any more. */
const rememberedSessions = 20
type OperatorClient = { readonly browser: Buffer | null; readonly address: string }

/**
 * Returns the operator with the password hash, to be compared outside of any transaction, and whether they signed in
 * before in this browser or from this network; null for an unknown name.
 */
export const findOperatorPassword = (
  { database }: OperatorDeps,
  { name, browser, address }: OperatorClient & { readonly name: string },
) =>
  database.asOperator(async (tx) => {
    const operator = await tx
      .selectFrom('operator')
      .select(['id', 'password_hash'])
      .where('name', '=', name)
      .where('ended_at', 'is', null)
      .where('ready_at', 'is not', null)
      .executeTakeFirst()
    if (!operator) return null
    const sessions = tx.selectFrom('operator_session').where('operator_id', '=', operator.id)
    const inBrowser = await sessions
      .select('id')
      .where('browser_hash', '=', browser ?? Buffer.alloc(0))
      .limit(1)
      .execute()
    const latest = await sessions.select('address').orderBy('created_at', 'desc').limit(rememberedSessions).execute()
    return {
      ...operator,
      isTrustedBrowser: inBrowser.length > 0,
      isTrustedNetwork: latest.some((one) => one.address !== null && toNetworkAddress(one.address) === toNetworkAddress(address)),
    }
  })

/** Accepts a TOTP code once. */
export const consumeOperatorCode = (
  { database, secrets }: OperatorDeps,
  { id, code, now }: { id: string; code: string; now: Date },
) =>
  database.asOperator(async (tx) => {
    const row = await tx.selectFrom('operator').select('totp').where('id', '=', id).executeTakeFirst()
    const step = row ? findTotpStep(secrets.open(getTotpPosition(id), row.totp), code, now) : null
    if (step === null) return false
    const accepted = await tx
      .updateTable('operator')
      .set({ totp_step: step })
      .where('id', '=', id)
      .where('totp_step', '<', step)
      .executeTakeFirst()
    return accepted.numUpdatedRows === 1n
  })

/** Starts a session and logs it; its browser and network are known from then on. */
export const startOperatorSession = (
  { database }: OperatorDeps,
  { browser_hash, ...who }: { readonly id: string; readonly name: string; readonly browser_hash: Buffer },
  line: OperatorLogEntry,
) =>
  database.asOperator(async (tx): Promise<SessionCredentials> => {
    const pair = { session_id: newId(), token: generateSecret(), cookie: generateSecret() }
    const { session_id: id, token, cookie } = pair
    const halves = { token_hash: hashSecret(token), cookie_hash: hashSecret(cookie) }
    const client = { browser_hash, address: line.address }
    const session = { id, operator_id: who.id, ...client, ...halves, created_at: line.at, last_active_at: line.at }
    await tx.insertInto('operator_session').values(session).execute()
    await writeOperatorLogEntry(tx, who, line)
    return pair
  })

/** Logs an attempt of a client who is not signed in. */
export const logOperatorAttempt = (
  { database }: OperatorDeps,
  who: { readonly id: string | null; readonly name: string },
  line: OperatorLogEntry,
) => database.asOperator((tx) => writeOperatorLogEntry(tx, who, line))

// Ends an operator's session in the operator's transaction.

export const endOperatorSession = async (tx: Tx, session_id: string, now: Date): Promise<void> =>
  void (await tx.updateTable('operator_session').set({ ended_at: now }).where('id', '=', session_id).execute())

/** Creates a key for one more operator, valid once and for one day. */
export async function inviteOperator(tx: Tx, by_id: string, now: Date): Promise<{ key: string; expires_at: Date }> {
  const [key, expires_at] = [generateSecret(), new Date(now.getTime() + inviteLifetimeSeconds * 1000)]
  await tx
    .insertInto('operator_invite')
    .values({ id: newId(), key_hash: hashSecret(key), by_id, created_at: now, expires_at })
    .execute()
  return { key, expires_at }
}

export const listOperators = (tx: Tx) =>
  tx
    .selectFrom('operator')
    .select(['id as operator_id', 'name', 'created_at', 'ended_at'])
    .select(
      sql<Date | null>`(select max(last_active_at) from operator_session where operator_session.operator_id = operator.id)`.as(
        'last_active_at',
      ),
    )
    .where('ready_at', 'is not', null)
    .orderBy('created_at')
    .execute()

/** Deactivates an operator and ends their sessions. Returns false if there is no such operator. */
export async function deactivateOperator(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('operator')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('ready_at', 'is not', null)
    .executeTakeFirst()
  await tx
    .updateTable('operator_session')
    .set({ ended_at: now })
    .where('operator_id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
  return numUpdatedRows === 1n
}

export async function listOperatorLog(tx: Tx, { page, pagesize }: { page: number; pagesize: number }) {
  const { total } = await tx
    .selectFrom('operator_log_entry')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await tx
    .selectFrom('operator_log_entry')
    .select(['id', 'at', 'name', 'call', 'outcome', 'details', 'address'])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { rows, total }
}
