/** The slips of a batch as a sheet, or who has seen and confirmed them. */
import { moneyRoles } from '../../../contract/sheet/column-roles.ts'
import { type Sign, signed } from '../../../contract/words/money.ts'
import { channelWords, salaryWords } from '../../../contract/words/states.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { amountOf, type RowCell } from '../../../rules/amounts.ts'
import { streamXlsx, type XlsxValue } from '../../../runtime/files/xlsx.ts'
import { openContent } from '../../pay/index.ts'
import { layoutOf, signsOf, understoodOf } from '../../sheet/index.ts'
import { ExportTotals, exportColumns } from '../rules/export-columns.ts'
import { type ExportRow, type Making, pagesOf } from './page.ts'
import { timeOf } from './said.ts'

/** Amounts are numbers, to the fen, also where the column became one of amounts after the sheet was read. */
function valueOf(cell: RowCell | undefined, role: ColumnRole, sign: Sign | undefined): XlsxValue {
  const fen = moneyRoles.has(role) ? amountOf(cell).fen : null
  return fen === null ? (cell?.value ?? null) : { fen: signed(fen, sign ?? 'own') }
}
const fenOf = (value: XlsxValue): number | null => (typeof value === 'object' && value !== null ? value.fen : null)
const fenOrNothing = (fen: number | null): XlsxValue => (fen === null ? null : { fen })

/** The columns of the file, and how their amounts are signed. */
function columnsOf({ vault, task }: Making) {
  const understood = understoodOf({ vault }, task)
  const layout = layoutOf({ vault }, task, understood)
  const columns = task.what === 'detail' ? exportColumns(understood.columns, layout.sort_list) : []
  return { columns, signs: signsOf({ ...understood, layout }) }
}

const statusOf = (row: ExportRow): string[] => [
  row.confirmed_auto && row.status === 'confirmed' ? '到期自动确认' : salaryWords[row.status].word,
  channelWords[row.channel],
  timeOf(row.sent_at),
  timeOf(row.viewed_at),
  timeOf(row.confirmed_at),
]

export async function wageSheet(making: Making): Promise<void> {
  const { task, vault } = making
  const isStatus = task.what === 'status'
  const { columns, signs } = columnsOf(making)
  const totals = new ExportTotals()
  const widths = [12, 20, ...columns.map(() => 14), 10, 10, 17, 17, 17]
  const sheet = streamXlsx(making.write, { sheet: task.title_name ?? '工资条', widths })
  const ends = ['状态', '渠道', '发送时间', '查看时间', '确认时间', ...(isStatus ? ['疑问', '版本'] : [])]
  await sheet.row(['员工', '部门', ...columns.map(({ label }) => label), ...ends], 'head')
  for await (const { rows } of pagesOf(making, async () => null))
    for (const row of rows) {
      const cells = columns.length > 0 ? openContent(vault, row).cells : {}
      const values = columns.map(({ key, role }) => valueOf(cells[key], role, signs.get(key)))
      totals.add(row.status, columns, values.map(fenOf))
      const more = isStatus ? [row.has_feedback ? '有' : '', `第 ${row.version} 版`] : []
      await sheet.row([row.name, row.departments, ...values, ...statusOf(row), ...more])
    }
  if (columns.length > 0)
    await sheet.row([totals.label, '', ...columns.map((column) => fenOrNothing(totals.of(column)))], 'total')
  await sheet.end()
}
