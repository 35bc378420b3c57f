/** The API keys of a company: listed, created, revoked. */

import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/api-keys/api-keys.ts'
import { generateApiKey, parseNetwork } from '../../http/api-keys.ts'
import { bindHandlers, defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { hashSecret } from '../../http/sessions.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'

const dayMs = 86_400_000

/** An agency works in a company for a time; a key would outlive it. */
function requireOwnAdmin({ currentUser }: HandlerContext): string {
  if (currentUser.agency || !currentUser.admin_id) throw fail('not_permitted', '接口密钥由企业自己的管理员管理')
  return currentUser.admin_id
}

function getStatus(
  row: { readonly revoked_at: Date | null; readonly expires_at: Date; readonly power: readonly string[] },
  now: Date,
): contract.ApiKeyStatus {
  if (row.revoked_at) return 'revoked'
  if (row.expires_at <= now) return 'expired'
  return row.power.includes('1') || row.power.includes('4') ? 'active' : 'creator_left'
}

const getApiKeys = defineHandler(contract.getApiKeys, async (ctx) => {
  requireOwnAdmin(ctx)
  const rows = await ctx.db
    .selectFrom('api_key')
    .innerJoin('admin', (join) =>
      join.onRef('admin.company_id', '=', 'api_key.company_id').onRef('admin.id', '=', 'api_key.created_by'),
    )
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'admin.company_id').onRef('member.id', '=', 'admin.member_id'),
    )
    .select(['api_key.id', 'api_key.name', 'hint', 'scopes', 'addresses', 'admin.power', 'member.name as created_by'])
    .select(['api_key.created_at', 'expires_at', 'last_used_at', 'revoked_at'])
    .where('api_key.company_id', '=', ctx.company_id)
    .orderBy('api_key.created_at', 'desc')
    .orderBy('api_key.id', 'desc')
    .execute()
  return {
    list: rows.map((row) => ({
      key_id: row.id,
      name: row.name,
      hint: row.hint,
      scopes: contract.apiKeyScopes.filter((scope) => row.scopes.includes(scope)),
      addresses: row.addresses,
      status: getStatus(row, ctx.now),
      created_by: row.created_by,
      created_at: toIsoTimestamp(row.created_at),
      expires_at: toIsoTimestamp(row.expires_at),
      last_used_at: row.last_used_at && toIsoTimestamp(row.last_used_at),
      revoked_at: row.revoked_at && toIsoTimestamp(row.revoked_at),
    })),
  }
})

const createApiKey = defineHandler(contract.createApiKey, async (ctx, { name, scopes, addresses, valid_days }) => {
  const { db, company_id, currentUser, now } = ctx
  const created_by = requireOwnAdmin(ctx)
  if (scopes.some((scope) => !hasPower(currentUser.power, [contract.apiKeyScopePowers[scope]])))
    throw invalidInput('scopes', '只能选择您自己拥有的权限')
  const wrong = addresses.find((address) => parseNetwork(address) === null)
  if (wrong !== undefined) throw invalidInput('addresses', `「${wrong}」不是 IP 地址或网段，例如 203.0.113.7 或 203.0.113.0/24`)
  const { count } = await db
    .selectFrom('api_key')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('company_id', '=', company_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  if (Number(count) >= contract.maxApiKeys) throw fail('wrong_state', `最多 ${contract.maxApiKeys} 个有效密钥，请先停用不用的`)
  const [key_id, key] = [newId(), generateApiKey(company_id)]
  await db
    .insertInto('api_key')
    .values({
      company_id,
      id: key_id,
      name,
      hash: hashSecret(key),
      hint: key.slice(-4),
      scopes,
      addresses,
      created_by,
      created_at: now,
      expires_at: new Date(now.getTime() + valid_days * dayMs),
    })
    .execute()
  ctx.addAuditDetails({ key_id })
  return { key_id, key }
})

/** Waits for the changes that are being made with the key; afterwards nothing more is accepted. */
const revokeApiKey = defineHandler(contract.revokeApiKey, async (ctx, { key_id }) => {
  requireOwnAdmin(ctx)
  const { numUpdatedRows } = await ctx.db
    .updateTable('api_key')
    .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(ctx.now)) }))
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', key_id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw fail('not_found', '这个密钥不存在')
  return {}
})

export const apiKeyHandlers = bindHandlers(contract, { getApiKeys, createApiKey, revokeApiKey })
