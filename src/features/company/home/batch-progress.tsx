import { Link, linkOptions } from '@tanstack/react-router'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { getIndex } from '../../../../server/contract/company/company.ts'
import { SegmentedBar, SegmentLabels } from '../../../components/state/progress.tsx'
import { formatShortDateTime } from '../../../components/value/dates.ts'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { getListProgressSegments } from '../../payslips/labels.ts'
import styles from './home.module.css'

type Batch = CallOutput<typeof getIndex>['batches'][number]
/** Returns the link to continue a batch: drafts in the wizard, everything else on the batch page. */
const getBatchLink = ({ status, batch_id }: Batch) =>
  linkOptions({ to: status === 'draft' ? '/wageSend1' : status === 'checked' ? '/check' : '/wageDetail', search: { batch_id } })

/** One batch of this month, with the number of payslips sent, viewed and confirmed. */
export function BatchProgress({ batch }: { batch: Batch }) {
  const { total, feedback } = batch
  const segments = getListProgressSegments(batch)
  return (
    <li className={styles.batch}>
      <div className="ui-row">
        <strong className="ui-grow">
          <Link {...getBatchLink(batch)}>{batch.title || '未命名的工资表'}</Link>
        </strong>
        <StatusDot batch={batch.status} dispatchPending={batch.soon} />
        <span className="ui-hint ui-nowrap">{formatShortDateTime(batch.updated_at)}</span>
      </div>
      <SegmentedBar total={total} sections={segments} />
      <div className="ui-bar-words">
        <span>共 {total.toLocaleString('zh-CN')} 人</span>
        <SegmentLabels segments={segments} />
        {feedback > 0 && <span>{feedback} 人有反馈</span>}
      </div>
    </li>
  )
}
