import { formatDate } from '../../../components/value/dates.ts'
import styles from './due-date.module.css'

/** The answer deadline: red when overdue. */
export const AnswerDueDate = ({ thread: { due_at, is_overdue } }: { thread: { due_at: string | null; is_overdue: boolean } }) =>
  due_at && (
    <span className={styles.due} data-late={is_overdue || undefined}>
      {is_overdue ? '已超时' : `${formatDate(due_at).slice(5)} 前回复`}
    </span>
  )
