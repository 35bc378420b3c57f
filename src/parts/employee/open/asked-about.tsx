import { useId } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getFeedback } from '../../../../server/contract/own/employee.ts'
import { day } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from './asked-about.module.css'

type Thread = OutputOf<typeof getFeedback>
const states = {
  open: { word: '待回复', tone: 'warn' },
  answered: { word: '已回复', tone: 'info' },
  resolved: { word: '已解决', tone: 'ok' },
} as const

/** Which line of the slip the conversation is about, how it stands, and who answers until when. */
export function AskedAbout({
  thread,
  line,
  onLine,
}: {
  thread: Thread
  line: string | undefined
  onLine: (line: string) => void
}) {
  const id = useId()
  const { lines, threads, status, owner, due_at } = thread
  const stateOf = (key: string | null) => {
    const one = threads.find((asked) => asked.line === key)
    return one ? `（${one.answer_unread ? '有新回复' : states[one.status].word}）` : ''
  }
  // A line that is no longer on the slip keeps its thread.
  const known = thread.about && !lines.some(({ key }) => key === line) ? [thread.about, ...lines] : lines
  return (
    <section className={`${styles.about} no-print`} aria-label="疑问">
      <label htmlFor={id}>问哪一项</label>
      <select id={id} value={line ?? ''} onChange={(event) => onLine(event.target.value)}>
        <option value="">整张工资条{stateOf(null)}</option>
        {known.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
            {stateOf(key)}
          </option>
        ))}
      </select>
      {status && (
        <p>
          <StatusDot {...states[status]} />
          {status === 'open' && (
            <span>
              {owner && `由 ${owner} 回复`}
              {due_at && `，${day(due_at).slice(5)} 前`}
            </span>
          )}
        </p>
      )}
    </section>
  )
}
