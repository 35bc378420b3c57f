/** API keys: programs of a company sign in with them. Beyond calls.md (issue 53); the reason is in openapi.ts. */
import * as z from 'zod/mini'
import { type Power, requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, id, requiredText, time } from '../shared/schemas.ts'

const heads = requirePower('1')

export const apiKeyScopes = [
  'roster.read',
  'roster.write',
  'sheets.write',
  'payslips.send',
  'payslips.read',
  'reports.read',
  'webhooks',
] as const
export type ApiKeyScope = (typeof apiKeyScopes)[number]

/** The power that a scope gives to its key. Only an administrator who holds the power may give the scope. */
export const apiKeyScopePowers: Readonly<Record<ApiKeyScope, Power>> = {
  'roster.read': '3',
  'roster.write': '3',
  'sheets.write': '2',
  'payslips.send': '2',
  'payslips.read': '2',
  'reports.read': '2',
  webhooks: '1',
}

/** `creator_left`: the administrator who created the key is none any more, and the key is refused. */
export const apiKeyStatuses = ['active', 'expired', 'revoked', 'creator_left'] as const
export type ApiKeyStatus = (typeof apiKeyStatuses)[number]

/** Keys of a company that are neither revoked nor expired. */
export const maxApiKeys = 20
export const maxApiKeyAddresses = 20
export const apiKeyLifetimes = [30, 90, 365, 730] as const

export const getApiKeys = defineRead('GET /api/corp/keys', heads, {
  summary: 'Lists the API keys of the company, newest first. The keys themselves are not stored.',
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        key_id: id,
        name: z.string(),
        /** The last four characters of the key. */
        hint: z.string(),
        scopes: z.array(z.enum(apiKeyScopes)),
        addresses: z.array(z.string()),
        status: z.enum(apiKeyStatuses),
        created_by: z.string(),
        created_at: time,
        expires_at: time,
        last_used_at: z.nullable(time),
        revoked_at: z.nullable(time),
      }),
    ),
  }),
})

export const createApiKey = defineChange('POST /api/corp/keys', heads, {
  summary: 'Creates an API key. The response is the only one that contains it.',
  // A stored response would contain the key.
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({
    name: requiredText(30, '请填写名称'),
    scopes: z.array(z.enum(apiKeyScopes)).check(z.minLength(1, '请至少选择一项权限'), z.maxLength(apiKeyScopes.length)),
    /** IP addresses or networks (`203.0.113.0/24`) that may use the key; empty: all. */
    addresses: z
      .array(z.string().check(z.trim(), z.minLength(1, '请填写 IP 地址'), z.maxLength(50, 'IP 地址最多 50 个字符')))
      .check(z.maxLength(maxApiKeyAddresses, `最多 ${maxApiKeyAddresses} 个 IP 地址`)),
    valid_days: z.literal(apiKeyLifetimes),
  }),
  output: z.object({ key_id: id, key: z.string() }),
  errors: ['wrong_state'],
})

export const revokeApiKey = defineChange('DELETE /api/corp/keys', heads, {
  summary: 'Revokes an API key at once: no request with it is accepted any more.',
  idempotent: false,
  input: z.object({ key_id: id }),
  output: emptyObject,
  errors: ['not_found'],
})
