/** The actions for one payslip of a batch, with the reasons if they are not allowed. */
import { sendSingle } from '../../../../server/contract/payslips/send.ts'
import { can } from '../../../../server/contract/shared/statuses.ts'
import { useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import type { RowAction } from '../../../components/table/row-menu.tsx'
import { type ExportChoice, exportChoiceLabels, useExport } from '../batch/export-jobs.ts'
import type { ResendRequest } from '../batch/resend-dialog.tsx'
import type { PayslipListItem } from '../labels.ts'
import type { DetailDialog } from './dialogs.tsx'

/** Returns true if another message can be sent, or the reason why not. */
export const canResend = ({ status, channel }: Pick<PayslipListItem, 'status' | 'channel'>): true | string =>
  status === 'failed' || (channel === 'link' ? '没有消息渠道，请直接把链接发给本人' : can.remind(status))

/** Creates the resend action: withdrawn and failed payslips are sent again; employees who have not viewed theirs are reminded. */
const createResendAction = (
  { line: payslip, batch_id }: { line: PayslipListItem; batch_id: string },
  resend: (one: { salary_id: string }) => void,
  openResend: (what: ResendRequest) => void,
): RowAction =>
  payslip.status === 'withdrawn'
    ? { key: 'again', label: '重新发送', onClick: () => openResend({ only: 'withdrawn', batch_id, count: 1, payslip }) }
    : {
        key: 'again',
        label: payslip.status === 'failed' ? '重发' : '提醒',
        allowed: canResend(payslip),
        onClick: () => resend({ salary_id: payslip.salary_id }),
      }

const createEvidenceActions = (startExport: (what: ExportChoice) => void): RowAction[] =>
  (['paper', 'paper_small', 'paper_large', 'evidence'] as const).map((key) => ({
    key,
    label: exportChoiceLabels[key],
    group: '导出证据',
    onClick: () => startExport(key),
  }))
const createWithdrawAction = ({ status }: PayslipListItem, onClick: () => void): RowAction => ({
  key: 'withdraw',
  label: '撤回',
  danger: true,
  allowed: can.withdraw(status),
  onClick,
})

/** `open` shows the payslip next to the list, `openDialog` a dialog. */
export function usePayslipActions(
  { batch_id, title }: { batch_id: string; title: string },
  { open, send: openDialog }: { open: (line: PayslipListItem) => void; send: (dialog: DetailDialog) => void },
): (line: PayslipListItem) => RowAction[] {
  const { start: startExport } = useExport()
  const resend = useCallMutation(sendSingle, {
    onSuccess: ({ queued }) => toast.success(queued ? '已安排发送' : '没有需要发送的'),
  })
  return (payslip) => [
    { key: 'open', label: '查看工资条', onClick: () => open(payslip) },
    {
      key: 'edit',
      label: '更正',
      allowed: can.edit(payslip.status),
      onClick: () => openDialog({ kind: 'edit', payslip }),
    },
    createResendAction({ line: payslip, batch_id }, resend.mutate, (choice) => openDialog({ kind: 'again', request: choice })),
    ...createEvidenceActions((choice) =>
      startExport({ batch_id, salary_id: payslip.salary_id, title: `${title} ${payslip.name}` }, choice),
    ),
    createWithdrawAction(payslip, () =>
      openDialog({ kind: 'withdraw', request: { salary_id: payslip.salary_id, title, name: payslip.name } }),
    ),
  ]
}
