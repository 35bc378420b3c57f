import { fileURLToPath } from 'node:url'
import { CompiledQuery, Kysely, PostgresDialect, type PostgresDialectConfig, PostgresDriver, sql, type Transaction } from 'kysely'
import { Client, escapeLiteral, Pool, type PoolClient, type PoolConfig } from 'pg'
import { columnTypeParsers } from './column-types.ts'
import { prepareJobTables } from './job-tables.ts'
import { migrate, prepareMigrations } from './migrate.ts'
import { runInTransactionScope } from './no-transaction.ts'
import { ensureAppRole, findAppRole, setDefaultPrivileges } from './postgres/app-role.ts'
import { BootCheckError, findRoleProblems, findTableProblems } from './row-level-security.ts'
import type { Tables } from './tables.ts'

/** A running transaction: the only access to tables. Functions that need one take it as their first argument. */
export type Tx = Transaction<Tables>

export type TxOptions = {
  /** Maximum duration of a single statement; default 5 s, more only for jobs. */
  timeout_ms?: number
  /**
   * Reads rows in index order instead of sorting: for work that takes a few of many rows from a table that has just
   * grown, where the planner still assumes a single row.
   */
  preferIndexOrder?: boolean
}

/**
 * The only handle to the database. Each kind of work sees only what it needs: a company's rows, a person's own rows,
 * the list of companies, or the tables outside all companies. Row-level security enforces it below any query.
 */
export type Database = {
  /** Runs with access to the rows of one company only. */
  inCompany<T>(company_id: string, fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /**
   * Runs with access to a person's own rows in all companies: by account, or by mobile number before there is an
   * account.
   */
  asPerson<T>(who: { account_id?: string; mobile?: string }, fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** For jobs: the handle may list the companies, but sees none of their data. */
  asSystem<T>(fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /**
   * For operators: the handle sees the list of operators and the purchases of companies, but never members, wage sheets
   * or payslips.
   */
  asOperator<T>(fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** Runs with access only to tables outside companies. */
  withoutCompany<T>(fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /**
   * Access for the job queue only, which brings its own statements. Outside our transactions it sees no company's rows.
   */
  pool: Pool
  /** The number of transactions that this process has open or is waiting to open. */
  countActiveTransactions(): number
  isHealthy(): Promise<boolean>
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** Owns the tables and migrates them; never used for requests. */
  owner: PoolConfig
  /** The application's login, where the owner may not create roles (DATABASE_APP_URL). */
  app?: PoolConfig
  /**
   * Password of the created login; derived from the server's secret. Required unless `app` is given. Several while the
   * secret is being replaced, the newest first.
   */
  app_password?: string | readonly [string, ...string[]]
  /** Names of the master keys that the server has, for the command that replaces the master key. */
  key_fingerprints?: readonly string[]
  /** Name of the created login; by default that of the database (`findAppRole`). */
  role?: string
  /** Maximum number of connections. */
  max?: number
  /** How long to wait for a free connection, in ms. */
  connection_ms?: number
  /**
   * False where nothing is sold: every transaction carries it (`app.billing`), so that no charge of prepaid messages
   * depends on a caller who remembers to ask.
   */
  billing?: boolean
  /** Statement timeout in ms; the lock timeout is four fifths of it. */
  statement_ms?: number
  /** Directory of the migrations. */
  migrations?: string
  /** Applies only migrations with these names: a restore makes the tables as they were at the time of the backup. */
  onlyMigrations?: readonly string[]
  log?: (text: string) => void
}

const defaultConnectionTimeoutMs = 5_000
const defaultStatementTimeoutMs = 5_000
/** An idle transaction was forgotten by its code; it would hold locks and delay vacuum. */
const idle_timeout_ms = 30_000
const uuid_pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const migrationsFolder = fileURLToPath(new URL('../migrations/', import.meta.url))

/** Migrates as the owner, checks row-level security, and opens the application's connections. */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const app = await prepareDatabase(options)
  const pool = new Pool({
    connectionTimeoutMillis: options.connection_ms ?? defaultConnectionTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: options.key_fingerprints ? `xinhan keys ${options.key_fingerprints.join(' ')}` : 'xinhan',
    ...app,
    max: options.max ?? 10,
    types: columnTypeParsers,
  })
  const log = options.log ?? (() => undefined)
  // Without a listener, a connection that dies while idle or between two statements would end the process.
  let closing = false
  pool.on('error', (error) => closing || log(`a database connection was lost: ${error.message}`))
  const open = new Set<PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    open.add(client)
    client.once('end', () => open.delete(client))
  })
  const kysely = new Kysely<Tables>({ dialect: new SettingsFirstDialect({ pool }) })

  /** Sets all settings in every transaction: its visibility never depends on what another one left behind. */
  let last_answer = Number.NEGATIVE_INFINITY
  let in_flight = 0
  function transact<T>(
    who: Partial<Record<Setting, string>>,
    fn: (tx: Tx) => Promise<T>,
    { timeout_ms = options.statement_ms ?? defaultStatementTimeoutMs, preferIndexOrder = false }: TxOptions = {},
  ) {
    in_flight += 1
    const done = kysely.transaction().execute((tx) =>
      runInTransactionScope(async () => {
        await sql.raw(buildSettingsSql(who, { timeout_ms, preferIndexOrder, billing: options.billing ?? true })).execute(tx)
        last_answer = performance.now()
        return fn(tx)
      }),
    )
    return done.finally(() => void (in_flight -= 1))
  }

  return {
    async inCompany(company_id, fn, tx_options) {
      if (!uuid_pattern.test(company_id)) throw new TypeError('inCompany needs the id of a company')
      return transact({ company: company_id }, fn, tx_options)
    },
    async asPerson({ account_id, mobile }, fn, tx_options) {
      if (!account_id && !mobile) throw new TypeError('asPerson needs an account or a mobile number')
      if (account_id && !uuid_pattern.test(account_id)) throw new TypeError('asPerson needs the id of an account')
      return transact({ account: account_id ?? '', mobile: mobile ?? '' }, fn, tx_options)
    },
    asSystem: (fn, tx_options) => transact({ machine: 'yes' }, fn, tx_options),
    asOperator: (fn, tx_options) => transact({ operator: 'yes' }, fn, tx_options),
    withoutCompany: (fn, tx_options) => transact({}, fn, tx_options),
    pool,
    countActiveTransactions: () => in_flight,
    async isHealthy() {
      // Under load the pool has a queue; a database that has just answered other queries is healthy.
      if (performance.now() - last_answer < 1_000) return true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(resolve, 1_000, false)
      })
      const requested = pool.query('select 1').then(
        () => true,
        () => false,
      )
      const answer = await Promise.race([requested, late])
      clearTimeout(timer)
      return answer
    },
    async close() {
      closing = true
      const ended = [...open].map((client) => new Promise<void>((done) => void client.once('end', () => done())))
      // The pool releases its connections before they are closed; whoever stops the database next must not find them
      // open.
      await Promise.all([pool.end(), ...ended])
    },
  }
}

