import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getSendInfo, pauseSend, resumeSend } from '../../../../server/contract/payslips/send.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { formatDateTime } from '../../../components/value/dates.ts'
import { CancelScheduleDialog, ScheduleDialog } from '../../sheets/send/schedule-dialogs.tsx'
import { UndoSendNotice } from '../../sheets/send/undo-send.tsx'
import type { BatchDetail } from '../labels.ts'
import styles from './batch.module.css'

/** Returns the polling interval in milliseconds; false if nothing will change by itself. */
export function getRefetchInterval({ batch }: BatchDetail): number | false {
  if (batch.status === 'scheduled') return batch.undo_seconds === null ? 15_000 : 5_000
  return batch.status === 'sending' || (batch.counts.queued > 0 && batch.status !== 'paused') ? 2_000 : false
}

/** The progress of a running send, with a pause button. */
export function SendingStatusNote(props: {
  batch_id: string
  batch: BatchDetail['batch']
  message_at: number
  view: () => void
}) {
  const { batch_id, batch, message_at: receivedAt, view: onRefresh } = props
  const { status, counts, scheduled_at } = batch
  const [openDialog, setOpenDialog] = useState<'time' | 'cancel' | null>(null)
  const info = useQuery({ ...callQuery(getSendInfo, { batch_id }), enabled: status === 'sending', refetchInterval: 2000 }).data
  const pause = useCallMutation(pauseSend)
  const resume = useCallMutation(resumeSend)
  if (status === 'sending')
    return (
      <div className={styles.sendingNote}>
        <div className="ui-grow">
          <ProgressBar
            label="正在发送"
            done={counts.total - counts.queued}
            total={counts.total}
            unit="人"
            seconds={info?.eta_seconds ?? null}
            color="info"
          />
          {info?.delays.map(({ channel, message }) => (
            <p key={`${channel}${message}`}>{message}</p>
          ))}
        </div>
        <Button loading={pause.isPending} onClick={() => pause.mutate({ batch_id })}>
          暂停发送
        </Button>
      </div>
    )
  if (status === 'paused')
    return (
      <div className={styles.sendingNote}>
        <p className="ui-grow">发送已暂停，还有 {counts.queued} 人没有发出。</p>
        <Button type="primary" loading={resume.isPending} onClick={() => resume.mutate({ batch_id })}>
          继续发送 {counts.queued} 人
        </Button>
      </div>
    )
  if (batch.undo_seconds !== null)
    return (
      <UndoSendNotice
        batch_id={batch_id}
        recipientCount={counts.queued}
        seconds={batch.undo_seconds}
        receivedAt={receivedAt}
        onEnd={onRefresh}
      />
    )
  if (status === 'scheduled' && scheduled_at)
    return (
      <div className={styles.sendingNote}>
        <p className="ui-grow">
          将于 <strong>{formatDateTime(scheduled_at)}</strong> 发送给 {counts.queued} 人，在此之前可以改时间、取消或撤回。
        </p>
        <Button onClick={() => setOpenDialog('time')}>改时间</Button>
        <Button danger onClick={() => setOpenDialog('cancel')}>
          取消定时
        </Button>
        {openDialog === 'time' && <ScheduleDialog {...{ batch_id, scheduled_at }} onClose={() => setOpenDialog(null)} />}
        {openDialog === 'cancel' && (
          <CancelScheduleDialog {...{ batch_id, scheduled_at }} people={counts.queued} onClose={() => setOpenDialog(null)} />
        )}
      </div>
    )
  return null
}
