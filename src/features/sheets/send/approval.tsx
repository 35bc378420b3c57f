import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { setApprovalStatusByApprovalNo } from '../../../../server/contract/approvals/approvals.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { doSend, type SendOptions } from '../../../../server/contract/payslips/send.ts'
import { getSendApproval } from '../../../../server/contract/payslips/send-approval.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { formatDateTime, formatShortDateTime } from '../../../components/value/dates.ts'
import styles from '../send.module.css'
import { getSendLabel, hasOpenApproval, type PlanStatus } from './use-plan.ts'

type SendApproval = NonNullable<CallOutput<typeof getSendApproval>['approval']>

export const getSendApprovalQuery = (batch_id: string) => callQuery(getSendApproval, { batch_id })
/** The approval of a batch; true while it is pending, or granted but not yet used. */
export function useSendApproval(batch_id: string) {
  const approvalResult = useQuery({
    ...getSendApprovalQuery(batch_id),
    refetchInterval: ({ state }) => (state.data?.approval?.status === 'waiting' ? 5000 : false),
  })
  return approvalResult.data?.approval ?? null
}

const formatSchedule = ({ scheduled_at }: SendApproval) => (scheduled_at ? `，定在 ${formatDateTime(scheduled_at)}` : '')

/** The button at the foot of step 4; it is not the primary one where the notice above has the next step. */
export function SendButton(props: {
  plan: PlanStatus
  options: SendOptions
  approval: SendApproval | null
  people: number
  allowed: true | string
  loading: boolean
  onClick: () => void
}) {
  const { plan, options, approval, people, ...rest } = props
  return (
    <ActionButton type={hasOpenApproval(plan, approval) ? 'default' : 'primary'} size="large" {...rest}>
      {getSendLabel(plan, options, approval)} {plan?.count ?? people} 人
    </ActionButton>
  )
}

/** A notice above the choices of step 4: the request, its result, and the next step. */
export function SendApprovalNotice({
  batch_id,
  approval,
  onSent,
}: {
  batch_id: string
  approval: SendApproval | null
  onSent: () => void
}) {
  const [openDialog, setOpenDialog] = useState<'send' | 'back' | null>(null)
  if (!approval || approval.status === 'void') return null
  const { status, people, requested_by, requested_at, decided_by, reason, is_own: isOwnRequest } = approval
  if (status === 'returned')
    return (
      <div className={styles.wrong} data-tone="warn" role="alert">
        <Icon name="warn" />
        <div>
          <strong>{decided_by ?? '另一位管理员'}驳回了这次发送，没有发出</strong>
          <p className={styles.names}>{reason ? `原因：${reason}` : '没有写原因，请直接问一下。'}</p>
          <p>改好后重新提交。</p>
        </div>
      </div>
    )
  return (
    <section className={`ui-card ui-row ${styles.clear} ui-words`} aria-label="发送审批" role="status">
      <Icon name="shield" />
      <p className="ui-grow">
        {status === 'approved' ? (
          <>
            <strong>{decided_by ?? '另一位管理员'}已同意</strong>发给 {formatCount(people)} 人{formatSchedule(approval)}
            。现在可以发送；改动任何内容都要重新审批。
          </>
        ) : (
          <>
            <strong>正在等另一位管理员审批</strong>：{requested_by} {formatShortDateTime(requested_at)} 申请发给{' '}
            {formatCount(people)} 人{formatSchedule(approval)}
            。审批前不会发出；改动内容并重新提交，这份申请就作废。
          </>
        )}
      </p>
      {status === 'approved' && (
        <Button type="primary" onClick={() => setOpenDialog('send')}>
          发送 {formatCount(people)} 人
        </Button>
      )}
      {status === 'waiting' && isOwnRequest && <Button onClick={() => setOpenDialog('back')}>撤回申请</Button>}
      {openDialog === 'send' && <SendApprovedDialog {...{ approval, onSent }} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'back' && <WithdrawRequestDialog key={batch_id} approval={approval} onClose={() => setOpenDialog(null)} />}
    </section>
  )
}

function SendApprovedDialog({ approval, onSent, onClose }: { approval: SendApproval; onSent: () => void; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const send = useCallMutation(doSend, { key, onSuccess: onSent })
  return (
    <ConfirmDialog
      open
      title={approval.scheduled_at ? `定在 ${formatDateTime(approval.scheduled_at)} 发送？` : '现在发送？'}
      action={`发送 ${formatCount(approval.people)} 人`}
      busy={send.isPending}
      onConfirm={() => send.mutate({ plan_id: approval.plan_id, looked: true }, { onError: onClose })}
      onClose={onClose}
    >
      就是 {approval.decided_by ?? '另一位管理员'} 同意的那一份：{formatCount(approval.people)} 人，内容、方式和时间都没有变。
    </ConfirmDialog>
  )
}

function WithdrawRequestDialog({ approval, onClose }: { approval: SendApproval; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const decide = useCallMutation(setApprovalStatusByApprovalNo, {
    key,
    onSuccess: () => {
      toast.success('申请已撤回')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title="撤回这份申请？"
      action="撤回申请"
      busy={decide.isPending}
      onConfirm={() => decide.mutate({ approval_no: approval.approval_no, status: 3 })}
      onClose={onClose}
    >
      撤回后不会再审批；需要时可以重新提交。
    </ConfirmDialog>
  )
}
