import { Input } from 'antd'
import { useId, useState } from 'react'
import { setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import styles from './approval.module.css'
import type { Approval } from './labels.ts'
import { SendDetails } from './send-details.tsx'

/** The decision: 1 to approve, 2 to reject, 3 to withdraw one's own application. */
export type ApprovalDecision = { approval: Approval; status: 1 | 2 | 3 }

const decisionLabels = {
  1: { title: '同意这份申请？', action: '同意', done: '已同意' },
  2: { title: '驳回这份申请？', action: '驳回申请', done: '已驳回' },
  3: { title: '撤回这份申请？', action: '撤回申请', done: '申请已撤回' },
} as const

/** States the effect of an approval before it is given. */
export function ApprovalDecisionDialog({ approval, status, onClose }: ApprovalDecision & { onClose: () => void }) {
  const id = useId()
  const [key] = useState(createIdempotencyKey)
  const [reason, setReason] = useState('')
  const decide = useCallMutation(setApprovalStatusByApprovalNo, {
    key,
    onSuccess: () => {
      toast.success(decisionLabels[status].done)
      onClose()
    },
  })
  const confirm = () =>
    decide.mutate({ approval_no: approval.approval_no, status, ...(reason.trim() ? { reason: reason.trim() } : {}) })
  return (
    <ConfirmDialog
      open
      danger={status === 2}
      title={decisionLabels[status].title}
      action={status === 1 && approval.batches > 0 ? `同意并移交 ${approval.batches} 个批次` : decisionLabels[status].action}
      busy={decide.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p className={styles.what}>{approval.summary}</p>
        {approval.kind === 'unbind' && approval.reason && <p>{approval.reason}</p>}
        {status !== 3 && approval.kind === 'send' && <SendDetails approval_no={approval.approval_no} />}
        {status === 1 && approval.kind === 'wage_transfer' && (
          <p>
            同意后立即生效：{approval.applicant} 的管理范围和名下 <strong>{approval.batches} 个工资批次</strong>
            一并移交，他将退出登录，不再是薪酬管理员。
          </p>
        )}
        {status === 2 && (
          <div>
            <label htmlFor={id} className="ui-label">
              原因（选填，申请人能看到）
            </label>
            <Input
              id={id}
              autoFocus
              maxLength={200}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              onPressEnter={confirm}
            />
          </div>
        )}
        {status === 3 && <p>撤回后，需要时可以重新申请。</p>}
      </div>
    </ConfirmDialog>
  )
}
