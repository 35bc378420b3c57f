import { createRequire } from 'node:module'
import type { Client } from 'pg'
import { getConstructionPlans, getMigrationPlans } from 'pg-boss'
import { retryOnConflict } from './retry-on-conflict.ts'

/** pg-boss has its own schema. */
export const job_schema = 'pgboss'

/*
 * pg-boss would create and upgrade its tables with its own connection. Ours connects as the application role, which may
 * not change tables; so the owner does it here, and the application starts pg-boss with
 * `{ schema: job_schema, migrate: false, createSchema: false, reindex: false }`.
 *
 * At run time it then only needs to read and write rows: verified with send, fetch, complete, schedule, supervise and
 * createQueue. Three features do need ownership and must stay off: `partition: true` on a queue (a table per queue),
 * `persistQueueStats` (a table per day), and reindexing.
 */
export async function prepareJobTables(client: Client, role: string): Promise<void> {
  // In a cluster the queue stays on the node that the servers connect to (docs/scale.md); elsewhere this setting has no
  // effect.
  await client.query('set citus.enable_ddl_propagation to off')
  await makeJobTables(client, role)
  await client.query('reset citus.enable_ddl_propagation')
}

async function makeJobTables(client: Client, role: string): Promise<void> {
  const requested = schemaVersion()
  const version = await installedVersion(client)
  if (version !== null && version > requested) {
    throw new Error(`The job tables are newer (${version}) than this program (${requested}). Run the newer program.`)
  }
  if (version === null) {
    await ignoringRace(client, getConstructionPlans(job_schema))
  } else if (version < requested) {
    await ignoringRace(client, getMigrationPlans(job_schema, version))
  }
  const name = client.escapeIdentifier(role)
  const { rows } = await client.query<{ ready: boolean }>(
    `select has_schema_privilege($1, $2, 'usage') and bool_and(has_table_privilege($1, c.oid, k)) as ready
     from pg_class c join pg_namespace n on n.oid = c.relnamespace, unnest(array['select', 'insert', 'update', 'delete']) k
     where n.nspname = $2 and c.relkind in ('r', 'p')`,
    [role, job_schema],
  )
  if (rows[0]?.ready) return
  const sql = `
    grant usage on schema ${job_schema} to ${name};
    grant select, insert, update, delete on all tables in schema ${job_schema} to ${name};
    grant usage, select on all sequences in schema ${job_schema} to ${name};
    grant execute on all functions in schema ${job_schema} to ${name};`
  await retryOnConflict(() => client.query(sql))
}

function schemaVersion(): number {
  const manifest = createRequire(import.meta.url)('pg-boss/package.json') as { pgboss: { schema: number } }
  return manifest.pgboss.schema
}

async function installedVersion(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `${job_schema}.version`,
  ])
  if (!rows[0]?.there) return null
  const match = await client.query<{ version: number }>(`select version::int from ${job_schema}.version`)
  return match.rows[0]?.version ?? null
}

/** pg-boss takes its own lock; a concurrent second starter finds the work done and gets an error that says so. */
async function ignoringRace(client: Client, plan: string): Promise<void> {
  try {
    await client.query(plan)
  } catch (error) {
    await client.query('rollback')
    if ((await installedVersion(client)) !== schemaVersion()) throw error
  }
}
