import { fileURLToPath } from 'node:url'
import { CompiledQuery, Kysely, PostgresDialect, type PostgresDialectConfig, PostgresDriver, sql, type Transaction } from 'kysely'
import { Client, escapeLiteral, Pool, type PoolClient, type PoolConfig } from 'pg'
import { columnTypeParsers } from './column-types.ts'
import { prepareJobTables } from './job-tables.ts'
import { migrate, prepareMigrations } from './migrate.ts'
import { runInTransactionScope } from './no-transaction.ts'
import { appRole, ensureAppRole, setDefaultPrivileges } from './postgres/app-role.ts'
import { BootCheckError, findRoleProblems, findTableProblems } from './row-level-security.ts'
import type { Tables } from './tables.ts'

/** A running transaction: the only way to a table, and every function that needs one takes it as its first argument. */
export type Tx = Transaction<Tables>

export type TxOptions = {
  /** Longest single statement; 5 s unless a job needs more. */
  timeout_ms?: number
  /**
   * What has an index of its order is read in it, never sorted: for work that takes a few of many rows of a table that has just grown, of which
   * the planner thinks that there is one.
   */
  preferIndexOrder?: boolean
}

/**
 * The only handle to the database. Each kind of work sees only what it must: a company's rows, a person's own rows, the
 * list of companies, or the tables outside all companies. Row-level security enforces it, below any query.
 */
export type Database = {
  /** One company's rows and nothing else. */
  inCompany<T>(company_id: string, fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** A person's own rows in all companies: by account, or by mobile number before there is an account. */
  asPerson<T>(who: { account_id?: string; mobile?: string }, fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** Jobs: may list the companies, sees nothing of theirs. */
  asSystem<T>(fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** Whoever runs the server: who is one of them, and of companies what they buy; never people, sheets, slips. */
  asOperator<T>(fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** Only tables outside a company. */
  withoutCompany<T>(fn: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>
  /** For the job queue only: it brings its own statements. Without a transaction of ours it sees no company's row. */
  pool: Pool
  /** How many transactions this process has open, or waits to open. */
  countActiveTransactions(): number
  isHealthy(): Promise<boolean>
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** Owns the tables and migrates them; never used for requests. */
  owner: PoolConfig
  /** The application's login, where the owner may not create roles (DATABASE_APP_URL). */
  app?: PoolConfig
  /** Password of the login we make; derived from the server's secret. Needed unless `app` is given. */
  app_password?: string
  /** Name of the login we make; another one only in tests, because roles belong to the whole cluster. */
  role?: string
  /** Most connections at once. */
  max?: number
  /** How long whoever wants a connection waits for one, in ms. */
  connection_ms?: number
  /** How long a statement may work, in ms; for a lock it waits four fifths of that. */
  statement_ms?: number
  /** Folder of the migrations. */
  migrations?: string
  log?: (text: string) => void
}

const defaultConnectionTimeoutMs = 5_000
const defaultStatementTimeoutMs = 5_000
/** A transaction that does nothing for so long was forgotten by its code; it would hold locks and vacuum back. */
const idle_timeout_ms = 30_000
const uuid_pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const migrationsFolder = fileURLToPath(new URL('../migrations/', import.meta.url))

/** Migrates as the owner, checks the walls, and opens the application's connections. */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const app = await prepareDatabase(options)
  const pool = new Pool({
    connectionTimeoutMillis: options.connection_ms ?? defaultConnectionTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'xinhan',
    ...app,
    max: options.max ?? 10,
    types: columnTypeParsers,
  })
  const log = options.log ?? (() => undefined)
  // Without a listener a connection that dies at rest, or between two statements, would end the process.
  let closing = false
  pool.on('error', (error) => closing || log(`a database connection was lost: ${error.message}`))
  const open = new Set<PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    open.add(client)
    client.once('end', () => open.delete(client))
  })
  const kysely = new Kysely<Tables>({ dialect: new SettingsFirstDialect({ pool }) })

  /** All settings every time: what one transaction may see never depends on what another one left behind. */
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
        await sql.raw(buildSettingsSql(who, { timeout_ms, preferIndexOrder })).execute(tx)
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
      // Under load the pool has a queue; a database that has just answered others is well.
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
      // The pool lets go of its connections before they are closed; whoever ends the database next must not find them open.
      await Promise.all([pool.end(), ...ended])
    },
  }
}

