/**
 * The product as tests use it: the real app on a real database with a settable clock. Each test creates its own
 * company; calls go through the contract's own caller with headers and cookies.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import type { CarrierSender } from '../../platform/carrier.ts'
import { createPlatforms } from '../../platform/index.ts'
import type { PaymentProvider } from '../../platform/pay/index.ts'
import type { Platforms } from '../../platform/types.ts'
import type { StoreApps } from '../../platform/wire/store-apps.ts'
import type { ServerRole } from '../../server/config.ts'
import type { CorpRole, Edition, Power, RegistrationPolicy } from '../../server/contract/access.ts'
import type { Deprecation } from '../../server/contract/api-v1/deprecations.ts'
import { type Call, type CallOutput, type CallRequest, isVersionedPath } from '../../server/contract/call.ts'
import { type ErrorName, errorCodes } from '../../server/contract/errors.ts'
import { createSecrets, type Secrets } from '../../server/crypto/secrets.ts'
import type { Database } from '../../server/database/database.ts'
import { job_schema } from '../../server/database/job-tables.ts'
import { createDemoSender } from '../../server/demo/sender.ts'
import { DiskGuard, type DiskUsage } from '../../server/http/limits/disk-guard.ts'
import { createSession, createXsrfToken } from '../../server/http/sessions.ts'
import type { MailConnections } from '../../server/modules/company/index.ts'
import type { TimeStampClient } from '../../server/modules/payslip-records/index.ts'
import { createLogger } from '../../server/observability/log.ts'
import { createProduct, type Product } from '../../server/product.ts'
import { ManualClock } from '../../server/shared/clock.ts'
import { newId } from '../../server/shared/ids.ts'
import { turnedAway } from './callers/http.ts'
import { freshPhone } from './random.ts'
import { openFreshDatabase } from './run/database.ts'

export type Answer<T> = { code: number; message: string; data: T; status: number; cookies: Record<string, string> }
export type RequestOptions = { key?: string; file?: { name: string; bytes: Buffer } }
export type Caller = {
  /** Makes a call and returns any response, errors too. */
  call<C extends Call>(call: C, input?: CallRequest<C>, options?: RequestOptions): Promise<Answer<CallOutput<C>>>
  /** Makes a call and returns its data; an error fails the test. */
  must<C extends Call>(call: C, input?: CallRequest<C>, options?: RequestOptions): Promise<CallOutput<C>>
  readonly headers: Record<string, string>
}

export type Person = {
  member_id: string
  account_id: string
  admin_id: string | null
  company_id: string
  name: string
  mobile: string
}
export type PersonOptions = {
  name?: string
  mobile?: string
  employee_no?: string
  department_ids?: string[]
  power?: Power[]
  scope?: { all: boolean; department_ids?: string[] }
  platform_user_id?: string
  /** False: only on the roster, without an account. */
  joined?: boolean
  /** A member of another company, to be employed here too. */
  same_as?: Person
}
export type Corp = {
  company_id: string
  name: string
  root_id: string
  department(name: string, parent_id?: string): Promise<string>
  person(wish?: PersonOptions): Promise<Person>
  people(count: number): Promise<Person[]>
}
export type World = {
  readonly product: Product
  readonly database: Database
  /** Reads what the application itself may not read (`asOwner`). */
  readonly owner: PoolConfig
  readonly secrets: Secrets
  readonly clock: ManualClock
  readonly sms: CarrierSender
  /** A signed-out caller. */
  readonly anybody: Caller
  createCompany(wish?: {
    name?: string
    corp_role?: CorpRole
    edition?: Edition
    sms_left?: number
    provider?: 'lark' | null
    /** How long a send can be undone; by default it starts at once. */
    undo_seconds?: number
  }): Promise<Corp>
  signIn(person: Person): Promise<Caller>
  caller(token: string, cookies: Record<string, string>): Caller
  /** Listens on a local port, for tests that need a socket; several files of a shared world may call it. */
  listen(): Promise<URL>
  outbox(): Promise<{ delivery_id: string | null; channel: string; mobile: string; text: string }[]>
  close(): Promise<void>
}

const origin = 'http://127.0.0.1:8080'
const typicalNow = '2026-11-20T10:00:00+08:00'

