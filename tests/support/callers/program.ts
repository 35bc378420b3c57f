/** A program of a company, which calls with an API key and nothing else. */
import { type ApiKeyScope, apiKeyScopes, createApiKey } from '../../../server/contract/api-keys/api-keys.ts'
import type { Caller, World } from '../world.ts'

export function callWithKey(world: Pick<World, 'caller'>, key: string): Caller {
  const program = world.caller('', {})
  program.headers.authorization = `Bearer ${key}`
  return program
}

type KeyOptions = { name?: string; scopes?: readonly ApiKeyScope[]; addresses?: string[]; valid_days?: 30 | 90 | 365 | 730 }

/** Creates a key as this administrator; by default with all scopes, for everywhere. */
export async function createProgram(world: Pick<World, 'caller'>, admin: Caller, options: KeyOptions = {}) {
  const { name = '人事系统', scopes = apiKeyScopes, addresses = [], valid_days = 365 } = options
  const { key_id, key } = await admin.must(createApiKey, { name, scopes: [...scopes], addresses, valid_days })
  return { key_id, key, program: callWithKey(world, key) }
}
