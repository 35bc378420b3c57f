/**
 * Writes a backup from one consistent snapshot of the database, as the owner of the tables and without a superuser.
 * Row-level security also applies to the owner, therefore rows are read company by company under its policies: a plain
 * `COPY table` or a `pg_dump` without BYPASSRLS would silently write nothing.
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { job_schema } from '../database/job-tables.ts'
import { systemCompanyId } from '../jobs/companies.ts'
import { type BackupManifest, type BackupSection, type BackupSummary, endOfSection } from './backup-text.ts'

/**
 * Tables that are not backed up: sessions, codes and tickets live for minutes or hours, and must not become valid again
 * by a restore.
 */
const ephemeralTables: ReadonlySet<string> = new Set([
  'schema_lock',
  'schema_migration',
  'session',
  'operator_session',
  'challenge',
  'grant_token',
  'binding_token',
  'login_state',
  'attempt',
  'download_ticket',
  'channel_rate',
  'restored_job',
  'sending_pause',
])

export type TableInfo = {
  readonly name: string
  /** Without generated columns, which are computed anew. */
  readonly columns: readonly string[]
  /** Whether row-level security shows the rows of one company only. */
  readonly hasCompanyRows: boolean
  /** Whether row-level security shows the rows to operators only. */
  readonly isOperatorOnly: boolean
}

/** Lists the product's tables. */
export async function listTables(client: Client): Promise<TableInfo[]> {
  const { rows } = await client.query<TableInfo>(`
    select c.relname as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'one_company') as "hasCompanyRows",
      c.relrowsecurity and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'one_company')
        as "isOperatorOnly"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`)
  return rows
}

export const listBackedUpTables = async (client: Client): Promise<TableInfo[]> =>
  (await listTables(client)).filter(({ name }) => !ephemeralTables.has(name))

/**
 * Jobs that have not been completed, with encrypted payload. They are stored apart from the job tables, whose layout
 * belongs to a library. Scheduled jobs have no payload, and are created again by their schedule.
 */
const pendingJobsSql = `select id, name, data, start_after from ${job_schema}.job
  where state in ('created', 'retry', 'active') and data ? 'sealed'`

export type DumpProgress = { readonly companies: number; readonly companyCount: number; readonly rows: number }

async function writeLine(target: Writable, text: string): Promise<void> {
  if (!target.write(`${text}\n`)) await once(target, 'drain')
}

/** Copies the result of a query into the target; returns the number of rows. */
async function copyRows(client: Client, target: Writable, query: string): Promise<number> {
  const stream = client.query(copyTo(`copy (${query}) to stdout`))
  for await (const chunk of stream) if (!target.write(chunk)) await once(target, 'drain')
  return stream.rowCount
}

/**
 * Writes the text of a backup to `target`, which is not ended. The caller's connection belongs to the owner of the
 * tables.
 */
export async function dumpDatabase(
  client: Client,
  target: Writable,
  { program, now, onProgress }: { program: string; now: Date; onProgress(progress: DumpProgress): void },
): Promise<BackupSummary> {
  await client.query('begin isolation level repeatable read, read only')
  // A row with many versions of a large file takes long; statements of a backup have no time limit.
  await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`)
  const migrations = await client.query<BackupManifest['migrations'][number]>(
    'select name, sha256 from schema_migration order by name',
  )
  const manifest: BackupManifest = { xinhan_backup: 1, created_at: now.toISOString(), program, migrations: migrations.rows }
  await writeLine(target, JSON.stringify(manifest))

  const rows: Record<string, number> = {}
  const writeSection = async (section: BackupSection, query: string): Promise<void> => {
    await writeLine(target, JSON.stringify(section))
    rows[section.table] = (rows[section.table] ?? 0) + (await copyRows(client, target, query))
    await writeLine(target, endOfSection)
  }
  const select = ({ name, columns }: TableInfo): string =>
    `select ${columns.map((column) => client.escapeIdentifier(column)).join(', ')} from ${client.escapeIdentifier(name)}`

  const tables = await listBackedUpTables(client)
  await client.query(`select set_config('app.operator', 'yes', true)`)
  for (const table of tables.filter(({ hasCompanyRows }) => !hasCompanyRows))
    await writeSection({ table: table.name, columns: [...table.columns], company_id: null }, select(table))
  await client.query(`select set_config('app.operator', '', true), set_config('app.machine', 'yes', true)`)
  const companies = (await client.query<{ id: string }>('select id from company order by id')).rows.map(({ id }) => id)
  await client.query(`select set_config('app.machine', '', true)`)
  const companyTables = tables.filter(({ hasCompanyRows }) => hasCompanyRows)
  for (const [index, company_id] of [systemCompanyId, ...companies].entries()) {
    await client.query(`select set_config('app.company', $1, true)`, [company_id])
    // The condition repeats the policy, which does not apply to a superuser.
    for (const table of await findTablesWithRows(client, companyTables, company_id))
      await writeSection(
        { table: table.name, columns: [...table.columns], company_id },
        `${select(table)} where ${getCompanyCondition(client, table, company_id)}`,
      )
    onProgress({ companies: index, companyCount: companies.length, rows: Object.values(rows).reduce((sum, one) => sum + one, 0) })
  }
  await writeSection({ table: 'restored_job', columns: ['id', 'name', 'data', 'start_after'], company_id: null }, pendingJobsSql)
  await client.query('rollback')
  const summary: BackupSummary = { companies: companies.length, rows }
  await writeLine(target, JSON.stringify(summary))
  return summary
}

const getCompanyCondition = (client: Client, { columns }: TableInfo, company_id: string): string =>
  `${columns.includes('company_id') ? 'company_id' : 'id'} = ${client.escapeLiteral(company_id)}`

/** One statement per company instead of one per table and company: most tables of most companies are empty. */
async function findTablesWithRows(client: Client, tables: readonly TableInfo[], company_id: string): Promise<TableInfo[]> {
  const probes = tables.map(
    (table) =>
      `exists (select from ${client.escapeIdentifier(table.name)} where ${getCompanyCondition(client, table, company_id)})`,
  )
  const { rows } = await client.query<{ present: boolean[] }>(`select array[${probes.join(', ')}] as present`)
  return tables.filter((_, index) => rows[0]?.present[index])
}
