/** The changes from the previous month and their reasons, based only on what the employee's two payslips show. */

import * as contract from '../../../contract/payslips/employee-data.ts'
import type { Payslip } from '../../../contract/payslips/payslip.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { openPayslipContent } from '../../payslip-records/index.ts'
import { openRecognition, openTitle } from '../../sheets/display/index.ts'
import { getOwnTax } from '../../tax/index.ts'
import { renderBatchPayslip } from '../payslip/render.ts'
import { lockOwnPayslip, renderOwnPayslip } from './payslip-access.ts'
import { findPreviousPayslip, isPayslipVisible } from './payslips.ts'
import { explainChanges, formatComparedMonth, getMonthItems, type MonthItems } from './rules/explain-changes.ts'
import { isYearHidden } from './year-and-tax.ts'

type SealedSheet = Parameters<typeof openRecognition>[1]
const getColumnRoles = (ctx: HandlerContext, batch: SealedSheet): ReadonlyMap<string, ColumnRole> =>
  new Map(openRecognition(ctx, batch).columns.map(({ key, role }) => [key, role]))

/** Renders the previous payslip as the employee would see it now; null if there is none or it may not be shown for comparison. */
async function renderPreviousPayslip(
  ctx: HandlerContext,
  batch: Parameters<typeof findPreviousPayslip>[1],
  { name, corp_name }: Payslip,
) {
  const row = await findPreviousPayslip(ctx, batch)
  if (!row || !isPayslipVisible(ctx, row)) return null
  const previousBatch = {
    id: row.batch_id,
    recognition: row.recognition,
    layout: row.layout,
    title_name: openTitle(ctx.vault, row.title_id, row.title),
    title_month: row.month,
  }
  const { batch_id, member_id } = row
  return {
    slip: renderBatchPayslip(ctx, previousBatch, openPayslipContent(ctx.vault, row), { name, corp_name }),
    roles: getColumnRoles(ctx, previousBatch),
    batch_id,
    member_id,
  }
}

/** Adds the taxable amount from the company's closed tax period where the payslip does not show it, as `getSlipTax` allows. */
async function addTaxableAmount(
  ctx: HandlerContext,
  items: MonthItems,
  { member_id, batch_id }: { member_id: string; batch_id: string },
): Promise<MonthItems> {
  if (items.taxable_fen !== null) return items
  const tax = await getOwnTax(ctx, { ids: [member_id], batch_id })
  if (!tax || (await isYearHidden(ctx, Number(tax.month.slice(0, 4))))) return items
  return { ...items, taxable_fen: tax.cum_taxable_fen, taxedMonth: tax.month }
}

export const getSlipChanges = defineHandler(contract.getSlipChanges, async (ctx, { slip_id }) => {
  const payslip = await lockOwnPayslip(ctx, slip_id, { closed: 'refused' })
  const { slip } = await renderOwnPayslip(ctx, payslip)
  const previous = await renderPreviousPayslip(ctx, payslip.batch, slip)
  const currentItems = getMonthItems(slip, getColumnRoles(ctx, payslip.batch))
  const previousItems = previous && getMonthItems(previous.slip, previous.roles)
  ctx.addAuditDetails({ batch_id: payslip.batch.id, version: payslip.salary.version })
  if (!currentItems || !previousItems) return { compared_to: null, difference_fen: 0, changes: [] }
  const [current, earlier] = [
    await addTaxableAmount(ctx, currentItems, payslip.salary),
    await addTaxableAmount(ctx, previousItems, previous),
  ]
  return {
    compared_to: formatComparedMonth(currentItems.month, previousItems.month),
    difference_fen: currentItems.net_fen - previousItems.net_fen,
    changes: explainChanges(current, earlier),
  }
})
