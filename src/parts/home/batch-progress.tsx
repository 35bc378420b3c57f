import { Link, linkOptions } from '@tanstack/react-router'
import type { OutputOf } from '../../../server/contract/call.ts'
import type { getIndex } from '../../../server/contract/corp/company.ts'
import { PartsBar } from '../../ui/state/progress.tsx'
import { shortTime } from '../../ui/value/dates.ts'
import { StatusDot, toneStyle } from '../../ui/value/status-dot.tsx'
import { partsOfLine } from '../slip/words.ts'
import styles from './home.module.css'

type Batch = OutputOf<typeof getIndex>['batches'][number]
/** Where a batch is gone on with: a draft in the wizard, everything else on its own page. */
const linkOf = ({ status, batch_id }: Batch) =>
  linkOptions({ to: status === 'draft' ? '/wageSend1' : status === 'checked' ? '/check' : '/wageDetail', search: { batch_id } })

/** One batch of this month: how many have it, read it, confirmed it. */
export function BatchProgress({ batch }: { batch: Batch }) {
  const { total, feedback } = batch
  const parts = partsOfLine(batch)
  return (
    <li className={styles.batch}>
      <div className="ui-row">
        <strong className="ui-grow">
          <Link {...linkOf(batch)}>{batch.title || '未命名的工资表'}</Link>
        </strong>
        <StatusDot batch={batch.status} soon={batch.soon} />
        <span className="ui-hint ui-nowrap">{shortTime(batch.updated_at)}</span>
      </div>
      <PartsBar total={total} parts={parts} />
      <div className="ui-bar-words">
        <span>共 {total} 人</span>
        {parts
          .filter((part) => part.value > 0)
          .map(({ label, value, tone }) => (
            <span key={label} className="ui-status" style={toneStyle(tone)}>
              {label} {value}
            </span>
          ))}
        {feedback > 0 && <span>{feedback} 人有反馈</span>}
      </div>
    </li>
  )
}
