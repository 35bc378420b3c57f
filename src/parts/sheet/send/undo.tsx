import { Button } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { pauseSend, sendNow } from '../../../../server/contract/slip/slip.ts'
import type { BatchStatus } from '../../../../server/contract/words/words.ts'
import { intent, useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import { Progress } from '../../../ui/state/progress.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'

/** Seconds that are left of `seconds`, which the server said at `said_at`: whatever this machine's clock shows, the time between is the same. */
function useCountdown(seconds: number, said_at: number, onOver: () => void): number {
  const [now, setNow] = useState(said_at)
  const left = Math.max(0, Math.ceil(seconds - (now - said_at) / 1000))
  const over = useEffectEvent(onOver)
  // The clock is outside.
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  // What became of it the server knows.
  useEffect(() => {
    if (left > 0) return
    const timer = setInterval(over, 1000)
    over()
    return () => clearInterval(timer)
  }, [left])
  return left
}

/** A batch's state; while it can be undone nobody chose a time, it is about to leave. */
export const SendingStatus = ({ status, undo_seconds }: { status: BatchStatus; undo_seconds: number | null }) => (
  <StatusDot batch={status} soon={undo_seconds !== null} />
)

type Undoing = {
  batch_id: string
  people: number
  /** As the server said at `said_at` (Date.now()). */
  seconds: number
  said_at: number
  onOver: () => void
  onUndone?: () => void
}

/** 发送 was pressed, nothing has left yet: how long it can still be taken back. */
export function UndoNote({ batch_id, people, seconds, said_at, onOver, onUndone }: Undoing) {
  const [key] = useState(intent)
  const [whole] = useState(seconds)
  const left = useCountdown(seconds, said_at, onOver)
  const undo = useCall(pauseSend, {
    key,
    onSuccess: () => {
      toast.done('已撤销，一条都没有发出；可以改好后重新发送')
      onUndone?.()
    },
  })
  const now = useCall(sendNow)
  return (
    <section className="ui-card ui-stack" aria-label="可以撤销">
      <Progress
        label={left > 0 ? `${left} 秒后开始发给 ${people} 人` : `开始发给 ${people} 人`}
        done={Math.max(0, whole - left)}
        total={whole}
        unit="秒"
        tone="info"
      />
      <div className="ui-row ui-words">
        <p className="ui-grow ui-hint" role="status">
          现在一条都没有发出。撤销不扣短信，表格、排版和选项都还在。
        </p>
        <Button loading={now.isPending} disabled={left === 0 || undo.isPending} onClick={() => now.mutate({ batch_id })}>
          立即发送
        </Button>
        <Button
          danger
          type="primary"
          loading={undo.isPending}
          disabled={left === 0 || now.isPending}
          onClick={() => undo.mutate({ batch_id })}
        >
          撤销
        </Button>
      </div>
    </section>
  )
}
