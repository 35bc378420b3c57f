/** My year, and my own tax: the year's sums and the steps, as the company has closed them. What a slip keeps back is not told by a sum either. */
import * as employee from '../../contract/own/employee.ts'
import * as contract from '../../contract/own/own-tax.ts'
import { readable } from '../../contract/words/states.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { openContent } from '../pay/index.ts'
import { ownTaxOf } from '../tax/index.ts'
import { isLeft, mustBeConfirmed, mySlip, ownRows } from './my-slip.ts'
import { yearOf } from './rules/year.ts'
import { isShown, slipsOfMine } from './slips.ts'

/** Nobody is paid more often; whoever is, sees the first of them. */
const most_a_year = 400

/** Pay is taxed in the month it is paid: a slip of last July may stand in this year’s sums, one before that hardly. */
const paid_late = '07'

/** Whether a slip of the year wants a second proof first, has closed, or closes after a look that has not been; or he has left, whatever slips there are. */
export async function isKeptBack(ctx: Ctx, year: number): Promise<boolean> {
  if (isLeft(ctx)) return true
  const rows = await slipsOfMine(ctx)
    .where('salary.status', 'in', readable)
    .where('title.month', '>=', `${year - 1}-${paid_late}`)
    .where('title.month', '<=', `${year}-12`)
    .select(['salary.viewed_at', 'batch.rules'])
    .execute()
  return rows.some((row) => !isShown(ctx, row))
}

export const getSlipTax = handle(contract.getSlipTax, async (ctx, { slip_id }) => {
  const { salary } = await mySlip(ctx, slip_id, { closed: 'refused' })
  const tax = await ownTaxOf(ctx, { ids: [salary.member_id], batch_id: salary.batch_id })
  const kept_back = tax !== null && (await isKeptBack(ctx, Number(tax.month.slice(0, 4))))
  return { tax: kept_back ? null : tax, kept_back }
})

/** Of the newest closed month of a year; null where there is none, or a slip of the year keeps something back. */
async function yearTaxOf(ctx: Ctx, year: number): Promise<contract.OwnTax | null> {
  const tax = await ownTaxOf(ctx, { ids: ownRows(ctx.me), year })
  return tax && !(await isKeptBack(ctx, year)) ? tax : null
}

export const getYearSummary = handle(employee.getYearSummary, async (ctx, { year }) => {
  mustBeConfirmed(ctx)
  const rows = ctx.me.member_id
    ? await slipsOfMine(ctx)
        .where('salary.status', 'in', readable)
        .where('title.month', 'like', `${year}-%`)
        .select(['salary.id', 'salary.version', 'salary.cells', 'salary.viewed_at', 'title.month', 'batch.rules'])
        .limit(most_a_year)
        .execute()
    : []
  const lines = rows.map((row) => ({ month: row.month, shown: isShown(ctx, row) ? openContent(ctx.vault, row) : null }))
  return { year, ...yearOf(lines), tax: await yearTaxOf(ctx, year) }
})
