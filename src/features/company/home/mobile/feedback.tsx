import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { getFeedBackDetail, getFeedBackList, handleFeedback } from '../../../../../server/contract/payslips/feedback.ts'
import { callQuery, useCallMutation } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatShortDateTime } from '../../../../components/value/dates.ts'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import { SheetButtons } from './batch-card.tsx'
import styles from './mobile-admin.module.css'

type FeedbackThread = CallOutput<typeof getFeedBackList>['list'][number]
const maxThreads = 10

export const openFeedbackQuery = callQuery(getFeedBackList, { status: 'open', pagesize: maxThreads })
/** Feedback threads that wait for an answer. */
export function MobileFeedback() {
  const { data } = useQuery({ ...openFeedbackQuery, retryOnMount: false })
  const [open, setOpen] = useState<FeedbackThread | null>(null)
  if (!data || data.list.length === 0) return null
  return (
    <section aria-labelledby="pocket-feedback">
      <h2 id="pocket-feedback">员工反馈 · {data.page.total}</h2>
      <ul>
        {data.list.map((thread) => (
          <li key={thread.id}>
            <button type="button" className={`${styles.card} ${styles.thread}`} onClick={() => setOpen(thread)}>
              <span className={styles.line}>
                <strong>{thread.name}</strong>
                <span className="ui-hint">{formatShortDateTime(thread.updated_at)}</span>
              </span>
              <span className="ui-hint">{thread.title}</span>
              <span className={styles.said}>{thread.last_message}</span>
            </button>
          </li>
        ))}
      </ul>
      {data.page.total > maxThreads && (
        <Link to="/memberFeedback" className={styles.more}>
          查看全部 {data.page.total} 条
        </Link>
      )}
      {open && <FeedbackReplySheet thread={open} onClose={() => setOpen(null)} />}
    </section>
  )
}

function FeedbackReplySheet({ thread, onClose }: { thread: FeedbackThread; onClose: () => void }) {
  const detail = useQuery(callQuery(getFeedBackDetail, { id: thread.id }))
  const [text, setText] = useState('')
  const reply = useCallMutation(handleFeedback, {
    onSuccess: () => {
      toast.success('已回复')
      onClose()
    },
  })
  return (
    <BottomSheet open title={`${thread.name} · ${thread.title}`} onClose={onClose}>
      {detail.data ? (
        <ol className={styles.talk}>
          {detail.data.messages.map(({ at, from, name, content }) => (
            <li key={at} data-from={from}>
              <span className="ui-hint">
                {name} {formatShortDateTime(at)}
              </span>
              <p>{content}</p>
            </li>
          ))}
        </ol>
      ) : detail.error ? (
        <ErrorState error={detail.error} retry={() => void detail.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      <label className={styles.field}>
        <span className="ui-label">回复</span>
        <textarea maxLength={500} rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <SheetButtons
        action="回复"
        busy={reply.isPending}
        disabled={text.trim() === ''}
        onDo={() => reply.mutate({ id: thread.id, action: 'reply', content: text.trim() })}
        onClose={onClose}
      />
      <Link to="/memberFeedback" search={{ id: thread.id }} className={styles.more}>
        打开完整页面，更正工资条
      </Link>
    </BottomSheet>
  )
}
