import type { CallOutput } from '../../../server/contract/call.ts'
import type { getSalary } from '../../../server/contract/payslips/send.ts'
import { formatDateTime } from '../../components/value/dates.ts'
import { getColorStyle } from '../../components/value/status-dot.tsx'
import type { StatusColor } from '../../theme.ts'
import styles from './batch/batch.module.css'

type TimelineEvents = CallOutput<typeof getSalary>['timeline']
const eventColors: Record<TimelineEvents[number]['kind'], StatusColor> = {
  queued: 'ink3',
  sent: 'ink',
  failed: 'danger',
  delivered: 'ok',
  reminded: 'ink2',
  viewed: 'info',
  confirmed: 'ok',
  corrected: 'warn',
  feedback: 'warn',
  withdrawn: 'ink3',
}

/** The timeline of a payslip, oldest event first. */
export const Timeline = ({ events }: { events: TimelineEvents }) => (
  <ol className={styles.timeline} aria-label="经过">
    {events.map((event) => (
      <li key={event.at + event.kind + event.text} style={getColorStyle(eventColors[event.kind])}>
        <time dateTime={event.at}>{formatDateTime(event.at)}</time>
        <span>{event.text}</span>
      </li>
    ))}
  </ol>
)
