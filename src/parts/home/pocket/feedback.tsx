import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getFeedBackDetail, getFeedBackList, handleFeedback } from '../../../../server/contract/slip/feedback.ts'
import { query, useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { shortTime } from '../../../ui/value/dates.ts'
import { Sheet } from '../../employee/sheet.tsx'
import { Buttons } from './batch-card.tsx'
import styles from './pocket-admin.module.css'

type Thread = OutputOf<typeof getFeedBackList>['list'][number]
const most = 10

export const waitingFeedback = query(getFeedBackList, { status: 'open', pagesize: most })
/** Questions that wait for an answer. */
export function PocketFeedback() {
  const { data } = useQuery({ ...waitingFeedback, retryOnMount: false })
  const [open, setOpen] = useState<Thread | null>(null)
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
                <span className="ui-hint">{shortTime(thread.updated_at)}</span>
              </span>
              <span className="ui-hint">{thread.title}</span>
              <span className={styles.said}>{thread.last}</span>
            </button>
          </li>
        ))}
      </ul>
      {data.page.total > most && (
        <Link to="/memberFeedback" className={styles.more}>
          查看全部 {data.page.total} 条
        </Link>
      )}
      {open && <AnswerSheet thread={open} onClose={() => setOpen(null)} />}
    </section>
  )
}

function AnswerSheet({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const asked = useQuery(query(getFeedBackDetail, { id: thread.id }))
  const [text, setText] = useState('')
  const act = useCall(handleFeedback, {
    onSuccess: () => {
      toast.done('已回复')
      onClose()
    },
  })
  return (
    <Sheet open title={`${thread.name} · ${thread.title}`} onClose={onClose}>
      {asked.data ? (
        <ol className={styles.talk}>
          {asked.data.messages.map(({ at, from, name, content }) => (
            <li key={at} data-from={from}>
              <span className="ui-hint">
                {name} {shortTime(at)}
              </span>
              <p>{content}</p>
            </li>
          ))}
        </ol>
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      <label className={styles.field}>
        <span className="ui-label">回复</span>
        <textarea maxLength={500} rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <Buttons
        action="回复"
        busy={act.isPending}
        disabled={text.trim() === ''}
        onDo={() => act.mutate({ id: thread.id, action: 'reply', content: text.trim() })}
        onClose={onClose}
      />
      <Link to="/memberFeedback" search={{ id: thread.id }} className={styles.more}>
        打开完整页面，更正工资条
      </Link>
    </Sheet>
  )
}
