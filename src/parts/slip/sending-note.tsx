import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { getSendInfo, pauseSend, resumeSend } from '../../../server/contract/slip.ts'
import type { BatchStatus } from '../../../server/contract/words.ts'
import { query, useCall } from '../../api.ts'
import { dayAndTime } from '../../ui/dates.ts'
import { Progress } from '../../ui/progress.tsx'
import type { Counts } from './words.ts'
import './batch.css'

/** While a batch is on its way: how far, and a way to hold it. */
export function SendingNote(props: { batch_id: string; status: BatchStatus; counts: Counts }) {
  const { batch_id, status, counts } = props
  const moving = status === 'sending' || status === 'scheduled'
  const info = useQuery({
    ...query(getSendInfo, { batch_id }),
    enabled: moving,
    refetchInterval: status === 'sending' ? 2000 : 15_000,
  }).data
  const pause = useCall(pauseSend)
  const resume = useCall(resumeSend)
  if (status === 'sending')
    return (
      <div className="sending-note">
        <div className="ui-grow">
          <Progress
            label="正在发送"
            done={counts.total - counts.queued}
            total={counts.total}
            unit="人"
            seconds={info?.eta_seconds ?? null}
            tone="info"
          />
        </div>
        <Button loading={pause.isPending} onClick={() => pause.mutate({ batch_id })}>
          暂停发送
        </Button>
      </div>
    )
  if (status === 'paused')
    return (
      <div className="sending-note">
        <p className="ui-grow">发送已暂停，还有 {counts.queued} 人没有发出。</p>
        <Button type="primary" loading={resume.isPending} onClick={() => resume.mutate({ batch_id })}>
          继续发送 {counts.queued} 人
        </Button>
      </div>
    )
  if (status === 'scheduled')
    return (
      <div className="sending-note">
        <p>
          将于 {info?.scheduled_at ? dayAndTime(info.scheduled_at) : '约定的时间'} 发送给 {counts.total} 人，在此之前可以撤回。
        </p>
      </div>
    )
  return null
}
