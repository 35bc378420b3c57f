/** Corrects a single payslip. Totals follow their items; a manually entered total needs a reason. */
import type { Updateable } from 'kysely'
import { getColumnKey } from '../../../contract/payslips/payslip.ts'
import * as contract from '../../../contract/payslips/send.ts'
import { formatFen, formatPlainFen } from '../../../contract/shared/money.ts'
import { can, readableStatuses } from '../../../contract/shared/statuses.ts'
import { isNet, moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { Payslip } from '../../../database/tables.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { parseTypedCell, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { newId } from '../../../shared/ids.ts'
import { openPayslipContent, type PayslipContent, sealPayslipContent } from '../../payslip-records/index.ts'
import { openPayslipLayout, openRecognition } from '../../sheets/display/index.ts'
import { type BatchRow, combineRows, getSectionKey, getSections, getSumTerms } from '../../sheets/index.ts'
import { notifyApprover } from '../plan/approve.ts'
import { cancelOutdatedCorrections, requestCorrectionApproval } from '../plan/correction-approval.ts'
import { assertSendStarted, lockPayslip, queueFollowUp } from '../send/ledger.ts'
import { getSegmentCount } from '../send/message-source.ts'
import { getColumnSums } from './column-sums.ts'
import { type CellChange, getChangePosition, sealCellChange } from './corrections.ts'
import { appendToHistory } from './version-history.ts'

type CellCorrection = { readonly key: string; readonly label: string; readonly change: CellChange }
type CorrectionInput = {
  readonly cells: readonly { key: string; value: string }[]
  readonly mismatch_reason?: string | undefined
}

const getAmounts = (cells: RowCells): Map<string, number> =>
  new Map(Object.entries(cells).flatMap(([key, { fen }]) => (fen === undefined ? [] : [[key, fen] as const])))

/** Applies the entered values to the payslip's content, and updates the totals that depend on them. */
function applyCorrection(
  ctx: HandlerContext,
  batch: BatchRow,
  previousCells: RowCells,
  { cells: editedCells, mismatch_reason }: CorrectionInput,
) {
  const recognition = openRecognition(ctx, batch)
  const sections = getSections(previousCells)
  const labels = new Map(openPayslipLayout(ctx, batch, recognition).sort_list.map((item) => [item.key, item.value]))
  const columns = new Map(recognition.columns.map((column) => [column.key, column]))
  const getLabel = (cell: string) => {
    const key = getColumnKey(cell)
    const label = labels.get(key) ?? columns.get(key)?.label ?? ''
    const at = sections.findIndex(({ row }) => cell === getSectionKey(key, row))
    return at < 0 ? label : `第 ${at + 1} 行 · ${label}`
  }
  const cells: Record<string, RowCell> = { ...previousCells }
  const typedAmounts = new Map<string, number>()
  const changes: CellCorrection[] = []
  const setCell = (key: string, cell: RowCell | null) => {
    const from = cells[key]?.value ?? ''
    if ((cell?.value ?? '') === from) return
    if (cell) cells[key] = cell
    else delete cells[key]
    changes.push({ key, label: getLabel(key), change: { from, to: cell?.value ?? '' } })
  }
  for (const { key, value } of editedCells) {
    const column = columns.get(getColumnKey(key))
    if (!column || (key !== column.key && !sections.some(({ row }) => key === getSectionKey(column.key, row))))
      throw invalidInput('cells', '这张工资表没有这一列，请刷新后重试')
    // Totals over several rows are computed from these rows.
    if (sections.length > 0 && key === column.key)
      throw invalidInput('cells', `这张工资条由 ${sections.length} 行合成，「${getLabel(key)}」请在其中一行里改`)
    const cell = parseTypedCell(value, column.role)
    const isMoney = moneyRoles.has(column.role)
    if (cell && isMoney && cell.fen === undefined) throw invalidInput('cells', `「${getLabel(key)}」应填写金额，例如 8333.33`)
    if (!cell && isNet(column.role)) throw invalidInput('cells', `「${getLabel(key)}」是实发工资，不能为空`)
    if (isMoney) typedAmounts.set(key, cell?.fen ?? 0)
    setCell(key, cell)
  }
  if (changes.length === 0) throw invalidInput('cells', '没有任何改动')
  const { updatedTotals, mismatchedTotals } = contract.propagateTotals(
    getSectionSums(recognition, sections),
    getAmounts(previousCells),
    typedAmounts,
  )
  const [mismatch] = mismatchedTotals
  if (mismatch && !mismatch_reason) {
    const [label, to] = [getLabel(mismatch.key), formatFen(typedAmounts.get(mismatch.key) ?? 0)]
    throw invalidInput(
      'mismatch_reason',
      `「${label}」改成了 ${to}，按各项算是 ${formatFen(mismatch.expected)}；请改成一致，或说明为什么不一样`,
    )
  }
  for (const [key, fen] of updatedTotals) setCell(key, { value: formatPlainFen(fen), kind: 'money', fen })
  if (sections.length > 0) {
    const rows = sections.map(({ row }) => ({ row, cells: getRowCells(cells, row) }))
    const combined = combineRows(rows, recognition.columns, getSumTerms(recognition))
    for (const { key } of recognition.columns) setCell(key, combined[key] ?? null)
  }
  const getAmount = (role: string): number | null => {
    const column = recognition.columns.find((column) => column.role === role)
    return column ? (cells[column.key]?.fen ?? null) : null
  }
  const content: PayslipContent = { cells, net_fen: getAmount('net'), gross_fen: getAmount('gross'), tax_fen: getAmount('tax') }
  return { content, changes }
}

/** Returns the sums of a payslip, each within its own row where several rows were merged into one payslip. */
function getSectionSums(
  recognized: Parameters<typeof getColumnSums>[0],
  sections: readonly { readonly row: number }[],
): contract.ColumnSum[] {
  const sums = getColumnSums(recognized)
  if (sections.length === 0) return sums
  return sections.flatMap(({ row }) => {
    const within = (keys: readonly string[]) => keys.map((key) => getSectionKey(key, row))
    return sums.map(({ key, plus, minus }) => ({ key: getSectionKey(key, row), plus: within(plus), minus: within(minus) }))
  })
}

const getRowCells = (cells: RowCells, row: number): RowCells => getSections(cells).find((one) => one.row === row)?.cells ?? {}

/** The employee may have read the previous version: they are notified, and an earlier confirmation no longer counts. */
const getResetFields = (now: Date): Updateable<Payslip> => ({
  status: 'sent',
  viewed_at: null,
  confirmed_at: null,
  confirmed_version: null,
  confirmed_auto: false,
  confirmed_hash: null,
  signature: null,
  corrected_at: now,
})

export const editSalaryDetail = defineHandler(contract.editSalaryDetail, async (ctx, { salary_id, reason, ...correction }) => {
  const { db, company_id, vault, now, currentUser } = ctx
  const { salary, batch } = await lockPayslip(ctx, salary_id)
  assertAllowed(can.edit(salary.status), { status: salary.status })
  assertSendStarted(batch, salary)
  const previousContent = openPayslipContent(vault, salary)
  const { content, changes } = applyCorrection(ctx, batch, previousContent.cells, correction)
  const net = { from: previousContent.net_fen, to: content.net_fen }
  const approval_no = await requestCorrectionApproval(ctx, { salary, batch, net, changes })
  if (approval_no) return { version: salary.version, approval_no }
  const version = salary.version + 1
  const wasDelivered = readableStatuses.includes(salary.status)
  const updated = await db
    .updateTable('payslip')
    .set({
      version,
      cells: sealPayslipContent(vault, salary_id, version, content),
      ...(wasDelivered ? { ...getResetFields(now), past: appendToHistory(salary) } : {}),
    })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('version', '=', salary.version)
    .where('status', '=', salary.status)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n) throw fail('wrong_state', undefined, { status: salary.status })
  const fullReason = correction.mismatch_reason ? `${reason}（合计和各项不一致：${correction.mismatch_reason}）` : reason
  await db
    .insertInto('payslip_change')
    .values(
      changes.map(({ key, label, change }) => {
        const id = newId()
        return {
          company_id,
          id,
          salary_id,
          batch_id: batch.id,
          version,
          by_admin: currentUser.admin_id,
          by_name: currentUser.name,
          at: now,
          column_key: key,
          column_label: vault.seal(getChangePosition(id, 'column_label'), label),
          change: sealCellChange(vault, id, change),
          reason: vault.seal(getChangePosition(id, 'reason'), fullReason),
        }
      }),
    )
    .execute()
  if (wasDelivered)
    await queueFollowUp(ctx, batch, salary, {
      purpose: 'corrected',
      segments: await getSegmentCount(ctx, batch.id, 'corrected'),
    })
  await cancelOutdatedCorrections(ctx, salary)
  await notifyApprover(ctx, batch)
  ctx.addAuditDetails({ batch_id: batch.id, version, columns: changes.length })
  return { version, approval_no: null }
})
