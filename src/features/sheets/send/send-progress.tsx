import { Button } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type getSendInfo, pauseSend, resumeSend, sendNow } from '../../../../server/contract/payslips/send.ts'
import { useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { formatDateTime } from '../../../components/value/dates.ts'
import styles from '../send.module.css'
import { CancelScheduleDialog, ScheduleDialog } from './schedule-dialogs.tsx'

export type SendInfo = CallOutput<typeof getSendInfo>
/** Counts the messages with a final result. */
export const countDone = (info: SendInfo) => Math.max(0, info.total - info.queued)

/** The send rate per minute as observed by this page; measured every five seconds. */
function useSendRate(done: number, running: boolean): number | null {
  const [rate, setRate] = useState<number | null>(null)
  const sample = useEffectEvent(() => ({ at: Date.now(), done }))
  // A timer is a side effect outside React; a pause restarts it.
  useEffect(() => {
    if (!running) return
    let previous = sample()
    const timer = setInterval(() => {
      const current = sample()
      setRate(
        current.done > previous.done ? Math.round(((current.done - previous.done) / (current.at - previous.at)) * 60_000) : null,
      )
      previous = current
    }, 5000)
    return () => {
      clearInterval(timer)
      setRate(null)
    }
  }, [running])
  return rate
}

/** The progress of a send, with a pause button. Leaving the page stops nothing. */
export function SendProgress({ batch_id, info }: { batch_id: string; info: SendInfo }) {
  const pause = useCallMutation(pauseSend)
  const resume = useCallMutation(resumeSend)
  const paused = info.status === 'paused'
  const rate = useSendRate(countDone(info), info.status === 'sending')
  return (
    <section className="ui-card ui-stack" aria-label="发送进度">
      <ProgressBar
        label={paused ? '已暂停' : '正在发送'}
        done={countDone(info)}
        total={info.total}
        unit="人"
        seconds={paused ? null : info.eta_seconds}
        color={paused ? 'warn' : 'brand'}
      />
      {!paused && info.delays.map(({ channel, message }) => <p key={`${channel}${message}`}>{message}</p>)}
      <div className="ui-row">
        <p className="ui-grow ui-hint">
          {paused
            ? `还有 ${formatCount(info.queued)} 人没有发；已经发出的不受影响`
            : `${rate ? `每分钟约 ${formatCount(rate)} 人。` : ''}可以离开这个页面，发送会继续`}
        </p>
        {paused ? (
          <Button type="primary" loading={resume.isPending} onClick={() => resume.mutate({ batch_id })}>
            继续发送 {formatCount(info.queued)} 人
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

/** A scheduled send; it can be cancelled or rescheduled. */
export function ScheduledSend(props: { batch_id: string; info: SendInfo; scheduled_at: string; onCancelled: () => void }) {
  const { batch_id, info, scheduled_at, onCancelled } = props
  const sendImmediately = useCallMutation(sendNow)
  const [openDialog, setOpenDialog] = useState<'time' | 'cancel' | null>(null)
  const close = () => setOpenDialog(null)
  return (
    <section className={`ui-card ui-row ${styles.clear} ui-words`} aria-label="定时发送">
      <Icon name="send" size={24} />
      <p className="ui-grow">
        <strong>
          {formatDateTime(scheduled_at)} 发给 {formatCount(info.queued)} 人
        </strong>
        <br />
        北京时间。到时间会自己发出，不用开着这个页面。
      </p>
      <Button loading={sendImmediately.isPending} onClick={() => sendImmediately.mutate({ batch_id })}>
        立即发送
      </Button>
      <Button onClick={() => setOpenDialog('time')}>改时间</Button>
      <Button danger onClick={() => setOpenDialog('cancel')}>
        取消定时
      </Button>
      {openDialog === 'time' && <ScheduleDialog {...{ batch_id, scheduled_at }} onClose={close} />}
      {openDialog === 'cancel' && (
        <CancelScheduleDialog {...{ batch_id, scheduled_at, onCancelled }} people={info.queued} onClose={close} />
      )}
    </section>
  )
}
