/** What of the prepaid pool was bought, used and given back, and what is left of it. */
import { sql } from 'kysely'
import { monthOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import type { EditionProduct } from '../rules/change.ts'
import { changeOf, type PoolKind } from '../rules/pool.ts'
import { productOf } from '../rules/products.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now'>

/** The moves of the pool, the newest first; what it changed, by whom, about what. */
export async function poolMoves(
  { db, company_id }: Here,
  { kind, page, pagesize }: { readonly kind?: PoolKind | undefined; readonly page: number; readonly pagesize: number },
) {
  let moves = db.selectFrom('pool_move').where('company_id', '=', company_id).where('resource', '=', 'sms')
  if (kind) moves = moves.where('kind', '=', kind)
  const { total } = await moves.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await moves
    .select(['id', 'kind', 'count', 'by_name', 'batch_id', 'order_no', 'purpose', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { rows: rows.map(({ count, ...row }) => ({ ...row, change: changeOf(row.kind, count) })), total }
}

/** What is left, and what was used (less what came back) and bought: by the ledger, and `left` as it is held. */
export async function poolFigures({ db, company_id, now }: Here) {
  const { sms_left } = await db.selectFrom('company').select('sms_left').where('id', '=', company_id).executeTakeFirstOrThrow()
  const since = new Date(`${monthOf(now)}-01T00:00:00+08:00`)
  const before = new Date(`${monthOf(new Date(since.getTime() - 1))}-01T00:00:00+08:00`)
  const { rows } = await sql<{ used: number; used_month: number; used_last_month: number; bought: number }>`
    select coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end), 0)::int as used,
      coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end) filter (where created_at >= ${since}), 0)::int as used_month,
      coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end)
        filter (where created_at >= ${before} and created_at < ${since}), 0)::int as used_last_month,
      coalesce(sum(case when kind = 'bought' then count when kind = 'returned' then -count end), 0)::int as bought
    from pool_move where company_id = ${company_id} and resource = 'sms'`.execute(db)
  return { left: sms_left, ...(rows[0] ?? { used: 0, used_month: 0, used_last_month: 0, bought: 0 }) }
}

/** What edition the company holds, and until when; its row held where `lock`. */
export async function editionHeld({ db, company_id }: Pick<Here, 'db' | 'company_id'>, lock = false) {
  const row = db.selectFrom('company').select(['edition', 'edition_until', 'trial_until']).where('id', '=', company_id)
  return (lock ? row.forNoKeyUpdate() : row).executeTakeFirstOrThrow()
}

/** The product that was bought last and runs, at the house's price; null: none, a trial, or it was paid back. */
export async function productHeld(
  here: Here,
  lock = false,
): Promise<{ readonly product: EditionProduct; readonly until: Date } | null> {
  const { db, company_id, now } = here
  const { edition, edition_until: until, trial_until } = await editionHeld(here, lock)
  if (!until || until <= now || trial_until) return null
  const last = await db
    .selectFrom('pay_order')
    .select('product_id')
    .where('company_id', '=', company_id)
    .where('status', '=', 'paid')
    .where('product_id', 'like', 'plus-%')
    .orderBy('paid_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const product = last ? productOf(last.product_id) : null
  return product?.kind === 'edition' && product.edition === edition ? { product, until } : null
}

/** What was bought takes the place of the trial. */
export async function giveEdition(
  { db, company_id }: Pick<Here, 'db' | 'company_id'>,
  { edition, until }: { readonly edition: 50 | 53 | 60; readonly until: Date },
): Promise<void> {
  await db.updateTable('company').set({ edition, edition_until: until, trial_until: null }).where('id', '=', company_id).execute()
}
