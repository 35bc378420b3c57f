import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { retryOnConflict } from './retry-on-conflict.ts'

/** A migration as it lies in the folder. */
type Migration = { name: string; sql: string; sha256: string }

const name_pattern = /^\d{8}T\d{4}_[a-z0-9_-]+\.sql$/
/** Each file is one transaction, ours. `END;` of a function body is not meant, hence not in the list. */
const transaction_pattern = /^\s*(begin|commit|rollback|start\s+transaction|begin\s+transaction|abort)\s*;/im

/** The database and the folder do not belong together; nothing was changed. */
export class MigrationError extends Error {
  override name = 'MigrationRefused'
}

/**
 * Brings the database up to the folder. Forward only: what was applied is never applied again, changed or undone.
 *
 * Two starters at once: every step first takes the one row of `schema_lock`, then looks what is still missing. A row lock
 * exists in every PostgreSQL-compatible database, advisory locks do not.
 *
 * `app_role` stands wherever a file says `xinhan_app` (also within a text), because an external server may have given that
 * role another name. So it must be a name that needs no quotes.
 */
export async function migrate(client: Client, folder: string, app_role = 'xinhan_app'): Promise<string[]> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(app_role))
    throw new MigrationError(`The role ${app_role} needs a name of small letters, digits and _.`)
  const files = await readMigrations(folder)
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
      // Line ends may be changed by git on Windows; that is no change of the migration.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      if (transaction_pattern.test(sql))
        throw new MigrationError(`${name} opens or ends a transaction; each file already is one.`)
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** The two tables of the migrations themselves. Made before the application is given any right on what comes later. */
export async function prepareMigrations(client: Client): Promise<void> {
  const sql = `
    create table if not exists schema_lock (id integer primary key check (id = 1));
    comment on table schema_lock is 'outside: its one row is held by whoever migrates';
    insert into schema_lock (id) values (1) on conflict do nothing;
    create table if not exists schema_migration (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now());
    comment on table schema_migration is 'outside: what was done to the schema, and by which text';`
  // IF NOT EXISTS does not see what another starter is just making: both write the catalogue, one is told so.
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

/** The first file still to apply, after making sure that history is the same on both sides. */
function findNextMigration(files: Migration[], done: { name: string; sha256: string }[]): Migration | undefined {
  const existing = new Map(files.map((file) => [file.name, file]))
  const newest = files.at(-1)?.name ?? ''
  for (const { name, sha256 } of done) {
    const file = existing.get(name)
    if (!file && name > newest)
      throw new MigrationError(`The database is newer than this program: it knows ${name}. Run the newer program.`)
    if (!file) throw new MigrationError(`${name} was applied to the database but is missing in the folder.`)
    if (file.sha256 !== sha256)
      throw new MigrationError(`${name} was changed after it was applied. Write a new migration instead.`)
  }
  const last =
    done
      .map(({ name }) => name)
      .sort()
      .at(-1) ?? ''
  const next = files.find((file) => !done.some(({ name }) => name === file.name))
  if (next && next.name < last) {
    throw new MigrationError(`${next.name} is new but named earlier than ${last}, which is applied. Give it a later name.`)
  }
  return next
}
