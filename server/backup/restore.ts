/**
 * Restores a backup into an empty database, in one transaction: after an error the database is as empty as before.
 * Afterwards sending is paused (`sending-pause.ts`) until somebody confirms that the old installation is stopped.
 */
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { Client, type PoolConfig } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type DatabaseOptions, migrationsFolder, prepareDatabase } from '../database/database.ts'
import { BackupFileError } from './backup-file.ts'
import { type BackupManifest, type BackupSection, type BackupSummary, readBackupText } from './backup-text.ts'
import { listTables, type TableInfo } from './dump.ts'

/** The target is not an empty database, or belongs to a newer version. */
export class RestoreTargetError extends Error {
  override name = 'RestoreTargetError'
}

type RestoreOptions = {
  readonly owner: PoolConfig
  readonly app?: PoolConfig
  readonly app_password?: DatabaseOptions['app_password']
  readonly role?: string
  readonly now: Date
  onProgress(progress: { readonly rows: number; readonly table: string }): void
}

export async function restoreDatabase(chunks: AsyncIterable<Buffer>, options: RestoreOptions): Promise<BackupSummary> {
  const client = new Client({ application_name: 'xinhan restore', ...options.owner })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await loadBackup(client, chunks, options)
  } finally {
    await client.end()
  }
}

/** Requests the end of the pause that follows a restore; returns whether there was one. */
export async function confirmRestore(owner: PoolConfig): Promise<boolean> {
  const client = new Client({ application_name: 'xinhan restore', ...owner })
  await client.connect()
  try {
    return Boolean((await client.query('update sending_pause set confirmed_at = now()')).rowCount)
  } finally {
    await client.end()
  }
}

async function loadBackup(client: Client, chunks: AsyncIterable<Buffer>, options: RestoreOptions): Promise<BackupSummary> {
  let load: { tables: Map<string, TableInfo>; foreignKeys: readonly string[] } | null = null
  let rows = 0
  try {
    const { summary } = await readBackupText(chunks, {
      async onManifest(manifest) {
        await assertEmpty(client)
        // The tables as they were at the time of the backup; the later migrations then change the restored rows too.
        await prepareDatabase({ ...options, onlyMigrations: manifest.migrations.map(({ name }) => name) })
        await assertSameMigrations(client, manifest)
        await client.query('begin')
        load = await beginLoad(client)
      },
      async onSection(section) {
        const table = load?.tables.get(section.table)
        if (!table) throw new BackupFileError(`备份里有本程序没有的表 ${section.table}：请用更新的版本`)
        const stream = client.query(copyFrom(toCopyStatement(client, section)))
        options.onProgress({ rows, table: section.table })
        return {
          async onRow(line) {
            rows += 1
            stream.write(line)
            if (!stream.write('\n')) await once(stream, 'drain')
          },
          async onEnd() {
            stream.end()
            await finished(stream)
          },
        }
      },
    })
    if (!load) throw new BackupFileError('备份文件是空的')
    await finishLoad(client, load, options.now)
    await client.query('commit')
    const { onProgress: _, now: __, ...databaseOptions } = options
    await prepareDatabase(databaseOptions)
    return summary
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

const toCopyStatement = (client: Client, { table, columns }: BackupSection): string =>
  `copy ${client.escapeIdentifier(table)} (${columns.map((column) => client.escapeIdentifier(column)).join(', ')}) from stdin`

/** Data of another installation is never mixed or overwritten. */
async function assertEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regclass('public.company') is not null as there`)
  if (!rows[0]?.there) return
  await client.query(`select set_config('app.machine', 'yes', false)`)
  const { rowCount } = await client.query('select from company limit 1')
  await client.query(`select set_config('app.machine', '', false)`)
  if (rowCount)
    throw new RestoreTargetError(
      '这个数据库里已经有企业，恢复只能写入空的数据库：请换一个空数据库（DATABASE_URL）或空的数据目录（XINHAN_DATA）',
    )
  const others = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name like 'xinhan%' and pid <> pg_backend_pid()`,
  )
  if (others.rows[0]?.count) throw new RestoreTargetError('薪函正在使用这个数据库：请先停止服务，再恢复')
}

async function assertSameMigrations(client: Client, { migrations }: BackupManifest): Promise<void> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migration')
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  for (const { name, sha256 } of migrations)
    if (applied.get(name) !== sha256)
      throw new RestoreTargetError(`备份由另一个版本写成（${name}）：请用 ${folderHint} 里有这个文件的版本恢复`)
  if (applied.size > migrations.length)
    throw new RestoreTargetError('这个数据库的表比备份的新：请换一个从未启动过薪函的空数据库，恢复后会自动升级')
}
const folderHint = migrationsFolder.split('/').slice(-3, -1).join('/')

/**
 * Prepares the tables: COPY does not work under row-level security, and rows arrive company by company, before the rows
 * that they refer to. The owner lifts both within this transaction only.
 */
async function beginLoad(client: Client): Promise<{ tables: Map<string, TableInfo>; foreignKeys: readonly string[] }> {
  await client.query('set local statement_timeout = 0; set local search_path = public')
  const tables = new Map((await listTables(client)).map((table) => [table.name, table]))
  const { rows } = await client.query<{ drop: string; add: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`)
  for (const { drop } of rows) await client.query(drop)
  for (const { name, hasCompanyRows, isOperatorOnly } of tables.values()) {
    const table = client.escapeIdentifier(name)
    if (hasCompanyRows || isOperatorOnly) await client.query(`alter table ${table} no force row level security`)
    // Migrations insert facts such as the list of chat providers; the backup has its own.
    if (!['schema_lock', 'schema_migration'].includes(name)) await client.query(`delete from ${table}`)
  }
  return { tables, foreignKeys: rows.map(({ add }) => add) }
}

async function finishLoad(
  client: Client,
  { tables, foreignKeys }: { tables: ReadonlyMap<string, TableInfo>; foreignKeys: readonly string[] },
  now: Date,
): Promise<void> {
  for (const add of foreignKeys) await client.query(add)
  await client.query(`
    do $$
    declare one record;
    begin
      for one in
        select c.oid::regclass::text as name, quote_ident(a.attname) as attribute, pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where a.attidentity <> '' and c.relnamespace = 'public'::regnamespace
      loop
        execute format('select setval(%L, coalesce(max(%s), 0) + 1, false) from %s', one.sequence, one.attribute, one.name);
      end loop;
    end $$`)
  await client.query('insert into sending_pause (id, restored_at) values (1, $1)', [now])
  for (const { name, hasCompanyRows, isOperatorOnly } of tables.values())
    if (hasCompanyRows || isOperatorOnly)
      await client.query(`alter table ${client.escapeIdentifier(name)} force row level security`)
  await client.query('analyze')
}
