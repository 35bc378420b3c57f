/** Exports the payslips of a batch as a workbook, or a list of who viewed and confirmed them. */

import { type AmountSign, applySign } from '../../../contract/shared/money.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { channelLabels, payslipStatusLabels } from '../../../contract/shared/statuses.ts'
import { moneyRoles } from '../../../contract/sheets/column-roles.ts'
import { createXlsxStream, type XlsxValue } from '../../../files/xlsx-writer.ts'
import { parseCellAmount, type RowCell } from '../../../rules/amounts.ts'
import { openPayslipContent } from '../../payslip-records/index.ts'
import { getAmountSigns, openPayslipLayout, openRecognition } from '../../sheets/display/index.ts'
import { ExportTotals, selectExportColumns } from '../rules/export-columns.ts'
import { type ExportContext, type ExportRow, streamPages } from './export-context.ts'
import { formatTime } from './pdf-content.ts'

/** Amounts are exact numbers, even if the column became an amount column after the sheet was read. */
function toXlsxValue(cell: RowCell | undefined, role: ColumnRole, sign: AmountSign | undefined): XlsxValue {
  const fen = moneyRoles.has(role) ? parseCellAmount(cell).fen : null
  return fen === null ? (cell?.value ?? null) : { fen: applySign(fen, sign ?? 'own') }
}
const getFen = (value: XlsxValue): number | null => (typeof value === 'object' && value !== null ? value.fen : null)
const toAmountValue = (fen: number | null): XlsxValue => (fen === null ? null : { fen })

/** Returns the columns of the file and the signs of their amounts. */
function getExportColumns({ vault, task }: ExportContext) {
  const recognition = openRecognition({ vault }, task)
  const layout = openPayslipLayout({ vault }, task, recognition)
  const columns = task.what === 'detail' ? selectExportColumns(recognition.columns, layout.sort_list) : []
  return { columns, signs: getAmountSigns({ ...recognition, layout }) }
}

const formatStatusCells = (row: ExportRow): string[] => [
  row.confirmed_auto && row.status === 'confirmed' ? '到期自动确认' : payslipStatusLabels[row.status].label,
  channelLabels[row.channel],
  formatTime(row.sent_at),
  formatTime(row.viewed_at),
  formatTime(row.confirmed_at),
]

export async function exportWageSheet(exportContext: ExportContext): Promise<void> {
  const { task, vault } = exportContext
  const isStatus = task.what === 'status'
  const { columns, signs } = getExportColumns(exportContext)
  const totals = new ExportTotals()
  const widths = [12, 20, ...columns.map(() => 14), 10, 10, 17, 17, 17]
  const sheet = createXlsxStream(exportContext.write, {
    sheet: task.title_name ?? '工资条',
    widths,
    mark: exportContext.export_id,
  })
  const statusHeaders = ['状态', '渠道', '发送时间', '查看时间', '确认时间', ...(isStatus ? ['反馈', '版本'] : [])]
  await sheet.row(['员工', '部门', ...columns.map(({ label }) => label), ...statusHeaders], 'head')
  for await (const { rows } of streamPages(exportContext, async () => null))
    for (const row of rows) {
      const cells = columns.length > 0 ? openPayslipContent(vault, row).cells : {}
      const values = columns.map(({ key, role }) => toXlsxValue(cells[key], role, signs.get(key)))
      totals.add(row.status, columns, values.map(getFen))
      const feedbackCells = isStatus ? [row.has_feedback ? '有' : '', `第 ${row.version} 版`] : []
      await sheet.row([row.name, row.departments, ...values, ...formatStatusCells(row), ...feedbackCells])
    }
  if (columns.length > 0)
    await sheet.row([totals.label, '', ...columns.map((column) => toAmountValue(totals.get(column)))], 'total')
  await sheet.end()
}
