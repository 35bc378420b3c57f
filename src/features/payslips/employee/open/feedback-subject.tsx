import { useId } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import type { getFeedback } from '../../../../../server/contract/payslips/employee.ts'
import { formatDate } from '../../../../components/value/dates.ts'
import { StatusDot } from '../../../../components/value/status-dot.tsx'
import styles from './feedback-subject.module.css'

type Thread = CallOutput<typeof getFeedback>
const threadStatusLabels = {
  open: { label: '待回复', color: 'warn' },
  answered: { label: '已回复', color: 'info' },
  resolved: { label: '已解决', color: 'ok' },
} as const

/** Returns the item of the thread to open first: with an unread answer, else one that exists; null for the whole payslip. */
export function selectFirstThread(threads: Thread['threads']): string | null {
  const entire = threads.find(({ line }) => line === null)
  if (entire?.answer_unread) return null
  const first =
    threads.find((one) => one.answer_unread) ?? entire ?? threads.find(({ status }) => status === 'open') ?? threads[0]
  return first?.line ?? null
}

/** The payslip item that the thread is about, its status, and who answers until when. */
export function FeedbackSubject({
  thread,
  line: itemKey,
  onLine: onSelectItem,
}: {
  thread: Thread
  line: string | undefined
  onLine: (line: string) => void
}) {
  const id = useId()
  const { columns, threads, status, owner, due_at } = thread
  const formatThreadStatus = (key: string | null) => {
    const itemThread = threads.find((other) => other.line === key)
    if (!itemThread) return ''
    const isUnread = itemThread.answer_unread && key !== (itemKey ?? null)
    return `（${isUnread ? '有新回复' : threadStatusLabels[itemThread.status].label}）`
  }
  // An item that is no longer on the payslip keeps its thread.
  const items = thread.subject && !columns.some(({ key }) => key === itemKey) ? [thread.subject, ...columns] : columns
  return (
    <section className={`${styles.about} no-print`} aria-label="反馈">
      <label htmlFor={id}>问哪一项</label>
      <select id={id} value={itemKey ?? ''} onChange={(event) => onSelectItem(event.target.value)}>
        <option value="">整张工资条{formatThreadStatus(null)}</option>
        {items.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
            {formatThreadStatus(key)}
          </option>
        ))}
      </select>
      {status && (
        <p>
          <StatusDot {...threadStatusLabels[status]} />
          {status === 'open' && (
            <span>
              {owner && `由 ${owner} 回复`}
              {due_at && `，${formatDate(due_at).slice(5)} 前`}
            </span>
          )}
        </p>
      )}
    </section>
  )
}