/** The clock of a shared world: a test that sets the clock must start its own world. */
class StatusClock extends ManualClock {
  override set(): void {
    throw new Error('this world is shared by test files: a file that sets the clock starts its own')
  }
  override advance(): void {
    this.set()
  }
}

let shared: Promise<World> | null = null
/**
 * Returns the world of this worker, for files that do not change clock, gateways or processes: companies isolate them,
 * as they isolate customers. Jobs and messages of the previous file are removed; closing does nothing.
 */
export async function sharedWorld(): Promise<World> {
  shared ??= startWorld({ clock: new StatusClock(typicalNow) })
  const world = await shared
  await world.database.pool.query(`delete from ${job_schema}.job`)
  await world.database.withoutCompany(async (tx) => {
    await tx.deleteFrom('outbox').execute()
    await tx.deleteFrom('attempt').execute()
  })
  return { ...world, close: async () => undefined }
}

export async function startWorld(
  options: {
    sms?: (database: Database) => CarrierSender
    platform?: (database: Database) => CarrierSender
    platforms?: Platforms
    /** How companies' mailboxes are opened; by default mail is collected in the outbox. */
    mail?: MailConnections
    /** A database that the test opened itself. */
    database?: Database & { readonly owner: PoolConfig }
    /** The master key, then the previous one; verified with the database as at a start. */
    masters?: readonly [Buffer, Buffer?]
    now?: string
    clock?: ManualClock
    production?: boolean
    /** Whether strangers may read the description of the API; by default as the server: not in production. */
    public_api_docs?: boolean
    /** The payment providers. */
    pay?: readonly PaymentProvider[]
    /** The callback address for the SMS gateway's delivery reports. */
    sms_reports?: { secret: string; provider: 'aliyun' | 'tencent' }
    /** The product's applications in the platforms' stores. */
    stores?: StoreApps
    /** The time-stamping client for evidence. */
    stamps?: TimeStampClient
    /** Who may register a company. */
    registration?: RegistrationPolicy
    /** Whether editions are sold. */
    billing?: boolean
    /** Returns the disk usage. */
    disk?: () => Promise<DiskUsage | null>
    /** Enables load shedding with concurrency limits as in production, and with a limit of event loop delay. */
    shed?: { loop_ms: number }
    /** Widens the limits of requests in memory; by default so far that a test does not reach them. */
    rateLimitScale?: number
    deprecations?: readonly Deprecation[]
    /** What this server does; by default all. */
    role?: ServerRole
    /** The folder of the built client. */
    client_dir?: string
    /** The port on which it listens for browsers; links lead there. */
    port?: number
  } = {},
): Promise<World> {
  const database = options.database ?? (await openFreshDatabase({ max: 8, billing: options.billing ?? true }))
  const secrets = createSecrets(...(options.masters ?? [Buffer.alloc(32, 7)]))
  if (options.masters) await database.withoutCompany((tx) => secrets.verifyMasterKey(tx))
  const clock = options.clock ?? new ManualClock(options.now ?? typicalNow)
  const sms = options.sms?.(database) ?? createDemoSender(database, 'sms')
  const product = await createProduct({
    database,
    secrets,
    clock,
    ...(options.stamps ? { timeStamps: options.stamps } : {}),
    ...(options.stores ? { stores: options.stores } : {}),
    diskGuard: new DiskGuard(null, options.disk),
    senders: { sms, getPlatformSender: options.platform?.(database) ?? createDemoSender(database, 'platform') },
    sms_reports: options.sms_reports ?? { secret: null, provider: null },
    mail: options.mail ?? { openMail: () => createDemoSender(database, 'email'), allowPrivateHosts: true },
    // The vendors' own addresses: a test that calls them without a simulator fails earlier, because no company has an
    // application.
    platforms: options.platforms ?? createPlatforms(),
    simulator: null,
    billing: {
      options: { billing: options.billing ?? true, transfer_account: '薪函科技 · 招商银行 · 110900000000001' },
      providers: options.pay ?? [],
      ops_token: 'only-for-tests',
    },
    registration: options.registration ?? 'open',
    role: options.role ?? 'all',
    supportContact: { phone: '400-000-0000', hours: '工作日 9:00-18:00', qr: null },
    log: createLogger('silent'),
    onUndeclaredError: (call, error) => {
      throw new Error(`${call.route} refuses ${error}: its contract does not say so`)
    },
    loadShedding: options.shed ?? null,
    origin: options.port ? `http://127.0.0.1:${options.port}` : origin,
    https: false,
    demo: true,
    production: options.production ?? false,
    public_api_docs: options.public_api_docs ?? !options.production,
    trust_proxy: [],
    client_dir: options.client_dir ?? null,
    rateLimitScale: options.rateLimitScale ?? 1000,
    ...(options.deprecations && { deprecations: options.deprecations }),
  })
  await product.app.ready()
  let listening: Promise<URL> | null = null

  const caller = (token: string | null, provided: Record<string, string>): Caller => {
    const cookies = { ...provided }
    const headers: Record<string, string> = {
      ...(token ? { 'user-token': token } : {}),
      ...(cookies['XSRF-TOKEN'] ? { 'x-xsrf-token': cookies['XSRF-TOKEN'] } : {}),
    }
    const messageCookies = () => {
      const text = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
      if (text.length > 0) headers.cookie = text.join('; ')
    }
    messageCookies()
    const send: Caller['call'] = async (call, input, { key, file } = {}) => {
      const versioned = isVersionedPath(call.path)
      const form = call.requestType === 'file' ? getForm(input ?? {}, file) : null
      const response = await product.app.inject({
        method: call.method,
        url: fillPath(call.path, input),
        headers: { ...headers, ...(key ? { 'idempotency-key': key } : {}), ...(form ? { 'content-type': form.type } : {}) },
        ...(call.requestType === 'query'
          ? { query: (input ?? {}) as Record<string, string> }
          : { payload: form ? form.body : (input ?? {}) }),
      })
      if (versioned) return { ...toAnswer(response), cookies: {} }
      const isJson = String(response.headers['content-type']).includes('json')
      const body = isJson
        ? response.json<{ error_code: number; error_msg: string; data: never }>()
        : { error_code: 0, error_msg: '', data: response.rawPayload as never }
      const set = Object.fromEntries(response.cookies.map((one) => [one.name, one.value]))
      // One caller is one browser, because codes are valid where they were requested. A sign-in makes another caller.
      if (set.did && set.did !== cookies.did) {
        cookies.did = set.did
        messageCookies()
      }
      return { code: body.error_code, message: body.error_msg, data: body.data, status: response.statusCode, cookies: set }
    }
    return {
      call: send,
      headers,
      async must(call, input, more) {
        let answer = await send(call, input, more)
        // The call was shed before it began, so it is retried as a page does.
        for (let wait_s = turnedAway(answer.data); wait_s > 0; wait_s = turnedAway(answer.data)) {
          await sleep(wait_s * 1000)
          answer = await send(call, input, more)
        }
        if (answer.code !== 0)
          throw new Error(`${call.route} refused: ${answer.code} ${answer.message} ${JSON.stringify(answer.data)}`)
        return answer.data
      },
    }
  }

  return {
    product,
    owner: database.owner,
    database,
    secrets,
    clock,
    sms,
    anybody: caller(null, {}),
    caller,
    listen: () => {
      listening ??= product.app.listen({ port: options.port ?? 0, host: '127.0.0.1' }).then((address) => new URL(address))
      return listening
    },
    async signIn(person) {
      const { epoch } = await database.withoutCompany((tx) =>
        tx.selectFrom('account').select('epoch').where('id', '=', person.account_id).executeTakeFirstOrThrow(),
      )
      const pair = await createSession(database, {
        account_id: person.account_id,
        company_id: person.company_id,
        epoch,
        device: 'tests',
        now: clock.now(),
      })
      return caller(pair.token, { sid: pair.cookie, 'XSRF-TOKEN': createXsrfToken(secrets, pair.session_id) })
    },
    createCompany: (options = {}) => createCompany(database, secrets, clock, options),
    outbox: () =>
      database.withoutCompany((tx) =>
        tx.selectFrom('outbox').select(['delivery_id', 'channel', 'mobile', 'text']).orderBy('at').execute(),
      ),
    async close() {
      await product.stop()
      await database.close()
    },
  }
}

