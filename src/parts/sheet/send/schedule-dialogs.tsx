import { useState } from 'react'
import { pauseSend, setSchedule } from '../../../../server/contract/slip/slip.ts'
import { intent, useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { instantOf, isPast, WallClock, wallOf } from './send-when.tsx'

type Scheduled = { batch_id: string; scheduled_at: string; onClose: () => void }

/** Another time; everything else stays as it was planned. Mounted while it is open. */
export function ScheduleDialog({ batch_id, scheduled_at, onClose }: Scheduled) {
  const [key] = useState(intent)
  const [when, setWhen] = useState(() => wallOf(scheduled_at))
  const change = useCall(setSchedule, {
    key,
    onSuccess: (answer) => {
      toast.done(`已改到 ${dayAndTime(answer.scheduled_at)} 发送`)
      onClose()
    },
  })
  const same = instantOf(when) === instantOf(wallOf(scheduled_at))
  return (
    <ConfirmDialog
      open
      title="改到什么时候发送？"
      action={`改到 ${when.replace('T', ' ')}`}
      busy={change.isPending}
      verdict={isPast(instantOf(when)) ? '请选一个以后的时间' : same ? '时间没有变' : true}
      onConfirm={() => change.mutate({ batch_id, when: instantOf(when) })}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>现在定在 {dayAndTime(scheduled_at)}。发给谁、怎么发都不变。</p>
        <WallClock when={when} onChange={setWhen} />
      </div>
    </ConfirmDialog>
  )
}

/** Undoing the schedule: nothing was sent, and what was chosen is kept for the next time. */
export function CancelDialog(props: Scheduled & { people: number; onCancelled?: () => void }) {
  const { batch_id, scheduled_at, people } = props
  const [key] = useState(intent)
  const cancel = useCall(pauseSend, { key, onSuccess: () => (props.onCancelled ?? props.onClose)() })
  return (
    <ConfirmDialog
      open
      danger
      title="停止这次定时发送？"
      action={`停止发给 ${people} 人`}
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate({ batch_id })}
      onClose={props.onClose}
    >
      <p>{dayAndTime(scheduled_at)} 不会再发。表格、排版和发送选项都还在，可以改好后重新发送。</p>
    </ConfirmDialog>
  )
}
