/** Renders payslips that were sent. */
import type { HandlerContext } from '../../../http/handler.ts'
import type { PayslipContent } from '../../payslip-records/index.ts'
import { openPayslipLayout, openRecognition, renderPayslip } from '../../sheets/display/index.ts'
import { type BatchRow } from '../../sheets/index.ts'

/** Renders a payslip of this batch as the employee sees it. */
export function renderBatchPayslip(
  ctx: Pick<HandlerContext, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'recognition' | 'layout' | 'title_name' | 'title_month'>,
  content: PayslipContent,
  recipient: { readonly name: string; readonly corp_name: string },
) {
  const recognition = openRecognition(ctx, batch)
  return renderPayslip({
    layout: openPayslipLayout(ctx, batch, recognition),
    columns: recognition.columns,
    formula: recognition.formula,
    cells: content.cells,
    title: batch.title_name ?? '',
    month: batch.title_month,
    ...recipient,
  })
}
