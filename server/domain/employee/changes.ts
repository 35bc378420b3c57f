/** What is different from the month before, and why: of what my two slips show, and nothing that either hides. */

import * as contract from '../../contract/own/own.ts'
import type { Slip } from '../../contract/slip/payslip.ts'
import type { ColumnRole } from '../../contract/words/words.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { openContent } from '../pay/index.ts'
import { openTitle, understoodOf } from '../sheet/index.ts'
import { slipOf } from '../slip/index.ts'
import { ownTaxOf } from '../tax/index.ts'
import { mySlip, shownTo } from './my-slip.ts'
import { explain, type MonthItems, monthItemsOf, sinceWord } from './rules/explained.ts'
import { isShown, slipBefore } from './slips.ts'
import { isKeptBack } from './tax.ts'

type Sealed = Parameters<typeof understoodOf>[1]
const rolesOf = (ctx: Ctx, batch: Sealed): ReadonlyMap<string, ColumnRole> =>
  new Map(understoodOf(ctx, batch).columns.map(({ key, role }) => [key, role]))

/** The slip before as it would be shown to me now; null where there is none, or it is not shown beside another. */
async function shownBefore(ctx: Ctx, batch: Parameters<typeof slipBefore>[1], { name, corp_name }: Slip) {
  const row = await slipBefore(ctx, batch)
  if (!row || !isShown(ctx, row)) return null
  const its = {
    id: row.batch_id,
    understood: row.understood,
    layout: row.layout,
    title_name: openTitle(ctx.vault, row.title_id, row.title),
    title_month: row.month,
  }
  const { batch_id, member_id } = row
  return {
    slip: slipOf(ctx, its, openContent(ctx.vault, row), { name, corp_name }),
    roles: rolesOf(ctx, its),
    batch_id,
    member_id,
  }
}

/** Where the slip itself does not show what is taxed: as the company has closed it, under the conditions of `getSlipTax`. */
async function withTax(
  ctx: Ctx,
  items: MonthItems,
  { member_id, batch_id }: { member_id: string; batch_id: string },
): Promise<MonthItems> {
  if (items.taxable_fen !== null) return items
  const tax = await ownTaxOf(ctx, { ids: [member_id], batch_id })
  if (!tax || (await isKeptBack(ctx, Number(tax.month.slice(0, 4))))) return items
  return { ...items, taxable_fen: tax.cum_taxable_fen, taxed_in: tax.month }
}

export const getSlipChanges = handle(contract.getSlipChanges, async (ctx, { slip_id }) => {
  const mine = await mySlip(ctx, slip_id, { closed: 'refused' })
  const { slip } = await shownTo(ctx, mine)
  const before = await shownBefore(ctx, mine.batch, slip)
  const to = monthItemsOf(slip, rolesOf(ctx, mine.batch))
  const from = before && monthItemsOf(before.slip, before.roles)
  ctx.about({ batch_id: mine.batch.id, version: mine.salary.version })
  if (!to || !from) return { since: null, difference_fen: 0, lines: [] }
  const [now, then] = [await withTax(ctx, to, mine.salary), await withTax(ctx, from, before)]
  return { since: sinceWord(to.month, from.month), difference_fen: to.net_fen - from.net_fen, lines: explain(now, then) }
})
