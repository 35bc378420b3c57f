/** The API keys of a company: listed, created, revoked. */

import { hasPower, type Power } from '../../contract/access.ts'
import * as contract from '../../contract/api-keys/api-keys.ts'
import { insertApiKey, listApiKeys, parseNetwork, revokeApiKey } from '../../http/api-keys.ts'
import { bindHandlers, defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { getAccountPowers } from '../access/index.ts'

const dayMs = 86_400_000

/** An agency works in a company for a time; a key would outlive it. */
function requireOwnAdmin({ currentUser }: HandlerContext): void {
  if (currentUser.agency || !currentUser.admin_id) throw fail('not_permitted', '接口密钥由企业自己的管理员管理')
}

type Lifetime = { readonly revoked_at: Date | null; readonly expires_at: Date }
function getStatus({ revoked_at, expires_at }: Lifetime, creatorPowers: readonly Power[], now: Date): contract.ApiKeyStatus {
  if (revoked_at) return 'revoked'
  if (expires_at <= now) return 'expired'
  return hasPower(creatorPowers, ['1']) ? 'active' : 'creator_left'
}

const getApiKeys = defineHandler(contract.getApiKeys, async (ctx) => {
  requireOwnAdmin(ctx)
  const rows = await listApiKeys(ctx)
  const powers = new Map<string, readonly Power[]>()
  for (const account_id of new Set(rows.map((row) => row.account_id)))
    powers.set(account_id, await getAccountPowers(ctx, account_id))
  return {
    list: rows.map((row) => ({
      key_id: row.id,
      name: row.name,
      hint: row.hint,
      scopes: contract.apiKeyScopes.filter((scope) => row.scopes.includes(scope)),
      addresses: row.addresses,
      status: getStatus(row, powers.get(row.account_id) ?? [], ctx.now),
      created_by: row.created_by,
      created_at: toIsoTimestamp(row.created_at),
      expires_at: toIsoTimestamp(row.expires_at),
      last_used_at: row.last_used_at && toIsoTimestamp(row.last_used_at),
      revoked_at: row.revoked_at && toIsoTimestamp(row.revoked_at),
    })),
  }
})

const createApiKey = defineHandler(contract.createApiKey, async (ctx, { name, scopes, addresses, valid_days }) => {
  const { currentUser, now } = ctx
  requireOwnAdmin(ctx)
  if (scopes.some((scope) => !hasPower(currentUser.power, [contract.apiKeyScopePowers[scope]])))
    throw invalidInput('scopes', '只能选择您自己拥有的权限')
  const wrong = addresses.find((address) => parseNetwork(address) === null)
  if (wrong !== undefined) throw invalidInput('addresses', `「${wrong}」不是 IP 地址或网段，例如 203.0.113.7 或 203.0.113.0/24`)
  const active = (await listApiKeys(ctx)).filter(({ revoked_at, expires_at }) => !revoked_at && expires_at > now)
  if (active.length >= contract.maxApiKeys) throw fail('wrong_state', `最多 ${contract.maxApiKeys} 个有效密钥，请先停用不用的`)
  const key_id = newId()
  const key = await insertApiKey(ctx, {
    id: key_id,
    name,
    scopes,
    addresses,
    account_id: currentUser.account_id,
    created_by: currentUser.name,
    created_at: now,
    expires_at: new Date(now.getTime() + valid_days * dayMs),
  })
  ctx.addAuditDetails({ key_id })
  return { key_id, key }
})

const revokeKey = defineHandler(contract.revokeApiKey, async (ctx, { key_id }) => {
  requireOwnAdmin(ctx)
  if (!(await revokeApiKey(ctx, key_id, ctx.now))) throw fail('not_found', '这个密钥不存在')
  return {}
})

export const apiKeyHandlers = bindHandlers(contract, { getApiKeys, createApiKey, revokeApiKey: revokeKey })
