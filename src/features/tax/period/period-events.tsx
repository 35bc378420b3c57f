import { formatDateTime } from '../../../components/value/dates.ts'
import type { PeriodDetail } from './labels.ts'
import styles from './period.module.css'

const periodEventLabels = { created: '新建', locked: '锁定', reopened: '重新打开' } as const

/** Who created, locked and reopened the period, and why; entries cannot be changed. */
export const PeriodEvents = ({ period }: { period: PeriodDetail }) => (
  <section className="ui-card" aria-labelledby="period-events">
    <h2 id="period-events">操作记录</h2>
    <ul className={styles.events}>
      {period.events.map(({ at, kind, by, reason }) => (
        <li key={at + kind}>
          <time dateTime={at}>{formatDateTime(at)}</time>
          <span>{`${by} ${periodEventLabels[kind]}`}</span>
          {reason && <span className="ui-label">{`原因：${reason}`}</span>}
        </li>
      ))}
    </ul>
  </section>
)
