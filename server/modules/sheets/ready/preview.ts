/** Preview of a batch before sending: a payslip as the employee will see it, and the members of the batch. */
import { isNet } from '../../../contract/sheets/column-roles.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { parseCellAmount, type RowCells } from '../../../rules/amounts.ts'
import { getMemberName, isPayablePayslip } from '../../directory/index.ts'
import { findPaidPayslip } from '../../payslip-records/index.ts'
import { type BatchRow, requireBatch, requireBatchForPayslips } from '../access.ts'
import { loadMembers } from '../check/run-check.ts'
import { findRowsByName } from '../names/row-names.ts'
import { openPayslipLayout, openRecognition } from '../recognition.ts'
import { getCombinedRows, loadRowPage } from '../rows/stored-rows.ts'
import { readIdentity } from '../rules/check/amount-issues.ts'
import { matchMember, Roster } from '../rules/check/member-match.ts'
import { renderPayslip } from '../rules/render-payslip.ts'
import { getUnitPowers, toYuanCells } from '../rules/unit.ts'

export const getPreview = defineHandler(contract.getPreview, async (ctx, { batch_id, row, salary_id }) => {
  const batch = await (salary_id ? requireBatchForPayslips : requireBatch)(ctx, batch_id, 'view')
  const recognition = openRecognition(ctx, batch)
  const { cells, name } = salary_id ? await loadSentCells(ctx, batch, salary_id) : await loadRowCells(ctx, batch, row)
  return renderPayslip({
    layout: openPayslipLayout(ctx, batch, recognition),
    columns: recognition.columns,
    formula: recognition.formula,
    cells: toYuanCells(cells, getUnitPowers(recognition.columns, recognition.questions)),
    title: batch.title_name ?? '',
    month: batch.title_month,
    corp_name: ctx.currentUser.company_name,
    name: name ?? readIdentity(cells, recognition.columns).names[0] ?? '',
  })
})

/** Loads the current cells of a row; by default of the first row that will be sent. */
async function loadRowCells(
  ctx: HandlerContext,
  batch: BatchRow,
  row: number | undefined,
): Promise<{ cells: RowCells; name: null }> {
  if (row !== undefined) {
    const [one] = await getCombinedRows(ctx, batch.id, [row])
    if (!one) throw fail('not_found', '表里没有这一行，请刷新后重试')
    return { cells: one.cells, name: null }
  }
  const { rows } = await loadRowPage(ctx, batch.id, { from: 0, count: 1, only: null })
  if (rows[0]) return { cells: rows[0].cells, name: null }
  throw fail('not_found', '这一批里没有可以预览的人')
}

/** Loads the cells of a sent payslip in its current version. */
async function loadSentCells(
  ctx: HandlerContext,
  batch: BatchRow,
  salary_id: string,
): Promise<{ cells: RowCells; name: string }> {
  const payslip = await findPaidPayslip(ctx, batch.id, salary_id, isPayablePayslip(ctx))
  if (!payslip) throw fail('not_found')
  return { cells: payslip.content.cells, name: (await getMemberName(ctx, payslip.member_id)) ?? '' }
}

export const getPreviewMember = defineHandler(contract.getPreviewMember, async (ctx, { batch_id, name, page, pagesize }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const { columns } = openRecognition(ctx, batch)
  const net = columns.find((column) => isNet(column.role))?.key
  const from = (page - 1) * pagesize
  const only = name ? await findRowsByName(ctx, batch.id, columns, name) : null
  const { rows, total } = await loadRowPage(ctx, batch.id, { from, count: pagesize, only })
  const roster = new Roster(await loadMembers(ctx))
  return {
    list: rows.map(({ row, cells, member_id: assignedMemberId }) => {
      const identity = readIdentity(cells, columns)
      const { member } = matchMember(identity, roster, assignedMemberId, (card) =>
        ctx.vault.blindIndex('id_card', card).toString('hex'),
      )
      return {
        row,
        member_id: member?.id ?? null,
        name: identity.names[0] ?? '',
        department: identity.department || (member?.departments ?? ''),
        net_fen: net ? parseCellAmount(cells[net]).fen : null,
      }
    }),
    page: { page, pagesize, total },
  }
})
