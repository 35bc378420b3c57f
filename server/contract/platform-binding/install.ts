/** Binding by installing our application from a platform's store. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineChange } from '../call.ts'
import { providers } from '../shared/providers.ts'
import { bindPlatform } from './binding.ts'

const heads = requirePowerAnywhere('1')

/** Our pages to which the platform redirects after an installation, or after a user has verified their identity. */
export const installReturnPath = '/companyThird'

export const installPlatform = defineChange('POST /api/corp/installPlatform', heads, {
  summary:
    'Returns the platform page on which an administrator installs the store application or proves to be the one who installed it. The page leads back with a state that names this company and is valid once for 20 minutes.',
  idempotent: false,
  rateLimit: 'costly',
  input: z.object({ provider: z.enum(providers), mode: z.enum(['install', 'claim']) }),
  output: z.object({ url: z.string() }),
  errors: ['wrong_state', 'platform_refused'],
})

export const finishInstall = defineChange('POST /api/corp/finishInstall', heads, {
  summary:
    'Completes the installation, or the proof of credential ownership (`bindPlatform`), and binds the company to exactly the platform company that installed the application. Only the user who started it may finish, and only if the platform reports them as its administrator.',
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({
    state: z.string().check(z.regex(/^[0-9a-f]{64}$/, '安装请求不完整，请重新开始')),
    code: z.string().check(z.minLength(1, '缺少授权码，请重新开始'), z.maxLength(600)),
  }),
  output: bindPlatform.output,
  errors: ['wrong_state', 'platform_refused'],
})