async function createCompany(
  database: Database,
  secrets: Secrets,
  clock: ManualClock,
  options: Parameters<World['createCompany']>[0] & object,
): Promise<Corp> {
  const company_id = newId()
  const name = options.name ?? `测试公司${company_id.slice(-6)}`
  const root_id = newId()
  await database.inCompany(company_id, async (tx) => {
    await tx
      .insertInto('company')
      .values({
        id: company_id,
        name,
        corp_role: options.corp_role ?? 10,
        edition: options.edition ?? 60,
        sms_left: options.sms_left ?? 10_000,
        setting: JSON.stringify({ undo_seconds: options.undo_seconds ?? 0 }),
        provider: options.provider ?? null,
        created_at: clock.now(),
      })
      .execute()
    await secrets.createCompanyKey(tx, company_id)
    await tx.insertInto('department').values({ company_id, id: root_id, name }).execute()
  })
  const corp: Corp = {
    company_id,
    name,
    root_id,
    async department(department_name, parent_id = root_id) {
      const id = newId()
      await database.inCompany(company_id, (tx) =>
        tx.insertInto('department').values({ company_id, id, parent_id, name: department_name }).execute(),
      )
      return id
    },
    person: (one = {}) => addPerson(database, clock, corp, one),
    async people(count) {
      const all: Person[] = []
      for (let at = 0; at < count; at += 1) all.push(await corp.person())
      return all
    },
  }
  return corp
}

