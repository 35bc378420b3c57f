import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { Client, type PoolConfig } from 'pg'
import { getErrorCode } from '../../shared/error-code.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'

/**
 * The application's own login: it sees one company at a time, owns nothing and cannot change tables. Roles belong to the
 * whole cluster, so each database has its own: two installations on one cluster do not change each other's password.
 */
const appRole = 'xinhan_app'
const maxRoleLength = 63
const getDefaultRole = (database: string): string => {
  if (database === 'xinhan') return appRole
  const suffix = database.toLowerCase().replace(/[^a-z0-9_]/g, '_')
  const role = `${appRole}_${suffix}`
  if (suffix === database && role.length <= maxRoleLength) return role
  // Different names of databases must not become the same role.
  const hash = createHash('sha256').update(database).digest('hex').slice(0, 8)
  return `${role.slice(0, maxRoleLength - hash.length - 1)}_${hash}`
}

/** Returns the role that this database already grants its tables to, or the name for a new one. */
export async function findAppRole(client: Client): Promise<string> {
  const { rows } = await client.query<{ database: string; role: string | null }>(
    `select current_database() as database, (select min(r.rolname) from pg_default_acl a, aclexplode(a.defaclacl) g, pg_roles r
      where a.defaclnamespace = 'public'::regnamespace and a.defaclobjtype = 'r' and r.oid = g.grantee and r.rolname ~ $1) as role`,
    [`^${appRole}(_|$)`],
  )
  return rows[0]?.role ?? getDefaultRole(rows[0]?.database ?? '')
}

/** Returns another database of the cluster in which this role has rights. */
async function findOtherDatabase(client: Client, role: string): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `select min(b.datname) as name from pg_shdepend d join pg_database b on b.oid = d.dbid join pg_roles r on r.oid = d.refobjid
      where d.refclassid = 'pg_authid'::regclass and r.rolname = $1 and b.datname <> current_database()`,
    [role],
  )
  return rows[0]?.name ?? null
}

/** Derives the login's password from the master key: anyone who has that key can read everything anyway. */
export const deriveAppPassword = (master: Buffer): string =>
  createHash('sha256').update(master).update('database login').digest('base64url')
export const deriveAppPasswords = ([master, ...others]: readonly [Buffer, ...Buffer[]]): readonly [string, ...string[]] => [
  deriveAppPassword(master),
  ...others.map(deriveAppPassword),
]

/**
 * Creates the role if it is missing, and sets the first password unless the role has one of these or another installation
 * uses it. Returns the connection settings for it. With several passwords (the master key is being replaced) each
 * connection finds out which one is set: another server may set the next one at any time.
 */
export async function ensureAppRole(
  client: Client,
  owner: PoolConfig,
  passwords: readonly [string, ...string[]],
  role: string,
): Promise<PoolConfig> {
  const name = client.escapeIdentifier(role)
  const [password] = passwords
  const app: PoolConfig = { ...getServerAddress(owner), user: role }
  const attributes = 'login nosuperuser nobypassrls nocreatedb nocreaterole'
  try {
    await retryOnConflict(async () => {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      if (!rowCount)
        await client.query(
          `create role ${name} ${attributes} password ${client.escapeLiteral(createScramVerifier(password, role))}`,
        )
    })
  } catch (error) {
    if (getErrorCode(error) !== '42501') throw error
    throw new Error(
      `The owner's connection may not create the role ${role}. Let an administrator run "create role ${role} ${attributes} password '…'" ` +
        'and set DATABASE_APP_URL to it.',
      { cause: error },
    )
  }
  if ((await findAcceptedPassword(app, passwords)) === null) {
    const other = await findOtherDatabase(client, role)
    if (other)
      throw new Error(
        `The role ${role} has another password and is used by the database ${other}, so it was not changed. ` +
          'Let an administrator create a role for this database, and set DATABASE_APP_URL to it.',
      )
    const sql = `alter role ${name} password ${client.escapeLiteral(createScramVerifier(password, role))}`
    await retryOnConflict(() => client.query(sql))
  }
  if (passwords.length === 1) return { ...app, password }
  return { ...app, password: async () => (await findAcceptedPassword(app, passwords)) ?? password }
}

async function findAcceptedPassword(app: PoolConfig, passwords: readonly string[]): Promise<string | null> {
  for (const password of passwords) if (!(await isPasswordRejected({ ...app, password }))) return password
  return null
}

/** Returns the same server and database without the owner's name and password, which a connection URL may contain. */
function getServerAddress(owner: PoolConfig): PoolConfig {
  const { host, port, database, ssl } = new Client(owner)
  return { host, port, database, ssl }
}

async function isPasswordRejected(app: PoolConfig): Promise<boolean> {
  const probe = new Client(app)
  probe.on('error', () => undefined)
  try {
    await probe.connect()
    return false
  } catch (error) {
    if (getErrorCode(error) === '28P01') return true
    throw error
  } finally {
    await probe.end().catch(() => undefined)
  }
}

/**
 * Creates a SCRAM-SHA-256 verifier (RFC 5803), so that the password itself does not appear in the server's log where
 * statements are logged. The salt derives from the password, so that two concurrent starters write the same value.
 */
function createScramVerifier(password: string, role: string): string {
  const iterations = 4096
  const salt = createHash('sha256').update(`xinhan scram salt\0${role}\0${password}`).digest().subarray(0, 16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const client_key = createHmac('sha256', salted).update('Client Key').digest()
  const stored_key = createHash('sha256').update(client_key).digest('base64')
  const server_key = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored_key}:${server_key}`
}

/**
 * Grants the role reading and writing of rows, nothing else. As *default* privileges, set before the first migration
 * creates a table, so that a migration's own REVOKE (audit: insert and select only) takes precedence.
 */
export async function setDefaultPrivileges(client: Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role)
  await revokeTemporaryTables(client, role)
  await retryOnConflict(() =>
    client.query(`
      revoke create on schema public from public;
      grant usage on schema public to ${name};
      alter default privileges in schema public grant select, insert, update, delete on tables to ${name};
      alter default privileges in schema public grant usage, select on sequences to ${name};`),
  )
}

/** A temporary table needs no right on a schema and could stand in for a real one. Needs the owner of the database. */
async function revokeTemporaryTables(client: Client, role: string): Promise<void> {
  const { rows } = await client.query<{ name: string; may: boolean }>(
    `select current_database() as name, has_database_privilege($1, current_database(), 'temporary') as may`,
    [role],
  )
  const [database] = rows
  if (!database?.may) return
  const from = `temporary on database ${client.escapeIdentifier(database.name)} from`
  await retryOnConflict(() => client.query(`revoke ${from} public; revoke ${from} ${client.escapeIdentifier(role)}`))
}
