/** Reads the environment once into a frozen, validated object. The only reader of `process.env`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { type PaymentSettings, parsePaymentSettings, paymentEnvVariables } from '../platform/pay/settings.ts'
import type { SmsGatewayConfig } from '../platform/sms/config.ts'
import { parseStoreApps, type StoreApps, storeEnvVariables } from '../platform/wire/store-apps.ts'
import type { RegistrationPolicy } from './contract/access.ts'
import { messageKinds, type SmsMessageKind, smsMessageKinds } from './contract/messages/sms-templates.ts'

const optionalText = z.optional(z.string().check(z.minLength(1)))
/** One variable per kind of message: XINHAN_SMS_TEMPLATE_SLIP and so on. */
const templateVariables = Object.fromEntries(
  smsMessageKinds.map((kind) => [kind, `XINHAN_SMS_TEMPLATE_${kind.toUpperCase()}`]),
) as Record<SmsMessageKind, string>
const environmentSchema = z.object({
  ...Object.fromEntries(Object.values(templateVariables).map((name) => [name, optionalText])),
  XINHAN_SMS: z.optional(z.enum(['aliyun', 'tencent'], 'aliyun or tencent')),
  XINHAN_SMS_KEY_ID: optionalText,
  XINHAN_SMS_KEY_SECRET: optionalText,
  XINHAN_SMS_SIGNATURE: optionalText,
  XINHAN_SMS_APP_ID: optionalText,
  XINHAN_SMS_REGION: optionalText,
  XINHAN_SMS_ENDPOINT: z.optional(z.url()),
  XINHAN_SMS_REPORTS: z.optional(z.string().check(z.regex(/^[\w-]{32,100}$/, '32 to 100 letters and digits'))),
  NODE_ENV: z.optional(z.enum(['production', 'development', 'test'])),
  PORT: z._default(z.string().check(z.regex(/^\d{1,5}$/, 'a port number')), '8080'),
  HOST: optionalText,
  XINHAN_DATA: optionalText,
  XINHAN_ORIGIN: z.optional(z.url()),
  XINHAN_MASTER_KEY: optionalText,
  XINHAN_MASTER_KEY_PREVIOUS: optionalText,
  XINHAN_TRUST_PROXY: optionalText,
  XINHAN_SERVER_IPS: optionalText,
  XINHAN_SERVICE_PHONE: optionalText,
  XINHAN_SERVICE_HOURS: optionalText,
  XINHAN_SERVICE_QR: optionalText,
  XINHAN_DEMO: z.optional(z.enum(['0', '1'])),
  XINHAN_PRIVATE_MAIL: z.optional(z.enum(['0', '1'])),
  DATABASE_URL: optionalText,
  DATABASE_APP_URL: optionalText,
  XINHAN_API_DOCS: z.optional(z.enum(['public', 'signed_in'], 'public or signed_in')),
  XINHAN_REGISTRATION: z.optional(z.enum(['open', 'closed'], 'open or closed')),
  XINHAN_BILLING: z.optional(z.enum(['0', '1'])),
  XINHAN_TRANSFER_ACCOUNT: optionalText,
  XINHAN_TSA_URL: z.optional(z.url()),
  XINHAN_OPS_TOKEN: z.optional(z.string().check(z.minLength(24, 'at least 24 characters'))),
  ...Object.fromEntries([...paymentEnvVariables, ...storeEnvVariables].map((name) => [name, optionalText])),
  XINHAN_ROLE: z._default(z.enum(['all', 'web', 'worker'], 'all, web or worker'), 'all'),
  XINHAN_POOL: z._default(z.string().check(z.regex(/^([4-9]|[1-9]\d|1\d\d|200)$/, 'a number from 4 to 200')), '16'),
  LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
})

/** All variables that the server reads: `deploy/.env.example` and the documentation name each of them. */
export const environmentVariables: readonly string[] = Object.keys(environmentSchema.shape)

export type ServerRole = 'all' | 'web' | 'worker'