let peopleMade = 0

async function addPerson(database: Database, clock: ManualClock, corp: Corp, options: PersonOptions): Promise<Person> {
  peopleMade += 1
  const { company_id } = corp
  const mobile = options.same_as?.mobile ?? options.mobile ?? freshPhone()
  const name = options.name ?? `员工${peopleMade}`
  const member_id = newId()
  const account_id = options.same_as?.account_id ?? newId()
  const admin_id = options.power ? newId() : null
  const joined = options.joined ?? true
  if (joined && !options.same_as) {
    await database.withoutCompany((tx) =>
      tx.insertInto('account').values({ id: account_id, mobile, created_at: clock.now() }).execute(),
    )
  }
  await database.inCompany(company_id, async (tx) => {
    await tx
      .insertInto('member')
      .values({
        company_id,
        id: member_id,
        account_id: joined ? account_id : null,
        name,
        mobile,
        employee_no: options.employee_no ?? '',
        status: joined ? 'active' : 'invited',
        platform_user_id: options.platform_user_id ?? null,
        created_at: clock.now(),
      })
      .execute()
    const departments = options.department_ids ?? [corp.root_id]
    for (const department_id of departments)
      await tx.insertInto('member_department').values({ company_id, member_id, department_id }).execute()
    if (!admin_id || !options.power) return
    const scope = options.scope ?? { all: true }
    await tx
      .insertInto('admin')
      .values({
        company_id,
        id: admin_id,
        member_id,
        account_id,
        power: options.power,
        scope_all: scope.all,
        created_at: clock.now(),
      })
      .execute()
    for (const department_id of scope.department_ids ?? []) {
      await tx.insertInto('admin_department').values({ company_id, id: newId(), admin_id, department_id }).execute()
    }
  })
  return { member_id, account_id, admin_id, company_id, name, mobile }
}

/** Fills the parameters of a path; the server takes them from there and ignores them elsewhere. */
const fillPath = (path: string, input: unknown): string =>
  path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((input as Record<string, unknown> | undefined)?.[name]).toWellFormed()),
  )

/** A response below /api/v1 in the form of all others: problem details have the name of the error instead of its code. */
function toAnswer(response: { readonly statusCode: number; readonly body: string }) {
  const body = JSON.parse(response.body) as { code?: ErrorName; detail?: string }
  const name = response.statusCode === 200 ? null : body.code
  return { code: name ? errorCodes[name].code : 0, message: body.detail ?? '', data: body as never, status: response.statusCode }
}

function getForm(fields: Record<string, unknown>, file?: { name: string; bytes: Buffer }): { type: string; body: Buffer } {
  const boundary = `----tests${newId()}`
  const sections: Buffer[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    sections.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`))
  }
  if (file) {
    sections.push(
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${file.name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
      ),
      file.bytes,
      Buffer.from('\r\n'),
    )
  }
  sections.push(Buffer.from(`--${boundary}--\r\n`))
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(sections) }
}
