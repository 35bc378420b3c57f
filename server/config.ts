/** The environment, read once: a frozen, validated object. The only reader of `process.env`. */
import { resolve } from 'node:path'
import * as z from 'zod/mini'

const text = z.optional(z.string().check(z.minLength(1)))
const environment = z.object({
  NODE_ENV: z.optional(z.enum(['production', 'development', 'test'])),
  PORT: z._default(z.string().check(z.regex(/^\d{1,5}$/, 'a port number')), '8080'),
  HOST: text,
  XINHAN_DATA: text,
  XINHAN_ORIGIN: z.optional(z.url()),
  XINHAN_MASTER_KEY: text,
  XINHAN_TRUST_PROXY: text,
  XINHAN_DEMO: z.optional(z.enum(['0', '1'])),
  DATABASE_URL: text,
  DATABASE_APP_URL: text,
  LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
})

export type Config = {
  readonly production: boolean
  /** Demo companies, an outbox in place of the outside world. Never together with production. */
  readonly demo: boolean
  readonly host: string
  readonly port: number
  /** Where people reach this installation; no slash at the end. */
  readonly origin: string
  readonly https: boolean
  readonly data_dir: string
  readonly master_key: string | null
  readonly database_url: string | null
  readonly database_app_url: string | null
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trust_proxy: readonly string[]
  readonly log_level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Throws one sentence that names the variable when something is not right. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const read = environment.safeParse(
    Object.fromEntries(Object.keys(environment.shape).map((name) => [name, env[name] || undefined])),
  )
  if (!read.success) {
    const issue = read.error.issues[0]
    throw new Error(`environment variable ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const value = read.data
  const production = value.NODE_ENV === 'production'
  const demo = value.XINHAN_DEMO ? value.XINHAN_DEMO === '1' : !production
  if (production && demo) throw new Error('environment variable XINHAN_DEMO: a production server has no demo companies')
  const port = Number(value.PORT)
  const origin = (value.XINHAN_ORIGIN ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '')
  if (production && !value.XINHAN_ORIGIN)
    throw new Error('environment variable XINHAN_ORIGIN: the public https address is needed for links in messages')
  return Object.freeze({
    production,
    demo,
    host: value.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    port,
    origin,
    https: origin.startsWith('https:'),
    data_dir: resolve(value.XINHAN_DATA ?? '.data'),
    master_key: value.XINHAN_MASTER_KEY ?? null,
    database_url: value.DATABASE_URL ?? null,
    database_app_url: value.DATABASE_APP_URL ?? null,
    trust_proxy: (value.XINHAN_TRUST_PROXY ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
    log_level: value.LOG_LEVEL,
  })
}
