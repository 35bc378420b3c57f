import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { retryOnConflict } from './retry-on-conflict.ts'

/** A migration file of the directory. */
type Migration = { name: string; sql: string; sha256: string }

const name_pattern = /^\d{8}T\d{4}_[a-z0-9_-]+\.sql$/
/** Each file is run in one transaction by the runner. `END;` closes a function body, so it is not in the list. */
const transaction_pattern = /^\s*(begin|commit|rollback|start\s+transaction|begin\s+transaction|abort)\s*;/im

/** The database and the migrations directory do not match; nothing was changed. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/**
 * Applies the migrations of a directory that the database does not have yet, forward only, and returns their names.
 *
 * Two servers may start at once: every step first locks the single row of `schema_lock` and then reads what is missing.
 * Row locks exist in every PostgreSQL-compatible database, advisory locks do not.
 *
 * `app_role` replaces `xinhan_app` in the files, because an external server may have given that role another name. It
 * must be a name that needs no quotes. `only` limits the migrations to these names.
 */
export async function migrate(
  client: Client,
  folder: string,
  app_role = 'xinhan_app',
  only: readonly string[] | null = null,
): Promise<string[]> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(app_role))
    throw new MigrationError(`The role ${app_role} needs a name of small letters, digits and _.`)
  const files = (await readMigrations(folder)).filter(({ name }) => !only || only.includes(name))
  await prepareMigrations(client)
  const applied: string[] = []
  for (;;) {
    const name = await applyNext(client, files, app_role)
    if (!name) return applied
    applied.push(name)
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      if (!name_pattern.test(name)) throw new MigrationError(`${name} is no name for a migration; YYYYMMDDTHHMM_what.sql is.`)
      // Git may change line endings on Windows; that does not change the migration.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      if (transaction_pattern.test(sql))
        throw new MigrationError(`${name} opens or ends a transaction; each file already is one.`)
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Creates the two tables of the migrations, before the application role gets default privileges on later tables. */
export async function prepareMigrations(client: Client): Promise<void> {
  const sql = `
    create table if not exists schema_lock (id integer primary key check (id = 1));
    comment on table schema_lock is 'outside: its one row is locked by the server that migrates';
    insert into schema_lock (id) values (1) on conflict do nothing;
    create table if not exists schema_migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now());
    comment on table schema_migration is 'outside: applied migrations with the hash of their text';`
  // IF NOT EXISTS does not see a table that another server is creating at the moment: one of the two gets an error and
  // retries.
  await retryOnConflict(() => client.query(sql))
}

/** Applies the first missing migration; null when none is missing. */
async function applyNext(client: Client, files: Migration[], app_role: string): Promise<string | null> {
  await client.query('begin')
  try {
    await client.query('select id from schema_lock where id = 1 for update')
    const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migration')
    const next = findNextMigration(files, rows)
    if (next) {
      await client.query(next.sql.replaceAll(/\bxinhan_app\b/g, app_role))
      await client.query('insert into schema_migration (name, sha256) values ($1, $2)', [next.name, next.sha256])
    }
    await client.query('commit')
    return next?.name ?? null
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/**
 * Returns the first file that was not applied yet, whatever its date: two branches may both have added one. Throws if a
 * file was changed after it was applied, or if the database has a migration that is not in the directory.
 */
function findNextMigration(files: Migration[], applied: { name: string; sha256: string }[]): Migration | undefined {
  const filesByName = new Map(files.map((file) => [file.name, file]))
  const oldest = files[0]?.name ?? ''
  for (const { name, sha256 } of applied) {
    const file = filesByName.get(name)
    if (!file && name < oldest)
      throw new MigrationError(
        'The tables in this database were made by a version before 0.2, which this program does not read. Nothing was changed. ' +
          'Use an empty database, or run the version that made them.',
      )
    if (!file)
      throw new MigrationError(`The database has the migration ${name}, which this program does not have. Run the newer program.`)
    if (file.sha256 !== sha256)
      throw new MigrationError(`${name} was changed after it was applied. Write a new migration instead.`)
  }
  const appliedNames = new Set(applied.map(({ name }) => name))
  return files.find(({ name }) => !appliedNames.has(name))
}
