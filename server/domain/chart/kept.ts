/**
 * What the slips of a batch come to, kept beside it: made when it is asked for, and made anew when the slips are not those of which it was made
 * (docs/decisions/20261123-use-cached-amounts-for-charts.md). Writes chart_figures.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { documentKind } from '../../runtime/data/document.ts'
import type { Database } from '../../runtime/db.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { Jobs } from '../../runtime/jobs.ts'
import type { Secrets, Vault } from '../../runtime/secrets.ts'
import { paidStamps, paidWith } from '../pay/index.ts'
import { understoodIn } from '../sheet/index.ts'
import { OpenedFigures } from './opened.ts'
import { type PartsOf, packParts, type Sheaf, unpackParts } from './rules/packed.ts'
import { partsReader } from './rules/parts.ts'

type Opening = Pick<Ctx, 'db' | 'company_id' | 'vault'>

/** `packed` as `packParts` makes it, in base64. */
const chartFigures = documentKind<{ packed: string }>({
  kind: 'chart figures',
  version: 1,
  schema: z.object({ packed: z.string() }),
  quick: (value): value is { packed: string } => typeof value.packed === 'string' && Object.keys(value).length === 1,
})
const placeOf = (batch_id: string) => ({ table: 'chart_figures', row: batch_id, column: 'figures' })
/** Raised whenever `partsReader` reads a slip otherwise: what was kept before is made anew. */
const reading = 'r1'

/** Slips that one request opens itself; more are a job's. */
const most_at_once = 10_000
/** Somebody corrects or sends while they are read: so often it is tried again, and then what was read is told and not kept. */
const most_tries = 3

type Stamp = { readonly stamp: string; readonly slips: number }
async function stampsOf(ctx: Pick<Opening, 'db' | 'company_id'>, batch_ids: readonly string[]): Promise<Map<string, Stamp>> {
  if (batch_ids.length === 0) return new Map()
  const rows = await paidStamps(ctx, batch_ids)
  return new Map(rows.map(({ batch_id, stamp, slips }) => [batch_id, { stamp: `${reading} ${stamp}`, slips: Number(slips) }]))
}

async function readBatch(ctx: Opening, batch_id: string): Promise<Buffer> {
  const read = partsReader(await understoodIn(ctx, batch_id))
  const slips: PartsOf[] = []
  for await (const page of paidWith(ctx, batch_id))
    for (const { member_id, content } of page) slips.push({ member_id, parts: read(content) })
  return packParts(slips)
}

async function make(ctx: Opening, batch_id: string, may_write: boolean): Promise<Buffer> {
  for (let tries = 1; ; tries += 1) {
    const before = (await stampsOf(ctx, [batch_id])).get(batch_id)
    const packed = await readBatch(ctx, batch_id)
    const after = (await stampsOf(ctx, [batch_id])).get(batch_id)
    const stands = before !== undefined && before.stamp === after?.stamp
    if (!stands && tries < most_tries) continue
    if (!stands || !may_write) return packed
    const figures = chartFigures.seal(ctx.vault, placeOf(batch_id), { packed: packed.toString('base64') })
    await ctx.db
      .insertInto('chart_figures')
      .values({ company_id: ctx.company_id, batch_id, stamp: before.stamp, figures })
      .onConflict((conflict) => conflict.columns(['company_id', 'batch_id']).doUpdateSet({ stamp: before.stamp, figures }))
      .execute()
    return packed
  }
}

export type Preparing = { readonly done: number; readonly total: number } | null
export type Sheaves = { readonly sheaves: ReadonlyMap<string, Sheaf>; readonly preparing: Preparing }

/** Sends the job that makes what is missing. */
export type Ask = (batch_ids: readonly string[], id: string) => Promise<void>

/**
 * The slips of these batches with their parts. Where more would have to be opened than one request should, a job is asked for (once, however often it is
 * asked) and nothing is told but how far it is.
 */
export async function sheavesOf(
  ctx: Opening & { readonly may_write: boolean },
  batch_ids: readonly string[],
  ask: Ask | null,
  most = most_at_once,
): Promise<Sheaves> {
  const stamps = await stampsOf(ctx, batch_ids)
  const ids = [...stamps.keys()]
  const stands = sql<boolean>`exists (select from unnest(${ids}::uuid[], ${ids.map((id) => stamps.get(id)?.stamp ?? '')}::text[]) as now (id, stamp)
    where now.id = chart_figures.batch_id and now.stamp = chart_figures.stamp)`
  const known = await ctx.db
    .selectFrom('chart_figures')
    .select('batch_id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(stands)
    .execute()
  const there = new Set(known.map(({ batch_id }) => batch_id))
  const slipsIn = (some: readonly string[]): number => some.reduce((all, id) => all + (stamps.get(id)?.slips ?? 0), 0)
  const missing = ids.filter((id) => !there.has(id))
  if (ask && slipsIn(missing) > most) {
    await ask(missing, jobIdOf(missing.map((id) => `${id} ${stamps.get(id)?.stamp}`)))
    return { sheaves: new Map(), preparing: { done: slipsIn([...there]), total: slipsIn(ids) } }
  }
  const sheaves = new Map<string, Sheaf>()
  for (const id of missing) sheaves.set(id, unpackParts(await make(ctx, id, ctx.may_write)))
  for (const id of ids)
    if (there.has(id))
      sheaves.set(id, unpackParts((await keptIn(ctx, id, stamps.get(id)?.stamp ?? '')) ?? (await make(ctx, id, ctx.may_write))))
  return { sheaves, preparing: null }
}

const opened = new OpenedFigures()
/** One at a time: a year of ten thousand people need not lie in the memory sealed and opened at once. Null: it was made anew meanwhile. */
async function keptIn({ db, company_id, vault }: Opening, batch_id: string, stamp: string): Promise<Buffer | null> {
  const known = opened.of(batch_id, vault, stamp)
  if (known) return known
  const row = await db
    .selectFrom('chart_figures')
    .select('figures')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('stamp', '=', stamp)
    .executeTakeFirst()
  if (!row) return null
  const packed = Buffer.from(chartFigures.open(vault, placeOf(batch_id), row.figures).packed, 'base64')
  opened.keep(batch_id, { vault, stamp, packed })
  return packed
}

/** The same for the same work, so that asking again does not begin again. */
function jobIdOf(work: readonly string[]): string {
  const hex = createHash('sha256').update(work.toSorted().join('|')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const job_name = 'chart_figures'
type Parts = { readonly database: Database; readonly jobs: Jobs; readonly secrets: Secrets }
/** Declares the job. Doing it twice is harmless: what was made of the slips as they are is not made again. */
export function openFigures({ database, jobs, secrets }: Parts): void {
  jobs.on<{ company_id: string; batch_ids: string[] }>(job_name, async ({ company_id, batch_ids }, { signal }) => {
    for (const batch_id of batch_ids) {
      if (signal.aborted) throw new Error('the server stops')
      await database.inCompany(company_id, async (tx) => {
        const vault: Vault = await secrets.vault(tx, company_id)
        await sheavesOf({ db: tx, company_id, vault, may_write: true }, [batch_id], null)
      })
    }
  })
}
