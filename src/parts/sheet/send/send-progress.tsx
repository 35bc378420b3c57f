import { Button } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type getSendInfo, pauseSend, resumeSend, sendNow } from '../../../../server/contract/slip/slip.ts'
import { useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import styles from '../send.module.css'
import { CancelDialog, ScheduleDialog } from './schedule-dialogs.tsx'

export type Info = OutputOf<typeof getSendInfo>
/** Messages that are decided, one way or the other. */
export const doneOf = (info: Info) => Math.max(0, info.total - info.queued)

/** People a minute, from what this page saw; measured anew every five seconds. */
function useRate(done: number, running: boolean): number | null {
  const [rate, setRate] = useState<number | null>(null)
  const look = useEffectEvent(() => ({ at: Date.now(), done }))
  // The clock is outside; a pause begins it anew.
  useEffect(() => {
    if (!running) return
    let before = look()
    const timer = setInterval(() => {
      const now = look()
      setRate(now.done > before.done ? Math.round(((now.done - before.done) / (now.at - before.at)) * 60_000) : null)
      before = now
    }, 5000)
    return () => {
      clearInterval(timer)
      setRate(null)
    }
  }, [running])
  return rate
}

/** How the sending goes, with a way to stop it. Leaving the page stops nothing. */
export function SendProgress({ batch_id, info }: { batch_id: string; info: Info }) {
  const pause = useCall(pauseSend)
  const resume = useCall(resumeSend)
  const paused = info.status === 'paused'
  const rate = useRate(doneOf(info), info.status === 'sending')
  return (
    <section className="ui-card ui-stack" aria-label="发送进度">
      <Progress
        label={paused ? '已暂停' : '正在发送'}
        done={doneOf(info)}
        total={info.total}
        unit="人"
        seconds={paused ? null : info.eta_seconds}
        tone={paused ? 'warn' : 'brand'}
      />
      {!paused && info.waiting.map(({ channel, message }) => <p key={`${channel}${message}`}>{message}</p>)}
      <div className="ui-row">
        <p className="ui-grow ui-hint">
          {paused
            ? `还有 ${info.queued} 人没有发；已经发出的不受影响`
            : `${rate ? `每分钟约 ${rate.toLocaleString('zh-CN')} 人。` : ''}可以离开这个页面，发送会继续`}
        </p>
        {paused ? (
          <Button type="primary" loading={resume.isPending} onClick={() => resume.mutate({ batch_id })}>
            继续发送 {info.queued} 人
          </Button>
        ) : (
          <Button loading={pause.isPending} onClick={() => pause.mutate({ batch_id })}>
            暂停
          </Button>
        )}
      </div>
    </section>
  )
}

/** Waiting for its time; can be called off, or put off. */
export function Scheduled(props: { batch_id: string; info: Info; scheduled_at: string; onCancelled: () => void }) {
  const { batch_id, info, scheduled_at, onCancelled } = props
  const now = useCall(sendNow)
  const [asking, setAsking] = useState<'time' | 'cancel' | null>(null)
  const close = () => setAsking(null)
  return (
    <section className={`ui-card ui-row ${styles.clear} ui-words`} aria-label="定时发送">
      <Icon name="send" size={24} />
      <p className="ui-grow">
        <strong>
          {dayAndTime(scheduled_at)} 发给 {info.total} 人
        </strong>
        <br />
        北京时间。到时间会自己发出，不用开着这个页面。
      </p>
      <Button loading={now.isPending} onClick={() => now.mutate({ batch_id })}>
        立即发送
      </Button>
      <Button onClick={() => setAsking('time')}>改时间</Button>
      <Button danger onClick={() => setAsking('cancel')}>
        取消定时
      </Button>
      {asking === 'time' && <ScheduleDialog {...{ batch_id, scheduled_at }} onClose={close} />}
      {asking === 'cancel' && <CancelDialog {...{ batch_id, scheduled_at, onCancelled }} people={info.total} onClose={close} />}
    </section>
  )
}
