import type { OutputOf } from '../../../server/contract/call.ts'
import type { getSalary } from '../../../server/contract/slip/slip.ts'
import type { Tone } from '../../theme.ts'
import { dayAndTime } from '../../ui/value/dates.ts'
import { toneStyle } from '../../ui/value/status-dot.tsx'
import styles from './batch/batch.module.css'

type Events = OutputOf<typeof getSalary>['timeline']
const tones: Record<Events[number]['what'], Tone> = {
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

/** What happened to a slip, oldest first. */
export const Timeline = ({ events }: { events: Events }) => (
  <ol className={styles.timeline} aria-label="经过">
    {events.map((event) => (
      <li key={event.at + event.what + event.text} style={toneStyle(tones[event.what])}>
        <time dateTime={event.at}>{dayAndTime(event.at)}</time>
        <span>{event.text}</span>
      </li>
    ))}
  </ol>
)
