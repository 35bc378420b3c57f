import { type Again, AgainDialog } from '../batch/again-dialog.tsx'
import { type Withdrawal, WithdrawDialog } from '../batch/withdraw-dialog.tsx'
import { EditDialog } from '../edit/dialog.tsx'
import { ModifyLogDrawer } from '../modify-log.tsx'
import type { Detail, SlipLine } from '../words.ts'

export type DetailDialog =
  | { kind: 'withdraw'; what: Withdrawal }
  | { kind: 'again'; what: Again }
  | { kind: 'edit'; line: SlipLine }
  | { kind: 'log' }

/** What is asked about a batch or one slip of it. */
export function DetailDialogs(props: { dialog: DetailDialog | null; batch_id: string; data: Detail; onClose: () => void }) {
  const { dialog, batch_id, data, onClose } = props
  if (dialog?.kind === 'withdraw') return <WithdrawDialog what={dialog.what} onClose={onClose} />
  if (dialog?.kind === 'again') return <AgainDialog what={dialog.what} onClose={onClose} />
  if (dialog?.kind === 'edit') return <EditDialog line={dialog.line} columns={data.columns} sums={data.sums} onClose={onClose} />
  return dialog?.kind === 'log' ? <ModifyLogDrawer batch_id={batch_id} onClose={onClose} /> : null
}
