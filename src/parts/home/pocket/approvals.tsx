import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { getApprovalList, setApprovalStatusByApprovalNo } from '../../../../server/contract/corp/approval.ts'
import { intent, query, useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { SendFacts } from '../../approval/send-facts.tsx'
import { type Approval, approvalWords } from '../../approval/words.ts'
import employeeStyles from '../../employee/m.module.css'
import { Sheet } from '../../employee/sheet.tsx'
import { Buttons } from './batch-card.tsx'
import styles from './pocket-admin.module.css'

export const waitingApprovals = query(getApprovalList, { status: 0, pagesize: 20 })
/** Applications that wait for me; nothing where there is none. */
export function PocketApprovals() {
  const { data } = useQuery({ ...waitingApprovals, retryOnMount: false })
  const [open, setOpen] = useState<{ approval: Approval; to: 1 | 2 } | null>(null)
  const waiting = (data?.list ?? []).filter(({ may_decide }) => may_decide)
  if (waiting.length === 0) return null
  return (
    <section aria-labelledby="pocket-approvals">
      <h2 id="pocket-approvals">等您审批 · {waiting.length}</h2>
      <ul>
        {waiting.map((approval) => (
          <li key={approval.approval_no} className={styles.card}>
            <div className={styles.line}>
              <strong>{approvalWords[approval.kind]}</strong>
              <span className="ui-hint">{dayAndTime(approval.created_at)}</span>
            </div>
            <p>{approval.text}</p>
            {approval.kind === 'join_agency' ? (
              // On what terms is chosen there.
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
      {open && <DecideSheet {...open} onClose={() => setOpen(null)} />}
    </section>
  )
}

function DecideSheet({ approval, to, onClose }: { approval: Approval; to: 1 | 2; onClose: () => void }) {
  const [key] = useState(intent)
  const [reason, setReason] = useState('')
  const decide = useCall(setApprovalStatusByApprovalNo, {
    key,
    onSuccess: () => {
      toast.done(to === 1 ? '已同意' : '已驳回')
      onClose()
    },
  })
  const moves = to === 1 && approval.batches > 0
  return (
    <Sheet open title={to === 1 ? '同意这份申请？' : '驳回这份申请？'} onClose={onClose}>
      <p>{approval.text}</p>
      {approval.kind === 'send' && <SendFacts approval_no={approval.approval_no} />}
      {moves && (
        <p>
          同意后立即生效：{approval.applicant} 的管理范围和名下 {approval.batches} 个工资批次一并移交，他将退出登录。
        </p>
      )}
      {to === 2 && (
        <label className={styles.field}>
          <span className="ui-label">原因（选填，申请人能看到）</span>
          <textarea maxLength={200} rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
      <Buttons
        action={moves ? `同意并移交 ${approval.batches} 个批次` : to === 1 ? '同意' : '驳回申请'}
        busy={decide.isPending}
        onDo={() =>
          decide.mutate({
            approval_no: approval.approval_no,
            status: to,
            ...(reason.trim() ? { reason: reason.trim() } : {}),
          })
        }
        onClose={onClose}
      />
    </Sheet>
  )
}
