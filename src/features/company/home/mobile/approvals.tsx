import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { getApprovalList, setApprovalStatusByApprovalNo } from '../../../../../server/contract/approvals/approvals.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { formatDateTime } from '../../../../components/value/dates.ts'
import { type Approval, approvalKindLabels } from '../../../approvals/labels.ts'
import { SendDetails } from '../../../approvals/send-details.tsx'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import employeeStyles from '../../../payslips/employee/m.module.css'
import { SheetButtons } from './batch-card.tsx'
import styles from './mobile-admin.module.css'

export const pendingApprovalsQuery = callQuery(getApprovalList, { status: 0, pagesize: 20 })
/** Applications that wait for the current user; renders nothing if there are none. */
export function MobileApprovals() {
  const { data } = useQuery({ ...pendingApprovalsQuery, retryOnMount: false })
  const [open, setOpen] = useState<{ approval: Approval; to: 1 | 2 } | null>(null)
  const pending = (data?.list ?? []).filter(({ can_decide }) => can_decide)
  if (pending.length === 0) return null
  return (
    <section aria-labelledby="pocket-approvals">
      <h2 id="pocket-approvals">等您审批 · {pending.length}</h2>
      <ul>
        {pending.map((approval) => (
          <li key={approval.approval_no} className={styles.card}>
            <div className={styles.line}>
              <strong>{approvalKindLabels[approval.kind]}</strong>
              <span className="ui-hint">{formatDateTime(approval.created_at)}</span>
            </div>
            <p>
              {approval.applicant && <b>{approval.applicant} </b>}
              {approval.summary}
            </p>
            {approval.kind === 'join_agency' ? (
              // The terms are chosen on that page.
              <Link to="/agency" search={{ view: 'approval', status: 0 }} className={styles.more}>
                去待办里选择服务范围
              </Link>
            ) : (
              <div className={styles.acts}>
                <button
                  type="button"
                  className={`ui-button ${employeeStyles.button}`}
                  onClick={() => setOpen({ approval, to: 2 })}
                >
                  驳回
                </button>
                <button
                  type="button"
                  className={`ui-button ${employeeStyles.button} ${employeeStyles.primary}`}
                  onClick={() => setOpen({ approval, to: 1 })}
                >
                  同意
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {open && <ApprovalDecisionSheet {...open} onClose={() => setOpen(null)} />}
    </section>
  )
}

function ApprovalDecisionSheet({ approval, to: status, onClose }: { approval: Approval; to: 1 | 2; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const [reason, setReason] = useState('')
  const decide = useCallMutation(setApprovalStatusByApprovalNo, {
    key,
    onSuccess: () => {
      toast.success(status === 1 ? '已同意' : '已驳回')
      onClose()
    },
  })
  const transfersBatches = status === 1 && approval.batches > 0
  return (
    <BottomSheet open title={status === 1 ? '同意这份申请？' : '驳回这份申请？'} onClose={onClose}>
      <p>{approval.summary}</p>
      {approval.kind === 'send' && <SendDetails approval_no={approval.approval_no} />}
      {transfersBatches && (
        <p>
          同意后立即生效：{approval.applicant} 的管理范围和名下 {approval.batches} 个工资批次一并移交，他将退出登录。
        </p>
      )}
      {status === 2 && (
        <label className={styles.field}>
          <span className="ui-label">原因（选填，申请人能看到）</span>
          <textarea maxLength={200} rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
      <SheetButtons
        action={transfersBatches ? `同意并移交 ${approval.batches} 个批次` : status === 1 ? '同意' : '驳回申请'}
        busy={decide.isPending}
        onDo={() =>
          decide.mutate({
            approval_no: approval.approval_no,
            status,
            ...(reason.trim() ? { reason: reason.trim() } : {}),
          })
        }
        onClose={onClose}
      />
    </BottomSheet>
  )
}