export type Config = {
  readonly production: boolean
  /** Creates demo companies and replaces all external services by a local outbox. Not allowed in production. */
  readonly demo: boolean
  readonly host: string
  readonly port: number
  /** The public URL of this installation, without a trailing slash. */
  readonly origin: string
  readonly https: boolean
  readonly data_dir: string
  readonly master_key: string | null
  /** The former master key, while the keys that it wrapped are being wrapped again. */
  readonly previous_master_key: string | null
  readonly database_url: string | null
  readonly database_app_url: string | null
  /** Null: no SMS messages are sent. */
  readonly sms: SmsGatewayConfig | null
  /** The secret part of the URL to which the SMS gateway posts its reports; null: there is no such URL. */
  readonly sms_reports: string | null
  readonly registration: RegistrationPolicy
  /** Whether everybody may read the description of the API; otherwise administrators who are signed in. */
  readonly public_api_docs: boolean
  /** Payment settings: what is sold and which payment methods are available. */
  readonly billing: PaymentSettings & {
    readonly billing: boolean
    readonly transfer_account: string | null
    readonly ops_token: string | null
  }
  /** Our applications in the platforms' stores; without one, companies bind applications of their own. */
  readonly stores: StoreApps
  /** A time stamp authority (RFC 3161) for evidence; null: evidence is not time-stamped. */
  readonly tsa_url: string | null
  /** Whether companies may configure a mail server in this installation's private network. */
  readonly private_mail_hosts: boolean
  /** Support phone and hours; `qr_file` is a PNG or JPEG with the QR code of a support chat. */
  readonly supportContact: { readonly phone: string; readonly hours: string; readonly qr_file: string | null }
  /** Addresses of proxies whose X-Forwarded-For header is trusted. */
  readonly trust_proxy: readonly string[]
  /** The addresses from which this server calls others; companies enter them in their platform's list of trusted ones. */
  readonly server_ips: readonly string[]
  /** `web` answers requests and runs no jobs; `worker` runs jobs and answers probes only. */
  readonly role: ServerRole
  /** Maximum number of connections to the database. */
  readonly pool: number
  readonly log_level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Published, so that anyone who tries the demo can also use its operations area. */
export const demoOperatorKey = 'demo-key-of-the-operations-area'

/** Returns a variable, or the content of the file that `<name>_FILE` names: secrets need not stand in the environment. */
function readVariable(env: Record<string, string | undefined>, name: string): string | undefined {
  const file = env[`${name}_FILE`]
  if (!file) return env[name] || undefined
  if (env[name]) throw new Error(`environment variable ${name}_FILE: ${name} is set as well, set only one of them`)
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    throw new Error(`environment variable ${name}_FILE: cannot read ${file}`, { cause: error })
  }
}

const splitList = (value = ''): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** The running server for which `npm run mcp` works, and its API key. */
export const readMcpOptions = (env: Record<string, string | undefined> = process.env) => ({
  origin: env.XINHAN_URL ?? '',
  key: env.XINHAN_API_KEY ?? '',
})

