/** The income of a batch for a tax period: from the payslips if it was sent, otherwise from the checked wage sheet. */
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { streamBatchPayslips } from '../../payslip-records/index.ts'
import { openRecognition } from '../../sheets/display/index.ts'
import { type BatchRow, requireBatch, requireBatchForPayslips } from '../../sheets/index.ts'
import {
  createCellLoader,
  createTaxAmountsReader,
  getAdditionsToGross,
  getLeafDeductions,
  loadReadyRows,
  type SheetTaxAmounts,
} from '../../sheets/ready/index.ts'
import { createImportedIncome, type ImportedIncome, mergeAmounts, toBonusAmounts } from '../rules/amounts.ts'

type IncomeKind = ImportedIncome['way']
const rowsPerChunk = 300

/** Reads amounts by member; members out of scope are not read. A member with two payslips in one batch is paid both. */
export async function loadBatchIncome(
  ctx: HandlerContext,
  batch_id: string,
  incomeKind: IncomeKind,
): Promise<Map<string, ImportedIncome>> {
  const batch = await requireBatchForPayslips(ctx, batch_id, 'view')
  if (batch.status === 'withdrawn') throw fail('wrong_state', '这一批工资条已经撤回，不能引入收入', { status: batch.status })
  const recognition = openRecognition(ctx, batch)
  const reader = createTaxAmountsReader(recognition.columns, getLeafDeductions(recognition), getAdditionsToGross(recognition))
  if (!reader)
    throw fail(
      'wrong_state',
      '这张工资表里没有应发合计，也没有应发项，无法引入收入；请在「核对」中指定列的用途，或手工填写收入',
      {
        status: batch.status,
      },
    )
  const byMember = new Map<string, ImportedIncome>()
  const addIncome = (member_id: string, { tax_fen, ...amountsInput }: SheetTaxAmounts) => {
    const amounts = incomeKind === 'bonus' ? toBonusAmounts(amountsInput) : amountsInput
    const existing = byMember.get(member_id)
    byMember.set(
      member_id,
      createImportedIncome(
        batch_id,
        incomeKind,
        existing ? mergeAmounts([existing.amounts, amounts]) : amounts,
        existing?.tax_fen == null ? tax_fen : existing.tax_fen + (tax_fen ?? 0),
      ),
    )
  }
  // While the rest of a batch is scheduled, its first part is paid.
  const isSent =
    batch.status !== 'draft' && batch.status !== 'checked' && (batch.status !== 'scheduled' || batch.sent_at !== null)
  if (isSent) {
    for await (const page of streamBatchPayslips(ctx, batch_id, isPayablePayslip(ctx)))
      for (const { member_id, content } of page) addIncome(member_id, reader(content.cells))
    return byMember
  }
  const fullBatch = await requireBatch(ctx, batch_id, 'view')
  for await (const { member_id, amounts } of streamSheetIncome(ctx, fullBatch, reader)) addIncome(member_id, amounts)
  return byMember
}

/** Streams the rows of a wage sheet that was checked and has no errors left. */
async function* streamSheetIncome(
  ctx: HandlerContext,
  batch: BatchRow,
  reader: (
    cells: Awaited<ReturnType<ReturnType<typeof createCellLoader>>> extends ReadonlyMap<number, infer C> ? C : never,
  ) => SheetTaxAmounts,
) {
  const rows = await loadReadyRows(ctx, batch, false, { includesSent: true })
  const loadCells = createCellLoader(ctx, batch)
  for (let from = 0; from < rows.length; from += rowsPerChunk) {
    const chunk = rows.slice(from, from + rowsPerChunk)
    const cells = await loadCells(chunk.map(({ row }) => row))
    for (const { row, member_id } of chunk) {
      const rowCells = cells.get(row)
      if (rowCells) yield { member_id, amounts: reader(rowCells) }
    }
  }
}
