import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { connectDatabase, type Database, type DatabaseOptions, type Tx } from '../../../server/database/database.ts'
import { later } from '../demo.ts'
import { emptyDatabase, startTestCluster, type TestCluster, type TestDatabase } from '../run/database.ts'

/* A small schema to test the infrastructure: a company table, an append-only table, and one without a company. */

const migration = `
  create table note (company_id uuid not null, id uuid not null, account_id uuid, mobile text, fen bigint, on_day date,
    at timestamptz not null default now(), primary key (company_id, id));
  alter table note enable row level security;
  alter table note force row level security;
  create policy company on note using (company_id = nullif(current_setting('app.company', true), '')::uuid);
  create policy person on note for select using (account_id = nullif(current_setting('app.account', true), '')::uuid
    or mobile = nullif(current_setting('app.mobile', true), ''));
  create table evidence (company_id uuid not null, id uuid not null, primary key (company_id, id));
  alter table evidence enable row level security;
  alter table evidence force row level security;
  create policy reading on evidence for select using (company_id = nullif(current_setting('app.company', true), '')::uuid);
  create policy writing on evidence for insert with check (company_id = nullif(current_setting('app.company', true), '')::uuid);
  revoke update, delete on evidence from xinhan_app;
  create table place (id int primary key generated always as identity, name text);
  comment on table place is 'outside: places belong to nobody';`

/** Creates a migrations folder with that schema. */
function noteFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'xinhan-notes-'))
  writeFileSync(join(folder, '20261120T1430_note.sql'), migration)
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

/** Runs a query without a company filter, which must not matter. */
export const rows = async <T = Record<string, unknown>>(tx: Tx, text: string) => (await sql.raw<T>(text).execute(tx)).rows

/**
 * Creates a database with that schema before each test of a file, on the file's own cluster; tests can use the returned
 * object.
 */
export function noteDatabase() {
  const { folder, remove } = noteFolder()
  const closing: (() => Promise<unknown>)[] = []
  let cluster: TestCluster | undefined
  let made: { fresh: TestDatabase; db: Database } | undefined
  const fresh = later('fresh', () => made?.fresh)
  const open = (more: Partial<DatabaseOptions> = {}) => connectDatabase({ ...fresh.options, migrations: folder, max: 2, ...more })
  beforeAll(async () => {
    cluster = await startTestCluster()
  })
  afterAll(async () => {
    remove()
    await cluster?.close()
  })
  beforeEach(async () => {
    const empty = await emptyDatabase()
    made = { fresh: empty, db: await connectDatabase({ ...empty.options, migrations: folder, max: 2 }) }
  })
  afterEach(async () => {
    await made?.db.close()
    for (const close of closing.splice(0).toReversed()) await close()
    await made?.fresh.drop()
  })
  return { folder, fresh, db: later('db', () => made?.db), cluster: later('cluster', () => cluster), closing, open }
}
