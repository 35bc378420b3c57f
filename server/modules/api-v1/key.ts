/** The API key that makes the call. */
import { hasPower } from '../../contract/access.ts'
import { apiKeyScopePowers, apiKeyScopes } from '../../contract/api-keys/api-keys.ts'
import * as contract from '../../contract/api-v1/key.ts'
import { listApiKeys } from '../../http/api-keys.ts'
import { bindHandlers, defineHandler, fail } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'

export const createKeyHandlers = () =>
  bindHandlers(contract, {
    getApiKey: defineHandler(contract.getApiKey, async (ctx) => {
      const { session_id, power } = ctx.currentUser
      const key = (await listApiKeys(ctx)).find(({ id }) => id === session_id)
      if (!key) throw fail('not_permitted')
      return {
        key_id: key.id,
        name: key.name,
        scopes: apiKeyScopes.filter((scope) => key.scopes.includes(scope) && hasPower(power, [apiKeyScopePowers[scope]])),
        expires_at: toIsoTimestamp(key.expires_at),
      }
    }),
  })
