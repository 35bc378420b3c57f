import { Link } from '@tanstack/react-router'
import { Pagination } from 'antd'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { FeedbackStatus, getFeedBackList } from '../../../../server/contract/payslips/feedback.ts'
import { formatShortDateTime } from '../../../components/value/dates.ts'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { AnswerDueDate } from './due-date.tsx'
import styles from './inbox.module.css'

type FeedbackPage = CallOutput<typeof getFeedBackList>

const feedbackStatusLabels = {
  open: { label: '待处理', color: 'warn' },
  answered: { label: '已回复', color: 'info' },
  resolved: { label: '已解决', color: 'ok' },
} as const
export const FeedbackStatusDot = ({ status }: { status: FeedbackStatus }) => <StatusDot {...feedbackStatusLabels[status]} />

/** The threads, newest message first. */
export function FeedbackList(props: {
  answer: FeedbackPage
  selected: string | undefined
  onPage: (page: number) => void
  busy: boolean
}) {
  const { answer: feedback, selected: selectedId, onPage, busy } = props
  const { page, pagesize, total } = feedback.page
  return (
    <nav className={styles.list} aria-label="员工反馈" aria-busy={busy}>
      <ul>
        {feedback.list.map((thread) => (
          <li key={thread.id}>
            <Link
              from="/memberFeedback"
              to="/memberFeedback"
              search={(previous) => ({ ...previous, id: thread.id })}
              aria-current={thread.id === selectedId ? 'true' : undefined}
            >
              <span>
                <strong>{thread.name}</strong>
                <time dateTime={thread.updated_at}>{formatShortDateTime(thread.updated_at)}</time>
              </span>
              <span className={styles.last}>{thread.last_message}</span>
              <span>
                <small>{thread.about ? `「${thread.about.label}」 ${thread.title}` : thread.title}</small>
                {thread.is_overdue ? <AnswerDueDate thread={thread} /> : <FeedbackStatusDot status={thread.status} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <span>共 {total} 条</span>
        {total > pagesize && <Pagination simple current={page} pageSize={pagesize} total={total} onChange={onPage} />}
      </div>
    </nav>
  )
}
