/**
 * Component amounts of a batch's payslips, cached with the batch. They are computed on demand, and again when the
 * payslips differ from those they were computed from (docs/decisions/20261123-use-cached-amounts-for-charts.md). Writes
 * chart_figures.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { Secrets, Vault } from '../../crypto/secrets.ts'
import type { Database } from '../../database/database.ts'
import type { HandlerContext } from '../../http/handler.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { selectBatchVersions, streamBatchPayslips } from '../payslip-records/index.ts'
import { loadRecognition } from '../sheets/index.ts'
import { ComponentsCache } from './components-cache.ts'
import { type ComponentTable, type MemberComponents, packComponents, unpackComponents } from './rules/packed-components.ts'
import { createComponentReader } from './rules/pay-components.ts'

type CompanyVaultTx = Pick<HandlerContext, 'db' | 'company_id' | 'vault'>

/** `packed` is the output of `packComponents` in base64. */
const componentsDocument = defineDocument<{ packed: string }>({
  kind: 'chart figures',
  version: 1,
  schema: z.object({ packed: z.string() }),
  fastCheck: (value): value is { packed: string } => typeof value.packed === 'string' && Object.keys(value).length === 1,
})
const getComponentsPosition = (batch_id: string) => ({ table: 'chart_figures', row: batch_id, column: 'figures' })
/** Must be raised whenever `createComponentReader` reads a payslip differently, so that stored tables are recomputed. */
const readerVersion = 'r1'

/** Maximum number of payslips that one request opens itself; a job opens more. */
const maxPayslipsPerRequest = 10_000
/** Number of attempts when payslips change during reading. After the last one the result is returned but not stored. */
const maxAttempts = 3

type BatchVersion = { readonly stamp: string; readonly slips: number }
async function getBatchVersions(
  ctx: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  batch_ids: readonly string[],
): Promise<Map<string, BatchVersion>> {
  if (batch_ids.length === 0) return new Map()
  const rows = await selectBatchVersions(ctx, batch_ids)
  return new Map(
    rows.map(({ batch_id, stamp, slips }) => [batch_id, { stamp: `${readerVersion} ${stamp}`, slips: Number(slips) }]),
  )
}

async function readBatchComponents(ctx: CompanyVaultTx, batch_id: string): Promise<Buffer> {
  const readComponents = createComponentReader(await loadRecognition(ctx, batch_id))
  const payslips: MemberComponents[] = []
  for await (const page of streamBatchPayslips(ctx, batch_id))
    for (const { member_id, content } of page) payslips.push({ member_id, components: readComponents(content) })
  return packComponents(payslips)
}

async function buildComponents(ctx: CompanyVaultTx, batch_id: string, may_write: boolean): Promise<Buffer> {
  for (let attempt = 1; ; attempt += 1) {
    const versionBefore = (await getBatchVersions(ctx, [batch_id])).get(batch_id)
    const packed = await readBatchComponents(ctx, batch_id)
    const versionAfter = (await getBatchVersions(ctx, [batch_id])).get(batch_id)
    const isUnchanged = versionBefore !== undefined && versionBefore.stamp === versionAfter?.stamp
    if (!isUnchanged && attempt < maxAttempts) continue
    if (!isUnchanged || !may_write) return packed
    const figures = componentsDocument.seal(ctx.vault, getComponentsPosition(batch_id), { packed: packed.toString('base64') })
    await ctx.db
      .insertInto('chart_figures')
      .values({ company_id: ctx.company_id, batch_id, stamp: versionBefore.stamp, figures })
      .onConflict((conflict) => conflict.columns(['company_id', 'batch_id']).doUpdateSet({ stamp: versionBefore.stamp, figures }))
      .execute()
    return packed
  }
}

export type PreparationProgress = { readonly done: number; readonly total: number } | null
export type LoadedComponents = { readonly tables: ReadonlyMap<string, ComponentTable>; readonly preparing: PreparationProgress }

/** Queues the job that computes missing component tables. */
export type QueueComponentsJob = (batch_ids: readonly string[], id: string) => Promise<void>

