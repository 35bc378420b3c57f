/** The API key itself, for programs that offer only what it may do. */
import * as z from 'zod/mini'
import { requireKey } from '../access.ts'
import { apiKeyScopes } from '../api-keys/api-keys.ts'
import { defineRead } from '../call.ts'
import { emptyObject, id, time } from '../shared/schemas.ts'

export const getApiKey = defineRead('GET /api/v1/key', requireKey('1', '2', '3'), {
  summary: 'Returns the name, the scopes and the end of the key that makes the call.',
  input: emptyObject,
  output: z.object({
    key_id: id,
    name: z.string(),
    /** Those that the creator of the key may still give. */
    scopes: z.array(z.enum(apiKeyScopes)),
    expires_at: time,
  }),
})
