import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import {
  getFeedBackDetail,
  getFeedBackList,
  getFeedbackPicture,
  handleFeedback,
} from '../../../../../server/contract/payslips/feedback.ts'
import { getSalary } from '../../../../../server/contract/payslips/send.ts'
import { callApi, callQuery, useCallMutation } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatShortDateTime } from '../../../../components/value/dates.ts'
import { Money } from '../../../../components/value/money.tsx'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import talk from '../../../payslips/question/bubbles.module.css'
import { AnswerDueDate } from '../../../payslips/question/due-date.tsx'
import { MessagePictures } from '../../../payslips/question/pictures.tsx'
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
                <AnswerDueDate thread={thread} />
              </span>
              <span className="ui-hint">
                {thread.title}
                {thread.about && ` · ${thread.about.label}`}
              </span>
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
  const detail = useQuery({ ...callQuery(getFeedBackDetail, { id: thread.id }), gcTime: 0 })
  const [text, setText] = useState('')
  const reply = useCallMutation(handleFeedback, {
    onSuccess: () => {
      toast.success('已回复')
      onClose()
    },
  })
  return (
    <BottomSheet open title={`${thread.name} · ${thread.title}`} onClose={onClose}>
      <FeedbackFigure thread={thread} />
      {detail.data ? (
        <ol className={`${talk.root} ${styles.talk}`} aria-label="对话">
          {detail.data.messages.map(({ id, at, from, name, content, pictures }) => (
            <li key={id} data-mine={from === 'admin' || undefined}>
              <p className="ui-hint">
                {name} · {formatShortDateTime(at)}
              </p>
              <div>
                {content}
                <MessagePictures ids={pictures} load={(picture) => callApi(getFeedbackPicture, { id: picture })} />
              </div>
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
        查看工资条、更正或转交
      </Link>
    </BottomSheet>
  )
}

/** The amount in question as it stands on the payslip now, with the net pay, and when the answer is due. */
function FeedbackFigure({ thread }: { thread: FeedbackThread }) {
  const payslip = useQuery({ ...callQuery(getSalary, { salary_id: thread.salary_id }), gcTime: 0 })
  const { about } = thread
  const net = payslip.data?.slip.net
  const item = payslip.data?.slip.groups.flatMap(({ cells }) => cells).find(({ key }) => key === about?.key)
  return (
    <dl className={styles.subject}>
      {about && (
        <div>
          <dt>{about.label}</dt>
          <dd>{item ? item.fen === null ? item.value : <Money fen={item.fen} strong /> : '—'}</dd>
        </div>
      )}
      {net && net.label !== about?.label && (
        <div>
          <dt>{net.label}</dt>
          <dd>
            <Money fen={net.fen} />
          </dd>
        </div>
      )}
      {thread.due_at && (
        <div>
          <dt>回复期限</dt>
          <dd>
            <AnswerDueDate thread={thread} />
          </dd>
        </div>
      )}
    </dl>
  )
}