/**
 * Loads the payslips of these batches with their components. If more would have to be opened than one request should, a
 * job is queued (once, however often the call is repeated) and only the progress is returned.
 */
export async function loadComponentTables(
  ctx: CompanyVaultTx & { readonly canWrite: boolean },
  batch_ids: readonly string[],
  queueJob: QueueComponentsJob | null,
  maxPayslips = maxPayslipsPerRequest,
): Promise<LoadedComponents> {
  const versions = await getBatchVersions(ctx, batch_ids)
  const ids = [...versions.keys()]
  const isCurrent = sql<boolean>`exists (select from unnest(${ids}::uuid[], ${ids.map((id) => versions.get(id)?.stamp ?? '')}::text[]) as now (id, stamp)
    where now.id = chart_figures.batch_id and now.stamp = chart_figures.stamp)`
  const storedRows = await ctx.db
    .selectFrom('chart_figures')
    .select('batch_id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(isCurrent)
    .execute()
  const storedIds = new Set(storedRows.map(({ batch_id }) => batch_id))
  const countPayslips = (batchIds: readonly string[]): number =>
    batchIds.reduce((all, id) => all + (versions.get(id)?.slips ?? 0), 0)
  const missing = ids.filter((id) => !storedIds.has(id))
  if (queueJob && countPayslips(missing) > maxPayslips) {
    await queueJob(missing, deriveJobId(missing.map((id) => `${id} ${versions.get(id)?.stamp}`)))
    return { tables: new Map(), preparing: { done: countPayslips([...storedIds]), total: countPayslips(ids) } }
  }
  const tables = new Map<string, ComponentTable>()
  for (const id of missing) tables.set(id, unpackComponents(await buildComponents(ctx, id, ctx.canWrite)))
  for (const id of ids)
    if (storedIds.has(id))
      tables.set(
        id,
        unpackComponents(
          (await loadStoredComponents(ctx, id, versions.get(id)?.stamp ?? '')) ?? (await buildComponents(ctx, id, ctx.canWrite)),
        ),
      )
  return { tables, preparing: null }
}

const componentsCache = new ComponentsCache()
/**
 * Loads one stored table at a time, so that a year of ten thousand employees is never in memory both encrypted and
 * decrypted. Returns null if the table was recomputed meanwhile.
 */
async function loadStoredComponents(
  { db, company_id, vault }: CompanyVaultTx,
  batch_id: string,
  stamp: string,
): Promise<Buffer | null> {
  const cached = componentsCache.get(batch_id, vault, stamp)
  if (cached) return cached
  const row = await db
    .selectFrom('chart_figures')
    .select('figures')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('stamp', '=', stamp)
    .executeTakeFirst()
  if (!row) return null
  const packed = Buffer.from(componentsDocument.open(vault, getComponentsPosition(batch_id), row.figures).packed, 'base64')
  componentsCache.set(batch_id, { vault, stamp, packed })
  return packed
}

/** Derives the same job id from the same work, so that repeated calls do not queue it again. */
function deriveJobId(work: readonly string[]): string {
  const hex = createHash('sha256').update(work.toSorted().join('|')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const componentsJob = 'chart_figures'
type ComponentsJobDeps = { readonly database: Database; readonly jobs: JobQueue; readonly secrets: Secrets }
/** Registers the job. It is idempotent: tables that match the current payslips are not recomputed. */
export function registerComponentsJob({ database, jobs, secrets }: ComponentsJobDeps): void {
  jobs.register<{ company_id: string; batch_ids: string[] }>(componentsJob, async ({ company_id, batch_ids }, { signal }) => {
    for (const batch_id of batch_ids) {
      if (signal.aborted) throw new Error('the server stops')
      await database.inCompany(company_id, async (tx) => {
        const vault: Vault = await secrets.vault(tx, company_id)
        await loadComponentTables({ db: tx, company_id, vault, canWrite: true }, [batch_id], null)
      })
    }
  })
}
