import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getSendInfo, pauseSend, resumeSend } from '../../../../server/contract/slip/slip.ts'
import { query, useCall } from '../../../api.ts'
import { Progress } from '../../../ui/state/progress.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { CancelDialog, ScheduleDialog } from '../../sheet/send/schedule-dialogs.tsx'
import { UndoNote } from '../../sheet/send/undo.tsx'
import type { Detail } from '../words.ts'
import styles from './batch.module.css'

/** After so many milliseconds something may have changed by itself; false: nothing will. */
export function lookAgain({ batch }: Detail): number | false {
  if (batch.status === 'scheduled') return batch.undo_seconds === null ? 15_000 : 5_000
  return batch.status === 'sending' || (batch.counts.queued > 0 && batch.status !== 'paused') ? 2_000 : false
}

/** While a batch is on its way: how far, and a way to hold it. */
export function SendingNote(props: { batch_id: string; batch: Detail['batch']; said_at: number; look: () => void }) {
  const { batch_id, batch, said_at, look } = props
  const { status, counts, scheduled_at } = batch
  const [asking, setAsking] = useState<'time' | 'cancel' | null>(null)
  const info = useQuery({ ...query(getSendInfo, { batch_id }), enabled: status === 'sending', refetchInterval: 2000 }).data
  const pause = useCall(pauseSend)
  const resume = useCall(resumeSend)
  if (status === 'sending')
    return (
      <div className={styles.sendingNote}>
        <div className="ui-grow">
          <Progress
            label="正在发送"
            done={counts.total - counts.queued}
            total={counts.total}
            unit="人"
            seconds={info?.eta_seconds ?? null}
            tone="info"
          />
          {info?.waiting.map(({ channel, message }) => (
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
    return <UndoNote batch_id={batch_id} people={counts.total} seconds={batch.undo_seconds} said_at={said_at} onOver={look} />
  if (status === 'scheduled' && scheduled_at)
    return (
      <div className={styles.sendingNote}>
        <p className="ui-grow">
          将于 <strong>{dayAndTime(scheduled_at)}</strong> 发送给 {counts.total} 人，在此之前可以改时间、取消或撤回。
        </p>
        <Button onClick={() => setAsking('time')}>改时间</Button>
        <Button danger onClick={() => setAsking('cancel')}>
          取消定时
        </Button>
        {asking === 'time' && <ScheduleDialog {...{ batch_id, scheduled_at }} onClose={() => setAsking(null)} />}
        {asking === 'cancel' && (
          <CancelDialog {...{ batch_id, scheduled_at }} people={counts.total} onClose={() => setAsking(null)} />
        )}
      </div>
    )
  return null
}
