import { useState } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import type { getIndex } from '../../../../../server/contract/company/company.ts'
import { sendBatch, withdrawBatchPaySheet } from '../../../../../server/contract/payslips/send.ts'
import { can } from '../../../../../server/contract/shared/statuses.ts'
import { useCallMutation } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { ProgressBar, SegmentedBar } from '../../../../components/state/progress.tsx'
import { formatShortDateTime } from '../../../../components/value/dates.ts'
import { StatusDot } from '../../../../components/value/status-dot.tsx'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import employeeStyles from '../../../payslips/employee/m.module.css'
import { MobileSendApproval } from './approval.tsx'
import styles from './mobile-admin.module.css'

export type MobileBatch = CallOutput<typeof getIndex>['batches'][number]
const formatPeople = (people: number) => `${people.toLocaleString('zh-CN')} 人`

const formatNoReminderReason = ({ sent, viewed, failed }: MobileBatch): string => {
  if (sent + failed === 0) return '还没发出'
  return sent > viewed ? '只有链接' : '都看过了'
}

/** One batch of this month: its progress, and the actions available on a phone. */
export function BatchCard({ batch, isTitleRepeated }: { batch: MobileBatch; isTitleRepeated: boolean }) {
  const { total, sent, viewed, confirmed, feedback, failed, remindable, status, soon } = batch
  const [open, setOpen] = useState<'remind' | 'withdraw' | null>(null)
  const unviewed = Math.max(0, sent - viewed)
  const isSent = can.withdrawBatch(status) === true
  return (
    <li className={styles.card}>
      <div className={styles.line}>
        <strong>{batch.title || '未命名的工资表'}</strong>
        <StatusDot batch={status} dispatchPending={soon} />
      </div>
      {status === 'sending' ? (
        <ProgressBar label="正在发送" done={sent + failed} total={total} unit="人" />
      ) : isSent ? (
        <SegmentedBar
          labels
          total={total}
          sections={[
            { label: '已确认', value: confirmed, color: 'ok' },
            { label: '已查看，未确认', value: Math.max(0, viewed - confirmed), color: 'info' },
            { label: '未查看', value: unviewed, color: 'track' },
            { label: '失败', value: failed, color: 'danger' },
          ]}
        />
      ) : null}
      <p className="ui-hint">
        共 {formatPeople(total)}
        {isTitleRepeated && ` · ${formatShortDateTime(batch.updated_at)} 更新`}
        {feedback > 0 && ` · ${formatPeople(feedback)}有反馈`}
      </p>
      {!isSent && <MobileSendApproval batch_id={batch.batch_id} />}
      {isSent && (
        <div className={styles.acts}>
          <button
            type="button"
            className={`ui-button ${employeeStyles.button}`}
            disabled={remindable === 0}
            onClick={() => setOpen('remind')}
          >
            {remindable > 0 ? `提醒 ${formatPeople(remindable)}` : formatNoReminderReason(batch)}
          </button>
          <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={() => setOpen('withdraw')}>
            撤回
          </button>
        </div>
      )}
      {open === 'remind' && <RemindSheet batch={batch} onClose={() => setOpen(null)} />}
      {open === 'withdraw' && <WithdrawSheet batch={batch} onClose={() => setOpen(null)} />}
    </li>
  )
}

type BatchSheetProps = { batch: MobileBatch; onClose: () => void }

function RemindSheet({ batch, onClose }: BatchSheetProps) {
  const { remindable } = batch
  const remind = useCallMutation(sendBatch, {
    onSuccess: ({ queued, skipped }) => {
      toast.success(skipped > 0 ? `提醒 ${queued} 人，${skipped} 人今天已经提醒过或不能提醒` : `已提醒 ${queued} 人`)
      onClose()
    },
  })
  return (
    <BottomSheet open title="提醒还没有查看的人？" onClose={onClose}>
      <p>
        「{batch.title}」还有 {formatPeople(remindable)}没有查看，会按原来的方式再发一条提醒；一个人一天最多提醒 3 次。
      </p>
      <SheetButtons
        action={`提醒 ${formatPeople(remindable)}`}
        busy={remind.isPending}
        onDo={() => remind.mutate({ batch_id: batch.batch_id, only: 'unviewed' })}
        onClose={onClose}
      />
    </BottomSheet>
  )
}

function WithdrawSheet({ batch, onClose }: BatchSheetProps) {
  const [reason, setReason] = useState('')
  const withdraw = useCallMutation(withdrawBatchPaySheet, {
    onSuccess: ({ withdrawn, in_flight }) => {
      toast.success(
        in_flight > 0 ? `已撤回 ${withdrawn} 人，${in_flight} 条消息可能仍会送到，但打不开` : `已撤回 ${withdrawn} 人`,
      )
      onClose()
    },
  })
  return (
    <BottomSheet open title="撤回整批工资条？" onClose={onClose}>
      <p>
        「{batch.title}」的 {formatPeople(batch.total)}会立刻看不到这张工资条；还没有发出的不再发送。
      </p>
      <label className={styles.field}>
        <span className="ui-label">原因（选填，只有管理员能看到）</span>
        <textarea maxLength={200} rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <SheetButtons
        action={`撤回 ${formatPeople(batch.total)}`}
        busy={withdraw.isPending}
        onDo={() => withdraw.mutate({ batch_id: batch.batch_id, ...(reason.trim() ? { reason: reason.trim() } : {}) })}
        onClose={onClose}
      />
    </BottomSheet>
  )
}

export function SheetButtons(props: {
  action: string
  busy: boolean
  disabled?: boolean
  onDo: () => void
  onClose: () => void
}) {
  return (
    <div className={styles.acts}>
      <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={props.onClose}>
        取消
      </button>
      <button
        type="button"
        className={`ui-button ${employeeStyles.button} ${employeeStyles.primary}`}
        disabled={props.busy || props.disabled}
        aria-busy={props.busy}
        onClick={props.onDo}
      >
        {props.action}
      </button>
    </div>
  )
}
