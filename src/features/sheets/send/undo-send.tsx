import { Button } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { pauseSend, sendNow } from '../../../../server/contract/payslips/send.ts'
import type { BatchStatus } from '../../../../server/contract/shared/schemas.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { StatusDot } from '../../../components/value/status-dot.tsx'

/** Returns the remaining of `seconds`, reported at `receivedAt`: correct whatever this computer's clock shows. */
function useCountdown(seconds: number, receivedAt: number, onOver: () => void): number {
  const [now, setNow] = useState(receivedAt)
  const remaining = Math.max(0, Math.ceil(seconds - (now - receivedAt) / 1000))
  const onEnd = useEffectEvent(onOver)
  // A timer is a side effect outside React.
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  // The server knows the result.
  useEffect(() => {
    if (remaining > 0) return
    const timer = setInterval(onEnd, 1000)
    onEnd()
    return () => clearInterval(timer)
  }, [remaining])
  return remaining
}

/** The status of a batch; a send that can still be undone is shown as pending, not as scheduled by a user. */
export const BatchSendStatus = ({ status, undo_seconds }: { status: BatchStatus; undo_seconds: number | null }) => (
  <StatusDot batch={status} dispatchPending={undo_seconds !== null} />
)

type UndoNoticeProps = {
  batch_id: string
  recipientCount: number
  /** The remaining seconds that the server reported at `receivedAt` (Date.now()). */
  seconds: number
  receivedAt: number
  onEnd: () => void
  onUndone?: () => void
}

/** 发送 was pressed but nothing has been sent yet: shows how long it can still be undone. */
export function UndoSendNotice({ batch_id, recipientCount, seconds, receivedAt, onEnd, onUndone }: UndoNoticeProps) {
  const [key] = useState(createIdempotencyKey)
  const [totalSeconds] = useState(seconds)
  const remaining = useCountdown(seconds, receivedAt, onEnd)
  const undo = useCallMutation(pauseSend, {
    key,
    onSuccess: () => {
      toast.success('已撤销，一条都没有发出；可以改好后重新发送')
      onUndone?.()
    },
  })
  const sendImmediately = useCallMutation(sendNow)
  return (
    <section className="ui-card ui-stack" aria-label="可以撤销">
      <ProgressBar
        label={
          remaining > 0 ? `${remaining} 秒后发给 ${formatCount(recipientCount)} 人` : `开始发给 ${formatCount(recipientCount)} 人`
        }
        done={Math.max(0, totalSeconds - remaining)}
        total={totalSeconds}
        unit="秒"
        color="info"
      />
      <div className="ui-row ui-words">
        <p className="ui-grow ui-hint" role="status">
          尚未发出。撤销不扣短信，已有设置保留。
        </p>
        <Button
          loading={sendImmediately.isPending}
          disabled={remaining === 0 || undo.isPending}
          onClick={() => sendImmediately.mutate({ batch_id })}
        >
          立即发送
        </Button>
        <Button
          danger
          type="primary"
          loading={undo.isPending}
          disabled={remaining === 0 || sendImmediately.isPending}
          onClick={() => undo.mutate({ batch_id })}
        >
          撤销
        </Button>
      </div>
    </section>
  )
}