/** Throws one sentence that names the variable when a value is invalid. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = environmentSchema.safeParse(
    Object.fromEntries(environmentVariables.map((name) => [name, readVariable(env, name)])),
  )
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new Error(`environment variable ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const value = parsed.data
  const variables: Readonly<Record<string, string | undefined>> = value
  const production = value.NODE_ENV === 'production'
  const demo = value.XINHAN_DEMO ? value.XINHAN_DEMO === '1' : !production
  if (production && demo) throw new Error('environment variable XINHAN_DEMO: a production server has no demo companies')
  const port = Number(value.PORT)
  const origin = (value.XINHAN_ORIGIN ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '')
  if (production && !value.XINHAN_ORIGIN)
    throw new Error('environment variable XINHAN_ORIGIN: the public https address is needed for links in messages')
  if (!/^https?:\/\/[^/?#@]+$/.test(origin))
    throw new Error('environment variable XINHAN_ORIGIN: an address like https://pay.example.cn, without a path')
  if (production && !origin.startsWith('https:'))
    throw new Error('environment variable XINHAN_ORIGIN: production needs https, put a proxy with TLS in front')
  return Object.freeze({
    production,
    demo,
    host: value.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    port,
    origin,
    https: origin.startsWith('https:'),
    data_dir: resolve(value.XINHAN_DATA ?? '.data'),
    master_key: value.XINHAN_MASTER_KEY ?? null,
    previous_master_key: value.XINHAN_MASTER_KEY_PREVIOUS ?? null,
    database_url: value.DATABASE_URL ?? null,
    database_app_url: value.DATABASE_APP_URL ?? null,
    sms: readSms(variables, value.XINHAN_SMS, demo),
    sms_reports: value.XINHAN_SMS_REPORTS ?? null,
    registration: value.XINHAN_REGISTRATION ?? (production ? 'until_first_company' : 'open'),
    public_api_docs: value.XINHAN_API_DOCS ? value.XINHAN_API_DOCS === 'public' : !production,
    billing: {
      billing: value.XINHAN_BILLING !== '0',
      transfer_account: value.XINHAN_TRANSFER_ACCOUNT ?? (demo ? '薪函演示 · 演示银行 · 演示账户' : null),
      ops_token: value.XINHAN_OPS_TOKEN ?? (demo ? demoOperatorKey : null),
      ...parsePaymentSettings(variables),
    },
    stores: parseStoreApps(variables),
    tsa_url: value.XINHAN_TSA_URL ?? null,
    private_mail_hosts: value.XINHAN_PRIVATE_MAIL === '1',
    supportContact: {
      phone: value.XINHAN_SERVICE_PHONE ?? (demo ? '400-000-0000' : ''),
      hours: value.XINHAN_SERVICE_HOURS ?? '工作日 9:00-18:00',
      qr_file: value.XINHAN_SERVICE_QR ? resolve(value.XINHAN_SERVICE_QR) : null,
    },
    trust_proxy: splitList(value.XINHAN_TRUST_PROXY),
    server_ips: splitList(value.XINHAN_SERVER_IPS),
    role: readRole(value.XINHAN_ROLE, value.DATABASE_URL),
    pool: Number(value.XINHAN_POOL),
    log_level: value.LOG_LEVEL,
  })
}

function readRole(role: ServerRole, database_url: string | undefined): ServerRole {
  if (role !== 'all' && !database_url)
    throw new Error('environment variable XINHAN_ROLE: the embedded database belongs to one server, set DATABASE_URL')
  return role
}

const smsEndpoints = { aliyun: 'https://dysmsapi.aliyuncs.com', tencent: 'https://sms.tencentcloudapi.com' }

/** Requires all templates or none: a missing template would otherwise fail months later, when its message is needed. */
function readSms(
  env: Readonly<Record<string, string | undefined>>,
  provider: SmsGatewayConfig['provider'] | undefined,
  demo: boolean,
): SmsGatewayConfig | null {
  const requireVariable = (name: string, message: string): string => {
    const value = env[name]
    if (!value) throw new Error(`environment variable ${name}: ${message}`)
    return value
  }
  const [unusedVariable] = Object.keys(env).filter((name) => name.startsWith('XINHAN_SMS_') && env[name])
  if (!provider && unusedVariable)
    throw new Error(`environment variable ${unusedVariable}: is of no use without XINHAN_SMS (aliyun or tencent)`)
  if (!provider) return null
  if (demo) throw new Error('environment variable XINHAN_SMS: the demo has invented people with phones, nothing is sent to them')
  const signature = requireVariable('XINHAN_SMS_SIGNATURE', 'the approved signature, without its brackets, is needed to send SMS')
  if (/[【】[\]]/.test(signature)) throw new Error('environment variable XINHAN_SMS_SIGNATURE: is written without its brackets')
  const readTemplate = (kind: string, name: string): string => {
    const template = requireVariable(name, `the number of the approved template for "${kind}" is needed to send SMS`)
    const pattern = provider === 'aliyun' ? /^SMS_\d+$/ : /^\d+$/
    if (!pattern.test(template))
      throw new Error(
        `environment variable ${name}: a template of this gateway is written as ${provider === 'aliyun' ? 'SMS_123456' : '123456'}`,
      )
    return template
  }
  return {
    provider,
    key_id: requireVariable('XINHAN_SMS_KEY_ID', 'the key of the SMS gateway is needed'),
    key_secret: requireVariable('XINHAN_SMS_KEY_SECRET', 'the secret of the SMS gateway is needed'),
    signature,
    templates: Object.fromEntries(
      smsMessageKinds
        .filter((kind) => env[templateVariables[kind]] || messageKinds[kind].smsTemplate === 'required')
        .map((kind) => [kind, readTemplate(kind, templateVariables[kind])]),
    ) as SmsGatewayConfig['templates'],
    endpoint: (env.XINHAN_SMS_ENDPOINT ?? smsEndpoints[provider]).replace(/\/+$/, ''),
    app_id: provider === 'tencent' ? requireVariable('XINHAN_SMS_APP_ID', 'the SmsSdkAppId of Tencent Cloud is needed') : '',
    region: env.XINHAN_SMS_REGION ?? 'ap-guangzhou',
  }
}