const identities = ['company', 'account', 'mobile', 'machine', 'companies', 'operator'] as const
type Setting = (typeof identities)[number]

/**
 * Makes exactly these companies visible to a transaction of a person (`asPerson`): those of the person's own rows,
 * which the caller has found first. The policy of `company` cannot query them itself, because in a cluster those rows
 * are on other nodes.
 */
export async function allowCompanies(tx: Tx, ids: readonly string[]): Promise<void> {
  if (!ids.every((id) => uuid_pattern.test(id))) throw new TypeError('allowCompanies needs company ids that are UUIDs')
  await sql.raw(`set local app.companies = ${escapeLiteral(ids.join(','))}`).execute(tx)
}

/**
 * Narrows a transaction without a company to one company; `and` is executed in the same round trip. Only for
 * authentication (http/authenticate.ts): the session that identifies the user belongs to no company yet.
 */
export async function scopeToCompany(tx: Tx, company_id: string, and: readonly string[] = []): Promise<void> {
  if (!uuid_pattern.test(company_id)) throw new TypeError('scopeToCompany needs a company id that is a UUID')
  const company = escapeLiteral(company_id)
  const narrow = [`set local app.company = ${company}`, `select set_config('app.company', ${company}, true)`]
  await sql.raw([...narrow, ...and].join('; ')).execute(tx)
}

