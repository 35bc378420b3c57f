/** Binding by installing our application from a platform's store. */
import * as z from 'zod/mini'
import type { CallAccess } from '../access.ts'
import { defineCall } from '../call.ts'
import { providers } from '../shared/schemas.ts'
import { bindPlatform } from './binding.ts'

const heads: CallAccess = { powers: ['1'], companyType: 'any' }

/** Our pages to which the platform redirects after an installation, or after a user has verified their identity. */
export const installReturnPath = '/companyThird'

export const installPlatform = defineCall('POST /api/corp/installPlatform', {
  summary:
    "The platform's page on which an administrator installs our application of its store, or proves that he is the one who did; it leads back with a state that names this company, good once and for 20 minutes",
  access: heads,
  idempotent: false,
  rateLimit: 'costly',
  audit: 'change',
  input: z.object({ provider: z.enum(providers), mode: z.enum(['install', 'claim']) }),
  output: z.object({ url: z.string() }),
  errors: ['wrong_state', 'platform_refused'],
})

export const finishInstall = defineCall('POST /api/corp/finishInstall', {
  summary:
    'Back from there, also from proving whose key it is (bindPlatform): binds the company to exactly the company of the platform that installed it. Only whoever went, and only if the platform calls him its administrator',
  access: heads,
  idempotent: false,
  rateLimit: 'guess',
  audit: 'change',
  input: z.object({
    state: z.string().check(z.regex(/^[0-9a-f]{64}$/, '安装请求不完整，请重新开始')),
    code: z.string().check(z.minLength(1, '缺少授权码，请重新开始'), z.maxLength(600)),
  }),
  output: bindPlatform.output,
  errors: ['wrong_state', 'platform_refused'],
})
