import { Link } from '@tanstack/react-router'
import { Pagination } from 'antd'
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { FeedbackStatus, getFeedBackList } from '../../../../server/contract/slip/feedback.ts'
import { shortTime } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from './inbox.module.css'
import { Due } from './owner.tsx'

type Answer = OutputOf<typeof getFeedBackList>

const states = {
  open: { word: '待处理', tone: 'warn' },
  answered: { word: '已回复', tone: 'info' },
  resolved: { word: '已解决', tone: 'ok' },
} as const
export const FeedbackState = ({ status }: { status: FeedbackStatus }) => <StatusDot {...states[status]} />

/** The threads, newest word first. */
export function FeedbackList(props: {
  answer: Answer
  chosen: string | undefined
  onPage: (page: number) => void
  busy: boolean
}) {
  const { answer, chosen, onPage, busy } = props
  const { page, pagesize, total } = answer.page
  return (
    <nav className={styles.list} aria-label="员工反馈" aria-busy={busy}>
      <ul>
        {answer.list.map((line) => (
          <li key={line.id}>
            <Link
              from="/memberFeedback"
              to="/memberFeedback"
              search={(old) => ({ ...old, id: line.id })}
              aria-current={line.id === chosen ? 'true' : undefined}
            >
              <span>
                <strong>{line.name}</strong>
                <time dateTime={line.updated_at}>{shortTime(line.updated_at)}</time>
              </span>
              <span className={styles.last}>{line.last}</span>
              <span>
                <small>{line.about ? `「${line.about.label}」 ${line.title}` : line.title}</small>
                {line.late ? <Due thread={line} /> : <FeedbackState status={line.status} />}
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
