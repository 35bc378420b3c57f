import { useState } from 'react'
import { pauseSend, setSchedule } from '../../../../server/contract/payslips/send.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { formatDateTime } from '../../../components/value/dates.ts'
import { toInstant } from '../../../components/value/wall-clock.ts'
import { isPast, toWallClock, WallClockField } from './send-time.tsx'

type ScheduledBatch = { batch_id: string; scheduled_at: string; onClose: () => void }

/** Changes the scheduled time; the rest of the plan stays. Mounted only while open. */
export function ScheduleDialog({ batch_id, scheduled_at, onClose }: ScheduledBatch) {
  const [key] = useState(createIdempotencyKey)
  const [when, setWhen] = useState(() => toWallClock(scheduled_at))
  const change = useCallMutation(setSchedule, {
    key,
    onSuccess: (answer) => {
      toast.success(`已改到 ${formatDateTime(answer.scheduled_at)} 发送`)
      onClose()
    },
  })
  const isUnchanged = toInstant(when) === toInstant(toWallClock(scheduled_at))
  return (
    <ConfirmDialog
      open
      title="修改发送时间"
      action={`改到 ${when.replace('T', ' ')}`}
      busy={change.isPending}
      allowed={isPast(toInstant(when)) ? '请选一个以后的时间' : isUnchanged ? '时间没有变' : true}
      onConfirm={() => change.mutate({ batch_id, when: toInstant(when) })}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>现在定在 {formatDateTime(scheduled_at)}。接收人和发送渠道不变。</p>
        <WallClockField when={when} onChange={setWhen} />
      </div>
    </ConfirmDialog>
  )
}

/** Cancels the schedule: nothing was sent, and the options stay stored for the next time. */
export function CancelScheduleDialog(props: ScheduledBatch & { people: number; onCancelled?: () => void }) {
  const { batch_id, scheduled_at, people: recipientCount } = props
  const [key] = useState(createIdempotencyKey)
  const cancel = useCallMutation(pauseSend, { key, onSuccess: () => (props.onCancelled ?? props.onClose)() })
  return (
    <ConfirmDialog
      open
      danger
      title="停止这次定时发送？"
      action={`停止发给 ${formatCount(recipientCount)} 人`}
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate({ batch_id })}
      onClose={props.onClose}
    >
      <p>{formatDateTime(scheduled_at)} 不会再发。表格、排版和发送选项都还在，可以改好后重新发送。</p>
    </ConfirmDialog>
  )
}
