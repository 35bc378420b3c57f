import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { setApprovalStatusByApprovalNo } from '../../../../server/contract/corp/approval.ts'
import { doSend } from '../../../../server/contract/slip/slip.ts'
import { getSendApproval } from '../../../../server/contract/wage/send/approve.ts'
import { intent, query, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { dayAndTime, shortTime } from '../../../ui/value/dates.ts'
import styles from '../send.module.css'

type Asked = NonNullable<OutputOf<typeof getSendApproval>['approval']>

export const approvalQuery = (batch_id: string) => query(getSendApproval, { batch_id })
/** How the approval of a batch stands; true as long as one is waited for, or was given and not used. */
export function useApproval(batch_id: string) {
  const asked = useQuery({
    ...approvalQuery(batch_id),
    refetchInterval: ({ state }) => (state.data?.approval?.state === 'waiting' ? 5000 : false),
  })
  return asked.data?.approval ?? null
}

const whenOf = ({ scheduled_at }: Asked) => (scheduled_at ? `，定在 ${dayAndTime(scheduled_at)}` : '')

/** Above the choices of step 4: what was asked for, what became of it, and what to do next. */
export function ApprovalNote({ batch_id, approval, onSent }: { batch_id: string; approval: Asked | null; onSent: () => void }) {
  const [asking, setAsking] = useState<'send' | 'back' | null>(null)
  if (!approval || approval.state === 'void') return null
  const { state, people, asked_by, asked_at, decided_by, reason, mine } = approval
  if (state === 'returned')
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
        {state === 'approved' ? (
          <>
            <strong>{decided_by ?? '另一位管理员'}已同意</strong>发给 {people} 人{whenOf(approval)}
            。现在可以发送；改动任何内容都要重新审批。
          </>
        ) : (
          <>
            <strong>正在等另一位管理员审批</strong>：{asked_by} {shortTime(asked_at)} 申请发给 {people} 人{whenOf(approval)}
            。审批前不会发出；改动内容并重新提交，这份申请就作废。
          </>
        )}
      </p>
      {state === 'approved' && (
        <Button type="primary" onClick={() => setAsking('send')}>
          发送 {people} 人
        </Button>
      )}
      {state === 'waiting' && mine && <Button onClick={() => setAsking('back')}>撤回申请</Button>}
      {asking === 'send' && <SendApproved {...{ approval, onSent }} onClose={() => setAsking(null)} />}
      {asking === 'back' && <TakeBack key={batch_id} approval={approval} onClose={() => setAsking(null)} />}
    </section>
  )
}

function SendApproved({ approval, onSent, onClose }: { approval: Asked; onSent: () => void; onClose: () => void }) {
  const [key] = useState(intent)
  const send = useCall(doSend, { key, onSuccess: onSent })
  return (
    <ConfirmDialog
      open
      title={approval.scheduled_at ? `定在 ${dayAndTime(approval.scheduled_at)} 发送？` : '现在发送？'}
      action={`发送 ${approval.people} 人`}
      busy={send.isPending}
      onConfirm={() => send.mutate({ plan_id: approval.plan_id, looked: true }, { onError: onClose })}
      onClose={onClose}
    >
      就是 {approval.decided_by ?? '另一位管理员'} 同意的那一份：{approval.people} 人，内容、方式和时间都没有变。
    </ConfirmDialog>
  )
}

function TakeBack({ approval, onClose }: { approval: Asked; onClose: () => void }) {
  const [key] = useState(intent)
  const decide = useCall(setApprovalStatusByApprovalNo, {
    key,
    onSuccess: () => {
      toast.done('申请已撤回')
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
