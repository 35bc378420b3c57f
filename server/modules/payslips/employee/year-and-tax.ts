/**
 * The employee's year and tax: the yearly sums and the tax computation as closed by the company. What a payslip
 * withholds is not revealed by a sum either.
 */
import * as employee from '../../../contract/payslips/employee.ts'
import * as contract from '../../../contract/payslips/employee-tax.ts'
import { readableStatuses } from '../../../contract/shared/statuses.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { openPayslipContent } from '../../payslip-records/index.ts'
import { getOwnTax } from '../../tax/index.ts'
import { assertPhoneConfirmed, getOwnMemberIds, lockOwnPayslip, requiresViewGrant } from './payslip-access.ts'
import { isPayslipVisible, selectOwnPayslips } from './payslips.ts'
import { summarizeYear } from './rules/year-summary.ts'

/** No employee gets more; beyond the limit only the first ones are shown. */
const maxPayslipsPerYear = 400

/** Pay is taxed in the month of payment: a payslip from last July may be part of this year's sums, an earlier one hardly. */
const latePaymentFromMonth = '07'

/**
 * Whether a payslip of the year requires a second verification, has closed, or closes after a first view that has not
 * happened; or the employee was terminated, even without payslips.
 */
export async function isYearHidden(ctx: HandlerContext, year: number): Promise<boolean> {
  if (requiresViewGrant(ctx)) return true
  const rows = await selectOwnPayslips(ctx)
    .where('payslip.status', 'in', readableStatuses)
    .where('title.month', '>=', `${year - 1}-${latePaymentFromMonth}`)
    .where('title.month', '<=', `${year}-12`)
    .select(['payslip.viewed_at', 'batch.rules'])
    .execute()
  return rows.some((row) => !isPayslipVisible(ctx, row))
}

export const getSlipTax = defineHandler(contract.getSlipTax, async (ctx, { slip_id }) => {
  const { salary } = await lockOwnPayslip(ctx, slip_id, { closed: 'refused' })
  const tax = await getOwnTax(ctx, { ids: [salary.member_id], batch_id: salary.batch_id })
  const withheld = tax !== null && (await isYearHidden(ctx, Number(tax.month.slice(0, 4))))
  return { tax: withheld ? null : tax, is_hidden: withheld }
})

/** Finds the tax of the newest closed month of a year; null if there is none, or a payslip of the year is withheld. */
async function findYearTax(ctx: HandlerContext, year: number): Promise<contract.EmployeeTax | null> {
  const tax = await getOwnTax(ctx, { ids: getOwnMemberIds(ctx.currentUser), year })
  return tax && !(await isYearHidden(ctx, year)) ? tax : null
}

export const getYearSummary = defineHandler(employee.getYearSummary, async (ctx, { year }) => {
  assertPhoneConfirmed(ctx)
  const rows = ctx.currentUser.member_id
    ? await selectOwnPayslips(ctx)
        .where('payslip.status', 'in', readableStatuses)
        .where('title.month', 'like', `${year}-%`)
        .select(['payslip.id', 'payslip.version', 'payslip.cells', 'payslip.viewed_at', 'title.month', 'batch.rules'])
        .limit(maxPayslipsPerYear)
        .execute()
    : []
  const payslips = rows.map((row) => ({
    month: row.month,
    amounts: isPayslipVisible(ctx, row) ? openPayslipContent(ctx.vault, row) : null,
  }))
  return { year, ...summarizeYear(payslips), tax: await findYearTax(ctx, year) }
})
