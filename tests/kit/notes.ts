import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Tx } from '../../server/runtime/db.ts'

/* A small schema to try the machine room on: a company's table, one that is only added to, and one outside all companies. */

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

/** A migrations folder with that schema. */
export function noteFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'xinhan-notes-'))
  writeFileSync(join(folder, '20261120T1430_note.sql'), migration)
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

/** A query that forgets the company, as any query may. */
export const rows = async <T = Record<string, unknown>>(tx: Tx, text: string) => (await sql.raw<T>(text).execute(tx)).rows
