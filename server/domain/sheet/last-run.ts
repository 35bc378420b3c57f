/** The pay run before: what each person got then, to compare with. Reads salary. */
import { setImmediate } from 'node:timers/promises'
import { readable } from '../../contract/states.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { type BatchRow, visibleBatches } from './access.ts'
import type { Totals } from './rules/problems.ts'

export type LastRun = Totals & { readonly title: string; readonly month: string; readonly net_of: ReadonlyMap<string, number> }

/** What `slip` seals with a salary, as far as it is read here. */
type Figures = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly tax_fen: number | null }
const a_page = 500

/** The newest earlier title of the same kind and owner, as far as I may see it; null when there is none, or none was sent. */
export async function lastRun(ctx: Pick<Ctx, 'db' | 'me' | 'company_id' | 'vault'>, batch: BatchRow): Promise<LastRun | null> {
  const { db, company_id, vault } = ctx
  if (!batch.title_month || !batch.title_kind) return null
  const title = await db
    .selectFrom('title')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'title.company_id').onRef('batch.title_id', '=', 'title.id'),
    )
    .select(['title.id', 'title.name', 'title.month'])
    .where('title.company_id', '=', company_id)
    .where('title.owner_id', '=', batch.owner_id)
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', '<', batch.title_month)
    .where(visibleBatches(ctx))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('salary')
          .select('salary.id')
          .whereRef('salary.company_id', '=', 'batch.company_id')
          .whereRef('salary.batch_id', '=', 'batch.id')
          .where('salary.status', 'in', readable),
      ),
    )
    .orderBy('title.month', 'desc')
    .orderBy('title.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!title) return null

  const net_of = new Map<string, number>()
  const sums = { net_fen: 0, gross_fen: 0, tax_fen: 0 }
  const known = { net_fen: false, gross_fen: false, tax_fen: false }
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await db
      .selectFrom('salary')
      .innerJoin('batch', (join) =>
        join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
      )
      .select(['salary.id', 'salary.member_id', 'salary.version', 'salary.cells'])
      .where('salary.company_id', '=', company_id)
      .where('batch.title_id', '=', title.id)
      .where(visibleBatches(ctx))
      .where('salary.status', 'in', readable)
      .where('salary.id', '>', after)
      .orderBy('salary.id')
      .limit(a_page)
      .execute()
    for (const salary of page) {
      const figures = vault.open<Figures>(
        { table: 'salary', row: salary.id, column: 'cells', version: salary.version },
        salary.cells,
      )
      for (const field of ['net_fen', 'gross_fen', 'tax_fen'] as const) {
        const fen = figures[field]
        if (typeof fen !== 'number') continue
        sums[field] += fen
        known[field] = true
      }
      net_of.set(salary.member_id, (net_of.get(salary.member_id) ?? 0) + (figures.net_fen ?? 0))
    }
    const last = page.at(-1)
    if (!last || page.length < a_page) break
    after = last.id
    await setImmediate()
  }
  return {
    title: title.name,
    month: title.month,
    people: net_of.size,
    net_fen: known.net_fen ? sums.net_fen : null,
    gross_fen: known.gross_fen ? sums.gross_fen : null,
    tax_fen: known.tax_fen ? sums.tax_fen : null,
    net_of,
  }
}

/** People who already have a slip in the same title, from another batch. */
export async function alreadyPaid(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  batch: BatchRow,
): Promise<ReadonlySet<string>> {
  if (!batch.title_id) return new Set()
  const rows = await db
    .selectFrom('salary')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
    )
    .select('salary.member_id')
    .distinct()
    .where('salary.company_id', '=', company_id)
    .where('batch.title_id', '=', batch.title_id)
    .where('batch.id', '<>', batch.id)
    .where('salary.status', 'in', ['queued', ...readable])
    .execute()
  return new Set(rows.map((row) => row.member_id))
}
