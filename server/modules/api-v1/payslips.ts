/** Payslips and tax results below /api/v1. */
import * as contract from '../../contract/api-v1/payslips.ts'
import { bindHandlers, defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { getMemberRowIds } from '../directory/index.ts'
import { listPayslipStates, listPayslipReceipts as listReceipts } from '../payslips/index.ts'
import { requireBatchForPayslips } from '../sheets/index.ts'
import { listMonthResultsAfter } from '../tax/index.ts'
import { parseIdCursor, toPage } from './cursor.ts'
import { resolveEmployee, toNames } from './employees.ts'
import { loadReferences } from './references.ts'

type PayslipState = Awaited<ReturnType<typeof listPayslipStates>>[number]
async function toPayslips(ctx: HandlerContext, rows: readonly PayslipState[]) {
  const batches = await loadReferences(
    ctx,
    'batch_id',
    rows.map(({ batch_id }) => batch_id),
  )
  const members = await loadReferences(
    ctx,
    'member_id',
    rows.map(({ member_id }) => member_id),
  )
  return rows.map(({ payslip_id, batch_id, status, version, has_feedback, sent_at, viewed_at, confirmed_at, ...row }) => ({
    payslip_id,
    batch_id,
    batch_external_id: batches.get(batch_id) ?? null,
    employee: toNames({ ...row, id: row.member_id }, members),
    status,
    version,
    has_feedback,
    sent_at,
    viewed_at,
    confirmed_at,
  }))
}

const listPayslips = defineHandler(contract.listPayslips, async (ctx, { batch_id, status, cursor, limit, ...reference }) => {
  const isEmployeeNamed = Object.values(reference).some((one) => one !== undefined)
  if (!batch_id && !isEmployeeNamed) throw invalidInput('batch_id', '请指明批次或员工')
  if (batch_id) await requireBatchForPayslips(ctx, batch_id, 'view')
  const rows = await listPayslipStates(ctx, {
    batch_id,
    // A rehired employee has several rows on the roster.
    ...(isEmployeeNamed && { member_ids: await getMemberRowIds(ctx, await resolveEmployee(ctx, reference)) }),
    status,
    after: parseIdCursor(cursor),
    limit: limit + 1,
  })
  const { data, next_cursor } = toPage(rows, limit, ({ payslip_id }) => payslip_id)
  return { data: await toPayslips(ctx, data), next_cursor }
})

const getPayslip = defineHandler(contract.getPayslip, async (ctx, { payslip_id }) => {
  const [payslip] = await toPayslips(ctx, await listPayslipStates(ctx, { payslip_id, after: null, limit: 1 }))
  if (!payslip) throw fail('not_found')
  return payslip
})

const listPayslipReceipts = defineHandler(contract.listPayslipReceipts, async (ctx, { payslip_id }) => {
  // The name under which employees see who viewed their payslips.
  ctx.addAuditDetails({ salary_id: payslip_id })
  return { data: await listReceipts(ctx, payslip_id) }
})

const listTaxResults = defineHandler(contract.listTaxResults, async (ctx, { month, cursor, limit }) => {
  const results = await listMonthResultsAfter(ctx, month, { after: parseIdCursor(cursor), limit: limit + 1 })
  if (!results) throw fail('not_found', '这个月还没有申报期')
  const { data: list, next_cursor } = toPage(results.list, limit, ({ member_id }) => member_id)
  const references = await loadReferences(
    ctx,
    'member_id',
    list.map(({ member_id }) => member_id),
  )
  return {
    month,
    status: results.status,
    data: list.map(({ member_id, name, employee_no, income_fen, bonus_fen, result }) => {
      const computed = result?.refused === null ? result : null
      return {
        employee: toNames({ id: member_id, name, employee_no }, references),
        income_fen,
        bonus_fen,
        taxable_income_cumulative_fen: computed?.cum_taxable_fen ?? null,
        tax_cumulative_fen: computed?.cum_tax_fen ?? null,
        tax_fen: computed?.tax_fen ?? null,
        bonus_tax_fen: computed?.bonus_tax_fen ?? null,
        reason: result ? result.refused : '还没有计算',
      }
    }),
    next_cursor,
  }
})

export const createProgramPayslipHandlers = () =>
  bindHandlers(contract, { listPayslips, getPayslip, listPayslipReceipts, listTaxResults })
