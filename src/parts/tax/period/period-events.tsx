import { dayAndTime } from '../../../ui/value/dates.ts'
import styles from './period.module.css'
import type { PeriodHead } from './words.ts'

const eventWords = { created: '新建', locked: '锁定', reopened: '重新打开' } as const

/** Who began, locked and opened it, and why; nothing of it can be changed. */
export const PeriodEvents = ({ period }: { period: PeriodHead }) => (
  <section className="ui-card" aria-labelledby="period-events">
    <h2 id="period-events">操作记录</h2>
    <ul className={styles.events}>
      {period.events.map(({ at, kind, by, reason }) => (
        <li key={at + kind}>
          <time dateTime={at}>{dayAndTime(at)}</time>
          <span>{`${by} ${eventWords[kind]}`}</span>
          {reason && <span className="ui-label">{`原因：${reason}`}</span>}
        </li>
      ))}
    </ul>
  </section>
)
