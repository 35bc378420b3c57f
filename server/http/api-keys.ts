/**
 * Authentication by an API key instead of a session (docs/decisions/20261129-use-api-keys-for-programs.md). The principal
 * is an administrator with the seat of the key's creator, exactly the powers of the scopes that the creator still holds,
 * and the name of the key.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { hasPower } from '../contract/access.ts'
import { type ApiKeyScope, apiKeyScopePowers, apiKeyScopes } from '../contract/api-keys/api-keys.ts'
import { getCallScopes } from '../contract/api-keys/scope-calls.ts'
import type { Call } from '../contract/call.ts'
import { type Database, scopeToCompany, type Tx } from '../database/database.ts'
import { readApiKey } from './credentials.ts'
import { fail } from './errors.ts'
import { type AppDeps, getRequestContext, type Principal, type RequestContext } from './request-context.ts'
import { hashSecret, loadCurrentUser } from './sessions.ts'

const prefix = 'xh_live_'
const uuidBytes = 16
const secretBytes = 32
const pattern = /^xh_live_[\w-]{64}$/
/** `last_used_at` is written at most this often. */
const touchIntervalMs = 60_000

/** Creates a key: the company, whose rows contain its hash, and 256 random bits. */
export const generateApiKey = (company_id: string): string =>
  prefix + Buffer.concat([Buffer.from(company_id.replaceAll('-', ''), 'hex'), randomBytes(secretBytes)]).toString('base64url')

function parseCompanyId(key: string): string | null {
  if (!pattern.test(key)) return null
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

/** `isLocked`: the key and the seat of its creator stay as they are until the transaction ends. */
export async function authenticateApiKey(
  { provenCallers }: AppDeps,
  tx: Tx,
  { request, now, deferred }: RequestContext,
  key: string,
  isLocked: boolean,
): Promise<Principal> {
  const credentials = { token: key, cookie: null }
  provenCallers.forget(credentials)
  const company_id = parseCompanyId(key)
  if (!company_id) throw fail('signed_out', '接口密钥不正确')
  await scopeToCompany(tx, company_id)
  const row = await tx
    .selectFrom('api_key')
    .innerJoin('admin', (join) =>
      join.onRef('admin.company_id', '=', 'api_key.company_id').onRef('admin.id', '=', 'api_key.created_by'),
    )
    .select(['api_key.id', 'api_key.name', 'scopes', 'addresses', 'expires_at', 'last_used_at', 'revoked_at', 'account_id'])
    .where('api_key.company_id', '=', company_id)
    .where('hash', '=', hashSecret(key))
    .$if(isLocked, (query) => query.forShare())
    .executeTakeFirst()
  if (!row) throw fail('signed_out', '接口密钥不正确')
  if (row.revoked_at) throw fail('signed_out', '接口密钥已停用')
  if (row.expires_at <= now) throw fail('signed_out', '接口密钥已过期')
  if (!isAddressAllowed(request.ip, row.addresses)) throw fail('not_permitted', '这个 IP 地址不能使用接口密钥')
  const { id, account_id } = row
  const creator = await loadCurrentUser(tx, { id, account_id, company_id, agency_id: null, mobile: '', view_until: null }, now)
  if (!creator?.admin_id || !hasPower(creator.power, ['1'])) throw fail('signed_out', '接口密钥的创建人已不是企业管理员')
  const scopes = apiKeyScopes.filter((scope) => row.scopes.includes(scope) && hasPower(creator.power, [apiKeyScopePowers[scope]]))
  provenCallers.remember(credentials, id)
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > touchIntervalMs)
    deferred.apiKeyToTouch = { company_id, id }
  return {
    session_id: null,
    account: { session_id: id, account_id, mobile: '' },
    apiKey: { id, scopes },
    me: {
      ...creator,
      session_id: id,
      name: `接口密钥「${row.name}」`,
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
