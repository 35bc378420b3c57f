import { Input } from 'antd'
import { useId, useState } from 'react'
import { withdrawBatchPaySheet, withdrawSingleSalary } from '../../../../server/contract/slip/slip.ts'
import { intent, useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import styles from './batch.module.css'

export type Withdrawal =
  | { batch_id: string; title: string; people: number; waiting?: number; viewed: number }
  | { salary_id: string; title: string; name: string }

/** Messages that left before and cannot be called back. */
const still = (under_way: number): string =>
  under_way > 0 ? `；有 ${under_way} 条通知已经发出、可能稍后送达，点开后显示「已被撤回」` : ''

/** Taking back one slip or a whole batch: says for how many people, and asks why. Mounted while it is open. */
export function WithdrawDialog({ what, onClose }: { what: Withdrawal; onClose: () => void }) {
  const id = useId()
  const [key] = useState(intent)
  const [reason, setReason] = useState('')
  const [missing, setMissing] = useState(false)
  const done = (text: string) => {
    toast.done(text)
    onClose()
  }
  const one = useCall(withdrawSingleSalary, { key, onSuccess: ({ under_way }) => done(`已撤回${still(under_way)}`) })
  const all = useCall(withdrawBatchPaySheet, {
    key,
    onSuccess: ({ withdrawn, under_way }) => done(`已撤回 ${withdrawn} 人的工资条${still(under_way)}`),
  })
  const confirm = () => {
    const why = reason.trim()
    setMissing(why === '')
    if (why === '' || one.isPending || all.isPending) return
    if ('salary_id' in what) one.mutate({ salary_id: what.salary_id, reason: why })
    else all.mutate({ batch_id: what.batch_id, reason: why })
  }
  const many = 'batch_id' in what
  return (
    <ConfirmDialog
      open
      danger
      title={many ? '撤回整批工资条？' : `撤回 ${what.name} 的工资条？`}
      action={many ? `撤回 ${what.people} 人` : '撤回 1 人'}
      busy={one.isPending || all.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className="ui-stack">
        <Consequences what={what} />
        <div>
          <label htmlFor={id} className="ui-label">
            撤回原因
          </label>
          <Input
            id={id}
            value={reason}
            autoFocus
            maxLength={200}
            placeholder="例如：绩效算错，重新发放"
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

/** Who will not be able to open it any more. */
function Consequences({ what }: { what: Withdrawal }) {
  const many = 'batch_id' in what
  return (
    <p>
      {!many ? (
        <>
          <strong>{what.name}</strong> 将立即打不开「{what.title}」。
        </>
      ) : what.waiting === what.people ? (
        <>
          「{what.title}」还没有发出，撤回后 <strong>{what.people} 人</strong>都不会收到。
        </>
      ) : (
        <>
          「{what.title}」的 <strong>{what.people} 人</strong>将立即打不开这张工资条
          {what.waiting ? `，还没发出的 ${what.waiting} 人不再发送` : ''}。
        </>
      )}
      {!(many && what.waiting === what.people) && '已发出的通知会留在员工手机上，点开后显示「已被撤回」。'}
      {many && what.viewed > 0 && (
        <>
          其中 <strong>{what.viewed} 人已经看过</strong>，他们会发现打不开了。
        </>
      )}
      撤回后可以改好再重新发送。
    </p>
  )
}
