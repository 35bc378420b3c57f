/**
 * Authentication by an API key instead of a session (docs/decisions/20261129-use-api-keys-for-programs.md). The principal
 * is an administrator with the seat of the key's creator, exactly the powers of the scopes that the creator still holds,
 * and the name of the key.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Insertable, Selectable } from 'kysely'
import { hasPower } from '../contract/access.ts'
import { type ApiKeyScope, apiKeyScopePowers, apiKeyScopes } from '../contract/api-keys/api-keys.ts'
import { getCallScopes } from '../contract/api-keys/scope-calls.ts'
import type { Call } from '../contract/call.ts'
import type { CompanyTx } from '../database/company-tx.ts'
import type { Database, Tx } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { writeAuditEntry } from './audit-log.ts'
import { readApiKey } from './credentials.ts'
import { fail } from './errors.ts'
import { getRequestContext, type Principal, type RefusedApiKey, type RequestContext } from './request-context.ts'
import { hashSecret, loadCurrentUser } from './sessions.ts'

const prefix = 'xh_live_'
const uuidBytes = 16
const secretBytes = 32
const pattern = /^xh_live_[\w-]{64}$/
/** `last_used_at` is written at most this often. */
const touchIntervalMs = 60_000

/** Creates a key: the company, whose rows contain its hash, and 256 random bits. */
const generateApiKey = (company_id: string): string =>
  prefix + Buffer.concat([Buffer.from(company_id.replaceAll('-', ''), 'hex'), randomBytes(secretBytes)]).toString('base64url')

/** Returns the company that the key names; its row there is not known yet. */
export function parseKeyCompany(key: string): string {
  if (!pattern.test(key)) throw fail('signed_out', '接口密钥不正确')
  const hex = Buffer.from(key.slice(prefix.length), 'base64url').subarray(0, uuidBytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Refuses a key before anything is looked up where no scope allows the call: public and operators' calls included. */
export function registerApiKeyCalls(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (readApiKey(request.headers) !== null && getCallScopes(getRequestContext(request).call).length === 0)
      throw fail('not_permitted', '接口密钥不能调用这个接口')
  })
}

/** Parses an IP address or a network such as `203.0.113.0/24`; null if it is neither. */
export function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isAddressAllowed(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  const caller = ipaddr.process(address)
  return allowed.some((text) => {
    const network = parseNetwork(text)
    return network !== null && network[0].kind() === caller.kind() && caller.match(network)
  })
}

type ApiKey = Selectable<Tables['api_key']>
const toDisplayName = ({ name }: Pick<ApiKey, 'name'>): string => `接口密钥「${name}」`

/** Finds the key in its company; `isLocked`: it stays as it is until the transaction ends. Throws unless it is valid. */
export async function findApiKey(
  tx: Tx,
  { request, now, deferred }: RequestContext,
  { company_id, key, isLocked }: { readonly company_id: string; readonly key: string; readonly isLocked: boolean },
): Promise<ApiKey> {
  const row = await tx
    .selectFrom('api_key')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('hash', '=', hashSecret(key))
    .$if(isLocked, (query) => query.forShare())
    .executeTakeFirst()
  if (!row) throw fail('signed_out', '接口密钥不正确')
  // Until it is accepted: authentication ends here, or with the powers of its creator.
  deferred.refusedApiKey = { company_id, id: row.id, account_id: row.account_id, name: toDisplayName(row) }
  if (row.revoked_at) throw fail('signed_out', '接口密钥已停用')
  if (row.expires_at <= now) throw fail('signed_out', '接口密钥已过期')
  if (!isAddressAllowed(request.ip, row.addresses)) throw fail('not_permitted', '这个 IP 地址不能使用接口密钥')
  return row
}

/** The key in the seat of its creator, with the powers of those scopes that the creator still has. */
export async function loadApiKeyPrincipal(tx: Tx, key: ApiKey, now: Date): Promise<Principal> {
  const { id, account_id, company_id } = key
  const seat = { id, account_id, company_id, agency_id: null, mobile: '', view_until: null, verified_at: null }
  const creator = await loadCurrentUser(tx, seat, now)
  if (!creator?.admin_id || !hasPower(creator.power, ['1'])) throw fail('signed_out', '接口密钥的创建人已不是企业管理员')
  const scopes = apiKeyScopes.filter((scope) => key.scopes.includes(scope) && hasPower(creator.power, [apiKeyScopePowers[scope]]))
  return {
    session_id: null,
    account: { session_id: id, account_id, mobile: '' },
    apiKey: { id, scopes },
    me: {
      ...creator,
      session_id: id,
      name: toDisplayName(key),
      power: [...new Set(scopes.map((scope) => apiKeyScopePowers[scope]))],
      is_employee: false,
      member_id: null,
      own_member_ids: [],
      terminated: null,
    },
  }
}

/** Throws unless one of the scopes allows the call. */
export function assertScope(call: Call, scopes: readonly ApiKeyScope[]): void {
  if (!getCallScopes(call).some((scope) => scopes.includes(scope))) throw fail('not_permitted', '这个接口密钥没有所需的权限')
}

/** Whether the last use has not been written for a while. */
export const needsApiKeyTouch = ({ last_used_at }: ApiKey, now: Date): boolean =>
  !last_used_at || now.getTime() - last_used_at.getTime() > touchIntervalMs

/** Writes the last use. Skips a key that another transaction has locked: nothing waits for this write. */
export async function touchApiKey(
  database: Database,
  { company_id, id }: { readonly company_id: string; readonly id: string },
  now: Date,
): Promise<void> {
  await database.inCompany(company_id, async (tx) => {
    const free = tx.selectFrom('api_key').select('id').where('company_id', '=', company_id).where('id', '=', id)
    await tx
      .updateTable('api_key')
      .set({ last_used_at: now })
      .where('company_id', '=', company_id)
      .where('id', 'in', free.forNoKeyUpdate().skipLocked())
      .execute()
  })
}

/** Writes that the key was refused, unless another entry did so a moment ago: a program keeps trying. */
export async function recordRefusedKey(
  database: Database,
  key: RefusedApiKey,
  { call, request, now }: RequestContext,
): Promise<void> {
  const { company_id, id } = key
  await database.inCompany(company_id, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('api_key')
      .set({ refused_at: now })
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .where((eb) => eb.or([eb('refused_at', 'is', null), eb('refused_at', '<', new Date(now.getTime() - touchIntervalMs))]))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    const details = { api_key_id: id }
    const line = { call, outcome: 'key_refused', details, at: now, address: request.ip, request_id: request.id }
    await writeAuditEntry(tx, { ...key, agency: null }, line)
  })
}

export const listApiKeys = ({ db, company_id }: CompanyTx): Promise<ApiKey[]> =>
  db
    .selectFrom('api_key')
    .selectAll()
    .where('company_id', '=', company_id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Stores the hash of a new key and returns the key, which is stored nowhere. */
export async function insertApiKey(
  { db, company_id }: CompanyTx,
  values: Omit<Insertable<Tables['api_key']>, 'company_id' | 'hash' | 'hint'>,
): Promise<string> {
  const key = generateApiKey(company_id)
  await db
    .insertInto('api_key')
    .values({ ...values, company_id, hash: hashSecret(key), hint: key.slice(-4) })
    .execute()
  return key
}

/** Waits for the changes that are being made with the key. Returns whether the key exists. */
export async function revokeApiKey({ db, company_id }: CompanyTx, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(now)) }))
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