/** Sends `begin` together with the transaction's settings (`buildSettingsSql`): saves one round trip per transaction. */
class SettingsFirstDialect extends PostgresDialect {
  readonly #options: PostgresDialectConfig
  constructor(options: PostgresDialectConfig) {
    super(options)
    this.#options = options
  }
  override createDriver(): PostgresDriver {
    const driver = new PostgresDriver(this.#options)
    driver.beginTransaction = async (_, { isolationLevel, accessMode }) => {
      if (isolationLevel || accessMode) throw new TypeError('a transaction begins with its settings: say there what else it is')
    }
    return driver
  }
}

/**
 * Builds `begin` and all settings as one message. Identities are also set by SET LOCAL: in a cluster only that is
 * propagated to the nodes that hold the rows (docs/scale.md), and it ends with the transaction there too.
 */
function buildSettingsSql(
  who: Partial<Record<Setting, string>>,
  { timeout_ms, preferIndexOrder, billing }: Required<TxOptions> & { readonly billing: boolean },
): string {
  const local = identities.flatMap((name) => (who[name] ? [`set local app.${name} = ${escapeLiteral(who[name])};`] : []))
  const all = {
    ...Object.fromEntries(identities.map((name) => [`app.${name}`, who[name] ?? ''])),
    statement_timeout: String(timeout_ms),
    lock_timeout: String(timeout_ms * 0.8),
    idle_in_transaction_session_timeout: String(Math.max(idle_timeout_ms, timeout_ms)),
    ...(billing ? {} : { 'app.billing': 'off' }),
    ...(preferIndexOrder ? { enable_sort: 'off' } : {}),
  }
  const configs = Object.entries(all).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, true)`)
  return `begin; ${local.join(' ')} select ${configs.join(', ')}`
}

/**
 * Performs the owner's work once per start: the login, the migrations, the job tables, the checks. Returns the
 * connection settings of the application.
 */
export async function prepareDatabase(options: DatabaseOptions): Promise<PoolConfig> {
  const client = new Client({
    connectionTimeoutMillis: 10_000,
    application_name: 'xinhan owner',
    ...options.owner,
    types: columnTypeParsers,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await assertServerVersion(client)
    await client.query('set search_path = public')
    const role = options.app ? await getRoleName(options.app) : (options.role ?? (await findAppRole(client)))
    const app = options.app ?? (await ensureAppRole(client, options.owner, requirePasswords(options.app_password), role))
    await prepareMigrations(client)
    await setDefaultPrivileges(client, role)
    const applied = await migrate(client, options.migrations ?? migrationsFolder, role, options.onlyMigrations)
    if (applied.length) options.log?.(`applied ${applied.length} migrations, the last one ${applied.at(-1)}`)
    await prepareJobTables(client, role)
    // Tables of an earlier version meet the checks of this one only after the migrations that are still missing.
    const tableProblems = options.onlyMigrations ? [] : await findTableProblems(client, role)
    const problems = [...(await findRoleProblems(client, role)), ...tableProblems]
    if (problems.length) throw new BootCheckError(problems)
    return app
  } finally {
    await client.end()
  }
}

function requirePasswords(passwords: DatabaseOptions['app_password']): readonly [string, ...string[]] {
  if (!passwords) throw new TypeError('The database needs app_password, or app with its connection settings')
  return typeof passwords === 'string' ? [passwords] : passwords
}

/**
 * Version 15 introduced views with the rights of the caller (security_invoker) and other features that row-level
 * security relies on.
 */
async function assertServerVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  )
  const { number, name } = rows[0] ?? { number: '0', name: 'unknown' }
  if (Number(number) < 150_000)
    throw new Error(`This server needs PostgreSQL 15 or newer; DATABASE_URL points to PostgreSQL ${name}.`)
}

async function getRoleName(app: PoolConfig): Promise<string> {
  const client = new Client({ connectionTimeoutMillis: 10_000, ...app })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('select current_user as name')
    return rows[0]?.name ?? ''
  } finally {
    await client.end()
  }
}

/**
 * Lets the job queue insert a job within one of our transactions: `boss.send(queue, data, { db: createJobExecutor(tx)
 * })`. Only for send and insert; statements of pg-boss that begin and commit by themselves (createQueue) must not run
 * here.
 */
export function createJobExecutor(tx: Tx): { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } {
  return {
    async executeSql(text, values = []) {
      const { rows } = await tx.executeQuery(CompiledQuery.raw(text, values))
      return { rows }
    },
  }
}