const identities = ['company', 'account', 'mobile', 'machine', 'companies', 'operator'] as const
type Setting = (typeof identities)[number]

/**
 * Shows these companies, and no others, to a transaction of a person (`asPerson`): those of his own rows, which he has found first. The policy
 * of `company` cannot ask for them itself: in a cluster those rows lie on other nodes.
 */
export async function allowCompanies(tx: Tx, ids: readonly string[]): Promise<void> {
  if (!ids.every((id) => uuid_pattern.test(id))) throw new TypeError('showCompanies needs the ids of companies')
  await sql.raw(`set local app.companies = ${escapeLiteral(ids.join(','))}`).execute(tx)
}

/**
 * Narrows a transaction that belonged to nobody to one company; `and` goes along in the same message. For the door only (runtime/request/door.ts):
 * who asks is known by his session, which belongs to nobody yet.
 */
export async function scopeToCompany(tx: Tx, company_id: string, and: readonly string[] = []): Promise<void> {
  if (!uuid_pattern.test(company_id)) throw new TypeError('enterCompany needs the id of a company')
  const company = escapeLiteral(company_id)
  const narrow = [`set local app.company = ${company}`, `select set_config('app.company', ${company}, true)`]
  await sql.raw([...narrow, ...and].join('; ')).execute(tx)
}

/** A transaction begins with its settings, in one message with them (`buildSettingsSql`): one way to the database and back less for each. */
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
 * `begin` and all settings, in one message. What somebody is goes as SET LOCAL as well: in a cluster that alone is handed on to the nodes on which his rows
 * lie (docs/scale.md), which know of nobody else, because it ends with the transaction there too.
 */
function buildSettingsSql(who: Partial<Record<Setting, string>>, { timeout_ms, preferIndexOrder }: Required<TxOptions>): string {
  const local = identities.flatMap((name) => (who[name] ? [`set local app.${name} = ${escapeLiteral(who[name])};`] : []))
  const all = {
    ...Object.fromEntries(identities.map((name) => [`app.${name}`, who[name] ?? ''])),
    statement_timeout: String(timeout_ms),
    lock_timeout: String(timeout_ms * 0.8),
    idle_in_transaction_session_timeout: String(Math.max(idle_timeout_ms, timeout_ms)),
    ...(preferIndexOrder ? { enable_sort: 'off' } : {}),
  }
  const configs = Object.entries(all).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, true)`)
  return `begin; ${local.join(' ')} select ${configs.join(', ')}`
}

/** What the owner does once per start: the login, the migrations, the job tables, the checks. Returns how the application connects. */
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
    const app = options.app ?? (await ensureAppRole(client, options.owner, requirePassword(options.app_password), options.role))
    const role = options.app ? await getRoleName(options.app) : (options.role ?? appRole)
    await prepareMigrations(client)
    await setDefaultPrivileges(client, role)
    const applied = await migrate(client, options.migrations ?? migrationsFolder, role)
    if (applied.length) options.log?.(`applied ${applied.length} migrations, the last one ${applied.at(-1)}`)
    await prepareJobTables(client, role)
    const problems = [...(await findRoleProblems(client, role)), ...(await findTableProblems(client, role))]
    if (problems.length) throw new BootCheckError(problems)
    return app
  } finally {
    await client.end()
  }
}

function requirePassword(password: string | undefined): string {
  if (!password) throw new TypeError('openDatabase needs app_password, or app: how the application connects')
  return password
}

/** Views with the rights of the reader (security_invoker) and other things the walls stand on came with 15. */
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
 * Lets the job queue insert a job in a transaction of ours: `boss.send(queue, data, { db: executorOf(tx) })`. Only for
 * send and insert; statements of pg-boss that begin and commit by themselves (createQueue) do not belong here.
 */
export function createJobExecutor(tx: Tx): { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } {
  return {
    async executeSql(text, values = []) {
      const { rows } = await tx.executeQuery(CompiledQuery.raw(text, values))
      return { rows }
    },
  }
}
