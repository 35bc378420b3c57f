import { ResendDialog, type ResendRequest } from '../batch/resend-dialog.tsx'
import { WithdrawDialog, type WithdrawRequest } from '../batch/withdraw-dialog.tsx'
import { CorrectPayslipDialog } from '../edit/dialog.tsx'
import type { BatchDetail, PayslipListItem } from '../labels.ts'
import { CorrectionLogDrawer } from '../modify-log.tsx'

export type DetailDialog =
  | { kind: 'withdraw'; request: WithdrawRequest }
  | { kind: 'again'; request: ResendRequest }
  | { kind: 'edit'; payslip: PayslipListItem }
  | { kind: 'log' }

export function DetailDialogs(props: { dialog: DetailDialog | null; batch_id: string; data: BatchDetail; onClose: () => void }) {
  const { dialog, batch_id, data, onClose } = props
  if (dialog?.kind === 'withdraw') return <WithdrawDialog what={dialog.request} onClose={onClose} />
  if (dialog?.kind === 'again') return <ResendDialog what={dialog.request} onClose={onClose} />
  if (dialog?.kind === 'edit')
    return <CorrectPayslipDialog payslip={dialog.payslip} columns={data.columns} sums={data.sums} onClose={onClose} />
  return dialog?.kind === 'log' ? <CorrectionLogDrawer batch_id={batch_id} onClose={onClose} /> : null
}
