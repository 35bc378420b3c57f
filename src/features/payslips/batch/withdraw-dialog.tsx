import { Input } from 'antd'
import { useId, useState } from 'react'
import { withdrawBatchPaySheet, withdrawSingleSalary } from '../../../../server/contract/payslips/send.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import styles from './batch.module.css'

export type WithdrawRequest =
  | { batch_id: string; title: string; people: number; waiting?: number; viewed: number }
  | { salary_id: string; title: string; name: string }

/** Messages that were already sent and cannot be recalled. */
const formatUndelivered = (in_flight: number): string =>
  in_flight > 0 ? `；有 ${formatCount(in_flight)} 条通知已经发出、可能稍后送达，点开后显示「已被撤回」` : ''

/** Withdraws one payslip or a batch: states how many employees are affected and asks for a reason. Mounted only while open. */
export function WithdrawDialog({ what: request, onClose }: { what: WithdrawRequest; onClose: () => void }) {
  const id = useId()
  const [key] = useState(createIdempotencyKey)
  const [reason, setReason] = useState('')
  const [missing, setMissing] = useState(false)
  const finish = (text: string) => {
    toast.success(text)
    onClose()
  }
  const withdrawOne = useCallMutation(withdrawSingleSalary, {
    key,
    onSuccess: ({ in_flight }) => finish(`已撤回${formatUndelivered(in_flight)}`),
  })
  const withdrawAll = useCallMutation(withdrawBatchPaySheet, {
    key,
    onSuccess: ({ withdrawn, in_flight }) => finish(`已撤回 ${formatCount(withdrawn)} 人的工资条${formatUndelivered(in_flight)}`),
  })
  const confirm = () => {
    const trimmedReason = reason.trim()
    setMissing(trimmedReason === '')
    if (trimmedReason === '' || withdrawOne.isPending || withdrawAll.isPending) return
    if ('salary_id' in request) withdrawOne.mutate({ salary_id: request.salary_id, reason: trimmedReason })
    else withdrawAll.mutate({ batch_id: request.batch_id, reason: trimmedReason })
  }
  const isBatch = 'batch_id' in request
  return (
    <ConfirmDialog
      open
      danger
      title={isBatch ? '撤回整批工资条？' : `撤回 ${request.name} 的工资条？`}
      action={isBatch ? `撤回 ${formatCount(request.people)} 人` : '撤回 1 人'}
      busy={withdrawOne.isPending || withdrawAll.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className="ui-stack">
        <WithdrawConsequences what={request} />
        <div>
          <label htmlFor={id} className="ui-label">
            撤回原因（只记入日志，员工看不到）
          </label>
          <Input
            id={id}
            value={reason}
            autoFocus
            maxLength={200}
            placeholder="例如：绩效算错，重新发放（员工看不到）"
            status={missing ? 'error' : ''}
            aria-invalid={missing}
            aria-describedby={`${id}-error`}
            onChange={(event) => setReason(event.target.value)}
            onPressEnter={confirm}
          />
          <p id={`${id}-error`} className={styles.formError} role="alert">
            {missing && '请填写撤回原因，会记入日志'}
          </p>
        </div>
      </div>
    </ConfirmDialog>
  )
}

/** The employees who will lose access. */
function WithdrawConsequences({ what: request }: { what: WithdrawRequest }) {
  const isBatch = 'batch_id' in request
  return (
    <p>
      {!isBatch ? (
        <>
          <strong>{request.name}</strong> 将立即打不开「{request.title}」。
        </>
      ) : request.waiting === request.people ? (
        <>
          「{request.title}」还没有发出，撤回后 <strong>{formatCount(request.people)} 人</strong>都不会收到。
        </>
      ) : (
        <>
          「{request.title}」的 <strong>{formatCount(request.people)} 人</strong>将立即打不开这张工资条
          {request.waiting ? `，还没发出的 ${formatCount(request.waiting)} 人不再发送` : ''}。
        </>
      )}
      {!(isBatch && request.waiting === request.people) && '已发出的通知会留在员工手机上，点开后显示「已被撤回」。'}
      {isBatch && request.viewed > 0 && (
        <>
          其中 <strong>{formatCount(request.viewed)} 人已查看</strong>，撤回后将无法再打开。
        </>
      )}
      撤回后可以改好再重新发送。
    </p>
  )
}
